"""The words of the console, Portuguese. What a tool does and what fields are called comes from the contract."""

import re
from datetime import datetime, timedelta, timezone

from markupsafe import Markup

from mock_api.approvals import DECLINED, EXECUTED, EXPIRED, FAILED, PENDING

STATUSES = {
    PENDING: "Pendente",
    EXECUTED: "Executada",
    DECLINED: "Cancelada",
    FAILED: "Com falha",
    EXPIRED: "Expirada",
}
TABS = {
    PENDING: "Pendentes",
    EXECUTED: "Executadas",
    DECLINED: "Canceladas",
    FAILED: "Com falha",
    EXPIRED: "Expiradas",
}
EMPTY = {
    PENDING: "Nenhuma aprovação espera por você.",
    EXECUTED: "Nenhuma operação foi executada por aprovação.",
    DECLINED: "Nenhuma aprovação foi cancelada.",
    FAILED: "Nenhuma aprovação falhou.",
    EXPIRED: "Nenhuma aprovação expirou.",
}
OUTCOMES = {
    EXECUTED: ("Operação executada", "Rodou uma única vez, com as permissões que você tinha nesse momento."),
    DECLINED: ("Operação cancelada", "Nada foi executado, e este link não decide mais nada."),
    FAILED: ("A operação falhou", "Nada mudou, e este link não decide mais nada."),
    EXPIRED: ("O link venceu", "Nada foi executado. Peça a operação de novo ao assistente."),
}
FAILURES = {
    "subject_changed": (
        "O que a operação afeta mudou depois que a tela foi aberta. Nada foi executado: peça a operação de novo "
        "e revise o novo link."
    ),
    "forbidden": "Falta uma permissão ou um escopo que a operação exige. Nada mudou.",
    "unauthorized": (
        "O token que pediu a operação não vale mais, ou você não faz mais parte da organização. Nada mudou."
    ),
    "not_found": "Um registro de que a operação precisa não existe mais. Nada mudou.",
    "unavailable": "O serviço não está disponível agora. Nada mudou: peça a operação de novo mais tarde.",
}
BRASILIA = timezone(timedelta(hours=-3))
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def moment(text: str) -> Markup:
    """A time of the API as people in Brazil read it, with the exact one for machines."""
    if not _MOMENT.fullmatch(text):
        return Markup("{}").format(text)
    local = datetime.fromisoformat(text).astimezone(BRASILIA)
    return Markup('<time datetime="{}">{} às {} (UTC−3)</time>').format(
        text, f"{local:%d/%m/%Y}", f"{local:%H:%M:%S}"
    )


def left(now: datetime, until: str) -> str:
    """How much time is left, in words."""
    seconds = max(0, int((datetime.fromisoformat(until) - now).total_seconds()))
    if seconds < 60:
        return "falta menos de 1 minuto"
    minutes = seconds // 60
    return "falta 1 minuto" if minutes == 1 else f"faltam {minutes} minutos"

"""The organization, its people and roles, and its ties to the outside: files, repository, webhooks."""

import unicodedata
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from mock_api.calls import Record, Records
from mock_api.world import phrases
from mock_api.world.draw import Draw, pool
from mock_api.world.recipe import Build

Given = Mapping[str, Any]


def organization(draw: Draw) -> Record:
    """An organization on a paid plan, far below its cost ceiling."""
    company = draw.pick(pool().companies)
    created = draw.ago(400 * 86400, 500 * 86400)
    return {
        "id": draw.id(),
        "name": company,
        "legal_name": f"{company} Serviços Financeiros",
        "cnpj": draw.pick(pool().cnpjs),
        "email": f"financeiro@{_slug(company)}.exemplo.com.br",
        "timezone": "America/Sao_Paulo",
        "plan": "professional",
        "cost_ceiling_cents": 5_000_000,
        "created_at": created,
        "updated_at": created,
    }


def people(draw: Draw, count: int) -> list[Record]:
    """That many people, no two with the same name or e-mail."""
    names = draw.some(pool().people, count)
    while len(names) < count:
        names.append(f"{draw.pick(pool().people)} {len(names)}")
    return [
        {"id": draw.id(), "name": name, "email": f"{_slug(name)}.{n}@exemplo.com.br"}
        for n, name in enumerate(names, start=1)
    ]


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    return "-".join("".join(c if c.isalnum() else " " for c in plain).split())


def role(draw: Draw, _records: Records, _given: Given) -> Record:
    """A role and what it allows."""
    name, description, permissions = draw.pick(phrases.ROLES)
    return {"name": name, "description": description, "permissions": list(permissions)}


def member(draw: Draw, records: Records, given: Given) -> Record:
    """A person's membership, under the person's own id."""
    name = draw.pick(pool().people)
    return {
        "name": name,
        "email": f"{_slug(name)}.{draw.number(100, 99999)}@exemplo.com.br",
        "role_id": draw.parent(records, "roles", given, "role_id").get("id"),
        "active": True,
    }


def file(draw: Draw, _records: Records, given: Given) -> Record:
    """A file that was uploaded and confirmed; its bytes stay inside, in base64."""
    lines = [f"2026-10-{n:02d};{draw.number(100, 99999)};pago" for n in range(1, draw.number(4, 12))]
    content = "\n".join(["data;centavos;situacao", *lines, ""]).encode()
    return {
        "name": f"extrato-{draw.number(1000, 9999)}.csv",
        "content_type": "text/csv",
        "size_bytes": len(content),
        "checksum_sha256": sha256(content).hexdigest(),
        "state": "available",
        "confirmed_at": given["created_at"],
        "_bytes": b64encode(content).decode(),
        "_key": draw.opaque(""),
    }


def repository(draw: Draw, _records: Records, given: Given) -> Record:
    """The Playbook of the organization and its catalogue of skills, as last synced."""
    return {
        "provider": "github",
        "url": f"https://github.com/kadu-exemplo/{draw.opaque('playbook-')[:17]}",
        "branch": "main",
        "commit": sha256(draw.id().encode()).hexdigest()[:40],
        "synced_at": given["created_at"],
        "playbook": {"title": "Kadu Playbook", "content": phrases.PLAYBOOK},
        "skills": [{"name": n, "title": title, "description": text} for n, title, text in phrases.SKILLS],
    }


def webhook(draw: Draw, _records: Records, _given: Given) -> Record:
    """A webhook; its signing secret stays inside."""
    return {
        "url": f"https://{_slug(draw.pick(pool().companies))}.exemplo.com.br/kadu/{draw.number(1, 999)}",
        "description": "Avisos para o ERP",
        "events": draw.some(phrases.DELIVERED, 2),
        "active": True,
        "secret_rotated_at": None,
        "_signing_secret": draw.opaque("whsec_"),
    }


def webhook_delivery(draw: Draw, records: Records, given: Given) -> Record:
    """A delivery that the receiver refused."""
    hook = draw.parent(records, "webhooks", given, "webhook_id")
    event = draw.pick(phrases.DELIVERED)
    return {
        "webhook_id": hook.get("id"),
        "url": hook.get("url"),
        "event": event,
        "state": "failed",
        "response_status": 500,
        "replay_of": None,
        "payload": {"event": event, "id": draw.id()},
    }


def operation_approval(draw: Draw, records: Records, given: Given) -> Record:
    """A pending approval by link, of nobody unless `person` is given."""
    task = draw.parent(records, "tasks", given, "task_id")
    environment = draw.parent(records, "environments", given, "environment_id")
    return {
        "status": "pending",
        "operation": "kadu_tasks_run",
        "title": "Executar a tarefa",
        "arguments": {"id": task.get("id"), "environment_id": environment.get("id")},
        "person": None,
        "client": {"id": draw.id(), "name": "Assistente de exemplo"},
        "expires_at": draw.text(15 * 60),
        "decided_at": None,
        "result": None,
        "error": None,
    }


BUILDERS: Mapping[str, Build] = {
    "roles": role,
    "members": member,
    "files": file,
    "repositories": repository,
    "webhooks": webhook,
    "webhook_deliveries": webhook_delivery,
    "operation_approvals": operation_approval,
}

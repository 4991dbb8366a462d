"""What pages tell of approvals, as labels and values that a template can set without a thought of its own."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from mock_api.approval_subjects import Affected
from mock_api.calls import Record
from mock_api.console.visible import visible
from mock_api.console.words import moment
from mock_api.contract import Contract

LONG = 400
"""Characters or, below, lines beyond which a value stands in a box of its own that scrolls."""
MANY_LINES = 8
_SPOKEN = {"True": "Sim", "False": "Não", "None": "—"}
"""How values of records are said; arguments stay as they were sent."""


@dataclass(frozen=True)
class Fact:
    """A label and a value. `name` is what the API calls it, where it has a name there."""

    label: str
    value: Markup
    name: str = ""
    block: bool = False
    long: bool = False
    hint: Markup | None = None


@dataclass(frozen=True)
class Subject:
    """An affected record: what it is, its id, its facts; without any where it does not exist."""

    kind: str
    id: Markup
    exists: bool
    facts: list[Fact]


def request(approval: Record, organization: str) -> list[Fact]:
    """Who asked for what, when and by which client."""
    person, client = approval["person"], approval["client"]
    asked_by = Markup("{} · {}").format(visible(person["name"]), visible(person["email"]))
    facts = [
        Fact("Quem pediu", asked_by),
        Fact("Organização", visible(organization)),
        Fact("Cliente", visible(client["name"])),
        Fact("Pedido em", moment(approval["created_at"])),
        Fact("Válido até", moment(approval["expires_at"])),
    ]
    if approval["decided_at"] is not None:
        facts.append(Fact("Decidido em", moment(approval["decided_at"])))
    return [
        *facts,
        Fact("Operação", Markup("<code>{}</code>").format(visible(approval["operation"]))),
        Fact("Número da aprovação", Markup("<code>{}</code>").format(visible(approval["id"]))),
    ]


def values(contract: Contract, of: Mapping[str, Any]) -> list[Fact]:
    """The fields of an object, each with its words and its name."""
    return [_fact(contract, name, value) for name, value in of.items()]


def result(contract: Contract, outcome: Any) -> list[Fact]:
    """What an operation returned."""
    if outcome is None:
        return []
    return values(contract, outcome if isinstance(outcome, Mapping) else {"result": outcome})


def subjects(contract: Contract, shown: tuple[Affected, ...]) -> list[Subject]:
    """The affected records, as they are now."""
    return [
        Subject(
            kind=contract.labels.get(each.collection, each.collection),
            id=visible(each.id),
            exists=each.exists,
            facts=[
                _fact(contract, one.field, _SPOKEN.get(repr(one.value), one.value), one.refers_to)
                for one in each.fields
            ],
        )
        for each in shown
    ]


def _fact(contract: Contract, name: str, value: Any, refers_to: str | None = None) -> Fact:
    text, block = _text(value)
    return Fact(
        label=contract.labels.get(name, name),
        name=name,
        value=visible(text),
        block=block,
        long=len(text) > LONG or text.count("\n") > MANY_LINES,
        hint=None if refers_to is None else visible(refers_to),
    )


def _text(value: Any) -> tuple[str, bool]:
    """A value as text, and whether it is one to set in a block."""
    if isinstance(value, str):
        return value, "\n" in value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n".join(value), False
    if isinstance(value, dict | list):
        return json.dumps(value, indent=2, ensure_ascii=False), True
    return json.dumps(value, ensure_ascii=False), False

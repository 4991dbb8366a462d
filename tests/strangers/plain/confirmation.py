"""The person's yes in the chat: the question, the sealed state, the decision. No input or output here."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
from calendar import month_name
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from plain.choices import USUAL, Choices
from plain.contract import Operation

ANSWER_KEY = "run_decision"
FIELD = "decision"
LIFETIME = timedelta(minutes=5)
MAC_BYTES = 32
DAY = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
MONTHS = tuple(month_name)[1:]


@dataclass(frozen=True)
class Form:
    """How the question is put: what of a schema it takes, and the values that mean yes and no."""

    takes: Mapping[str, Any]
    yes: str | bool
    no: str | bool


FORMS: Mapping[str, Form] = {
    "enum": Form({"type": "string", "enum": ["Não", "Sim, executar"]}, "Sim, executar", "Não"),
    "enum_names": Form(
        {"type": "string", "enum": ["0", "1"], "enumNames": ["Do not run", "Go ahead, run it"]}, "1", "0"
    ),
    "boolean": Form({"type": "boolean", "default": False}, True, False),
    "commands": Form({"type": "string", "enum": ["Abort", "Execute"]}, "Execute", "Abort"),
    "no_way_back": Form(
        {
            "type": "string",
            "oneOf": [
                {"const": "stay", "title": "Leave everything as it is"},
                {"const": "go", "title": "Run it now (there is no way back)"},
            ],
        },
        "go",
        "stay",
    ),
    "own_language": Form(
        {
            "type": "string",
            "oneOf": [{"const": "0", "title": "Igen, mehet"}, {"const": "1", "title": "Nem, maradjon"}],
        },
        "0",
        "1",
    ),
}
Said = Literal["yes", "no", "declined", "unclear", "malformed"]


@dataclass(frozen=True)
class Subject:
    """What a yes is good for: this tool, these arguments, this person, this organization."""

    tool: str
    digest: str
    person: str
    organization: str


@dataclass(frozen=True)
class Ticket:
    """A question that was asked: the nonce that makes it good for one use, and when it ends."""

    nonce: str
    expires: datetime

    def fresh(self, now: datetime) -> bool:
        """KADU-CNF-10: five minutes."""
        return now <= self.expires


def subject(tool: str, arguments: Mapping[str, Any], person: str, organization: str) -> Subject:
    """KADU-CNF-06…09: what the state is bound to; the order of keys does not count."""
    canonical = json.dumps(arguments, sort_keys=True, separators=(",", ":"))
    return Subject(tool, hashlib.sha256(canonical.encode()).hexdigest(), person, organization)


def seal(secret: bytes, about: Subject, now: datetime) -> str:
    """A state for one new question, good for five minutes from `now`."""
    claims = {
        "for": [about.tool, about.digest, about.person, about.organization],
        "until": int((now + LIFETIME).timestamp()),
        "once": secrets.token_hex(16),
    }
    payload = json.dumps(claims, ensure_ascii=False).encode()
    blob = base64.urlsafe_b64encode(_mac(secret, payload) + payload)
    return blob.rstrip(b"=").decode()


def unseal(secret: bytes, state: str, about: Subject) -> Ticket | None:
    """The ticket of a state that fits, of any age; None where anything does not: then one asks again (KADU-CNF-11)."""
    try:
        blob = base64.b64decode(state + "=" * (-len(state) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    mac, payload = blob[:MAC_BYTES], blob[MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(secret, payload)):
        return None
    claims = json.loads(payload)
    if claims["for"] != [about.tool, about.digest, about.person, about.organization]:
        return None
    return Ticket(claims["once"], datetime.fromtimestamp(claims["until"], tz=UTC))


def question(
    operation: Operation, arguments: Mapping[str, Any], form: Form, choices: Choices = USUAL
) -> dict[str, Any]:
    """KADU-CNF-02: one question about this action, showing every argument."""
    shown = [f"  - {name} = {_shown(value, choices)}" for name, value in sorted(arguments.items())] or [
        "  (no arguments)"
    ]
    lines = [f"The assistant wants to run {operation.name}: {operation.title}.", "It would send:", *shown]
    return {
        "method": "elicitation/create",
        "params": {
            "message": "\n".join([*lines, "Nothing has happened yet. Should it run?"]),
            "requestedSchema": {
                "type": "object",
                "properties": {
                    FIELD: {
                        **form.takes,
                        "title": "Your decision",
                        "description": "It runs once, and only if you choose so here.",
                    }
                },
                "required": [FIELD],
            },
        },
    }


def decision(responses: Any, form: Form) -> Said:
    """KADU-CNF-04, 05: what the person said; `malformed` is what is no answer to a form."""
    if responses is None:
        return "unclear"
    if not isinstance(responses, dict):
        return "malformed"
    answer = responses.get(ANSWER_KEY)
    if answer is None:
        return "unclear"
    if not isinstance(answer, dict) or answer.get("action") not in ("accept", "decline", "cancel"):
        return "malformed"
    if answer["action"] != "accept":
        return "declined"
    content = answer.get("content")
    chosen = content.get(FIELD) if isinstance(content, dict) else None
    if type(chosen) is not type(form.yes):
        return "unclear"
    return "yes" if chosen == form.yes else "no" if chosen == form.no else "unclear"


def _mac(secret: bytes, payload: bytes) -> bytes:
    return hmac.digest(secret, b"kadu confirmation 1\0" + payload, "sha256")


def _shown(value: Any, choices: Choices) -> str:
    if isinstance(value, str) and DAY.fullmatch(value) and choices.of("days_asked") == "words":
        day = date.fromisoformat(value)
        return f"{MONTHS[day.month - 1]} {day.day}, {day.year}"
    if isinstance(value, str) and value.isprintable():
        return value
    return json.dumps(value, ensure_ascii=False)

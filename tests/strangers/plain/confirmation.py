"""The person's yes in the chat: the question, the sealed state, the decision. No input or output here."""

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from plain.contract import Operation
from plain.envelope import INVALID_PARAMS, Fault

ANSWER_KEY = "run_decision"
FIELD = "decision"
NO, YES = "Não", "Sim, executar"
LIFETIME = timedelta(minutes=5)
MAC_BYTES = 32


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


def unseal(secret: bytes, state: str, about: Subject, now: datetime) -> Ticket | None:
    """The ticket of a state that fits; None where anything does not: then one asks again (KADU-CNF-11)."""
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
    expires = datetime.fromtimestamp(claims["until"], tz=now.tzinfo)
    # KADU-CNF-10: five minutes
    return Ticket(claims["once"], expires) if now <= expires else None


def question(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """KADU-CNF-02: one question about this action, showing every argument."""
    shown = [f"  - {name} = {_shown(value)}" for name, value in sorted(arguments.items())] or [
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
                        "type": "string",
                        "title": "Your decision",
                        "description": "It runs once, and only if you choose so here.",
                        "enum": [NO, YES],
                    }
                },
                "required": [FIELD],
            },
        },
    }


def decision(responses: Any) -> Literal["yes", "no", "unclear"]:
    """KADU-CNF-04, 05: what the person said. Raises Fault where the answer map is malformed."""
    if responses is None:
        return "unclear"
    if not isinstance(responses, dict):
        raise Fault(INVALID_PARAMS, "inputResponses must be an object.")
    answer = responses.get(ANSWER_KEY)
    if answer is None:
        return "unclear"
    if not isinstance(answer, dict) or answer.get("action") not in ("accept", "decline", "cancel"):
        raise Fault(INVALID_PARAMS, f"inputResponses.{ANSWER_KEY} is no answer to a form.")
    if answer["action"] != "accept":
        return "no"
    content = answer.get("content")
    chosen = content.get(FIELD) if isinstance(content, dict) else None
    if chosen == YES:
        return "yes"
    return "no" if chosen == NO else "unclear"


def _mac(secret: bytes, payload: bytes) -> bytes:
    return hmac.digest(secret, b"kadu confirmation 1\0" + payload, "sha256")


def _shown(value: Any) -> str:
    if isinstance(value, str) and value.isprintable():
        return value
    return json.dumps(value, ensure_ascii=False)

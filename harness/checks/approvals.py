"""The answer that says a call waits for an approval, and what is read of the approval later."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from harness.checks.documents import walk
from harness.checks.results import broken, describe, is_success, parse_json
from harness.exchanges import Exchange

REQUIRED = "approval_required"
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
_ADDRESS = r"url|link|address|endereço|enlace|dirección|adresse|\blien\b|indirizzo"
_NEGATION = (
    r"\b(not|don't|don’t|never|não|nunca|no|nicht|nie|niemals|keine?|keinesfalls|ne|pas|jamais|non|mai)\b"
    r"|\bn['’]"
)
_CALLING = (
    r"\b(call|calling|repeat|retry|rerun|invoke|chame|chamar|repita|repetir|llame|llamar|vuelva|ejecute"
    r"|ruf|aufruf|aufzuruf|wiederhol|appel|rappel|relanc|répét|réessay|réexécut|chiam|richiam|ripet|riprov|rieseg)"
)


@dataclass(frozen=True)
class Approval:
    """An approval as the answer to a call tells it."""

    id: str
    url: str
    expires_at: str
    resource_uri: str
    check_with: Any
    message: str


def read_approval(exchange: Exchange, *, checkable: bool = True) -> Approval:
    """APR-01: a success with a single text block of JSON that says where the call is decided.

    `checkable` is false where the caller may not read approvals: then check_with alone is absent. Raises RuleBroken.
    """
    wanted = f"a success with one text block of JSON: status {REQUIRED}, approval, message"
    content = (exchange.result or {}).get("content")
    blocks = content if isinstance(content, list) else []
    if not is_success(exchange) or len(blocks) != 1 or not isinstance(blocks[0], Mapping):
        raise broken(
            "the call does not wait for an approval", exchange, expected=wanted, actual=describe(exchange)
        )
    told = parse_json(str(blocks[0].get("text"))) if blocks[0].get("type") == "text" else None
    approval = told.get("approval") if isinstance(told, Mapping) else None
    if not isinstance(told, Mapping) or told.get("status") != REQUIRED or not isinstance(approval, Mapping):
        raise broken(
            "the call does not wait for an approval", exchange, expected=wanted, actual=describe(exchange)
        )
    if approval.get("status") != "pending":
        raise broken(
            "a new approval is not pending",
            exchange,
            expected="approval.status pending",
            actual=repr(approval.get("status")),
        )
    texts = {name: approval.get(name) for name in ("id", "url", "expires_at", "resource_uri")}
    texts["message"] = told.get("message")
    missing = [name for name, value in texts.items() if not isinstance(value, str) or not value]
    if checkable and "check_with" not in approval:
        missing.append("check_with")
    if missing:
        raise broken(
            "the approval is not complete",
            exchange,
            expected=wanted,
            actual=f"missing: {', '.join(missing)}; {describe(exchange)}",
        )
    if not checkable and "check_with" in approval:
        raise broken(
            "a caller who may not check is told to",
            exchange,
            expected="no check_with",
            actual=f"check_with {approval['check_with']!r}",
        )
    return Approval(
        check_with=approval.get("check_with"), **{name: str(value) for name, value in texts.items()}
    )


def expect_expiry(approval: Approval, exchange: Exchange, now: datetime, minutes: int, margin: float) -> None:
    """APR-02: expires_at is RFC 3339 and that many minutes from now, give or take the margin in seconds."""
    moment = _moment(approval.expires_at)
    if moment is None or abs((moment - now).total_seconds() - minutes * 60) > margin:
        raise broken(
            "the approval expires at another time",
            exchange,
            expected=f"{minutes} minutes from {now.isoformat()}, as RFC 3339",
            actual=approval.expires_at[:100],
        )


def _moment(text: str) -> datetime | None:
    # RFC 3339 is narrower than ISO 8601, and lets its letters be small.
    if not _RFC_3339.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None


def expect_instructions(approval: Approval, exchange: Exchange) -> None:
    """APR-03: the message tells to show the address, and not to call again."""
    words = approval.message.casefold()
    shows = approval.url.casefold() in words or re.search(_ADDRESS, words) is not None
    sentences = re.split(r"[.!?;\n]+", words)
    again = any(re.search(_NEGATION, one) and re.search(_CALLING, one) for one in sentences)
    if not (shows and again):
        raise broken(
            "the message does not say what to do",
            exchange,
            expected="to show the URL to the user, and not to call the tool again",
            actual=approval.message[:500],
        )


def expect_absolute(approval: Approval, exchange: Exchange) -> None:
    """APR-02: the url is absolute http or https."""
    try:
        parts = urlsplit(approval.url)
        absolute = parts.scheme in ("http", "https") and bool(parts.netloc)
    except ValueError:
        absolute = False
    if not absolute:
        raise broken(
            "the address of the approval is not absolute",
            exchange,
            expected="an http or https address",
            actual=approval.url[:300],
        )


def statuses_of(document: Any, approval_id: str) -> set[str]:
    """The statuses that a document tells of an approval."""
    return {
        str(one["status"])
        for one in walk(document)
        if isinstance(one, Mapping) and one.get("id") == approval_id and "status" in one
    }

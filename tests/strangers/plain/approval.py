"""Approval by link: what is asked of the register, and what a caller is told. No input or output here."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from plain.contract import Operation
from plain.resources import ROOT
from plain.service import BRASILIA

REGISTER = "/v1/operation_approvals"
READER = "kadu_operation_approvals_get"
ADVICE = (
    "Nothing has happened yet. Hand this address to the user, who signs in there and decides: {url} "
    "Do not repeat the call: each one asks for an approval of its own. Look it up once the user says that it is "
    "decided."
)


def order(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the register stores: the call as it came, idempotency_key included."""
    return {"arguments": dict(arguments), "operation": operation.name}


def announcement(record: Any, may_check: bool) -> dict[str, Any] | None:
    """KADU-APR-01, 02: what the caller is told of a stored approval; None where the register's answer lacks it.

    `may_check` says whether the caller may read approvals by tool.
    """
    if not isinstance(record, dict) or record.get("status") != "pending":
        return None
    name, url = record.get("id"), record.get("url")
    expires, created = _moment(record.get("expires_at")), _moment(record.get("created_at"))
    if not isinstance(name, str) or not name or not isinstance(url, str) or not url or expires is None:
        return None
    approval: dict[str, Any] = {
        "url": url,
        "expires_at": expires,
        "status": "pending",
        "resource_uri": f"{ROOT}operation_approvals/{quote(name, safe='')}",
        "id": name,
    }
    if created is not None:
        approval["created_at"] = created
    if may_check:
        # KADU-APR-05: to nobody else
        approval["check_with"] = {"arguments": {"id": name}, "tool": READER}
    return {"message": ADVICE.format(url=url), "approval": approval, "status": "approval_required"}


def _moment(text: Any) -> str | None:
    """A time of the API as RFC 3339 in Brasília; None where it is no time with a zone."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        in_brasilia = moment.astimezone(BRASILIA) if moment is not None and moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
    return in_brasilia.isoformat(timespec="microseconds") if in_brasilia is not None else None

"""Approvals by link as records: how one is made, found, decided once, and how it expires. Plain data, no screens.

They live among the records of a tenant. What starts with `_` stays inside: the id of the asking token, and the
digest of the link, for the link itself is kept nowhere.
"""

import hashlib
import secrets
import uuid
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from mock_api import clock, tenant_clock
from mock_api.calls import Record, Records
from mock_api.generic import newest_first

COLLECTION = "operation_approvals"
LIFE = timedelta(minutes=15)
"""How long a link decides, by the tenant's clock."""
MASK = "••••••••"
"""What stands for a secret wherever it is not shown for its one time."""

PENDING, EXECUTED, FAILED, DECLINED, EXPIRED = "pending", "executed", "failed", "declined", "expired"
STATUSES = (PENDING, EXECUTED, DECLINED, FAILED, EXPIRED)


def pending(
    operation: str,
    title: str,
    arguments: Mapping[str, Any],
    person: Record,
    client: Mapping[str, str],
    token: str,
    now: datetime,
) -> tuple[Record, str]:
    """A new pending approval, and the secret part of its link. `token` is the id of the asking token."""
    link = secrets.token_urlsafe(32)
    record = {
        "id": str(uuid.UUID(bytes=secrets.token_bytes(16), version=4)),
        "status": PENDING,
        "operation": operation,
        "title": title,
        "arguments": dict(arguments),
        "person": {name: person[name] for name in ("id", "name", "email")},
        "client": dict(client),
        "result": None,
        "error": None,
        # KADU-APR-11: 15 minutes.
        "expires_at": clock.text(now + LIFE),
        "decided_at": None,
        "created_at": clock.text(now),
        "updated_at": clock.text(now),
        "_token": token,
        "_link": _digest(link),
    }
    return record, link


def held(records: Records) -> dict[str, Record]:
    """The approvals among the records of a tenant, by id, oldest first."""
    return records.get(COLLECTION, {})


def store(records: Records, approval: Record) -> None:
    """Put a new approval among the records of a tenant."""
    records.setdefault(COLLECTION, {})[approval["id"]] = approval


def by_link(records: Records, link: str) -> Record | None:
    """The approval that a link opens."""
    digest = _digest(link)
    return next((each for each in held(records).values() if each.get("_link") == digest), None)


def is_of(approval: Record, person: str) -> bool:
    """Whether an approval is that person's to decide and to read."""
    owner = approval.get("person")
    return owner is not None and owner["id"] == person


def of_person(records: Records, person: str) -> list[Record]:
    """A person's own approvals, newest first."""
    own = {name: each for name, each in held(records).items() if is_of(each, person)}
    return newest_first(own)


def expire(records: Records, now: datetime, deciding: Collection[str]) -> None:
    """Let expire what is past its time, but for those that somebody is deciding on at this moment."""
    for approval in held(records).values():
        # KADU-APR-11: at 15 minutes it is over.
        if approval["status"] == PENDING and approval["id"] not in deciding and _is_past(approval, now):
            approval.update(status=EXPIRED, updated_at=approval["expires_at"])


def decide(
    approval: Record,
    status: str,
    now: datetime,
    *,
    result: Any = None,
    error: Mapping[str, str] | None = None,
) -> None:
    """Write the decision on a pending approval down."""
    moment = clock.text(now)
    approval.update(status=status, decided_at=moment, updated_at=moment, result=result, error=error)


def _is_past(approval: Record, now: datetime) -> bool:
    try:
        return now >= tenant_clock.parse(approval["expires_at"])
    except (TypeError, ValueError):
        # One that was planted without a time that can be read never expires.
        return False


def _digest(link: str) -> str:
    return hashlib.sha256(link.encode()).hexdigest()

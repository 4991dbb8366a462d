"""The engine's only clock: the upstream's `Date` where it comes with one, else the time of this machine."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache


def machine_now() -> datetime:
    """The time of this machine, UTC."""
    return datetime.now(UTC)


def from_date_header(value: str | None) -> datetime:
    """The time an HTTP `Date` header states, UTC, whole seconds; this machine's where it is missing or
    unreadable.
    """
    moment = None if value is None else _stated(value)
    return machine_now() if moment is None else moment


@lru_cache(maxsize=64)
def _stated(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def rfc3339(epoch: int) -> str:
    """Seconds since the epoch as RFC 3339, UTC."""
    return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

"""The mock's only clock. Nothing else here reads the time of the machine."""

from datetime import UTC, datetime


def now() -> datetime:
    """The time of this machine, UTC."""
    return datetime.now(UTC)


def text(moment: datetime) -> str:
    """RFC 3339 in UTC with milliseconds, as every body of the mock writes times."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

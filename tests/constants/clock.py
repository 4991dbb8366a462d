"""The only clock here."""

from datetime import UTC, datetime


def now() -> datetime:
    """The time of this machine, UTC."""
    return datetime.now(UTC)

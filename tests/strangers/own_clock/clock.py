"""The only clock of this server: that of its process."""

import time
from datetime import UTC, date, datetime


def seconds() -> float:
    """Now, in seconds since 1970."""
    return time.time()


def moment() -> datetime:
    """Now, in UTC."""
    return datetime.fromtimestamp(seconds(), UTC)


def today() -> date:
    """The day in UTC."""
    return moment().date()


def in_figures(day: date) -> str:
    """A day as it is written here: 24/10/2026."""
    return f"{day.day:02d}/{day.month:02d}/{day.year:04d}"

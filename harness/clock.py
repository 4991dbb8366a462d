"""The harness's only clock. Nothing else here reads the time of the machine."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The time of this machine, UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Seconds on a clock that never goes back; for durations."""
    return time.monotonic()

"""The harness's only clock. Nothing else here reads the time of the machine."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The time of this machine, UTC."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Seconds on a clock that never goes back; for durations."""
    return time.monotonic()


def pause(seconds: float) -> None:
    """Let that many seconds pass. For when the other side itself asks to wait, and for nothing else."""
    time.sleep(seconds)

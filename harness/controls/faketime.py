"""libfaketime: the clock of a server that we started, moved for its whole process.

The library reads how far the time is moved from a file, at every look at the clock. The file is replaced by a rename,
so that no half of a number is ever read. The monotonic clock stays real: event loops and timeouts go on as ever, and
what a server times by it does not move.
"""

import os
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final

from harness import clock
from harness.exchanges import HttpRequest
from harness.runner.refusal import CannotRun
from harness.transport import Transport

# The build for programs with threads; the other one loses its place when several threads read the clock at once.
LIBRARY: Final = "libfaketimeMT.so.1"
PLACES: Final = (
    "/usr/lib/x86_64-linux-gnu/faketime",
    "/usr/lib/aarch64-linux-gnu/faketime",
    "/usr/lib/faketime",
    "/usr/lib64/faketime",
    "/usr/local/lib/faketime",
)
VARIABLE: Final = "FAKETIME_LIB"
AN_HOUR: Final = 3600.0
PATIENCE: Final = 3.0
PAUSE: Final = 0.05
# A Date is whole seconds, and some servers keep one for a second.
BLUR: Final = 5.0


def find_library(environment: Mapping[str, str], places: Sequence[str] = PLACES) -> Path:
    """The library: where FAKETIME_LIB says, else where Debian and others put it. Raises CannotRun."""
    told = environment.get(VARIABLE)
    candidates = [Path(told)] if told else [Path(place) / LIBRARY for place in places]
    for path in candidates:
        if path.is_file():
            return path
    where = f"at {told}, where {VARIABLE} says it is" if told else "installed here"
    raise CannotRun(
        f"libfaketime is not {where}, and without it the time of a server cannot be moved: install the Debian "
        f"package libfaketime, or say in {VARIABLE} where {LIBRARY} is."
    )


def moved_environment(inherited: Mapping[str, str], library: Path, file: Path) -> dict[str, str]:
    """The environment of a program whose time follows `file`: the given one, and what the library wants to be told.

    Settings of the library that were inherited are dropped: they could freeze the time, or move the monotonic clock.
    """
    kept = {
        name: value for name, value in inherited.items() if not name.startswith(("FAKETIME", "DONT_FAKE_"))
    }
    before = kept.get("LD_PRELOAD", "")
    return {
        **kept,
        "LD_PRELOAD": f"{library}:{before}" if before else str(library),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_FORCE_MONOTONIC_FIX": "0",
        "NO_FAKE_STAT": "1",
    }


class ProcessClock:
    """The clock of a process, as the file it follows: `offset` is how far ahead of the real time it is, in seconds.

    One process of ours moves it at a time.
    """

    def __init__(self, file: str | Path) -> None:
        self._file = Path(file)

    @property
    def offset(self) -> float:
        """Seconds between the real time and that of the process. Raises OSError, ValueError where no clock was set."""
        return float(self._file.read_text(encoding="ascii"))

    def set(self, offset: float) -> None:
        """Let the process be that many seconds ahead of the real time (behind it, where less than zero)."""
        # A name of its own: the library must never see a file that is half written, nor none at all.
        new = self._file.with_name(f"{self._file.name}.{secrets.token_hex(4)}")
        new.write_text(f"{offset:+.3f}\n", encoding="ascii")
        os.replace(new, self._file)

    def advance(self, seconds: float) -> None:
        """Move the process's time on."""
        self.set(self.offset + seconds)

    def set_moment(self, moment: datetime) -> None:
        """Let it be that moment for the process now."""
        self.set((moment - clock.now()).total_seconds())


def canary(file: str | Path, url: str, transport: Transport, timeout: float) -> bool | None:
    """Jump an hour and come back: whether the `Date` of the server's own answers went along; None where it sends none.

    Meant for before the server has any state. The first look is taken at the real time.
    """
    process = ProcessClock(file)
    ahead = _ahead(url, transport, timeout)
    if ahead is None:
        return None
    process.set(AN_HOUR)
    deadline = clock.monotonic() + PATIENCE
    try:
        while True:
            now = _ahead(url, transport, timeout)
            if now is not None and abs(now - ahead - AN_HOUR) <= BLUR:
                return True
            if clock.monotonic() > deadline:
                return False
            clock.pause(PAUSE)
    finally:
        process.set(0.0)


def _ahead(url: str, transport: Transport, timeout: float) -> float | None:
    """How far the server's `Date` is ahead of this machine's time."""
    request = HttpRequest("GET", url, (("accept", "text/event-stream"),))
    sent = transport.send(request, timeout=timeout, until=lambda _: True)
    told = None if sent.answer is None else sent.answer.header("date")
    if told is None:
        return None
    try:
        return (parsedate_to_datetime(told) - clock.now()).total_seconds()
    except (ValueError, TypeError):
        # No date, or one without a zone.
        return None

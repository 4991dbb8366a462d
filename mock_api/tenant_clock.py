"""A tenant's own time: it stands still until it is moved, or ticks along with the machine."""

import re
from datetime import UTC, datetime, timedelta

from mock_api import clock

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")
FIRST_YEAR, LAST_YEAR = 1971, 2999
_OUT_OF_RANGE = f"the time must lie in the years {FIRST_YEAR} to {LAST_YEAR}"


class TenantClock:
    """Starts at a moment and stands still. All moments are UTC, in whole milliseconds."""

    def __init__(self, start: datetime, since: datetime | None = None) -> None:
        """Ticks where `since` is given: the time of the machine at which it was `start`. Raises as `set` does."""
        self._since: datetime | None = None
        self.set(start)
        self._since = since

    @property
    def base(self) -> datetime:
        """Where it stands, or stood at `since`."""
        return self._base

    @property
    def since(self) -> datetime | None:
        """The time of the machine from which on it ticks; None while it stands still."""
        return self._since

    def now(self) -> datetime:
        """The tenant's time."""
        if self._since is None:
            return self._base
        return whole(self._base + (clock.now() - self._since))

    def advance(self, seconds: float) -> None:
        """Move by so many seconds. Raises ValueError where `set` does."""
        try:
            moment = self.now() + timedelta(seconds=seconds)
        except OverflowError:
            raise ValueError(_OUT_OF_RANGE) from None
        self.set(moment)

    def set(self, moment: datetime) -> None:
        """Move to a moment; a ticking clock ticks on. Raises ValueError outside of the years allowed."""
        if not FIRST_YEAR <= moment.year <= LAST_YEAR:
            raise ValueError(_OUT_OF_RANGE)
        self._base = whole(moment)
        if self._since is not None:
            self._since = clock.now()

    def tick(self, ticking: bool) -> None:
        """Let the clock tick with the machine's, or stand still where it is."""
        self._base = self.now()
        self._since = clock.now() if ticking else None


def whole(moment: datetime) -> datetime:
    """The moment in UTC, cut to milliseconds, so that it survives being written and read."""
    moment = moment.astimezone(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def parse(text: str) -> datetime:
    """Read an RFC 3339 time. Raises ValueError with one sentence."""
    if not _RFC3339.fullmatch(text):
        raise ValueError("a time must be RFC 3339, such as 2026-11-30T15:00:00.000Z")
    try:
        return whole(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise ValueError(f"{text} is no time that exists") from None

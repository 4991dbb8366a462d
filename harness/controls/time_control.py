"""Time controls, as data."""

from dataclasses import dataclass
from typing import Final, Literal

TimeName = Literal["upstream-date", "faketime", "real", "none"]

NAMES: Final[tuple[TimeName, ...]] = ("upstream-date", "faketime", "real", "none")


@dataclass(frozen=True)
class TimeControl:
    """What moves the time of a server, and what was seen of it.

    `upstream-date`: the server takes now from the `Date` of its upstream's answers. `faketime`: a server that we
    started, moved as a process. `real`: waiting. `none`: nothing moves it. `proven` is true where the server was seen
    to let a yes grow old by this control, `dates` where the dates it computes were seen to follow; one does not prove
    the other. `said` is one sentence for people: what was seen, or why nothing could be.
    """

    name: TimeName
    proven: bool
    said: str
    dates: bool = False

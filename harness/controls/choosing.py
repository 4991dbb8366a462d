"""The time control of a run: the one that was asked for, or what a probe finds."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from harness.collection.cases import TIME_PASSES, Case
from harness.controls.faketime import ProcessClock, canary, find_library, moved_environment
from harness.controls.probe import probe_time
from harness.controls.time_control import NAMES, TimeControl
from harness.runner.refusal import CannotRun
from harness.settings import Settings
from harness.transport import Transport

AUTO: Final = "auto"
CHOICES: Final = (AUTO, *NAMES)
TIME_IS_SET: Final = "it is {moment}"


@dataclass(frozen=True)
class ProcessTime:
    """A process whose clock can be moved: the file it follows, and the environment it is started in."""

    file: str
    environment: Mapping[str, str]


def check(wanted: str, *, command: bool, max_wait: float) -> None:
    """Refuse what does not go together. Raises CannotRun."""
    if wanted not in CHOICES:
        raise CannotRun(f"There is no time control {wanted!r}; there are {', '.join(CHOICES)}.")
    if wanted == "faketime" and not command:
        raise CannotRun("--time faketime moves a server that we start: give it by --command.")
    if wanted == "real" and max_wait <= 0:
        raise CannotRun(
            "--time real needs to know how long it may wait: --max-wait SECONDS (a yes takes 301)."
        )


@contextmanager
def process_time(wanted: str, environment: Mapping[str, str]) -> Iterator[ProcessTime | None]:
    """What a server is started with so that its clock can be moved; None where that was not asked for.

    Raises CannotRun where the library is not there.
    """
    if wanted != "faketime":
        yield None
        return
    library = find_library(environment)
    with tempfile.TemporaryDirectory(prefix="time-") as directory:
        file = Path(directory) / "offset"
        ProcessClock(file).set(0.0)
        yield ProcessTime(str(file), moved_environment(environment, library, file))


def about_time(cases: Iterable[Case]) -> bool:
    """Whether any of these cases moves time."""
    texts = {bound.match.definition.text for case in cases for bound in case.steps}
    return not texts.isdisjoint({TIME_PASSES, TIME_IS_SET})


def with_time(settings: Settings, wanted: str, transport: Transport, file: str = "") -> Settings:
    """The settings with the time control that was asked for (`file`: of a process that can be moved), as it was found.

    Raises HarnessFault where the mock does not do its part.
    """
    if wanted == "real":
        said = f"time is waited for, at most {settings.max_wait:g} s in a scenario"
        return _with(settings, TimeControl("real", True, said))
    if wanted == "none":
        return _with(settings, TimeControl("none", False, "none was asked for"))
    settings = replace(settings, time_control="upstream-date", time_file=file)
    if not file:
        found = probe_time(settings)
        if found.name == "none":
            found = replace(found, said=f"{found.said}; --time faketime moves one that --command starts")
        return _with(settings, found)
    # What runs side by side would be moved along: a process has one clock.
    settings = replace(settings, time_control="faketime", workers=1)
    moved = canary(file, settings.urls[0], transport, settings.timeout)
    if moved is False:
        said = "libfaketime does not move this server: the Date of its answers stayed when the time jumped an hour"
        return _with(replace(settings, time_file=""), TimeControl("none", False, said))
    return _with(settings, probe_time(settings))


def _with(settings: Settings, found: TimeControl) -> Settings:
    return replace(
        settings,
        time_control=found.name,
        time_proven=found.proven,
        dates_proven=found.dates,
        time_said=found.said,
    )

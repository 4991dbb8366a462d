"""A conforming server that keeps its confirmations itself and lives by the clock of its own process."""

import os
import sys

import pytest

from harness.controls.faketime import find_library
from harness.runner.refusal import CannotRun

from .conftest import ROOT, Run, Told

PROGRAM = str(ROOT / "tests" / "strangers" / "own_clock_server.py")
NEVER_ASKED = (
    "the server never asked the upstream's register (confirmations_create): whatever store it has instead "
    "cannot be made to fail"
)
# All that cannot be controlled from outside.
UNREGISTERED = {
    "Without the register of confirmations a yes runs nothing, and later works",
    "After the outage a new call and its yes run",
    "A yes whose registering is not answered runs nothing",
}
OF_ITS_CLOCK = {"KADU-CNF-10", "KADU-CNF-12", "KADU-CMP-03", "KADU-PRM-05"}
OF_THE_UPSTREAM = {"KADU-IDM-07", "KADU-APR-02", "KADU-APR-11"}
NOT_MOVED = {"time cannot be moved for this server", "time could not be moved for this server"}


@pytest.fixture
def library() -> None:
    """libfaketime; in CI it has to be there."""
    try:
        find_library(os.environ)
    except CannotRun as missing:
        if os.environ.get("CI") == "true":
            pytest.fail(str(missing))
        pytest.skip(str(missing))


def untested(told: Told) -> set[tuple[str, str]]:
    """Every scenario that could not be judged, and why."""
    lines = told.scenarios.values()
    return {(line["name"], line["reason"]) for line in lines if line["verdict"] == "not testable"}


@pytest.mark.usefixtures("library")
def test_nothing_is_held_against_it_and_what_cannot_be_seen_is_said(kadu: Run) -> None:
    told = kadu("run", "--time", "faketime", command=(sys.executable, PROGRAM))
    findings = [finding for line in told.scenarios.values() for finding in line["findings"]]
    assert findings == []
    assert told.of("failed") == told.of("warned") == told.of("errored") == set()
    assert "Time: faketime: a yes was asked again after six minutes" in " ".join(told.out.split())
    assert untested(told) == {(name, NEVER_ASKED) for name in UNREGISTERED}
    assert told.of("not testable") == {"KADU-UNA-03"}
    assert told.code == 3


def test_where_its_clock_is_not_moved_what_takes_time_alone_is_untested(kadu: Run) -> None:
    named = [part for rule in (*OF_ITS_CLOCK, *OF_THE_UPSTREAM) for part in ("--rule", rule)]
    told = kadu("run", *named, command=(sys.executable, PROGRAM))
    assert told.of("not testable") == OF_ITS_CLOCK
    assert told.of("passed") == OF_THE_UPSTREAM
    assert {reason.split(":")[0] for _, reason in untested(told)} == NOT_MOVED
    assert told.code == 3

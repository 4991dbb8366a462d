"""Where time is real, scenarios that wait do so together, and every other one runs as ever."""

from dataclasses import replace

import pytest

from harness.collection.plugin import Orders, make_plan, part_of
from harness.product import load
from harness.runner.session import parts
from harness.settings import Settings

WAIT = ("KADU-CNF-10", "KADU-CNF-12", "KADU-IDM-07")
SETTINGS = Settings(
    "kadu", tuple(map(str, load("kadu").features)), (), "", "", "", rules=(*WAIT, "KADU-CNF-03")
)


@pytest.mark.parametrize(("workers", "rest"), [(1, ["all"]), (2, ["together"])])
def test_waiting_is_done_at_once(workers: int, rest: list[str]) -> None:
    settings = replace(SETTINGS, time_control="real", workers=workers)
    plan = make_plan(Orders(settings))
    found = list(parts(plan, settings))
    waiting = part_of(plan.selection.cases, "waiting", settings)
    assert found[0] == ("waiting", len(waiting))
    assert [part for part, _ in found[1:]] == rest
    assert {case.rule for case in waiting} == set(WAIT)
    judged = [case.id for part, _ in found for case in part_of(plan.selection.cases, part, settings)]
    assert sorted(judged) == sorted(case.id for case in plan.selection.cases)
    assert len(judged) > len(waiting)


def test_time_that_is_moved_makes_nobody_wait() -> None:
    plan = make_plan(Orders(SETTINGS))
    assert list(parts(plan, SETTINGS)) == [("all", 0)]
    assert len(part_of(plan.selection.cases, "all", SETTINGS)) == len(plan.selection.cases)

"""Time moved in a scenario, under each control."""

from dataclasses import replace
from datetime import datetime

import pytest

from harness import clock
from harness.controls import moving
from harness.controls.moving import ageing_since, follows, move, too_slow
from harness.settings import Settings
from harness.steps.calls import begin, call_for
from harness.steps.confirmations import says_yes
from harness.verdicts import NotTestable
from harness.world import World, open_world

from .conftest import Served


def opened(settings: Settings, **changed: object) -> World:
    """A world with its tenant."""
    world = open_world(replace(settings, **changed), "moving", "2026", "KADU-CNF-10")  # type: ignore[arg-type]
    assert world.tenant
    return world


def moment(text: str) -> float:
    """Seconds of a time as text."""
    return datetime.fromisoformat(text).timestamp()


def test_without_a_control_a_question_cannot_grow_old(serve: Served) -> None:
    world = opened(serve("python"), time_control="none", time_said="it keeps its own clock")
    begin(world, call_for(world, "kadu_tasks_run"))
    with pytest.raises(NotTestable, match="time cannot be moved for this server: it keeps its own clock"):
        move(world, 301)
    world.close()


def test_without_a_control_the_upstream_moves_alone_and_nobody_is_accused(upstream: Settings) -> None:
    world = opened(upstream, time_control="none", time_proven=True)
    before = moment(world.tenant.now)
    assert follows(world)
    move(world, 86400)
    assert moment(world.tenant.now) - before == pytest.approx(86400)
    assert not follows(world)
    world.close()


def test_real_time_is_waited_for_as_long_as_is_allowed(
    upstream: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(clock, "pause", waited.append)
    world = opened(upstream, time_control="real", time_proven=True, max_wait=400.0)
    world.story.asked.append(None)  # type: ignore[arg-type]
    move(world, 301)
    assert waited == [301]
    assert follows(world)
    with pytest.raises(NotTestable, match=r"400\.5 s would have to be waited for, and --max-wait is 400"):
        move(world, 99.5)
    assert waited == [301]
    world.close()


@pytest.mark.parametrize(("took", "tells"), [(0.4, True), (0.6, False)])
def test_a_slow_answer_is_not_held_against_a_clock_that_ticks(
    upstream: Settings, monkeypatch: pytest.MonkeyPatch, took: float, tells: bool
) -> None:
    world = opened(upstream, time_control="faketime")
    world.story.moved, world.story.asked_at = True, 100.0
    monkeypatch.setattr(clock, "monotonic", lambda: 100.0 + took)
    assert (too_slow(ageing_since(world)) is None) == tells
    monkeypatch.undo()
    world.close()


def test_a_clock_that_stands_still_waits_for_slow_answers(upstream: Settings) -> None:
    world = opened(upstream, time_control="upstream-date")
    world.story.moved, world.story.asked_at = True, clock.monotonic() - 60
    assert too_slow(ageing_since(world)) is None
    world.close()


def test_a_yes_asked_again_after_slow_answers_is_not_testable(
    serve: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "MARGIN", -1.0)
    world = opened(serve("python", lifetime="-1"), time_control="faketime")
    begin(world, call_for(world, "kadu_tasks_run"))
    world.story.moved = True
    with pytest.raises(NotTestable, match="too slow to tell"):
        says_yes(world)
    world.close()

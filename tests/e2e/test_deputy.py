"""A person at a console that the harness does not know: a command decides, or somebody at the terminal."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.actors.client import NO_FORMS
from harness.actors.deputy import by_command, by_hand
from harness.settings import Settings
from harness.steps.calls import begin, call_for
from harness.steps.console import cancels, continues, continues_at_once, open_link, page_says
from harness.steps.outcomes import it_ran_once, nothing_ran
from harness.steps.tracking import expect_status
from harness.verdicts import HarnessFault, NotTestable, RuleBroken
from harness.world import World, open_world

from .programs import judged

DEPUTY = Path(__file__).with_name("deputy.py")


@pytest.fixture(scope="module")
def running() -> Iterator[Settings]:
    with judged() as ready:
        yield ready


@pytest.fixture
def world(running: Settings, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    passwords = tmp_path / "passwords.json"
    settings = replace(running, person=f"{sys.executable} {DEPUTY} {passwords}")
    opened = open_world(settings, request.node.name, "2026", "KADU-APR-08")
    passwords.write_text(json.dumps({person["email"]: person["password"] for person in opened.tenant.people}))
    opened.declare(NO_FORMS)
    begin(opened, call_for(opened, "kadu_tasks_run"))
    yield opened
    opened.close()


def test_a_command_continues(world: World) -> None:
    open_link(world)
    page_says(world, "Executar a tarefa")
    continues(world)
    it_ran_once(world)
    expect_status(world, "executed")


def test_a_command_cancels(world: World) -> None:
    open_link(world)
    cancels(world)
    nothing_ran(world)
    expect_status(world, "declined")
    with pytest.raises(RuleBroken):
        expect_status(world, "executed")


def test_what_a_command_cannot_do_is_not_testable(world: World) -> None:
    open_link(world)
    with pytest.raises(NotTestable):
        continues_at_once(world, 10)


def test_after_a_decision_there_is_nothing_to_press(world: World) -> None:
    open_link(world)
    continues(world)
    with pytest.raises(NotTestable, match="nothing to decide"):
        continues(world)
    it_ran_once(world)


@pytest.mark.parametrize(
    ("program", "complaint"),
    [
        ("import sys; sys.exit(3)", "ended with 3"),
        ("print('hello')", "answers no JSON"),
        ("print('{}')", "has to answer an object with `seen`"),
        ("import time; time.sleep(30)", "did not end within"),
    ],
)
def test_a_command_that_fails_is_our_fault(program: str, complaint: str) -> None:
    ask = by_command(f'{sys.executable} -c "{program}"', 2.0)
    with pytest.raises(HarnessFault, match=complaint):
        ask({"url": "http://127.0.0.1/", "decision": "look", "who": {"name": "Ana", "email": "a@b"}})


def test_somebody_at_the_terminal_is_told_what_to_do() -> None:
    told: list[str] = []
    ask = by_hand(told.append, lambda: "Executar a tarefa")
    seen = ask({"url": "http://console/x", "decision": "continue", "who": {"name": "Ana", "email": "ana@b"}})
    assert seen == {"seen": "Executar a tarefa", "decidable": True}
    assert told[0] == "As Ana (ana@b), press Continue on: http://console/x"

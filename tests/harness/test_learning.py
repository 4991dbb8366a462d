"""Which of two answers is the yes, where nobody knows their words: what became of each, tried out once, tells."""

from typing import Any, cast

import pytest

from harness.exchanges import Exchange
from harness.steps import questions
from harness.verdicts import NotTestable, RuleBroken
from harness.world import World
from tests.harness.test_questions import asking


class Scratch:
    """A world that knows nothing but what was learned in its process."""

    def __init__(self) -> None:
        self.learned: dict[Any, tuple[Any, ...]] = {}


def exchange() -> Exchange:
    return asking({"a": {"type": "string", "enum": ["igen", "nem"]}})


def running(monkeypatch: pytest.MonkeyPatch, *runs: str) -> list[str]:
    tried: list[str] = []

    def tries(_world: Any, _tool: str, _arguments: Any, unknown: Any, number: int) -> bool:
        tried.append(unknown.values[number - 1])
        return tried[-1] in runs

    monkeypatch.setattr(questions, "_runs", tries)
    return tried


@pytest.mark.parametrize(("yes", "no"), [("igen", "nem"), ("nem", "igen")])
def test_the_answer_after_which_it_runs_is_the_yes(
    monkeypatch: pytest.MonkeyPatch, yes: str, no: str
) -> None:
    tried, world = running(monkeypatch, yes), cast(World, Scratch())
    for _ in range(2):
        question = questions.question_of(world, exchange())
        assert (question.yes, question.no) == (yes, no)
    assert tried == ["igen", "nem"]


def test_where_it_runs_after_either_there_is_no_yes_and_no(monkeypatch: pytest.MonkeyPatch) -> None:
    running(monkeypatch, "igen", "nem")
    with pytest.raises(RuleBroken, match="cannot be answered by yes or no"):
        questions.question_of(cast(World, Scratch()), exchange())


def test_where_it_runs_after_neither_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    running(monkeypatch)
    with pytest.raises(NotTestable, match=r"'igen' or 'nem'.*after neither"):
        questions.question_of(cast(World, Scratch()), exchange())

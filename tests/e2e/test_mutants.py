"""Every mutant fails the rule it breaks, and the full set of rules that fail for it is known."""

import json
from pathlib import Path
from typing import Any

from .conftest import Run

KNOWN = Path(__file__).with_name("mutants.json")
# The whole suite takes half a minute for each mutant, so these few stand for all; the others are judged by their rule.
ALWAYS = (
    "confirmation_never_expires",
    "confirmation_replays",
    "arguments_not_bound",
    "person_not_bound",
    "no_taken_as_yes",
)


def trials(tmp_path: Path) -> dict[str, Any]:
    """What mutants.json tells, by name."""
    [table] = tmp_path.glob("*/mutants.json")
    return {trial["name"]: trial for trial in json.loads(table.read_text())["mutants"]}


def test_every_mutant_is_caught_by_the_rule_it_breaks(kadu: Run, tmp_path: Path) -> None:
    told = kadu("mutants")
    assert told.code == 0, told.out + told.err
    tried = trials(tmp_path)
    assert all(trial["caught"] and trial["symptoms"] for trial in tried.values())
    assert tried.keys() >= set(ALWAYS)
    assert all(tried[trial["same_as"]]["same_as"] is None for trial in tried.values() if trial["same_as"])
    distinct = sum(trial["same_as"] is None for trial in tried.values())
    assert f" {distinct} of them distinct by what was found · " in told.out.splitlines()[-1]


def test_the_rules_that_fail_for_these_mutants_are_known(kadu: Run, tmp_path: Path) -> None:
    named = [part for name in ALWAYS for part in ("--mutant", name)]
    told = kadu("mutants", "--full", *named)
    assert told.code == 0, told.out + told.err
    known = json.loads(KNOWN.read_text())
    assert {name: trial["failed"] for name, trial in trials(tmp_path).items()} == {
        name: known[name] for name in ALWAYS
    }


def test_an_unknown_mutant_is_one_sentence(kadu: Run) -> None:
    told = kadu("mutants", "--mutant", "never_heard_of")
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert "There is no mutant 'never_heard_of'" in told.err

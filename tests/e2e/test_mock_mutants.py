"""A mock that lies about its half of a rule does not get that rule passed, and nobody's server lies meanwhile."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from harness.catalogue import load
from mock_api.mutants import mutants

from .conftest import Run

# All of them take two minutes: these are judged every time, by which verdict and for what.
ALWAYS = (
    ("link_never_expires", "failed", "the approval has another status"),
    ("continues_again", "failed", "it did not run exactly once"),
    ("patch_decides", "errored", "The mock API takes PATCH"),
    ("key_kept_for_two_days", "failed", "it did not run exactly once"),
)


def trials(tmp_path: Path) -> dict[str, Any]:
    """What mutants.json tells, by name."""
    [table] = tmp_path.glob("*/mutants.json")
    return {trial["name"]: trial for trial in json.loads(table.read_text())["mutants"]}


def test_every_rule_with_an_upstream_half_has_a_mutant_of_the_mock_and_no_other_has() -> None:
    with_the_mock = {rule.id for rule in load("kadu").rules.values() if rule.seat != "server"}
    assert {mutant.rule for mutant in mutants()} == with_the_mock


def test_these_mutants_of_the_mock_are_caught_for_what_they_do(kadu: Run, tmp_path: Path) -> None:
    named = [part for name, _, _ in ALWAYS for part in ("--mutant", name)]
    told = kadu("mutants", "--mock", *named)
    assert told.code == 0, told.out + told.err
    tried = trials(tmp_path)
    assert len(tried) == len(ALWAYS)
    for name, verdict, symptom in ALWAYS:
        assert tried[name]["seat"] == "mock"
        assert tried[name]["caught"] is True
        assert tried[name]["verdict"] == verdict
        assert any(symptom in each for each in tried[name]["symptoms"]), tried[name]


@pytest.mark.skipif("KADU_SOAK" not in os.environ, reason="all mutants of the mock are part of `make soak`")
def test_every_mutant_of_the_mock_is_caught(kadu: Run, tmp_path: Path) -> None:
    told = kadu("mutants", "--mock")
    assert told.code == 0, told.out + told.err
    tried = trials(tmp_path)
    assert tried.keys() == {mutant.name for mutant in mutants()}
    assert all(trial["caught"] and trial["symptoms"] for trial in tried.values())


def test_a_mutant_of_a_server_is_none_of_the_mock(kadu: Run) -> None:
    told = kadu("mutants", "--mock", "--mutant", "key_never_sent")
    assert (told.code, told.err.count("\n")) == (2, 1)
    assert "There is no mutant 'key_never_sent'" in told.err

"""Every mutant fails the rule it breaks, and the full set of rules that fail for it is known."""

import json
from pathlib import Path

from .conftest import Run

KNOWN = Path(__file__).with_name("mutants.json")


def test_the_rules_that_fail_for_each_mutant_are_known(kadu: Run, tmp_path: Path) -> None:
    told = kadu("mutants", "--full")
    assert told.code == 0, told.out + told.err
    [table] = tmp_path.glob("*/mutants.json")
    trials = {trial["name"]: trial for trial in json.loads(table.read_text())}
    known = json.loads(KNOWN.read_text())
    assert {name: trial["failed"] for name, trial in trials.items()} == known
    assert all(trial["rule"] in trial["failed"] and trial["symptoms"] for trial in trials.values())

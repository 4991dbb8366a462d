"""What a run looks like in a terminal."""

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from reports.record import Run
from reports.terminal import summary
from tests.reports import sample

Lines = list[dict[str, Any]]
Recorded = Callable[[Lines], Run]


def printed(run: Run, **options: Any) -> str:
    """The summary as it is written."""
    file = io.StringIO()
    summary(run, Console(file=file, width=options.pop("width", 100), **options))
    return file.getvalue()


def ended(*scenarios: dict[str, Any], exit_code: int = 1, **values: Any) -> Lines:
    """A record of the given scenarios."""
    lines = [sample.header([sample.rule("HRB-CNF-01"), sample.rule("HRB-CNF-02")]), *scenarios]
    return [*lines, sample.footer(lines, exit_code, **values)]


def test_a_failure_is_told_with_its_evidence(recorded: Recorded) -> None:
    text = printed(recorded(ended(sample.scenario("HRB-CNF-01", "failed"), sample.scenario("HRB-CNF-02"))))
    parts = [
        "HRB-CNF-01 is broken",
        "The first call runs nothing",
        "The first call asks",
        "2026 · harbour/confirmation.feature:5",
        "the call ran before anybody was asked",
        "no business effect",
        "1 business effect: ships_depart",
        "1 · client · tools/call ships_depart",
        "POST http://127.0.0.1:8080/mcp",
        '"method": "tools/call"',
        "→ 200 application/json",
        '"resultType": "complete"',
        "Harbour conformance: 1 rule is broken",
        "6.3 s · seed 1 · eras 2025, 2026 · exit 1: 1 rule broken",
    ]
    positions = [text.find(part) for part in parts]
    assert -1 not in positions
    assert positions == sorted(positions)
    assert re.search(r"✗ failed +1 +1 ", text)
    assert re.search(r"✓ passed +1 +1 ", text)


def test_our_faults_are_told_apart(recorded: Recorded) -> None:
    text = printed(recorded(ended(sample.scenario("HRB-CNF-01", "errored"), exit_code=2)))
    assert "1 scenario run errored: our fault, not the server's" in text
    assert "the mock stopped answering" in text
    assert "KeyError: 'ship'" in text
    assert "broken" not in text.replace("no rule was found broken", "").replace("Nothing is broken, but", "")


def test_what_is_not_testable_is_grouped_by_reason(recorded: Recorded) -> None:
    rules = [sample.scenario(rule, "not testable") for rule in ("HRB-CNF-01", "HRB-CNF-02")]
    text = printed(recorded(ended(*rules, exit_code=3)))
    assert text.count("the clock of this server cannot be moved") == 1
    assert "HRB-CNF-01, HRB-CNF-02" in text
    assert "exit 3: nothing is broken, 2 rules untested" in text


def test_many_failures_of_a_rule_are_counted_and_named(recorded: Recorded) -> None:
    runs = [sample.scenario("HRB-CNF-01", "failed", name=f"Scenario {n}") for n in range(20)]
    text = printed(recorded(ended(*runs)))
    assert "and 17 further failures of this rule:" in text
    assert "Scenario 10 · 2026" in text
    assert "… and 9 more, in the reports" in text


def test_what_scenarios_of_other_rules_saw_is_told(recorded: Recorded) -> None:
    runs = [sample.scenario("HRB-CNF-01", name=name) for name in ("One", "Two")]
    for run in runs:
        run["findings"] = [sample.finding("HRB-CNF-02")]
    text = printed(recorded(ended(*runs)))
    assert "HRB-CNF-02 is broken" in text
    assert "1 further scenario run" in text


def test_a_run_that_was_cut_off_says_so(recorded: Recorded) -> None:
    text = printed(recorded(ended(sample.scenario("HRB-CNF-01"))[:-1]))
    assert "The run was cut off" in text
    assert "no exit code" in text


def test_a_run_of_nothing_has_a_summary(recorded: Recorded) -> None:
    empty = sample.header([])
    assert "No rule was asked" in printed(recorded([empty, sample.footer([empty], 3)]))


@pytest.mark.parametrize("width", [40, 100, 200])
def test_hostile_text_steers_nothing(recorded: Recorded, width: int) -> None:
    text = printed(recorded(sample.hostile()), width=width, force_terminal=True, color_system="truecolor")
    # What the console itself writes: colours, and no link or title.
    own = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert not [c for c in own if c not in "\n" and not c.isprintable()]
    joined = re.sub(r"\s+", "", own)
    assert "[red]markup[/red]" in joined
    assert "[link=https://evil.example]" in joined
    assert ":smile:" in joined
    assert "\\x1b[31mred\\x1b[2J" in joined
    assert "\\u202e" in joined


def test_big_bodies_are_cut(recorded: Recorded) -> None:
    run = sample.scenario("HRB-CNF-01", "failed")
    run["exchanges"][0]["answer"]["body"] = "x" * 100_000
    run["findings"][0]["actual"] = "y" * 100_000
    text = printed(recorded(ended(run)))
    assert len(text) < 12_000
    assert text.count("cut here; it has 100,000 characters") == 2

"""A run as a whole, without servers: what is recorded, and the exit code."""

import os
import sys

import pytest

from harness.collection.plugin import make_plan
from harness.record import read
from harness.runner import judging
from harness.runner.judging import Subject, judge
from harness.runner.program import Program
from harness.runner.refusal import CannotRun
from harness.runner.session import Interrupted, SessionBroke

FINE = "Scenario: One\n  Given nothing happens\n"


@pytest.fixture
def whole(orders, tmp_path):
    """Run the features of the test as a whole; the result and the record."""

    def whole(subject=None, **settings):
        given = orders(**settings)
        told = []
        result = judge(make_plan(given), given, subject or Subject(), tmp_path / "out", told.append)
        return result, read(result.record), told

    return whole


@pytest.mark.parametrize(
    ("steps", "settings", "code"),
    [
        ("nothing happens", {}, 0),
        ("an advisory finding", {}, 0),
        ("the rule is broken", {}, 1),
        ("a finding on MCP-18", {}, 1),
        ("we are at fault", {}, 2),
        ("it cannot be tested", {}, 3),
        ("it is not about this server", {}, 0),
        ("nothing happens", {"rules": ("KADU-CNF-01", "KADU-CNF-02")}, 3),
    ],
)
def test_the_exit_code_says_what_came_of_the_rules(write, whole, steps, settings, code):
    write(rule=f"Scenario: One\n  Given {steps}\n")
    result, record, _ = whole(**settings)
    assert result.exit_code == record.footer["exit_code"] == code


def test_a_broken_rule_weighs_more_than_an_error_of_ours(write, whole):
    write(rule="Scenario: One\n  Given the rule is broken\n\nScenario: Two\n  Given we have a bug\n")
    assert whole()[0].exit_code == 1


def test_the_record_says_what_was_judged_and_by_what(write, whole):
    write(rule=FINE)
    result, record, told = whole(Subject(command="serve me"), seed=7)
    assert record.header["subject"] == {"urls": ["http://x/mcp"], "command": "serve me", "reference": False}
    assert record.header["product"] == {"id": "kadu", "title": "Kadu"}
    assert (record.header["seed"], record.header["eras"]) == (7, ["2025", "2026"])
    assert record.header["asked"] == ["KADU-CNF-01"]
    assert len(record.header["rules"]) > 50
    assert record.footer["rules"] == {
        "KADU-CNF-01": {"verdict": "passed", "eras": {"2026": "passed"}, "scenarios": 1}
    }
    assert record.footer["counts"]["passed"] == len(told) == 1
    assert result.complaint is None


def test_a_line_has_every_field_of_the_record(write, whole):
    write(rule="@slow\nScenario Outline: One <c>\n  When it is <c>\n\n  Examples:\n    | c |\n    | red |\n")
    line = whole()[1].scenarios[0]
    seconds = line.pop("seconds")
    line["steps"][0].pop("seconds")
    assert 0 <= seconds < 5
    assert line == {
        "type": "scenario",
        "id": "some/a.feature::One red[red]@2026",
        "feature": "some/a.feature",
        "feature_title": "Something",
        "rule": "KADU-CNF-01",
        "rule_title": "A law",
        "name": "One red",
        "example": {"c": "red"},
        "line": 6,
        "tags": ["KADU-CNF-01", "slow"],
        "era": "2026",
        "advisory": False,
        "verdict": "passed",
        "reason": None,
        "steps": [{"keyword": "When", "text": "it is red", "line": 7, "status": "passed"}],
        "findings": [],
        "exchanges": [],
        "error": None,
        "tenant": None,
    }


def test_a_scenario_about_another_product_is_recorded_as_not_applicable(write, whole):
    write(rule=f"@product-dunning\n{FINE}\nScenario: Two\n  Given nothing happens\n")
    result, record, _ = whole()
    assert [(line["verdict"], line["reason"]) for line in record.scenarios] == [
        ("not applicable", "The scenario is about dunning."),
        ("passed", None),
    ]
    assert result.exit_code == 0


def test_the_output_of_a_server_is_recorded_without_the_secrets_of_any_scenario(write, whole):
    write(rule=FINE)
    text = "print('token tok-3f9a/BC+d é, control control-secret-value', flush=True)"
    with Program("The server under test", [sys.executable, "-c", text], dict(os.environ)) as server:
        server._process.wait()
        for reader in server._readers:
            reader.join()
        _, record, _ = whole(Subject(server=server))
    assert record.footer["subject_output"] == "token «secret», control «secret»\n"
    assert record.footer["complaint"] == "The server under test ended during the run."


def test_a_session_that_broke_is_an_error_of_ours(write, whole, monkeypatch):
    def broken(plan, orders, done):
        raise SessionBroke("pytest is not well: control-secret-value.")

    monkeypatch.setattr(judging, "run_cases", broken)
    write(rule=FINE)
    result, record, _ = whole()
    assert result.exit_code == 2
    assert record.footer["complaint"] == "pytest is not well: «secret»."


def test_an_interrupted_run_has_no_footer(write, whole, tmp_path):
    write(rule=f"{FINE}\nScenario: Two\n  Given the process is interrupted\n")
    with pytest.raises(Interrupted):
        whole()
    record = read(tmp_path / "out" / "run.ndjson")
    assert ([line["name"] for line in record.scenarios], record.footer) == (["One"], None)


def test_a_record_that_cannot_be_written_is_refused(write, whole, tmp_path):
    write(rule=FINE)
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    with pytest.raises(CannotRun, match="The record cannot be written"):
        whole()

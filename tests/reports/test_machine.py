"""The report for programs: of its published shape, whole, and without what nobody asked for."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from reports import machine
from reports.judgement import Judgement
from tests.reports import sample, schemas

Lines = list[dict[str, Any]]
Judge = Callable[[Lines], Judgement]


def report(judgement: Judgement) -> dict[str, Any]:
    """The report, of the published shape and with nothing beyond it."""
    content: dict[str, Any] = json.loads(machine.render(judgement))
    assert not [error.message for error in schemas.strict(machine.schema()).iter_errors(content)]
    return content


def test_the_schema_is_published_under_the_name_that_reports_give() -> None:
    schema = schemas.validator(machine.schema()).schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == machine.SCHEMA_ID == schema["properties"]["schema"]["const"]
    assert schema["properties"]["format"]["const"] == machine.FORMAT


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("good", "kept"),
        ("accepted", "broken"),
        ("cut", "incomplete"),
    ],
)
def test_whole_runs_have_the_published_shape(judged: Judge, kind: str, outcome: str) -> None:
    lines = sample.whole_run(kind)
    content = report(judged(lines))
    assert content["outcome"] == outcome
    assert content["run"]["complete"] is (kind != "cut")
    assert len(content["scenarios"]) == sum(line["type"] == "scenario" for line in lines)
    assert {rule["id"] for rule in content["rules"]} == set(lines[0]["asked"])


@pytest.mark.parametrize(
    ("verdict", "exit_code", "complaint", "outcome"),
    [
        ("errored", 2, None, "errored"),
        ("passed", 2, "it died", "errored"),
        ("passed", 1, "a stale baseline", "broken"),
        ("not testable", 3, None, "untested"),
        ("warned", 0, None, "kept"),
    ],
)
def test_the_outcome_is_no_milder_than_the_exit_code(
    judged: Judge, verdict: str, exit_code: int, complaint: str | None, outcome: str
) -> None:
    lines = [sample.header([sample.rule("HRB-CNF-01")]), sample.scenario("HRB-CNF-01", verdict)]
    lines.append(sample.footer(lines, exit_code, complaint=complaint))
    assert report(judged(lines))["outcome"] == outcome


def test_a_rule_has_its_verdict_in_each_era_its_reasons_and_its_scenarios(judged: Judge) -> None:
    rules = {rule["id"]: rule for rule in report(judged(sample.whole_run("broken")))["rules"]}
    assert rules["HRB-IDM-05"]["eras"] == {"2025": "failed", "2026": "failed"}
    assert rules["HRB-CNF-10"]["untested_because"] == ["the clock of this server cannot be moved"]
    assert rules["HRB-IDM-06"]["untested_because"] == ["no scenario judged it"]
    [seen] = rules["HRB-MCP-12"]["seen_by"]
    assert len(seen["scenarios"]) == 33
    assert seen["finding"]["message"].endswith("ttlMs is a text")


def test_only_what_broke_has_exchanges_and_only_those_that_show_it(judged: Judge) -> None:
    scenarios = report(judged(sample.whole_run("broken")))["scenarios"]
    for one in scenarios:
        shown = [exchange["number"] for exchange in one["exchanges"]]
        assert one["exchanges_recorded"] == 3
        assert shown == {"failed": [2], "errored": [3]}.get(one["verdict"], [])
    assert {one["verdict"] for one in scenarios} >= {"failed", "errored", "passed", "not testable", "warned"}


def test_where_a_scenario_stopped_is_told(judged: Judge) -> None:
    lines = [sample.header([sample.rule("HRB-CNF-01")])]
    lines += [sample.scenario("HRB-CNF-01", verdict) for verdict in ("failed", "errored", "passed")]
    failed, errored, passed = report(judged([*lines, sample.footer(lines, 1)]))["scenarios"]
    assert failed["stopped_at"] == {"keyword": "Then", "text": "nothing has run", "line": 7}
    assert errored["stopped_at"]["text"] == "the client calls ships_depart"
    assert passed["stopped_at"] is None


def test_hostile_text_is_the_same_text_and_steers_no_terminal(judged: Judge) -> None:
    judgement = judged(sample.hostile())
    raw = machine.render(judgement).decode("utf-8")
    assert not [c for c in raw if c != "\n" and not c.isprintable()]
    said = report(judgement)["scenarios"][0]["findings"][0]["message"]
    assert said.endswith(sample.HOSTILE.replace("\ud800", "\ufffd").replace("\udfff", "\ufffd"))

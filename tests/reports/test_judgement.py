"""What is said of a run as a whole."""

from collections.abc import Callable
from typing import Any

import pytest

from reports.judgement import NO_SCENARIO, NOT_REACHED, Judgement
from reports.verdicts import Verdict
from tests.reports import sample

Lines = list[dict[str, Any]]
Judge = Callable[[Lines], Judgement]


def run(*verdicts: str) -> Lines:
    """A record without its footer in which each rule has one scenario of the given verdict."""
    rules = [sample.rule(f"HRB-CNF-{number:02}") for number, _ in enumerate(verdicts, 1)]
    found = [sample.header(rules)]
    return found + [
        sample.scenario(rule["id"], verdict) for rule, verdict in zip(rules, verdicts, strict=True) if verdict
    ]


def ended(lines: Lines, exit_code: int, **values: Any) -> Lines:
    """The same with its footer."""
    return [*lines, sample.footer(lines, exit_code, **values)]


@pytest.mark.parametrize(
    ("verdicts", "exit_code", "headline", "remark"),
    [
        (["passed", "passed"], 0, "Every asked rule was tested and kept", ""),
        (
            ["passed", "warned"],
            0,
            "Every asked rule was tested and kept",
            "1 rule kept with advice not followed.",
        ),
        (["passed", "failed"], 1, "1 rule is broken", ""),
        (["failed", "failed"], 1, "2 rules are broken", ""),
        (
            ["failed", "errored", "not testable"],
            1,
            "1 rule is broken",
            "1 rule could not be judged by our own fault; 1 rule untested.",
        ),
        (["failed"], 0, "1 rule is broken", "The baseline accepts what is broken."),
        (["passed", "not testable", ""], 3, "Nothing is broken, 2 rules untested", ""),
        (
            ["not testable"],
            0,
            "Nothing is broken, 1 rule untested",
            "Untested rules were allowed in this run.",
        ),
        (
            ["passed", "errored"],
            2,
            "Something went wrong on our side",
            "Nothing is broken, but 1 rule could not be judged.",
        ),
        ([], 3, "No rule was asked", ""),
    ],
)
def test_the_headline_says_what_the_run_came_to(
    judged: Judge, verdicts: list[str], exit_code: int, headline: str, remark: str
) -> None:
    judgement = judged(ended(run(*verdicts), exit_code))
    assert (judgement.headline, judgement.remark) == (headline, remark)


def test_a_complaint_is_said_and_never_called_a_pass(judged: Judge) -> None:
    never = judged(ended(run(""), 2, complaint="The server never answered."))
    assert (never.headline, never.remark) == ("The run could not be completed", "The server never answered.")
    stale = judged(ended(run("passed"), 1, complaint="The baseline names no rule HRB-X."))
    assert stale.headline == "Nothing is broken, but the baseline does not fit"
    assert stale.verdict is Verdict.FAILED
    assert stale.exit_meaning == "exit 1: the baseline does not fit this run"


def test_a_run_that_was_cut_off_is_never_called_kept(judged: Judge) -> None:
    judgement = judged(run("passed", "passed", ""))
    assert judgement.headline == "The run was cut off"
    assert judgement.verdict is Verdict.ERRORED
    assert judgement.remark.startswith("No rule was found broken so far, but")
    assert judgement.exit_meaning == "no exit code: the run was cut off"
    assert list(judgement.untested) == [NOT_REACHED]
    assert judged(run("failed", "")).remark.startswith("1 rule is broken so far, but")


def test_a_rule_no_scenario_judged_is_not_testable(judged: Judge) -> None:
    judgement = judged(ended(run("passed", ""), 3))
    assert [one.rule.id for one in judgement.untested[NO_SCENARIO]] == ["HRB-CNF-02"]


def test_untested_rules_stand_under_each_of_their_reasons(judged: Judge) -> None:
    lines = run("not testable", "not testable")
    lines.append(sample.scenario("HRB-CNF-01", "not testable", name="Another", reason="no such tool"))
    groups = judged(ended(lines, 3)).untested
    assert {reason: [one.rule.id for one in rules] for reason, rules in groups.items()} == {
        "the clock of this server cannot be moved": ["HRB-CNF-01", "HRB-CNF-02"],
        "no such tool": ["HRB-CNF-01"],
    }


def test_a_finding_counts_for_its_own_rule(judged: Judge) -> None:
    lines = run("passed", "")
    lines.append(sample.scenario("HRB-CNF-01", "passed", name="Another", era="2025"))
    for number, line in enumerate(lines[1:], 1):
        line["findings"] = [sample.finding("HRB-CNF-02", exchange=number)]
        line["exchanges"] = [sample.exchange(number)]
    for judgement in (judged(lines), judged(ended(lines, 1))):
        first, second = judgement.rules
        assert (first.verdict, second.verdict) == (Verdict.PASSED, Verdict.FAILED)
        assert second.eras == {"2025": Verdict.FAILED, "2026": Verdict.FAILED}
        [sighting] = second.sightings
        assert len(sighting.scenarios) == 2
        assert sighting.exchange is not None
        assert sighting.exchange.number == 1


def test_rules_the_run_was_not_asked_are_kept_apart(judged: Judge) -> None:
    lines = run("passed", "")
    lines[0]["asked"] = ["HRB-CNF-01"]
    judgement = judged(ended(lines, 0))
    assert [one.rule.id for one in judgement.rules] == ["HRB-CNF-01"]
    assert [rule.id for rule in judgement.unasked] == ["HRB-CNF-02"]


def test_a_scenario_of_an_uncatalogued_rule_is_not_lost(judged: Judge) -> None:
    lines = run("passed")
    lines.append(sample.scenario("HRB-NEW-01", "failed"))
    judgement = judged(lines)
    assert [(one.rule.id, one.verdict) for one in judgement.rules][1] == ("HRB-NEW-01", Verdict.FAILED)
    assert judgement.rules[1].rule.statement == "The first call runs nothing"


def test_counts_hold_every_verdict(judged: Judge) -> None:
    judgement = judged(ended(run(*sample.VERDICTS), 1))
    assert judgement.rule_counts == dict.fromkeys(Verdict, 1)
    assert judgement.scenario_counts == dict.fromkeys(Verdict, 1)

"""What a baseline accepts: said everywhere as such, never called passed, and nothing else is covered by it."""

import io
import json
from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from rich.console import Console

from reports import html, junit, machine, markdown, messages
from reports.judgement import Judgement
from reports.record import Run
from reports.terminal import summary
from reports.verdicts import Verdict
from tests.reports import sample

Lines = list[dict[str, Any]]
Judge = Callable[[Lines], Judgement]
WHY = "mended in March, ticket 118"


def run(verdicts: list[str], accepted: dict[str, str], exit_code: int = 0, **values: Any) -> Lines:
    """A record in which each rule, HRB-CNF-01 and on, has one scenario of the given verdict ("": none)."""
    rules = [sample.rule(f"HRB-CNF-{number:02}") for number, _ in enumerate(verdicts, 1)]
    lines = [sample.header(rules)]
    lines += [sample.scenario(one["id"], v) for one, v in zip(rules, verdicts, strict=True) if v]
    return [*lines, sample.footer(lines, exit_code, accepted=accepted, **values)]


def printed(lines: Lines, recorded: Callable[[Lines], Run]) -> str:
    """What the terminal shows."""
    file = io.StringIO()
    summary(recorded(lines), Console(file=file, width=140, force_terminal=False))
    return file.getvalue()


@pytest.mark.parametrize(
    ("verdicts", "accepted", "exit_code", "headline", "remark", "verdict"),
    [
        (
            ["failed", "passed"],
            ["HRB-CNF-01"],
            0,
            "Nothing is broken but what is accepted",
            "Accepted by the baseline: 1 rule broken.",
            Verdict.WARNED,
        ),
        (
            ["not testable", ""],
            ["HRB-CNF-01", "HRB-CNF-02"],
            0,
            "Nothing is broken, and what is untested is accepted",
            "Accepted by the baseline: 2 rules untested.",
            Verdict.WARNED,
        ),
        (
            ["failed", "failed", "not testable"],
            ["HRB-CNF-01", "HRB-CNF-03"],
            1,
            "1 rule is broken",
            "Accepted by the baseline: 1 rule broken and 1 rule untested.",
            Verdict.FAILED,
        ),
        (
            ["failed", "not testable"],
            ["HRB-CNF-01"],
            3,
            "Nothing new is broken, 1 rule untested",
            "Accepted by the baseline: 1 rule broken.",
            Verdict.NOT_TESTABLE,
        ),
        (
            ["failed", "errored"],
            ["HRB-CNF-01", "HRB-CNF-02"],
            2,
            "Something went wrong on our side",
            "Nothing new is broken, but 1 rule could not be judged; accepted by the baseline: 1 rule broken.",
            Verdict.ERRORED,
        ),
        (["passed"], ["HRB-CNF-01"], 0, "Every asked rule was tested and kept", "", Verdict.PASSED),
    ],
)
def test_the_headline_tells_new_from_accepted(
    judged: Judge,
    verdicts: list[str],
    accepted: list[str],
    exit_code: int,
    headline: str,
    remark: str,
    verdict: Verdict,
) -> None:
    judgement = judged(run(verdicts, dict.fromkeys(accepted, WHY), exit_code))
    assert (judgement.headline, judgement.remark, judgement.verdict) == (headline, remark, verdict)


def test_an_accepted_rule_keeps_its_verdict(judged: Judge) -> None:
    judgement = judged(run(["failed", "failed", "errored"], {"HRB-CNF-01": WHY, "HRB-CNF-03": WHY}, 1))
    assert judgement.rule_counts[Verdict.FAILED] == 2
    assert [one.rule.id for one in judgement.accepted] == ["HRB-CNF-01"]
    assert [one.rule.id for one in judgement.new(Verdict.FAILED)] == ["HRB-CNF-02"]


def test_the_page_shows_accepted_rules_apart(judged: Judge) -> None:
    page = html.render(judged(run(["failed", "failed", "passed"], {"HRB-CNF-01": WHY}, 1))).decode()
    broken, _, rest = page.partition("<h2>Broken</h2>")[2].partition("Accepted by the baseline</h2>")
    assert "HRB-CNF-02" in broken
    assert "HRB-CNF-01" not in broken
    assert f"failed, accepted: {WHY}" in rest.partition("</ul>")[0]
    assert "2</b> failed (1 accepted)" in page
    details = page.partition('id="HRB-CNF-01"')[2].partition("</summary>")
    assert " open>" not in details[0]
    assert 'class="agreed">accepted<' in details[0]
    assert f"Accepted by the baseline.</b> {WHY}" in details[2]


def test_junit_skips_what_is_accepted_and_says_why(judged: Judge) -> None:
    lines = run(["failed", "not testable", "failed", "", ""], {})
    lines[1]["findings"].append(sample.finding("HRB-CNF-05", message="seen on the way"))
    lines[-1] = sample.footer(
        lines[:-1], 1, accepted=dict.fromkeys(("HRB-CNF-01", "HRB-CNF-02", "HRB-CNF-04", "HRB-CNF-05"), WHY)
    )
    cases = {
        case.get("classname"): [(child.tag, child.get("type"), child.get("message")) for child in case]
        for case in fromstring(junit.render(judged(lines))).iter("testcase")
    }
    said = f"accepted by the baseline: {WHY}"
    assert cases == {
        "HRB-CNF-01": [("skipped", "accepted", f"{said} (failed: the call ran before anybody was asked)")],
        "HRB-CNF-02": [
            ("skipped", "accepted", f"{said} (not testable: the clock of this server cannot be moved)")
        ],
        "HRB-CNF-03": [("failure", "failed", "the call ran before anybody was asked")],
        "HRB-CNF-04": [("skipped", "accepted", f"{said} (not testable: no scenario judged it)")],
        "HRB-CNF-05": [("skipped", "accepted", f"{said} (failed: seen on the way)")],
    }


def test_the_terminal_says_what_is_accepted_and_shows_no_evidence_for_it(
    recorded: Callable[[Lines], Run],
) -> None:
    text = printed(run(["failed", "not testable"], {"HRB-CNF-01": WHY, "HRB-CNF-02": WHY}), recorded)
    assert "2 rules not kept, and accepted by the baseline" in text
    assert f"accepted: {WHY}" in text
    assert "HRB-CNF-01 is broken" not in text
    assert "1 (1 accepted)" in text
    assert "exit 0: what is broken or untested is accepted by the baseline" in text


def test_the_summary_and_the_json_say_so(judged: Judge) -> None:
    judgement = judged(run(["failed", "not testable", "passed"], {"HRB-CNF-01": WHY, "HRB-CNF-02": WHY}))
    text = markdown.render(judgement).decode()
    assert "### Broken" not in text
    assert "### Not testable" not in text
    assert "not testable, accepted: mended in March, ticket 118" in text
    assert "| 1 (1 accepted) | 1 | HRB-CNF-01 |" in text
    report = json.loads(machine.render(judgement))
    assert report["outcome"] == "accepted"
    assert [rule["accepted"] for rule in report["rules"]] == [WHY, WHY, None]
    assert report["counts"]["accepted"]["failed"] == 1


def test_cucumber_skips_what_is_accepted(judged: Judge) -> None:
    lines = messages.render(judged(run(["failed"], {"HRB-CNF-01": WHY}))).decode().splitlines()
    results = [
        one["testStepFinished"]["testStepResult"]
        for one in map(json.loads, lines)
        if "testStepFinished" in one
    ]
    assert [result["status"] for result in results] == ["PASSED", "PASSED", "SKIPPED", "SKIPPED"]
    assert results[2]["message"].startswith(f"accepted by the baseline: {WHY}")
    assert json.loads(lines[-1])["testRunFinished"]["success"] is True


def test_untested_rules_that_a_run_allowed_are_not_called_accepted(judged: Judge) -> None:
    judgement = judged(run(["not testable"], {}, 0))
    assert judgement.remark == "Untested rules were allowed in this run."
    assert judgement.exit_meaning == "exit 0: nothing new is broken, and untested rules were allowed"
    assert json.loads(machine.render(judgement))["outcome"] == "untested"

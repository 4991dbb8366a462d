"""JUnit XML: its shape, and that nothing wrong with a run is missing in it."""

from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element, fromstring

from reports import junit
from reports.judgement import Judgement
from tests.reports import sample

Lines = list[dict[str, Any]]
Judge = Callable[[Lines], Judgement]
COUNTS = {"tests", "failures", "errors", "skipped", "time"}


def parsed(judgement: Judgement) -> Element:
    """The document, of the shape that the common schema allows."""
    root = fromstring(junit.render(judgement))
    assert root.tag == "testsuites"
    assert set(root.attrib) == {"name"} | COUNTS
    for suite in root:
        assert suite.tag == "testsuite"
        assert set(suite.attrib) == {"name", "timestamp"} | COUNTS
        assert suite[0].tag == "properties"
        assert [child.tag for child in suite[1:]] == ["testcase"] * (len(suite) - 1)
        for case in suite.iter("testcase"):
            assert set(case.attrib) == {"classname", "name", "time"}
            assert [child.tag for child in case] in ([], ["failure"], ["error"], ["skipped"], ["system-out"])
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        assert int(element.attrib["tests"]) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.attrib[attribute]) == len(
                [case for case in cases if case.find(tag) is not None]
            )
    return root


def small(*verdicts: str) -> Lines:
    """A record of one rule with a scenario of each verdict, without its footer."""
    return [
        sample.header([sample.rule("HRB-CNF-01")]),
        *(sample.scenario("HRB-CNF-01", verdict) for verdict in verdicts),
    ]


def ended(lines: Lines, exit_code: int, **values: Any) -> Lines:
    """The same with its footer."""
    return [*lines, sample.footer(lines, exit_code, **values)]


def test_each_verdict_has_its_own_outcome(judged: Judge) -> None:
    [suite] = parsed(judged(ended(small(*sample.VERDICTS), 1)))
    failed, errored, untested, warned, passed, other = suite.iter("testcase")
    assert suite.attrib["name"] == "harbour/confirmation.feature [2026]"
    assert suite.attrib["timestamp"] == "2026-11-30T15:04:05"
    assert failed.attrib["classname"] == "HRB-CNF-01"
    failure = failed[0]
    assert failure.attrib == {"message": "the call ran before anybody was asked", "type": "failed"}
    for part in (
        "no business effect",
        "1 business effect: ships_depart",
        "POST http://127.0.0.1:8080/mcp",
        "→ 200",
    ):
        assert part in (failure.text or "")
    assert errored[0].tag == "error"
    assert errored[0].attrib["message"] == "our fault, not the server's: the mock stopped answering"
    assert "KeyError" in (errored[0].text or "")
    assert (untested[0].tag, untested[0].attrib["message"]) == (
        "skipped",
        "not testable: the clock of this server cannot be moved",
    )
    assert (warned[0].tag, warned[0].text) == ("system-out", "warned: the hint is missing")
    assert list(passed) == []
    assert other[0].attrib["type"] == "not applicable"


def test_there_is_a_suite_for_each_feature_and_era(judged: Judge) -> None:
    root = parsed(judged(sample.whole_run("good")))
    names = [suite.attrib["name"] for suite in root]
    assert len(names) == len(set(names)) == 11
    assert "harbour/idempotency.feature [2025]" in names
    assert root.attrib["tests"] == str(len(sample.whole_run("good")) - 2)
    assert {p.attrib["name"]: p.attrib["value"] for p in root[0][0]}["seed"] == "1"


def test_a_finding_of_a_scenario_that_passed_fails_its_own_rule(judged: Judge) -> None:
    lines = small("passed")
    lines[1]["findings"] = [sample.finding("HRB-MCP-12")]
    suites = list(parsed(judged(ended(lines, 1))))
    assert [suite.attrib["failures"] for suite in suites] == ["0", "1"]
    assert suites[1].find("testcase").attrib["classname"] == "HRB-MCP-12"  # type: ignore[union-attr]


def test_a_rule_no_scenario_judged_is_skipped_and_not_silent(judged: Judge) -> None:
    [suite] = parsed(judged(ended(small(), 3)))
    assert suite.attrib["name"] == "rules no scenario judged"
    assert suite.attrib["skipped"] == "1"


def test_a_run_that_was_cut_off_is_an_error(judged: Judge) -> None:
    *_, suite = parsed(judged(small("passed")))
    assert suite.attrib["name"] == "the run itself"
    assert suite.attrib["errors"] == "1"


def test_a_complaint_is_an_error_or_for_the_baseline_a_failure(judged: Judge) -> None:
    for code, tag in ((2, "error"), (1, "failure")):
        *_, suite = parsed(judged(ended(small("passed"), code, complaint="It does not fit.")))
        assert suite.find(f"testcase/{tag}").attrib["message"] == "It does not fit."  # type: ignore[union-attr]


def test_an_empty_run_has_a_document(judged: Judge) -> None:
    empty = sample.header([])
    assert len(parsed(judged([empty, sample.footer([empty], 3)]))) == 0


def test_hostile_text_stays_text(judged: Judge) -> None:
    document = junit.render(judged(sample.hostile())).decode("utf-8")
    assert not [c for c in document if c not in "\n\t" and not c.isprintable()]
    root = parsed(judged(sample.hostile()))
    assert {element.tag for element in root.iter()} == {
        *("testsuites", "testsuite", "properties", "property", "testcase"),
        *("failure", "error", "skipped", "system-out"),
    }
    text = "".join(root.itertext())
    for part in ("<script>alert(1)</script>", "]]>", "\\x1b[31m", "\\x00", "\\u202e", "\\ud800"):
        assert part in text


def test_bodies_of_100_kb_are_cut(judged: Judge) -> None:
    lines = small("failed")
    lines[1]["exchanges"][0]["answer"]["body"] = "x" * 100_000
    document = junit.render(judged(ended(lines, 1)))
    assert len(document) < 10_000
    assert "cut here; it has 100,000 characters" in document.decode()

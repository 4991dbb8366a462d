"""The run inside a team's own pytest: one item a scenario run, with the verdict that pytest knows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.pytest_plugin.items import Broken, NotAdvised, RunFile, VerdictItem

FEATURE = """\
Feature: Verdicts
  @MCP-03 @read-only
  Rule: R
    Scenario: It is kept
      Given an assistant
      When the assistant asks for server/discover
      Then the request is answered

    Scenario: It is broken
      Given an assistant
      When the assistant asks for tools/list
      Then the request is answered

    @advisory
    Scenario: It is advised
      Given an assistant
      When the assistant asks for tools/list
      Then the request is answered

    Scenario: It needs the mock
      Given an assistant
      When the assistant asks for server/discover
      Then nothing ran
"""
OWN = "def test_of_the_team():\n    pass\n"


def ran(directory: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """pytest in a process of its own, without what this one's environment says of it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    words = ["-p", "harness.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-rA", "-v"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *words, *options],
        cwd=directory,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def team(tmp_path: Path, real) -> Path:
    """The directory of a team with a test of its own, and a file of options for a real system."""
    (tmp_path / "test_own.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "a.feature").write_text(FEATURE, encoding="utf-8")
    options = [
        f'url = "{real.url}"',
        "read-only = true",
        'token-env = "KADU_TEST_TOKEN"',
        'features = ["some"]',
    ]
    (tmp_path / "kadu.toml").write_text("\n".join(options) + "\n", encoding="utf-8")
    return tmp_path


def test_verdicts_are_told_as_pytest_tells_them(team):
    said = ran(team, "--kadu-config", "kadu.toml", KADU_TEST_TOKEN="the-token-of-somebody")
    text = said.stdout
    assert said.returncode == 1, text + said.stderr
    assert "2 failed" not in text, text
    assert "1 failed, 4 passed, 1 skipped, 1 warning" in text
    assert "It is broken@2026" in text
    assert "MCP-03: the request is not answered" in text
    assert "expected: a result" in text
    assert "NotAdvised: MCP-03: the request is not answered" in text
    assert "not testable: MCP-03: needs the mock" in text
    assert "PASSED test_own.py::test_of_the_team" in text
    assert "Traceback" not in text
    assert (team / "kadu-conformance-report" / "report.html").exists()


def test_a_run_that_cannot_take_place_is_told_in_its_own_words(team):
    said = ran(team, "--kadu-url", "http://127.0.0.1:9/mcp", "--kadu-rule", "KADU-NO-SUCH")
    assert said.returncode == pytest.ExitCode.USAGE_ERROR
    assert "kadu-conformance: The catalogue knows no rule 'KADU-NO-SUCH'" in said.stdout + said.stderr


def test_nothing_is_judged_unless_it_is_asked_for(team):
    said = ran(team)
    assert (said.returncode, "1 passed" in said.stdout) == (0, True)
    assert "nothing is judged; give --kadu-url, --kadu-command or --kadu-config" in said.stdout
    assert not (team / "kadu-conformance-report").exists()


def test_it_does_not_judge_in_every_worker(team):
    said = ran(team, "--kadu-url", "http://127.0.0.1:9/mcp", "-n", "2")
    assert said.returncode != 0
    assert "kadu-conformance judges once: run without -n" in said.stdout + said.stderr


# Items of a record


SCENARIO = {
    "type": "scenario",
    "id": "f::S@2026",
    "rule": "A-1",
    "rule_title": "R",
    "verdict": "passed",
    "reason": None,
    "findings": [],
    "error": None,
}
FOUND = {"rule": "B-1", "message": "another rule is broken", "expected": "x", "actual": "y"}


@pytest.fixture
def items(tmp_path: Path, request: pytest.FixtureRequest):
    """The items of a record: scenarios, and what the footer says."""

    def items(*scenarios: dict, **footer: object) -> dict[str, VerdictItem]:
        header = {"type": "header", "rules": [{"id": "B-1", "statement": "a sentence"}]}
        end = {"type": "footer", "complaint": None, "exit_code": 0, "rules": {}, "accepted": {}, **footer}
        lines = [header, *({**SCENARIO, **one} for one in scenarios), *([end] if footer is not None else [])]
        path = tmp_path / "run.ndjson"
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        found = RunFile.from_parent(request.session, path=path).collect()
        return {item.name: item for item in found}

    return items


def outcome(item: VerdictItem) -> tuple[str, str]:
    try:
        item.runtest()
    except (Broken, pytest.skip.Exception, pytest.xfail.Exception) as raised:
        return type(raised).__name__, str(raised)
    return "passed", ""


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [
        ("passed", "passed"),
        ("failed", "Broken"),
        ("errored", "Broken"),
        ("not testable", "Skipped"),
        ("not applicable", "Skipped"),
    ],
)
def test_each_verdict_has_its_outcome(items, verdict, kind):
    assert outcome(items({"verdict": verdict, "reason": "why"})["f::S@2026"])[0] == kind


def test_advice_warns(items):
    with pytest.warns(NotAdvised, match="why"):
        assert outcome(items({"verdict": "warned", "reason": "why"})["f::S@2026"])[0] == "passed"


@pytest.mark.parametrize(
    ("verdict", "kind"), [("failed", "XFailed"), ("not testable", "Skipped"), ("errored", "Broken")]
)
def test_what_the_baseline_accepts_is_expected(items, verdict, kind):
    found = items({"verdict": verdict, "reason": "why"}, accepted={"A-1": "in 1.4"})["f::S@2026"]
    assert outcome(found)[0] == kind
    if kind != "Broken":
        assert "accepted by the baseline: in 1.4" in outcome(found)[1]


def test_a_rule_that_its_own_scenarios_do_not_explain_has_an_item(items):
    rules = {"A-1": {"verdict": "passed"}, "B-1": {"verdict": "failed"}, "C-1": {"verdict": "not testable"}}
    found = items({"findings": [FOUND]}, rules=rules)
    assert set(found) == {"f::S@2026", "B-1", "C-1", "the run as a whole"}
    assert outcome(found["B-1"]) == (
        "Broken",
        "B-1: a sentence\n- another rule is broken\n  expected: x\n  actual: y\n  in f::S@2026",
    )
    assert outcome(found["C-1"])[0] == "Skipped"


@pytest.mark.parametrize("code", [1, 2])
def test_a_complaint_fails_the_run_as_a_whole(items, code):
    assert outcome(items(exit_code=code, complaint="stale")["the run as a whole"]) == ("Broken", "stale")
    assert outcome(items(exit_code=0, complaint="it ended")["the run as a whole"])[0] == "passed"

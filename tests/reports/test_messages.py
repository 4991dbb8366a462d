"""Cucumber Messages: whole, of the protocol's own schema, and readable by its own formatter."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any, NoReturn

import pytest
from jsonschema import Draft202012Validator

from reports import messages
from reports.judgement import Judgement
from tests.reports import sample

Lines = list[dict[str, Any]]
Message = dict[str, Any]
Judge = Callable[[Lines], Judgement]
MODULES = Path(__file__).parents[1] / "official" / "node_modules" / "@cucumber"
SECONDS = 60.0
KINDS = ("good", "accepted", "cut")


def missing(what: str) -> NoReturn:
    """Skip, and say why; in CI nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI has to hear Cucumber itself, but {what}.", pytrace=False)
    pytest.skip(f"Cucumber itself was not heard: {what}.")


def official(path: str) -> Path:
    """A file of the official packages."""
    found = MODULES / path
    if not found.exists():
        missing("its packages are not installed: run `npm ci` in tests/official")
    return found


def program(*names: str) -> str:
    """A program beside the official packages or on the PATH, by the first of its names that is there."""
    for name in names:
        found = shutil.which(name, path=str(MODULES.parent / ".bin")) or shutil.which(name)
        if found is not None:
            return found
    missing(f"there is no {names[0]}")


def written(judgement: Judgement) -> list[Message]:
    """The messages, each with exactly one kind."""
    lines = [json.loads(line) for line in messages.render(judgement).decode("utf-8").splitlines()]
    assert all(len(line) == 1 for line in lines)
    return lines


def of(kind: str, found: list[Message]) -> list[Message]:
    """The messages of a kind, in order."""
    return [line[kind] for line in found if kind in line]


def statuses(found: list[Message]) -> dict[str, list[str]]:
    """The status of each step, by the name of its pickle."""
    pickles = {pickle["id"]: pickle["name"] for pickle in of("pickle", found)}
    cases = {case["id"]: pickles[case["pickleId"]] for case in of("testCase", found)}
    names = {started["id"]: cases[started["testCaseId"]] for started in of("testCaseStarted", found)}
    steps: dict[str, list[str]] = {name: [] for name in names.values()}
    for finished in of("testStepFinished", found):
        steps[names[finished["testCaseStartedId"]]].append(finished["testStepResult"]["status"])
    return steps


@pytest.mark.parametrize("kind", [*KINDS, "hostile"])
def test_every_reference_leads_somewhere_and_time_goes_on(judged: Judge, kind: str) -> None:
    found = written(judged(sample.hostile() if kind == "hostile" else sample.whole_run(kind)))
    nodes: dict[str, int] = {}
    for document in of("gherkinDocument", found):
        for child in document["feature"]["children"]:
            scenarios = [inner["scenario"] for inner in child["rule"]["children"]]
            for node in (
                child["rule"],
                *scenarios,
                *(s for one in scenarios for s in (*one["steps"], *one["tags"])),
            ):
                nodes[node["id"]] = nodes.get(node["id"], 0) + 1
    assert set(nodes.values()) == {1}
    steps = {}
    for pickle in of("pickle", found):
        assert {*pickle["astNodeIds"], *(tag["astNodeId"] for tag in pickle["tags"])} <= nodes.keys()
        assert all(set(step["astNodeIds"]) <= nodes.keys() for step in pickle["steps"])
        steps[pickle["id"]] = [step["id"] for step in pickle["steps"]]
    cases = of("testCase", found)
    assert sorted(case["pickleId"] for case in cases) == sorted(steps)
    for case in cases:
        assert [step["pickleStepId"] for step in case["testSteps"]] == steps[case["pickleId"]] != []
    ends = [finished["testCaseStartedId"] for finished in of("testCaseFinished", found)]
    assert ends == [started["id"] for started in of("testCaseStarted", found)]
    stamps = [next(iter(message.values())).get("timestamp") for message in found]
    times = [(stamp["seconds"], stamp["nanos"]) for stamp in stamps if stamp]
    assert times == sorted(times)
    assert times[0] == (1796051045, 120000000)


def test_each_verdict_has_its_status_and_its_reason(judged: Judge) -> None:
    lines = [sample.header([sample.rule("HRB-CNF-01")])]
    lines += [sample.scenario("HRB-CNF-01", verdict, name=verdict) for verdict in sample.VERDICTS]
    lines.append(sample.scenario("HRB-CNF-01", "failed", name="no steps", steps=[]))
    lines.append(sample.scenario("HRB-CNF-01", "failed", name="all steps", steps=[sample.step("Given", "x")]))
    found = written(judged([*lines, sample.footer(lines, 1)]))
    assert statuses(found) == {
        "failed · 2026": ["PASSED", "PASSED", "FAILED", "SKIPPED"],
        "errored · 2026": ["PASSED", "FAILED", "SKIPPED", "SKIPPED"],
        "not testable · 2026": ["PASSED", "PASSED", "PASSED", "SKIPPED"],
        "warned · 2026": ["PASSED"] * 4,
        "passed · 2026": ["PASSED"] * 4,
        "not applicable · 2026": ["PASSED", "PASSED", "PASSED", "SKIPPED"],
        "no steps · 2026": ["FAILED"],
        "all steps · 2026": ["FAILED"],
    }
    said = [
        finished["testStepResult"]["message"]
        for finished in of("testStepFinished", found)
        if "message" in finished["testStepResult"]
    ]
    assert said[0].startswith("the call ran before anybody was asked\n\nexpected\nno business effect")
    assert said[1].startswith("our fault, not the server's: the mock stopped answering\nTraceback")
    assert said[2] == "not testable: the clock of this server cannot be moved"
    assert said[3] == "warned: the hint is missing"
    assert of("testRunFinished", found)[0]["success"] is False


def test_what_no_scenario_shows_is_not_missing(judged: Judge) -> None:
    lines = [sample.header([sample.rule("HRB-CNF-01"), sample.rule("HRB-CNF-02"), sample.rule("HRB-MCP-12")])]
    lines.append(sample.scenario("HRB-CNF-01", findings=[sample.finding("HRB-MCP-12")]))
    found = written(judged([*lines, sample.footer(lines, 1, complaint="The mock died.")]))
    beyond = of("gherkinDocument", found)[-1]["feature"]
    assert beyond["name"] == "The run as a whole"
    assert [child["rule"]["name"].partition(":")[0] for child in beyond["children"]] == [
        "HRB-CNF-02",
        "HRB-MCP-12",
        "run",
    ]
    results = [finished["testStepResult"] for finished in of("testStepFinished", found)][-3:]
    assert [result["status"] for result in results] == ["SKIPPED", "FAILED", "FAILED"]
    assert results[2]["message"] == "1 rule is broken. The mock died. 1 rule untested."


@pytest.mark.parametrize(("kind", "success"), [("good", True), ("accepted", False), ("cut", False)])
def test_success_is_an_exit_code_of_0_and_nothing_else(judged: Judge, kind: str, success: bool) -> None:
    [finished] = of("testRunFinished", written(judged(sample.whole_run(kind))))
    assert finished["success"] is success


@pytest.mark.parametrize("kind", ["accepted", "hostile", "cut"])
def test_the_messages_are_valid_for_the_official_schema(judged: Judge, kind: str) -> None:
    schema = json.loads(official("messages/messages.schema.json").read_text(encoding="utf-8"))
    package = json.loads(official("messages/package.json").read_text(encoding="utf-8"))
    assert package["version"] == messages.PROTOCOL
    check = Draft202012Validator(schema)
    lines = sample.hostile() if kind == "hostile" else sample.whole_run(kind)
    found = written(judged([*lines[:60], lines[-1]] if len(lines) > 60 else lines))
    assert not [error.message for message in found for error in check.iter_errors(message)]


def test_the_official_formatter_renders_them(judged: Judge, tmp_path: Path) -> None:
    formatter = official("html-formatter/dist/src/index.js")
    node, chromium = program("node"), program("chromium", "chromium-browser", "google-chrome")
    (tmp_path / "messages.ndjson").write_bytes(messages.render(judged(small())))
    script = Path(__file__).with_name("cucumber.mjs")
    page = tmp_path / "page.html"
    command = [node, str(script), str(formatter), str(tmp_path / "messages.ndjson"), str(page)]
    subprocess.run(command, check=True, timeout=SECONDS)
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    shown = subprocess.run(
        [chromium, *flags, profile, "--dump-dom", page.as_uri()],
        check=True,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    ).stdout
    body = shown.partition("<body")[2]
    content = re.sub(r"<script\b.*?</script>", "", body, flags=re.DOTALL)
    text = " ".join(unescape(re.sub(r"<[^>]*>", " ", content)).split())
    for part in (
        "failed 1",
        "skipped 1",
        "passed 1",
        "Rule: HRB-CNF-01",
        "Scenario: broken · 2026",
        "<script>alert(1)</script>",
        "no business effect",
        "not testable: the clock of this server cannot be moved",
    ):
        assert part in text
    assert "<script>alert(1)" not in content


def small() -> Lines:
    """A run with a scenario that broke, by hostile words, one that cannot be tested and one that passed."""
    lines = [sample.header([sample.rule("HRB-CNF-01")])]
    lines.append(sample.scenario("HRB-CNF-01", "failed", name="broken"))
    lines[1]["findings"][0]["message"] = "<script>alert(1)</script>"
    lines.append(sample.scenario("HRB-CNF-01", "not testable", name="untested"))
    lines.append(sample.scenario("HRB-CNF-01", name="kept"))
    return [*lines, sample.footer(lines, 1)]

"""Running the cases: in one process, in several, interrupted, with a process that dies."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.runner import session
from harness.runner.session import Interrupted, SessionBroke, run_cases

FAKES = Path(__file__).parent / "fakes"

# Runs the features of a directory in a process of its own, as the command line does, and tells what came of them.
PROGRAM = """
import json, sys
from harness.collection.plugin import Orders, make_plan
from harness.runner.session import SessionBroke, run_cases
from harness.settings import Settings

features, workers = sys.argv[1:]
settings = Settings("kadu", (features,), ("http://x",), "http://x", "http://x", "the-control-secret", workers=int(workers))
orders = Orders(settings, steps_package="fake_steps", world_module="fake_world")
found = []
try:
    run_cases(make_plan(orders), orders, lambda payload: found.append((payload["id"], payload["verdict"], payload["secrets"])))
    broke = None
except SessionBroke as error:
    broke = str(error)
print(json.dumps([found, broke]))
"""

MANY = """
Scenario Outline: The <n> of many
  Given <n> apples and pears
  When it is <c>

  Examples:
    | n | c     |
    | 1 | red   |
    | 2 | green |
    | 3 | red   |

@alone
Scenario: One alone
  Given nothing happens

Scenario: One broken
  Given the rule is broken
"""


def run_program(features: Path, workers: int, **environment: str) -> tuple[dict[str, str], str | None, Any]:
    path = os.pathsep.join([str(FAKES), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(features), str(workers)],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, broke = json.loads(done.stdout.splitlines()[-1])
    return {id.partition("::")[2]: verdict for id, verdict, _ in found}, broke, (found, done.stderr)


def test_several_workers_come_to_the_same_verdicts_as_one(write, features):
    write(rule=MANY)
    one, broke_one, _ = run_program(features, 1)
    several, broke_several, (found, _) = run_program(features, 2)
    assert (
        one
        == several
        == {
            "The 1 of many[1, red]@2026": "passed",
            "The 2 of many[2, green]@2026": "passed",
            "The 3 of many[3, red]@2026": "passed",
            "One alone@2026": "passed",
            "One broken@2026": "failed",
        }
    )
    assert (broke_one, broke_several) == (None, None)
    assert found[-1][0].endswith("One alone@2026"), "what must be alone runs after the others"
    assert all("the-control-secret" in secrets for _, _, secrets in found), "the workers had their settings"


def test_a_scenario_whose_process_dies_is_errored_and_the_others_run(write, features):
    write(
        rule="Scenario: One\n  Given the process dies\n\nScenario: Two\n  Given nothing happens\n\nScenario: Three\n  Given nothing happens\n"
    )
    verdicts, broke, _ = run_program(features, 2)
    assert broke is None
    assert verdicts == {"One@2026": "errored", "Two@2026": "passed", "Three@2026": "passed"}


def test_settings_of_pytest_in_the_environment_and_directory_do_not_matter(write, features, monkeypatch):
    write(rule="Scenario: One\n  Given nothing happens\n")
    (features / "conftest.py").write_text(
        "raise RuntimeError('the conftest of somebody')\n", encoding="utf-8"
    )
    (features / "pytest.ini").write_text("[pytest]\naddopts = --nonsense\n", encoding="utf-8")
    monkeypatch.chdir(features)
    environment = {"PYTEST_ADDOPTS": "--collect-only -k nothing", "PYTEST_PLUGINS": "no_such_plugin"}
    verdicts, broke, (_, errors) = run_program(features, 1, **environment)
    assert (verdicts, broke, errors) == ({"One@2026": "passed"}, None, "")


def test_an_interrupted_run_says_so_and_keeps_what_ended_before(write, orders):
    write(
        rule="Scenario: One\n  Given nothing happens\n\nScenario: Two\n  Given the process is interrupted\n\nScenario: Three\n  Given nothing happens\n"
    )
    given, found = orders(), []
    with pytest.raises(Interrupted):
        run_cases(session_plan(given), given, found.append)
    assert [payload["id"].partition("::")[2] for payload in found] == ["One@2026"]


def test_cases_that_pytest_leaves_out_are_errored(write, orders, monkeypatch):
    write(rule="Scenario: One\n  Given nothing happens\n")
    given, found = orders(), []
    monkeypatch.setattr(session.pytest, "main", lambda arguments, plugins: pytest.ExitCode.OK)
    with pytest.raises(SessionBroke, match="1 scenario"):
        run_cases(session_plan(given), given, found.append)
    assert [payload["verdict"] for payload in found] == ["errored"]


def test_the_environment_is_as_it_was_after_a_session(write, run, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--something")
    write(rule="Scenario: One\n  Given nothing happens\n")
    before = dict(os.environ)
    run()
    assert dict(os.environ) == before


def session_plan(given):
    from harness.collection.plugin import make_plan

    return make_plan(given)

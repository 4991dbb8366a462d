"""Small programs for tests to start, and a way to run the command line in this process."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.cli.main import NAME, app, outcome


@dataclass(frozen=True)
class Said:
    """What a run of the command line came to."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Said]:
    """Run the command line in this process, in a directory of its own."""
    monkeypatch.chdir(tmp_path)

    def cli(*arguments: str) -> Said:
        code = outcome(lambda: app(list(arguments), standalone_mode=False, prog_name=NAME))
        out, err = capfd.readouterr()
        return Said(code, out, err)

    return cli


TINY = """\
Feature: Tiny
  @KADU-CNF-03
  Rule: A yes runs
    Scenario Outline: A yes makes <tool> run
      Given an assistant that shows forms
      When the assistant calls <tool>
      And the person says yes
      Then the call succeeds
      And it ran once

      Examples:
        | tool                 |
        | kadu_tasks_run       |
        | kadu_webhooks_create |
"""


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a small feature of two scenario runs, both of KADU-CNF-03 in 2026."""
    directory = tmp_path_factory.mktemp("features") / "tiny"
    directory.mkdir()
    (directory / "a.feature").write_text(TINY, encoding="utf-8")
    return directory


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], list[str]]:
    """A command that runs the given Python text."""

    def script(text: str) -> list[str]:
        path = tmp_path / "program.py"
        path.write_text(text, encoding="utf-8")
        return [sys.executable, str(path)]

    return script

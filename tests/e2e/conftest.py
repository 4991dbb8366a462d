"""The command line as a user runs it, and the record it leaves."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LIMIT = 600


@dataclass(frozen=True)
class Told:
    """What a command said, and the record it left (empty where it left none)."""

    code: int
    out: str
    err: str
    lines: tuple[dict[str, Any], ...]

    @property
    def rules(self) -> dict[str, str]:
        """The verdict of each asked rule."""
        return {rule: judged["verdict"] for rule, judged in self.lines[-1]["rules"].items()}

    @property
    def scenarios(self) -> dict[str, dict[str, Any]]:
        """Each scenario run by its id."""
        return {line["id"]: line for line in self.lines if line["type"] == "scenario"}

    def of(self, verdict: str) -> set[str]:
        """The rules with that verdict."""
        return {rule for rule, found in self.rules.items() if found == verdict}


Run = Callable[..., Told]


@pytest.fixture
def kadu(tmp_path: Path) -> Run:
    """Run `kadu-conformance` with these arguments; reports and record go to a directory of the test."""

    def run(*arguments: str, command: Sequence[str] = ()) -> Told:
        out = tmp_path / f"report-{len(list(tmp_path.iterdir()))}"
        words = [sys.executable, "-m", "harness.cli.main", *arguments]
        if command:
            words += ["--command", " ".join(command)]
        done = subprocess.run(
            [*words, "--out", str(out)],
            capture_output=True,
            text=True,
            timeout=LIMIT,
            cwd=ROOT,
            env={**os.environ, "COLUMNS": "120"},
            check=False,
        )
        record = out / "run.ndjson"
        lines = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
        return Told(done.returncode, done.stdout, done.stderr, tuple(lines))

    return run

"""The doctor's command in this process, and what it tells to programs."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from harness.cli.main import NAME, app, outcome


@dataclass(frozen=True)
class Told:
    """What the doctor said: its exit code, and its diagnosis as data (None where it gave none)."""

    code: int
    diagnosis: Any
    out: str
    err: str

    def sign(self, name: str) -> dict[str, Any]:
        """The first sign of that name."""
        found: dict[str, Any] = next(sign for sign in self.diagnosis["signs"] if sign["name"] == name)
        return found

    @property
    def states(self) -> dict[str, str]:
        """The state of each sign, the last of a name."""
        return {sign["name"]: sign["state"] for sign in self.diagnosis["signs"]}


Doctor = Callable[..., Told]


@pytest.fixture
def doctor(capfd: pytest.CaptureFixture[str]) -> Doctor:
    """Run `kadu-conformance doctor` with these arguments, with --json unless told otherwise."""

    def run(*arguments: str, as_json: bool = True) -> Told:
        words = ["doctor", *arguments, *(["--json"] if as_json else [])]
        code = outcome(lambda: app(words, standalone_mode=False, prog_name=NAME))
        out, err = capfd.readouterr()
        return Told(code, json.loads(out) if as_json and out else None, out, err)

    return run

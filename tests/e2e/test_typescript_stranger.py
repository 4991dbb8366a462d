"""A conforming server on the official TypeScript SDK passes everything: the rules are not those of one SDK."""

import os
import shutil
import subprocess
from typing import NoReturn

import pytest

from .conftest import ROOT, Run

HOME = ROOT / "tests" / "strangers" / "typescript"
OLDEST_NODE = 20


@pytest.fixture
def node() -> str:
    """A Node that can run the stranger. Where there is none: skipped with the reason, failed in CI."""
    found = shutil.which("node")
    if found is None:
        _missing(f"there is no Node; install Node {OLDEST_NODE} or newer")
    told = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=30, check=False)
    version = told.stdout.strip()
    if told.returncode != 0 or int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
        _missing(f"{found} is Node {version or 'broken'}; install {OLDEST_NODE} or newer")
    if not (HOME / "node_modules" / ".package-lock.json").exists():
        _missing("its packages are not installed: run `npm ci` in tests/strangers/typescript")
    return found


def _missing(what: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI has to judge the stranger in TypeScript, but {what}.")
    pytest.skip(f"The stranger in TypeScript was not judged: {what}.")


def test_the_stranger_in_typescript_passes_everything(kadu: Run, node: str) -> None:
    told = kadu("run", "--workers", "2", command=(node, str(HOME / "server.mjs")))
    findings = [finding for line in told.scenarios.values() for finding in line["findings"]]
    assert findings == []
    assert told.of("failed") == told.of("warned") == told.of("errored") == set()
    assert told.of("not testable") == set()
    assert set(told.rules.values()) == {"passed"}
    assert told.code == 0

"""A Node for servers of these tests that are written for it."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

OLDEST = 20


def node_for(home: Path, server: str) -> str:
    """The Node that can run the server in `home`. Where there is none: skipped with the reason, failed in CI."""
    found = shutil.which("node")
    if found is None:
        _missing(server, f"there is no Node; install Node {OLDEST} or newer")
    told = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=30, check=False)
    version = told.stdout.strip()
    if told.returncode != 0 or int(version.lstrip("v").split(".")[0]) < OLDEST:
        _missing(server, f"{found} is Node {version or 'broken'}; install {OLDEST} or newer")
    if not (home / "node_modules" / ".package-lock.json").exists():
        _missing(server, f"its packages are not installed: run `npm ci` in {home}")
    return found


def _missing(server: str, what: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI has to judge {server}, but {what}.")
    pytest.skip(f"{server[0].upper()}{server[1:]} was not judged: {what}.")

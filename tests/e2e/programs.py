"""Mock API and reference server as programs, and the settings a scenario's world is opened with."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from harness.settings import Settings

from .conftest import ROOT


@contextmanager
def program(*words: str, first_line: str = "", **environment: str) -> Iterator[dict[str, Any]]:
    """A program of ours until the end of the block; its ready line. It ends with its standard input."""
    process = subprocess.Popen(
        [sys.executable, "-m", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(first_line)
        process.stdin.flush()
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(timeout=20)
        process.stdout.close()


@contextmanager
def mock_api(secret: str) -> Iterator[dict[str, Any]]:
    """A mock API on free ports; its ready line."""
    words = ("mock_api", "--port", "0", "--control-port", "0", "--control-secret-file", "-")
    with program(*words, first_line=secret + "\n") as ready:
        yield ready


@contextmanager
def reference_server(api_url: str, **environment: str) -> Iterator[dict[str, Any]]:
    """A reference server on a free port; its ready line."""
    words = ("reference_server", "--product", "kadu", "--upstream", api_url, "--exit-with-stdin")
    with program(*words, **environment) as ready:
        yield ready


@contextmanager
def judged() -> Iterator[Settings]:
    """Mock and reference server together, as the settings of a run against them."""
    secret = secrets.token_urlsafe(32)
    with mock_api(secret) as mock, reference_server(mock["api_url"]) as server:
        yield Settings(
            product="kadu",
            features=(),
            urls=(server["url"],),
            api_url=mock["api_url"],
            control_url=mock["control_url"],
            control_secret=secret,
        )

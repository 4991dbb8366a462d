"""The programs of this project as tests run them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

SECONDS: Final = 30.0
ROOT: Final = Path(__file__).resolve().parents[1]


@contextmanager
def program(*words: str, first_line: str = "", **environment: str) -> Iterator[dict[str, Any]]:
    """A program of ours until the end of the block; its ready line. It ends well, with its standard input."""
    with subprocess.Popen(
        [sys.executable, "-m", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(first_line)
            process.stdin.flush()
            line = process.stdout.readline()
            assert line, f"{words[0]} ended with {process.wait(SECONDS)}"
            yield json.loads(line)
        finally:
            process.stdin.close()
            code = process.wait(SECONDS)
        assert code == 0


@contextmanager
def mock_api(secret: str, *options: str) -> Iterator[dict[str, Any]]:
    """A mock API on free ports, its control plane under this secret; its ready line."""
    words = ("mock_api", "--port", "0", "--control-port", "0", "--control-secret-file", "-")
    with program(*words, *options, first_line=secret + "\n") as ready:
        yield ready


@contextmanager
def reference_server(api_url: str, **environment: str) -> Iterator[dict[str, Any]]:
    """A reference server on a free port; its ready line."""
    words = ("reference_server", "--product", "kadu", "--upstream", api_url, "--exit-with-stdin")
    with program(*words, **environment) as ready:
        yield ready

"""Small servers with clocks of their own before a mock API, at the real time and at a moved one."""

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from harness.controls.faketime import ProcessClock, find_library, moved_environment
from harness.runner.environment import free_port
from harness.runner.program import Program
from harness.runner.refusal import CannotRun
from harness.settings import Settings
from harness.transport import Transport
from tests.programs import mock_api

HERE = Path(__file__).parent
Served = Callable[..., Settings]
COMMANDS = {
    "python": (sys.executable, str(HERE / "own_clock.py")),
    "stranger": (sys.executable, str(HERE.parent / "strangers" / "own_clock_server.py")),
    "node": (shutil.which("node") or "node", str(HERE / "own_clock.mjs")),
}


@pytest.fixture(scope="session")
def library() -> Path:
    """libfaketime; in CI it has to be there."""
    try:
        return find_library(os.environ)
    except CannotRun as missing:
        if os.environ.get("CI") == "true":
            pytest.fail(str(missing))
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def upstream() -> Iterator[Settings]:
    """A mock API, as the settings of a run that has no server yet."""
    secret = secrets.token_urlsafe(32)
    with mock_api(secret) as mock:
        yield Settings("kadu", (), (), mock["api_url"], mock["control_url"], secret)


@pytest.fixture
def serve(upstream: Settings, tmp_path: Path) -> Iterator[Served]:
    """Start a server of COMMANDS, moved by a library where one is given; the settings of a run against it."""
    with ExitStack() as stack:

        def start(kind: str, *, lifetime: str = "300", library: Path | None = None) -> Settings:
            if shutil.which(COMMANDS[kind][0]) is None:
                pytest.skip(f"{kind} is not installed")
            port, file = free_port(), tmp_path / "offset"
            environment = dict(os.environ)
            if library is not None:
                ProcessClock(file).set(0.0)
                environment = moved_environment(environment, library, file)
            more = {"PORT": str(port), "KADU_API_URL": upstream.api_url, "LIFETIME": lifetime}
            server = stack.enter_context(Program(kind, COMMANDS[kind], environment | more))
            url = f"http://127.0.0.1:{port}/mcp"
            with Transport() as transport:
                server.wait_until_it_answers(url, transport, 20)
            settings = {**vars(upstream), "urls": (url,), "time_file": "" if library is None else str(file)}
            return Settings(**settings)

        yield start

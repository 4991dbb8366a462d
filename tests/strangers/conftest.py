"""One stub of the API and one stranger for all tests here; a world and a token for each."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.strangers.stub_api import StubApi, stub_api
from tests.strangers.wire import FORMS, Client

PROGRAM = Path(__file__).parent / "starlette_server.py"
ClientOf = Callable[..., Client]


@pytest.fixture(scope="session")
def api() -> Iterator[StubApi]:
    with stub_api() as api:
        yield api


def start(api_url: str, **environment: str) -> tuple[subprocess.Popen[bytes], str]:
    """Start the program on a free port; gives it and its URL once it accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    variables = {**os.environ, "KADU_API_URL": api_url, "PORT": str(port), **environment}
    process = subprocess.Popen([sys.executable, str(PROGRAM)], env=variables)
    transport = httpx.HTTPTransport()
    with httpx.Client(transport=transport, timeout=1) as client:
        for _ in range(100_000):
            if process.poll() is not None:
                pytest.fail(f"the stranger ended with {process.returncode}")
            try:
                client.get(f"http://127.0.0.1:{port}/mcp")
            except httpx.ConnectError:
                continue
            return process, f"http://127.0.0.1:{port}/mcp"
    pytest.fail("the stranger never accepted a connection")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a program that `start` started."""
    process.terminate()
    process.wait(timeout=10)


@pytest.fixture(scope="session")
def replicas(api: StubApi) -> Iterator[tuple[str, str]]:
    """Two strangers that share the secret of their states."""
    started = [start(api.url, STATE_SECRET="shared by both") for _ in range(2)]
    yield started[0][1], started[1][1]
    for process, _ in started:
        stop(process)


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=10, trust_env=False) as client:
        yield client


@pytest.fixture
def client_of(http: httpx.Client, replicas: tuple[str, str]) -> ClientOf:
    """Makes a client for a world: 2026 with forms unless told otherwise."""

    def make(world: Any, era: str = "2026", capabilities: Any = FORMS, replica: int = 0) -> Client:
        return Client(http, replicas[replica], world.token, era, capabilities)

    return make

"""One stub of the API, one mock of it, a stranger before each; a world and a token for every test."""

import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.strangers.stub_api import StubApi, stub_api
from tests.strangers.wire import FORMS, Client

PROGRAM = Path(__file__).parent / "starlette_server.py"
OWN_CLOCK = Path(__file__).parent / "own_clock_server.py"
ClientOf = Callable[..., Client]


@pytest.fixture(scope="session")
def api() -> Iterator[StubApi]:
    with stub_api() as api:
        yield api


def start(api_url: str, program: Path = PROGRAM, **environment: str) -> tuple[subprocess.Popen[bytes], str]:
    """Start a program on a free port; gives it and its URL once it accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    variables = {**os.environ, "KADU_API_URL": api_url, "PORT": str(port), **environment}
    process = subprocess.Popen([sys.executable, str(program)], env=variables)
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
def own_clock(api: StubApi) -> Iterator[str]:
    """The URL of the server with stores and a clock of its own."""
    process, url = start(api.url, OWN_CLOCK)
    yield url
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


@dataclass(frozen=True)
class Mock:
    """The mock's control plane, a stranger in front of the mock, and the URL of the mock's API."""

    control: httpx.Client
    stranger: str
    api: str


@dataclass(frozen=True)
class Tenant:
    """One tenant and the stranger as one of its people sees it."""

    mock: Mock
    path: str
    world: dict[str, Any]
    client: Client

    def effects(self) -> list[dict[str, Any]]:
        """Every business entry of the ledger that changed something."""
        entries = self.mock.control.get(f"{self.path}/ledger").json()["entries"]
        return [entry for entry in entries if entry["class"] == "business" and entry["effect"]]

    def wait(self, seconds: int) -> None:
        """Move the tenant's clock."""
        self.control("/clock", advance=seconds)

    def control(self, path: str, **body: Any) -> Any:
        """POST to a route of this tenant's control plane; gives what it answered."""
        return self.mock.control.post(self.path + path, json=body).raise_for_status().json()

    def newest(self, collection: str) -> str:
        """The id of the newest record."""
        answer = self.mock.control.get(f"{self.path}/records/{collection}").raise_for_status()
        return str(answer.json()["records"][0]["id"])

    def another(self, era: str = "2026", **rights: Any) -> Client:
        """The same person under another token; `scopes` and `without_scopes` as the control plane takes them."""
        wanted = {"person": self.world["people"][0]["id"], **rights}
        return replace(self.client, token=self.control("/tokens", **wanted)["token"], era=era)

    def without_permission(self, permission: str) -> None:
        """Take a permission from the person."""
        person = self.world["people"][0]["id"]
        change = {"without_permissions": [permission]}
        self.mock.control.patch(f"{self.path}/people/{person}", json=change).raise_for_status()


@pytest.fixture(scope="session")
def mock() -> Iterator[Mock]:
    secret = secrets.token_urlsafe(16)
    command = [sys.executable, "-m", "mock_api", "--product", "kadu", "--host", "127.0.0.1"]
    command += ["--port", "0", "--control-port", "0", "--control-secret-file", "-"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(secret + "\n")
        process.stdin.flush()
        ready = json.loads(process.stdout.readline())
        stranger, url = start(ready["api_url"])
        headers = {"authorization": f"Bearer {secret}"}
        with httpx.Client(base_url=ready["control_url"], headers=headers, trust_env=False) as control:
            yield Mock(control, url, ready["api_url"])
        stop(stranger)
        process.stdin.close()
        process.wait(timeout=10)


@pytest.fixture
def tenant(mock: Mock, http: httpx.Client) -> Tenant:
    created = mock.control.post("/_control/tenants", json={"seed": secrets.token_hex(4)})
    world = created.raise_for_status().json()
    path = f"/_control/tenants/{world['id']}"
    wanted = {"person": world["people"][0]["id"], "scopes": world["scopes"]}
    token = mock.control.post(f"{path}/tokens", json=wanted).raise_for_status().json()["token"]
    return Tenant(mock, path, world, Client(http, mock.stranger, token, "2026", FORMS))

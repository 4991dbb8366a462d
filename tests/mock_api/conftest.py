"""Running mock APIs of the tiny product and of Kadu, shared by all; every test makes tenants of its own."""

import contextlib
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

PROGRAM = Path(__file__).with_name("tiny_product.py")
TINY = (str(PROGRAM), "--product", "tiny")
KADU = ("-m", "mock_api", "--product", "kadu")
SECRET = "segredo-do-controle"
DEADLINE = 10.0


@dataclass(frozen=True)
class Mock:
    """A running mock: where it listens, and clients that reach it."""

    api_url: str
    control: httpx.Client
    http: httpx.Client

    def tenant(self, seed: str = "semente", **body: Any) -> "World":
        answer = self.control.post("/_control/tenants", json={"seed": seed, **body})
        assert answer.status_code == 201, answer.text
        return World(self, answer.json())


class World:
    """A tenant, as its maker sees it."""

    def __init__(self, mock: Mock, made: dict[str, Any]) -> None:
        self.mock, self.made, self.id = mock, made, made["id"]
        self.people, self.records = made["people"], made["records"]

    def control(self, method: str, path: str, body: Any = None, expect: int = 200) -> Any:
        answer = self.mock.control.request(method, f"/_control/tenants/{self.id}{path}", json=body)
        assert answer.status_code == expect, answer.text
        return answer.json() if answer.content else None

    def token(self, person: int | None = 0, **body: Any) -> dict[str, Any]:
        behind = None if person is None else self.people[person]["id"]
        made: dict[str, Any] = self.control("POST", "/tokens", {"person": behind, **body}, 201)
        return made

    def caller(self, person: int | None = 0, **body: Any) -> "Caller":
        return Caller(self.mock, self.token(person, **body))

    def ledger(self, after: int = 0) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.control("GET", f"/ledger?after={after}")["entries"]
        return entries


class Caller:
    """Somebody with a token, calling the API."""

    def __init__(self, mock: Mock, token: dict[str, Any]) -> None:
        self.mock, self.token = mock, token

    def __call__(self, method: str, path: str, body: Any = None, **options: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.token['token']}", **options.pop("headers", {})}
        if body is not None:
            options["json"] = body
        return self.mock.http.request(method, self.mock.api_url + path, headers=headers, **options)


def start(*arguments: str, program: tuple[str, ...] = TINY, **options: Any) -> subprocess.Popen[str]:
    """Start the program with pipes for all three streams."""
    return subprocess.Popen(
        [sys.executable, *program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.fixture
def program() -> Iterator[Any]:
    """Starts the program; ends what a test left running."""
    started: list[subprocess.Popen[str]] = []

    def begin(*arguments: str, **options: Any) -> subprocess.Popen[str]:
        started.append(start(*arguments, **options))
        return started[-1]

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def mock() -> Iterator[Mock]:
    """One mock for all tests, which judges its own answers by the contract."""
    with _running(TINY) as running:
        yield running


@pytest.fixture(scope="session")
def kadu_mock() -> Iterator[Mock]:
    """One mock of Kadu, for what the tiny product is too small for."""
    with _running(KADU) as running:
        yield running


@contextlib.contextmanager
def _running(program: tuple[str, ...]) -> Iterator[Mock]:
    options = ("--control-secret-file", "-", "--check-answers", "--public-url", "https://publico.test/")
    process = start(*options, program=program)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(SECRET + "\n")
    process.stdin.flush()
    ready = json.loads(process.stdout.readline())
    headers = {"authorization": f"Bearer {SECRET}"}
    with (
        httpx.Client(base_url=ready["control_url"], headers=headers, timeout=DEADLINE) as control,
        httpx.Client(timeout=DEADLINE, limits=httpx.Limits(max_connections=50)) as http,
    ):
        yield Mock(ready["api_url"], control, http)
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0
    assert "Traceback" not in errors


_seeds = itertools.count()


@pytest.fixture
def world(mock: Mock) -> World:
    """A fresh tenant."""
    return mock.tenant(f"mundo {next(_seeds)}")


@pytest.fixture
def call(world: World) -> Caller:
    """The first person of the fresh tenant, with a token that may do everything."""
    return world.caller()

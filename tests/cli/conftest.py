"""Small programs for tests to start, and a way to run the command line in this process."""

import json
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import NAME, app, outcome


@dataclass(frozen=True)
class Said:
    """What a run of the command line came to."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Said]:
    """Run the command line in this process, in a directory of its own."""
    monkeypatch.chdir(tmp_path)

    def cli(*arguments: str) -> Said:
        code = outcome(lambda: app(list(arguments), standalone_mode=False, prog_name=NAME))
        out, err = capfd.readouterr()
        return Said(code, out, err)

    return cli


TINY = """\
Feature: Tiny
  @KADU-CNF-03
  Rule: A yes runs
    Scenario Outline: A yes makes <tool> run
      Given an assistant that shows forms
      When the assistant calls <tool>
      And the person says yes
      Then the call succeeds
      And it ran once

      Examples:
        | tool                 |
        | kadu_tasks_run       |
        | kadu_webhooks_create |
"""


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a small feature of two scenario runs, both of KADU-CNF-03 in 2026."""
    directory = tmp_path_factory.mktemp("features") / "tiny"
    directory.mkdir()
    (directory / "a.feature").write_text(TINY, encoding="utf-8")
    return directory


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], list[str]]:
    """A command that runs the given Python text."""

    def script(text: str) -> list[str]:
        path = tmp_path / "program.py"
        path.write_text(text, encoding="utf-8")
        return [sys.executable, str(path)]

    return script


@dataclass
class Real:
    """A server that stands for a real system: it knows `server/discover`, and refuses everything else.

    `seen` are the requests it got: HTTP method, headers (lower-case), body. It puts off the next `puts_off` requests
    with HTTP 429 and this `retry_after`, and the first discovery where `puts_off_discovery` says so.
    """

    url: str = ""
    discovers: bool = True
    puts_off: int = 0
    retry_after: str = "0"
    puts_off_discovery: bool = False
    seen: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    @property
    def messages(self) -> list[Any]:
        """The JSON of every POST."""
        return [json.loads(body) for method, _, body in self.seen if method == "POST"]

    def is_busy(self) -> bool:
        """Whether the request that was seen last is put off."""
        discoveries = [message for message in self.messages if message["method"] == "server/discover"]
        if self.puts_off_discovery and len(discoveries) == 1:
            return True
        self.puts_off -= 1
        return self.puts_off >= 0

    def answer(self, body: bytes) -> tuple[int, dict[str, Any]]:
        """Status and message for a body."""
        message = json.loads(body) if body else {}
        if message.get("method") == "server/discover" and self.discovers:
            result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            result |= {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
            return 200, {"jsonrpc": "2.0", "id": message["id"], "result": result}
        error = {"code": -32601, "message": "Method not found"}
        return 404, {"jsonrpc": "2.0", "id": message.get("id"), "error": error}


def _handler(real: Real) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def take(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            real.seen.append((self.command, headers, body))
            if self.command == "POST" and real.is_busy():
                status, text, more = 429, b"{}", {"retry-after": real.retry_after}
            else:
                status, message = real.answer(body)
                text, more = json.dumps(message).encode(), {}
            self.send_response(status)
            for name, value in {"content-type": "application/json", **more}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_DELETE = take

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@contextmanager
def serving(real: Real, context: ssl.SSLContext | None = None) -> Iterator[Real]:
    """Serve it on a free port of loopback, with TLS where a context is given."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(real))
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    host = "http://127.0.0.1" if context is None else "https://localhost"
    real.url = f"{host}:{server.server_address[1]}/mcp"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield real
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def real() -> Iterator[Real]:
    """A real system on loopback."""
    with serving(Real()) as real:
        yield real


@pytest.fixture
def read_only(real: Real, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options that judge the real system by reading alone: no program has to be started."""
    monkeypatch.setenv("KADU_TEST_TOKEN", "the-token-of-somebody")
    return ["run", "--read-only", "--url", real.url, "--token-env", "KADU_TEST_TOKEN"]


def refused(said: Said, *parts: str) -> None:
    """One sentence on standard error, code 2, nothing else."""
    assert said.code == 2, said
    assert said.out == ""
    assert said.err.startswith("kadu-conformance: ")
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    for part in parts:
        assert part in said.err


@pytest.fixture(name="refused")
def refused_fixture() -> Callable[..., None]:
    """The check that a command was refused."""
    return refused


@pytest.fixture
def tls_server() -> Callable[[ssl.SSLContext], AbstractContextManager[Real]]:
    """Serve a real system with TLS."""
    return lambda context: serving(Real(), context)

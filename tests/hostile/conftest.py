"""Runs of the command line against servers that mean harm, and somebody elsewhere who must hear no secret."""

import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SERVER = Path(__file__).parent / "hostile_server.py"
BATCH = Path(__file__).parent / "batch.py"
GARBLING = Path(__file__).parent / "garbling_server.py"
GARBLED = ("KADU-CNF", "MCP")
SEED = 4
TIMEOUT = 1.0
READY = 1.0
LONGEST = 600.0
SCENARIOS = (
    "Discovery names the stateless revision and what the server can do@2026",
    "holds what kadu_workspaces_get answers[workspaces/{id}, kadu_workspaces_get]@2025",
    "Continuing runs kadu_tasks_run[kadu_tasks_run]@2026",
    "Downloading gives an address and no bytes@2026",
)
"""One of MCP-03, KADU-RES-03, KADU-APR-08 and KADU-RES-07 each: what the hostile servers are asked."""


@dataclass(frozen=True)
class Told:
    """What a run said, the record it left (empty where it left none), where, and the most memory it took."""

    code: int
    out: str
    err: str
    lines: tuple[dict[str, Any], ...]
    directory: Path
    megabytes: int

    @property
    def scenarios(self) -> list[dict[str, Any]]:
        """The scenario runs."""
        return [line for line in self.lines if line["type"] == "scenario"]

    @property
    def rules(self) -> dict[str, str]:
        """The verdict of each asked rule."""
        return {rule: judged["verdict"] for rule, judged in self.lines[-1]["rules"].items()}

    @property
    def seconds(self) -> float:
        """What the longest exchange took."""
        return max(exchange["seconds"] for one in self.scenarios for exchange in one["exchanges"])

    @property
    def actuals(self) -> set[str]:
        """What the findings say came, and why scenarios are not passed."""
        found = {finding["actual"] for one in self.scenarios for finding in one["findings"]}
        return found | {one["reason"] for one in self.scenarios if one["reason"]}


@dataclass(frozen=True)
class Elsewhere:
    """Somebody who listens at `url`, shows everybody a login, and remembers all that comes."""

    url: str
    heard: list[tuple[str, str, bytes]]


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[Elsewhere]:
    """A listener of its own, no part of server or console."""
    heard: list[tuple[str, str, bytes]] = []
    page = b"<form method=post action=/in><input type=email name=e><input type=password name=p><button>Entrar"

    class Handler(BaseHTTPRequestHandler):
        def hear(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            heard.append((self.requestline, str(self.headers), body))
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        do_GET = do_POST = hear

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Elsewhere(f"http://127.0.0.1:{server.server_address[1]}", heard)
        server.shutdown()


@pytest.fixture(scope="session")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """A mock API that all runs share; the options that lead to it."""
    secret = secrets.token_urlsafe(32)
    file = tmp_path_factory.mktemp("mock") / "secret"
    file.write_text(secret)
    words = [sys.executable, "-m", "mock_api", "--port", "0", "--control-port", "0"]
    process = subprocess.Popen(
        [*words, "--control-secret-file", str(file)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    ready = json.loads(process.stdout.readline())
    yield [
        *("--api-url", ready["api_url"], "--control-url", ready["control_url"]),
        *("--control-secret-file", str(file)),
    ]
    process.terminate()
    process.wait(timeout=20)
    process.stdout.close()


def told_in(directory: Path) -> Told:
    """What the run said that left its reports there."""
    ended = json.loads((directory / "outcome.json").read_text())
    record = directory / "run.ndjson"
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    said = [(directory / name).read_bytes().decode() for name in ("stdout", "stderr")]
    return Told(
        ended["code"], *said, tuple(json.loads(line) for line in lines), directory, ended["megabytes"]
    )


Runs = Callable[[str], Told]


@pytest.fixture(scope="session")
def run(
    request: pytest.FixtureRequest,
    mock: list[str],
    elsewhere: Elsewhere,
    certificate: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Runs:
    """The run against the server of a mode. All that are asked for have run by then, in two processes."""
    base = tmp_path_factory.mktemp("runs")

    def order(mode: str) -> tuple[list[str], str]:
        if mode == "garbling":
            command = f"{sys.executable} {GARBLING} {SEED} {{port}}"
            rules = [word for one in GARBLED for word in ("--rule", one)]
            return ["run", "--command", command, *mock, *rules, "--time", "none"], str(base / mode)
        url = ["--url", "https://localhost:{port}/mcp"] if mode == "tls" else []
        command = f"{sys.executable} {SERVER} {mode} {{port}}"
        scenarios = [word for one in SCENARIOS for word in ("--scenario", one)]
        limits = ["--timeout", str(TIMEOUT), "--ready-timeout", str(READY)]
        if mode == "dies":
            # The moment of its death is counted in requests: one worker makes their order the same every time.
            limits += ["--workers", "1"]
        return ["run", *url, "--command", command, *mock, *scenarios, *limits], str(base / mode)

    called = [item.callspec for item in request.session.items if hasattr(item, "callspec")]
    modes = sorted({spec.params["mode"] for spec in called if "mode" in spec.params})
    environment = {
        **os.environ,
        "COLUMNS": "120",
        "ELSEWHERE": elsewhere.url,
        "CERTIFICATE": str(certificate),
    }
    batches = []
    for part in (modes[::2], modes[1::2]):
        process = subprocess.Popen(
            [sys.executable, str(BATCH)], stdin=subprocess.PIPE, text=True, cwd=ROOT, env=environment
        )
        assert process.stdin is not None
        json.dump([order(mode) for mode in part], process.stdin)
        process.stdin.close()
        batches.append(process)
    for process in batches:
        assert process.wait(timeout=LONGEST) == 0
    return lambda mode: told_in(base / mode)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that nobody vouches for, with its key."""
    path = tmp_path_factory.mktemp("tls") / "own.pem"
    key = path.with_suffix(".key")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(path)),
        ],
        check=True,
        capture_output=True,
    )
    path.write_text(path.read_text() + key.read_text())
    return path

"""Runs of the command line against servers that mean harm, and somebody elsewhere who must hear no secret."""

import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SERVER = Path(__file__).parent / "hostile_server.py"
TIMEOUT = 0.5
READY = 1.0
LONGEST = 120.0
SCENARIOS = (
    "Discovery names",
    "The document workspaces/{id} holds",
    "Continuing runs kadu_tasks_run",
    "Downloading gives",
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


def ran(words: Sequence[str], directory: Path, **environment: str) -> Told:
    """Run the command line as a user does, with reports to the directory."""
    directory.mkdir()
    out, err = directory / "stdout", directory / "stderr"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "harness.cli.main", *words, "--out", str(directory)],
            stdout=stdout,
            stderr=stderr,
            cwd=ROOT,
            env={**os.environ, "COLUMNS": "120", **environment},
        )
        watchdog = threading.Timer(LONGEST, process.kill)
        watchdog.start()
        _, status, used = os.wait4(process.pid, 0)
        watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    record = directory / "run.ndjson"
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    return Told(
        process.returncode,
        out.read_bytes().decode(),
        err.read_bytes().decode(),
        tuple(json.loads(line) for line in lines),
        directory,
        used.ru_maxrss // 1024,
    )


Runs = Callable[[str], Told]


@pytest.fixture(scope="session")
def run(
    request: pytest.FixtureRequest,
    mock: list[str],
    elsewhere: Elsewhere,
    certificate: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Runs]:
    """The run against the server of a mode. All that are asked for run two at a time, each once."""
    base = tmp_path_factory.mktemp("runs")

    def judged(mode: str) -> Told:
        url = ["--url", "https://localhost:{port}/mcp"] if mode == "tls" else []
        command = f"{sys.executable} {SERVER} {mode} {{port}}"
        scenarios = [word for one in SCENARIOS for word in ("--scenario", one)]
        limits = ["--timeout", str(TIMEOUT), "--ready-timeout", str(READY)]
        words = ["run", *url, "--command", command, *mock, *scenarios, *limits]
        return ran(words, base / mode, ELSEWHERE=elsewhere.url, CERTIFICATE=str(certificate))

    called = [item.callspec for item in request.session.items if hasattr(item, "callspec")]
    wanted = dict.fromkeys(spec.params["mode"] for spec in called if "mode" in spec.params)
    with ThreadPoolExecutor(2) as pool:
        runs: dict[str, Future[Told]] = {mode: pool.submit(judged, mode) for mode in wanted}
        yield lambda mode: runs[mode].result()
        for one in runs.values():
            one.cancel()


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

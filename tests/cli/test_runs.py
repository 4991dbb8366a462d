"""Whole runs: exit codes, records, interruptions."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from harness.exchanges import HttpRequest
from harness.record import RunRecord, read
from harness.runner.environment import free_port
from harness.transport import Transport

REFERENCE = f"{sys.executable} -P -m reference_server --product kadu --host 127.0.0.1 --port {{port}}"
OUT = Path("kadu-conformance-report") / "run.ndjson"


@dataclass(frozen=True)
class Proved:
    """A run of `prove` over one rule, in two processes, keeping the tenants."""

    code: int
    said: str
    record: RunRecord
    text: str


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Proved:
    """The one run that several tests look at."""
    directory = tmp_path_factory.mktemp("proved")
    command = [
        sys.executable,
        "-m",
        "harness.cli.main",
        "prove",
        "--features",
        str(tiny),
        "--workers",
        "2",
        "--keep",
    ]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    return Proved(
        done.returncode, done.stdout, read(directory / OUT), (directory / OUT).read_text(encoding="utf-8")
    )


def test_the_reference_server_keeps_a_rule(proved):
    assert (proved.code, proved.record.footer["exit_code"]) == (0, 0), proved.said
    assert proved.record.footer["rules"]["KADU-CNF-03"]["verdict"] == "passed"
    assert proved.record.header["asked"] == ["KADU-CNF-03"]
    assert proved.record.header["subject"]["reference"] is True
    assert len(proved.record.scenarios) == 2


def test_what_came_of_each_feature_and_what_is_covered_is_told(proved):
    assert "tiny/a.feature: 2 passed" in proved.said
    assert f"of {len(proved.record.header['rules'])} catalogued rules." in proved.said


def test_no_secret_is_in_the_record(proved):
    plain = proved.text.replace("\\", "")
    assert "Bearer «secret»" in plain
    assert '"requestState":"«secret»"' in plain
    assert '"requestState":"' not in plain.replace('"requestState":"«secret»"', "")


def test_keep_tells_the_tenants_and_every_exchange(proved):
    tenants = {scenario["tenant"] for scenario in proved.record.scenarios}
    assert len(tenants) == 2
    assert all(f"tenant {tenant}" in proved.said for tenant in tenants)
    assert "tools/call kadu_tasks_run" in proved.said


def test_a_server_that_a_command_starts_is_judged_too(cli, tiny):
    said = cli("run", "--command", REFERENCE, "--features", str(tiny), "--scenario", "kadu_tasks_run")
    assert said.code == 0, said
    record = read(OUT)
    assert record.header["subject"] == {
        "urls": record.header["subject"]["urls"],
        "command": REFERENCE,
        "reference": False,
    }
    assert len(record.scenarios) == 1


@pytest.mark.parametrize(("sent", "workers"), [(signal.SIGTERM, "1"), (signal.SIGINT, "2")])
def test_an_interrupted_run_leaves_a_record_without_footer_and_no_programs(
    tmp_path, tiny, tripwire, sent, workers
):
    """The server under test itself interrupts the run, at the first call that a scenario makes."""
    url, trip = tripwire
    command = [sys.executable, "-m", "harness.cli.main", "run", "--url", url, "--features", str(tiny)]
    command += ["--api-port", str(free_port()), "--workers", workers]
    with _started(command, tmp_path) as process:
        # As a terminal does it: to the whole group, workers included.
        trip(lambda: os.killpg(process.pid, sent))
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "kadu-conformance: interrupted; the record ends where the run was stopped.\n"
    record = read(tmp_path / OUT)
    assert record.footer is None
    assert (tmp_path / OUT).with_name("report.html").exists()
    assert not _session_of(process.pid)


def test_workers_and_programs_end_with_the_run_that_is_killed(tmp_path, tiny, tripwire):
    url, trip = tripwire
    command = [sys.executable, "-m", "harness.cli.main", "run", "--url", url, "--features", str(tiny)]
    command += ["--api-port", str(free_port()), "--workers", "2"]
    with _started(command, tmp_path) as process:
        trip(lambda: os.kill(process.pid, signal.SIGKILL))
        # Its output ends when the last process that holds it has ended.
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (-signal.SIGKILL, "")
    assert not _session_of(process.pid)


def test_the_playground_serves_until_it_is_stopped(tmp_path):
    command = [sys.executable, "-m", "harness.cli.main", "playground", "--port", "0", "--api-port", "0"]
    with _started(command, tmp_path) as process, Transport() as transport:
        lines = list(iter(process.stdout.readline, "Ctrl-C stops everything; nothing is kept.\n"))
        words = shlex.split(next(line for line in lines if "tools/list" in line))
        headers = tuple(words[at + 1].partition(": ")[::2] for at, word in enumerate(words) if word == "-H")
        built = HttpRequest("POST", words[4], headers, words[-1].encode())
        sent = transport.send(built, timeout=10, answers_id=1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert sent.answer is not None
    assert b"kadu_tasks_run" in sent.answer.body
    assert not _session_of(process.pid)


@contextmanager
def _started(command: list[str], directory: Path) -> Iterator[subprocess.Popen[str]]:
    """A command line in a session of its own, which heeds SIGINT even where these tests run in the background."""
    with subprocess.Popen(
        command,
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def _session_of(pid: int) -> list[str]:
    """What still runs of a session, and of the programs its leader started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, _, session = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if str(pid) in (parent, session) and state not in "ZX":
            found.append(stat.parent.name)
    return found


@pytest.fixture
def tripwire() -> Iterator[tuple[str, Callable[[Callable[[], None]], None]]]:
    """A server that answers the probe, and does what it was told when anything else comes."""
    told: list[Callable[[], None]] = []
    ready = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            text = self.rfile.read(int(self.headers.get("content-length") or 0))
            if b"tools/" in text and ready.wait(10) and told:
                self.close_connection = True
                told.pop()()
            body = json.dumps(
                {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}}
            ).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def trip(act: Callable[[], None]) -> None:
        told.append(act)
        ready.set()

    yield f"http://127.0.0.1:{server.server_address[1]}/mcp", trip
    server.shutdown()
    server.server_close()

"""Whole runs: exit codes, records, interruptions."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from harness.record import RunRecord, read
from harness.runner.environment import free_port

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
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        trip(lambda: os.kill(process.pid, sent))
        out, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (130, False), (out, err)
    record = read(tmp_path / OUT)
    assert record.footer is None
    assert not _children_of(process.pid)


def _children_of(pid: int) -> list[str]:
    """Programs of ours that still run with the dead process as the leader of nothing: found by their parent."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
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

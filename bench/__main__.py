"""`make bench`: measures what is promised, and writes the table to docs/bench.md.

Whole processes are measured from outside, by the operating system's own accounting. Quote the medians of several runs
on a quiet machine, and ratios rather than absolute times.
"""

import asyncio
import json
import os
import platform
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "bench.md"
OFFICIAL = ROOT / "tests" / "official"
TOOL = "kadu-conformance"
CONNECTIONS, SECONDS, ROUNDS = 8, 3.0, 5
ME = {
    "person": {"id": "p", "name": "Ana", "email": "ana@exemplo.com.br"},
    "organization": {"id": "o", "name": "Exemplo"},
    "scopes": ["kadu/tasks"],
    "permissions": ["agent.tasks.read"],
    "client": {"id": "c", "name": "Bench"},
    "token": {"id": "t", "expires_at": "2036-11-30T15:00:00.000Z"},
}


@dataclass
class Running:
    """A program of ours that runs: its process, and once it is ready its line and the seconds until it came."""

    process: subprocess.Popen[str]
    began: float
    ready: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def tell(self, line: str) -> None:
        """Write a line to its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def wait(self) -> None:
        """Wait for its ready line."""
        assert self.process.stdout is not None
        self.ready = json.loads(self.process.stdout.readline())
        self.seconds = time.perf_counter() - self.began

    def cpu(self) -> float:
        """The CPU seconds it took so far, where /proc tells."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def begun(*words: str) -> Iterator[Running]:
    """A program until the end of the block, not waited for."""
    process = subprocess.Popen(
        [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        yield Running(process, time.perf_counter())
    finally:
        process.terminate()
        process.communicate(timeout=20)


@contextmanager
def program(*words: str, first_line: str = "") -> Iterator[Running]:
    """A program until the end of the block, ready."""
    with begun(*words) as running:
        running.tell(first_line)
        running.wait()
        yield running


@dataclass
class Measured:
    """A process of ours and those it started: wall and CPU seconds, the most megabytes of all together, exit code."""

    wall: float
    cpu: float
    megabytes: float
    code: int


def measured(*words: str) -> Measured:
    """Run a module of ours to its end."""
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, stdout=subprocess.DEVNULL)
    most, ended = 0.0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not ended.wait(0.25):
            most = max(most, sum(_megabytes(pid) for pid in _family(process.pid)))

    watching = threading.Thread(target=watch)
    watching.start()
    # Its CPU and that of the children it waited for.
    _, status, usage = os.wait4(process.pid, 0)
    ended.set()
    watching.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return Measured(time.perf_counter() - began, cpu, most, process.returncode)


def _family(pid: int) -> list[int]:
    """A process and all below it."""
    family = [pid]
    for known in family:
        with suppress(OSError):
            for children in Path(f"/proc/{known}/task").glob("*/children"):
                family += [int(child) for child in children.read_text().split()]
    return family


def _megabytes(pid: int) -> float:
    """The memory of a process, what it shares divided among those it shares it with."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def suite(directory: Path) -> list[tuple[str, str, str]]:
    """The whole suite against the reference server."""
    secret = secrets.token_urlsafe(32)
    file = directory / "secret"
    file.write_text(secret)
    mock_words = ("-m", "mock_api", "--port", "0", "--control-port", "0", "--control-secret-file", "-")
    words = ("-m", "reference_server", "--product", "kadu", "--upstream", "-", "--exit-with-stdin")
    # As `prove` starts them: the server loads while the mock does.
    with begun(*words) as server, program(*mock_words, first_line=secret + "\n") as mock:
        server.tell(mock.ready["api_url"] + "\n")
        server.wait()
        there = ["--api-url", mock.ready["api_url"], "--control-url", mock.ready["control_url"]]
        there += ["--control-secret-file", str(file), "--out", str(directory / "out")]
        ran = measured("harness.cli.main", "run", "--url", server.ready["url"], *there)
    lines = [json.loads(line) for line in (directory / "out" / "run.ndjson").read_text().splitlines()]
    runs = [line for line in lines if line["type"] == "scenario"]
    exchanges = sum(len(line["exchanges"]) for line in runs)
    inside = lines[-1]["seconds"]
    return [
        (
            "the whole Kadu suite, both eras",
            f"{inside:.1f} s ({len(runs)} scenario runs, exit {ran.code}, {lines[0]['workers']} workers)",
            "≤ 10 s",
        ),
        ("wall time a scenario run", f"{inside / len(runs) * 1000:.1f} ms", "≤ 15 ms"),
        (
            "harness CPU an exchange (control requests included in the CPU)",
            f"{ran.cpu / exchanges * 1000:.2f} ms ({exchanges} recorded)",
            "≤ 2 ms",
        ),
        ("with start, reports and end", f"{ran.wall:.1f} s", ""),
        ("memory of the harness, its workers included", f"{ran.megabytes:.0f} MB", "≤ 300 MB"),
        ("mock and reference server ready", f"{server.seconds:.2f} s", "≤ 2 s"),
    ]


def help_time() -> list[tuple[str, str, str]]:
    """How long `--help` takes, the best of five."""
    return [
        ("`--help`", f"{min(measured('harness.cli.main', '--help').wall for _ in range(5)):.2f} s", "≤ 0.5 s")
    ]


REQUEST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "kadu_me_get",
        "arguments": {},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    },
}


def raw(url: str) -> tuple[str, int, bytes]:
    """Host, port and the bytes of one call."""
    host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
    body = json.dumps(REQUEST).encode()
    head = [
        "POST /mcp HTTP/1.1",
        f"Host: {host}:{port}",
        "Authorization: Bearer bench",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: tools/call",
        "Mcp-Name: kadu_me_get",
        f"Content-Length: {len(body)}",
    ]
    return host, int(port), "\r\n".join([*head, "", ""]).encode() + body


async def requests_a_second(url: str) -> float:
    """Calls a second over a few kept connections."""
    host, port, call = raw(url)
    until = time.perf_counter() + SECONDS

    async def one() -> int:
        reader, writer = await asyncio.open_connection(host, port)
        done = 0
        while time.perf_counter() < until:
            writer.write(call)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200"), head
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
            body = await reader.readexactly(int(length.split(b":")[1]))
            assert b'"isError":true' not in body.replace(b" ", b"")
            done += 1
        writer.close()
        return done

    began = time.perf_counter()
    total = sum(await asyncio.gather(*(one() for _ in range(CONNECTIONS))))
    return total / (time.perf_counter() - began)


def against_a_bare_server(directory: Path) -> list[tuple[str, str, str]]:
    """The reference server with a stub upstream, beside a bare SDK server that gives the same answer."""
    with program(
        "-m",
        "mock_api",
        "--port",
        "0",
        "--control-port",
        "0",
        "--control-secret-file",
        "-",
        first_line="x" * 32 + "\n",
    ) as mock:
        from urllib.request import urlopen

        with urlopen(mock.ready["api_url"] + "/openapi.json", timeout=10) as answer:
            (directory / "contract.json").write_bytes(answer.read())
    here = str(Path(__file__).parent)
    with program(f"{here}/stub_upstream.py", str(directory / "contract.json"), json.dumps(ME)) as stub:
        upstream = ("--upstream", stub.ready["url"], "--exit-with-stdin")
        with (
            program("-m", "reference_server", "--product", "kadu", *upstream) as reference,
            program(f"{here}/bare_server.py", json.dumps(ME)) as bare,
        ):
            rounds = [(_served(reference), _served(bare)) for _ in range(ROUNDS)]
    (mine, my_cpu), (other, their_cpu) = sorted(rounds, key=lambda one: one[0][0] / one[1][0])[ROUNDS // 2]
    return [
        (
            "reference server, `tools/call` (two upstream requests each), beside a bare SDK server",
            f"{mine:.0f}/s beside {other:.0f}/s: {mine / other:.2f} ×",
            "≥ 0.7 ×",
        ),
        (
            "… CPU of a call",
            f"{my_cpu * 1e6:.0f} µs beside {their_cpu * 1e6:.0f} µs: {their_cpu / my_cpu:.2f} ×",
            "",
        ),
    ]


def _served(server: Running) -> tuple[float, float]:
    """Calls a second, and the CPU seconds of one."""
    before, began = server.cpu(), time.perf_counter()
    rate = asyncio.run(requests_a_second(server.ready["url"]))
    calls = rate * (time.perf_counter() - began)
    return rate, (server.cpu() - before) / calls


def official(directory: Path) -> list[tuple[str, str, str]]:
    """The official MCP suite's generic scenarios, in the same run."""
    if not (OFFICIAL / "node_modules").exists():
        return [("the official MCP suite", "not installed (npm ci in tests/official)", "")]
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/official/test_suite.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stdout.strip().splitlines()[-1]
    (directory / "official.txt").write_text(done.stdout)
    return [
        (
            "the official MCP suite, 15 generic scenarios against the same server",
            f"{time.perf_counter() - began:.1f} s ({last})",
            "",
        )
    ]


def main() -> None:
    """Measure, print and write the table."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        rows = [*suite(directory), *help_time(), *against_a_bare_server(directory), *official(directory)]
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    table = ["| what | measured | promised |", "|---|---|---|", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]
    text = f"# Measured\n\n`make bench` on {machine}, once.\n\n" + "\n".join(table) + "\n"
    TABLE.write_text(text, encoding="utf-8")
    sys.stdout.write("\n".join(table) + "\n")


if __name__ == "__main__":
    main()

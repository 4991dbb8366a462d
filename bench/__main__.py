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
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "bench.md"
OFFICIAL = ROOT / "tests" / "official"
TOOL = "kadu-conformance"
CONNECTIONS, SECONDS = 8, 3.0
ME = {
    "person": {"id": "p", "name": "Ana", "email": "ana@exemplo.com.br"},
    "organization": {"id": "o", "name": "Exemplo"},
    "scopes": ["kadu/tasks"],
    "permissions": ["agent.tasks.read"],
    "client": {"id": "c", "name": "Bench"},
    "token": {"id": "t", "expires_at": "2036-11-30T15:00:00.000Z"},
}


@contextmanager
def program(*words: str, first_line: str = "", **environment: str) -> Iterator[tuple[dict[str, Any], float]]:
    """A program until the end of the block: its ready line, and the seconds until it came."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(first_line)
        process.stdin.flush()
        ready = json.loads(process.stdout.readline())
        yield ready, time.perf_counter() - began
    finally:
        process.stdin.close()
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()


def measured(*words: str) -> tuple[float, float, float, int]:
    """Wall seconds, CPU seconds, peak MB and exit code of one process of ours (without its children)."""
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode


def suite(directory: Path) -> list[tuple[str, str, str]]:
    """The whole suite against the reference server."""
    secret = secrets.token_urlsafe(32)
    file = directory / "secret"
    file.write_text(secret)
    mock_words = ("-m", "mock_api", "--port", "0", "--control-port", "0", "--control-secret-file", "-")
    with program(*mock_words, first_line=secret + "\n") as (mock, mock_ready):
        words = (
            "-m",
            "reference_server",
            "--product",
            "kadu",
            "--upstream",
            mock["api_url"],
            "--exit-with-stdin",
        )
        with program(*words) as (server, server_ready):
            there = ["--api-url", mock["api_url"], "--control-url", mock["control_url"]]
            there += ["--control-secret-file", str(file), "--out", str(directory / "out")]
            wall, cpu, peak, code = measured("harness.cli.main", "run", "--url", server["url"], *there)
    lines = [json.loads(line) for line in (directory / "out" / "run.ndjson").read_text().splitlines()]
    runs = [line for line in lines if line["type"] == "scenario"]
    exchanges = sum(len(line["exchanges"]) for line in runs)
    inside = lines[-1]["seconds"]
    return [
        (
            "the whole Kadu suite, both eras",
            f"{inside:.1f} s ({len(runs)} scenario runs, exit {code})",
            "≤ 10 s",
        ),
        ("wall time a scenario run", f"{inside / len(runs) * 1000:.1f} ms", "≤ 15 ms"),
        (
            "harness CPU an exchange (control requests included in the CPU)",
            f"{cpu / exchanges * 1000:.2f} ms ({exchanges} recorded)",
            "≤ 2 ms",
        ),
        ("with start, reports and end", f"{wall:.1f} s", ""),
        ("memory of the harness", f"{peak:.0f} MB", "≤ 300 MB"),
        ("mock ready + reference server ready", f"{mock_ready:.2f} s + {server_ready:.2f} s", "≤ 2 s"),
    ]


def help_time() -> list[tuple[str, str, str]]:
    """How long `--help` takes, the best of five."""
    return [
        ("`--help`", f"{min(measured('harness.cli.main', '--help')[0] for _ in range(5)):.2f} s", "≤ 0.5 s")
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
    ) as (mock, _):
        from urllib.request import urlopen

        with urlopen(mock["api_url"] + "/openapi.json", timeout=10) as answer:
            (directory / "contract.json").write_bytes(answer.read())
    here = str(Path(__file__).parent)
    with (
        program(f"{here}/stub_upstream.py", str(directory / "contract.json"), json.dumps(ME)) as (stub, _),
        program(
            "-m", "reference_server", "--product", "kadu", "--upstream", stub["url"], "--exit-with-stdin"
        ) as (reference, _),
        program(f"{here}/bare_server.py", json.dumps(ME)) as (bare, _),
    ):
        ours, theirs = [], []
        for _ in range(3):
            ours.append(asyncio.run(requests_a_second(reference["url"])))
            theirs.append(asyncio.run(requests_a_second(bare["url"])))
    mine, other = sorted(ours)[1], sorted(theirs)[1]
    told = f"{mine:.0f}/s beside {other:.0f}/s: {mine / other:.2f} ×"
    return [
        (
            "reference server, `tools/call` (two upstream requests each), beside a bare SDK server",
            told,
            "≥ 0.7 ×",
        )
    ]


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

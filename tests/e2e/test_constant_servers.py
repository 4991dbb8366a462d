"""Servers that say the same to everybody: they pass no rule that says something happens."""

import socket
import sys

import pytest

from .conftest import ROOT, Run

PROGRAM = str(ROOT / "tests" / "constants" / "constant_server.py")

# What a constant answer really does keep: true statements about shapes, never about anything that happened.
SHAPES = {"MCP-01", "MCP-03", "MCP-16", "MCP-17", "MCP-21"}
CANNED_LISTS = {
    "KADU-RES-01",
    "KADU-RES-02",
    "KADU-RES-11",
    "KADU-TLS-01",
    "KADU-DST-01",
    "KADU-DST-02",
    "KADU-DST-03",
    "KADU-PRM-01",
    "KADU-PRM-08",
    "KADU-APR-03",
    "KADU-IDM-01",
    "KADU-IDM-15",
    "MCP-07",
    "MCP-08",
    "MCP-14",
    "MCP-15",
}
PASSED = {"invalid_params": set(), "empty_lists": SHAPES, "yes": SHAPES | CANNED_LISTS}


@pytest.mark.parametrize("mode", ["http400", "empty_object", "echo"])
def test_no_mcp_server_is_one_sentence(kadu: Run, mode: str) -> None:
    told = kadu("run", command=(sys.executable, PROGRAM, mode, "{port}"))
    assert told.code == 2
    assert told.err.startswith("kadu-conformance: No MCP server speaks at http://127.0.0.1:")
    assert len(told.err.splitlines()) == 1
    assert not told.lines


def test_a_dead_port_is_one_sentence(kadu: Run) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        told = kadu(
            "run", "--api-port", str(_free()), "--url", f"http://127.0.0.1:{held.getsockname()[1]}/mcp"
        )
    assert told.code == 2
    assert told.err.startswith("kadu-conformance: Nothing answers at http://127.0.0.1:")
    assert len(told.err.splitlines()) == 1
    assert not told.lines


@pytest.mark.parametrize("mode", sorted(PASSED))
def test_a_constant_server_passes_nothing_that_happens(kadu: Run, mode: str) -> None:
    told = kadu("run", command=(sys.executable, PROGRAM, mode, "{port}"))
    assert told.code == 1
    assert told.of("passed") == PASSED[mode]
    assert told.of("errored") == set()


def _free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port

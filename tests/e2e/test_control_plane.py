"""The judged server cannot touch its own ledger."""

import json
import sys
from pathlib import Path

import pytest

from .conftest import Run

INTRUDER = Path(__file__).with_name("intruder.py")


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux's /proc to look through")
def test_a_server_that_we_started_finds_no_way_to_the_control_plane(
    kadu: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOCK_CONTROL_SECRET", "a-secret-of-some-other-mock-0123456789")
    found = tmp_path / "found.json"
    told = kadu("run", "--rule", "MCP-03", command=(sys.executable, str(INTRUDER), str(found)))
    assert told.code == 1, told.err
    tried = json.loads(found.read_text())
    assert tried["control_ports"] >= 1
    assert tried["tried"] >= 1
    assert tried["opened"] == []
    assert tried["environment"] == []

"""What the doctor says of servers that are well, unwell, and none at all."""

import json
import secrets
import socket
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.programs import mock_api, reference_server

from .conftest import Doctor

TESTS = Path(__file__).parents[1]
PLAIN = f"{sys.executable} {TESTS / 'strangers' / 'starlette_server.py'}"
OWN_CLOCK = f"{sys.executable} {TESTS / 'controls' / 'own_clock.py'}"
CONSTANT = f"{sys.executable} {TESTS / 'constants' / 'constant_server.py'}"
ALL_GOOD = dict.fromkeys(
    ("reachable", "eras", "auth", "upstream", "tools", "forms", "register", "link", "time"), "good"
)


def test_all_is_well_with_the_reference_server(doctor: Doctor, tmp_path: Path) -> None:
    secret, file = secrets.token_urlsafe(32), tmp_path / "secret"
    file.write_text(secret)
    with mock_api(secret) as mock, reference_server(mock["api_url"]) as server:
        there = ("--api-url", mock["api_url"], "--control-url", mock["control_url"])
        told = doctor("--url", server["url"], *there, "--control-secret-file", str(file))
    assert told.states == ALL_GOOD
    assert (told.code, told.diagnosis["makes_sense"], told.diagnosis["in_doubt"]) == (0, True, {})
    assert len(told.diagnosis["testable"]) > 100
    assert secret not in told.out


def test_all_is_well_with_a_stranger(doctor: Doctor) -> None:
    told = doctor("--command", PLAIN)
    assert (told.code, told.states) == (0, ALL_GOOD)
    assert "kadu_me_get" in told.sign("upstream")["said"]
    assert "a yes was asked again after six minutes" in told.sign("time")["said"]


def test_people_are_told_the_same_in_lines(doctor: Doctor) -> None:
    told = doctor("--command", PLAIN, "--era", "2025", as_json=False)
    assert told.code == 0
    assert "✓ link       2025: without forms kadu_tasks_run waits for a link" in told.out
    # Questions are of the other era, and so is what would prove its clock.
    assert "forms" not in told.out.replace("without forms", "")
    assert "rules can be tested as things are." in told.out
    assert "Next: kadu-conformance run with the same options." in told.out


def test_what_is_wrong_comes_with_what_to_do_and_what_it_costs(doctor: Doctor) -> None:
    told = doctor("--command", OWN_CLOCK)
    assert told.code == 0
    assert told.states == {
        "reachable": "good",
        "eras": "bad",
        "auth": "bad",
        "upstream": "good",
        "tools": "bad",
        "forms": "good",
        "register": "note",
        "link": "bad",
        "time": "note",
    }
    assert "2 tools on 1 page;" in told.sign("tools")["said"]
    assert "kadu_repository_get" in told.sign("tools")["said"]
    assert all(sign["advice"] for sign in told.diagnosis["signs"] if sign["state"] != "good")
    assert told.sign("time")["said"].startswith("none: a yes still ran after a day")
    assert "KADU-CNF-10" in told.sign("time")["rules"]
    assert "KADU-IDM-07" not in told.sign("time")["rules"]
    assert told.sign("register")["rules"] == ["KADU-UNA-03"]
    assert "KADU-TLS-01" in told.sign("tools")["rules"]
    assert set(told.diagnosis["in_doubt"]) >= {"KADU-CNF-10", "KADU-UNA-03", "KADU-TLS-01", "MCP-01"}
    assert not set(told.diagnosis["testable"]) & set(told.diagnosis["in_doubt"])


@pytest.mark.parametrize(
    ("mode", "sign"),
    [
        ("http400", "eras"),
        ("invalid_params", "eras"),
        ("echo", "eras"),
        ("empty_lists", "upstream"),
        ("yes", "upstream"),
    ],
)
def test_judging_makes_no_sense_where_nothing_happens(doctor: Doctor, mode: str, sign: str) -> None:
    told = doctor("--command", f"{CONSTANT} {mode} {{port}}")
    assert (told.code, told.diagnosis["makes_sense"], told.diagnosis["testable"]) == (2, False, [])
    assert told.diagnosis["signs"][-1]["name"] == sign
    assert told.sign(sign)["state"] == "bad"
    assert told.sign(sign)["advice"]


def test_nobody_at_home(doctor: Doctor) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/mcp"
        told = doctor("--url", url, "--api-port", str(_free()))
    assert (told.code, told.states) == (2, {"reachable": "bad"})
    assert "connection refused" in told.sign("reachable")["said"]


def test_wrong_usage_is_one_sentence(doctor: Doctor) -> None:
    told = doctor("--time", "sundial", "--command", PLAIN)
    assert (told.code, told.out, told.err.count("\n")) == (2, "", 1)
    assert "There is no time control 'sundial'" in told.err


def _free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server whose upstream is not ours: it offers what destroys, and keeps what it is asked."""
    heard: list[dict[str, Any]] = []
    offer = [
        {"name": name, "inputSchema": {"type": "object", "properties": {}}}
        for name in ("kadu_tasks_run", "kadu_webhooks_create", "kadu_me_get", "kadu_members_list")
    ]
    results = {
        "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
        "tools/list": {"tools": offer},
        "tools/call": {"content": [{"type": "text", "text": "{}"}]},
    }

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            heard.append(message)
            body = {"jsonrpc": "2.0", "id": message.get("id"), "error": {"code": -32601, "message": "no"}}
            if message["method"] in results:
                hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
                body = {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]] | hints}
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def do_GET(self) -> None:
            self.send_response(405)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}/mcp", heard
        server.shutdown()
        serving.join()


def test_nothing_is_destroyed_where_the_upstream_is_not_ours(
    doctor: Doctor, elsewhere: tuple[str, list[dict[str, Any]]]
) -> None:
    url, heard = elsewhere
    told = doctor("--url", url, "--api-port", str(_free()))
    assert told.code == 2
    assert told.diagnosis["signs"][-1]["name"] == "upstream"
    assert "(tried: tools/list, kadu_me_get, kadu_members_list)" in told.sign("upstream")["said"]
    called = [message["params"]["name"] for message in heard if message["method"] == "tools/call"]
    assert called == ["kadu_me_get", "kadu_members_list"]

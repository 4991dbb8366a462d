"""Whatever a server does, a run ends in time and in bounds, blames the server, and gives no secret away."""

import html.parser
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from .conftest import TIMEOUT, Elsewhere, Runs, Told

MEMORY = 300
SLACK = 1.5
FAILED_ALL = {"MCP-03": "failed", "KADU-RES-03": "failed", "KADU-APR-08": "failed", "KADU-RES-07": "failed"}
DISCOVERED = {**FAILED_ALL, "MCP-03": "passed"}
READ = {**DISCOVERED, "KADU-RES-03": "passed"}
INVALID = {"MCP-18": "failed"}

# What the server does → what is said to have come, and the verdicts of the rules.
FINDINGS: dict[str, tuple[str, dict[str, str]]] = {
    "hang": (r"no complete answer within 1 s", FAILED_ALL),
    "drip": (r"no complete answer within 1 s \(HTTP 200, \d+ bytes of the body\)", FAILED_ALL),
    "comments": (
        r"HTTP 200; (no complete answer within 1 s|the body is longer than)",
        FAILED_ALL | INVALID,
    ),
    "events": (r"more than 1000 messages come with the answer", FAILED_ALL | INVALID),
    "huge": (r"HTTP 200; the body is longer than 4194304 bytes", FAILED_ALL | INVALID),
    "bomb": (r"HTTP 200 comes encoded as 'gzip', only identity was accepted", FAILED_ALL),
    "too_long": (r"no complete answer within 1 s \(HTTP 200, \d+ bytes of the body\)", FAILED_ALL),
    "too_short": (r"more came than the answer was said to hold \(HTTP 200, 10 bytes", FAILED_ALL),
    "not_json": (r"the text is not JSON", FAILED_ALL | INVALID),
    "not_utf8": (r"the bytes are not UTF-8", FAILED_ALL | INVALID),
    "deep": (r"the JSON is nested deeper than 128 levels", FAILED_ALL | INVALID),
    "crowd": (r"the JSON holds more than 200000 values", FAILED_ALL | INVALID),
    "many_tools": (r"the body is longer than 4194304 bytes", DISCOVERED | INVALID),
    "crowded_tools": (r"20000 tools so far", DISCOVERED | INVALID),
    "endless_pages": (r"HTTP 200; the body is longer than \d+ bytes", DISCOVERED | INVALID),
    "big_state": (r"the body is longer than 4194304 bytes", DISCOVERED | INVALID),
    "redirect_loop": (r"HTTP 307", FAILED_ALL),
    "redirect_away": (r"HTTP 307", FAILED_ALL),
    "wrong_id": (r"a response carries the id 'not \d+', the request carried \d+", FAILED_ALL | INVALID),
    "twice": (r"the request with id \d+ is answered twice", READ | INVALID),
    "html_later": (r"the content type is text/html, not application/json", FAILED_ALL | INVALID),
    "http500": (r"HTTP 500", FAILED_ALL),
    "reset": (r"the connection broke: connection reset by peer", FAILED_ALL),
    "approval_script": (r"an address at javascript://, which is none of the console's", READ),
    "approval_metadata": (r"an address at http://169\.254\.169\.254, which is none of the console's", READ),
    "approval_login": (r"an address at http://127\.0\.0\.1:\d+, which is none of the console's", READ),
    "approval_lookalike": (r"an address at http://[\d.:]+@127\.0\.0\.1:\d+, which is none", READ),
    "approval_file": (r"an address at file://, which is none of the console's", READ),
    "approval_broken": (r"an address at what is no URL, which is none of the console's", READ),
    "approval_long": (r"HTTP 431", READ),
    "file_metadata": (
        r"169\.254\.169\.254",
        READ | {"KADU-RES-07": "failed"},
    ),
    "file_elsewhere": (
        r"http://127\.0\.0\.1:\d+",
        READ | {"KADU-RES-07": "failed"},
    ),
    "file_lookalike": (
        r"@127\.0\.0\.1",
        READ | {"KADU-RES-07": "failed"},
    ),
    "monstrous_schemas": (
        r"its argument 'names' wants minItems 1000000000",
        dict.fromkeys(FAILED_ALL, "not testable") | {"MCP-03": "passed"} | INVALID,
    ),
    "styled": (
        r"the server does not list it",
        {"KADU-APR-08": "not testable", "KADU-RES-07": "not testable", "KADU-RES-03": "failed"}
        | {"MCP-03": "failed"}
        | INVALID,
    ),
}
NO_SERVER = {
    "silence": r"The server under test did not answer at http://127\.0\.0\.1:\d+/mcp within 1 s \(no complete answer within 1 s\)",
    "html": r"No MCP server speaks at http://127\.0\.0\.1:\d+/mcp: .*HTTP 200 with text/html",
    "garbage": r"The server under test did not answer at .* \(no valid HTTP: .*\)",
    "tls": r"The server under test did not answer at https://localhost:\d+/mcp .*certificate is not trusted",
}


@pytest.mark.parametrize("mode", sorted(FINDINGS))
def test_what_a_server_does_is_a_finding_and_no_error_of_ours(run: Runs, mode: str) -> None:
    told, (came, verdicts) = run(mode), FINDINGS[mode]
    assert told.code == 1
    assert told.lines[-1]["type"] == "footer"
    assert told.rules == verdicts
    assert told.lines[-1]["counts"]["errored"] == 0
    assert any(re.search(came, actual) for actual in told.actuals), told.actuals
    assert told.seconds < TIMEOUT + SLACK
    assert told.megabytes <= MEMORY
    assert_harmless(told)


@pytest.mark.parametrize("mode", sorted(NO_SERVER))
def test_where_no_mcp_server_speaks_one_sentence_says_so(run: Runs, mode: str) -> None:
    told = run(mode)
    assert told.code == 2
    assert re.match(f"kadu-conformance: {NO_SERVER[mode]}", told.err), told.err
    assert len(told.err.splitlines()) == 1
    assert not told.lines
    assert told.megabytes <= MEMORY
    assert_harmless(told)


@pytest.mark.parametrize("mode", ["dies"])
def test_a_server_that_dies_on_the_way_has_failed(run: Runs, mode: str) -> None:
    told = run(mode)
    assert told.code == 1
    assert told.lines[-1]["complaint"] == "The server under test ended during the run."
    assert told.lines[-1]["counts"]["errored"] == 0
    assert any("connection refused" in actual for actual in told.actuals)
    assert {one["verdict"] for one in told.scenarios[-2:]} == {"failed"}


@pytest.mark.parametrize("mode", ["garbling"])
def test_a_wrong_value_anywhere_is_the_servers_fault(run: Runs, mode: str) -> None:
    told = run(mode)
    assert told.code == 1
    assert [one["error"] for one in told.scenarios if one["error"]] == []
    assert told.lines[-1]["counts"]["errored"] == 0
    assert told.lines[-1]["counts"]["failed"] > 50
    assert told.megabytes <= MEMORY
    assert_harmless(told)


def test_nobody_elsewhere_heard_anything(run: Runs, elsewhere: Elsewhere) -> None:
    """Redirects, approvals and files led there; no request followed, so no token and no password did."""
    for mode in FINDINGS:
        run(mode)
    assert elsewhere.heard == []


def assert_harmless(told: Told) -> None:
    """No character that steers a terminal or turns text round; reports that parse."""
    for text in (told.out, told.err):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", text)
    assert "::error" not in {line[:7] for line in told.out.splitlines()}
    if told.lines:
        assert_html_is_well_formed(told.directory / "report.html")
        ET.parse(told.directory / "junit.xml")
        json.loads((told.directory / "report.json").read_text(encoding="utf-8"))


class _Tags(html.parser.HTMLParser):
    VOID = frozenset(["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"])

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def assert_html_is_well_formed(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    tags = _Tags()
    tags.feed(text)
    tags.close()
    assert tags.open == []
    assert "<script>alert" not in text

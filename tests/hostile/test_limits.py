"""What is read of a stranger has limits, each of its own; what is cut leaves no half of a secret."""

import json
from types import MappingProxyType
from typing import Any

import pytest

from harness.actors.arguments import build
from harness.actors.client import Lane
from harness.checks.approvals import Approval, expect_absolute
from harness.checks.results import parse_json
from harness.exchanges import Exchange, HttpAnswer, HttpRequest
from harness.oracle.judging import ITEMS, Oracle
from harness.product import load
from harness.record.evidence import BODY_LIMIT, URL_LIMIT, WORDS_LIMIT, exchange_lines, finding_lines
from harness.record.redaction import MARK, PIECE, Redactor
from harness.transport import BODY_LIMIT as TAKEN_IN
from harness.verdicts import Finding, NotTestable, RuleBroken
from harness.wire.answers import read
from harness.wire.json_text import VALUE_LIMIT, parse

SECRET = "s3cr3t-" + "".join(chr(97 + n % 26) for n in range(60))


def exchange(body: bytes = b"", url: str = "http://127.0.0.1/mcp", *, cut: bool = False) -> Exchange:
    answer = HttpAnswer(200, (), body, cut)
    return Exchange(1, "client", "", HttpRequest("POST", url, ()), answer, None, 0.0)


def test_as_many_values_are_read_as_the_limit_says() -> None:
    assert parse(b"[" + b",".join([b"1"] * VALUE_LIMIT) + b"]").readable
    over = parse(b"[" + b",".join([b"1"] * (VALUE_LIMIT + 1)) + b"]")
    assert (over.readable, over.notes) == (False, (f"the JSON holds more than {VALUE_LIMIT} values",))


def test_what_stands_in_texts_is_no_value() -> None:
    assert parse(json.dumps({"log": 'a,b:[{\\"' * VALUE_LIMIT}).encode()).readable


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 200 + "]" * 200, "[" + "{}," * VALUE_LIMIT + "1]"])
def test_a_document_within_a_result_has_the_same_limits(text: str) -> None:
    assert parse_json(text) is None


def test_a_flood_of_messages_ends_the_reading() -> None:
    event = b'data: {"jsonrpc": "2.0", "method": "notifications/message"}\n\n'
    answer = b'data: {"jsonrpc": "2.0", "id": 1, "result": {}}\n\n'
    headers = (("content-type", "text/event-stream"),)
    reading = read("tools/list", 1, HttpAnswer(200, headers, event * 999 + answer))
    assert (reading.message is not None, reading.malformed) == (True, ())
    flood = read("tools/list", 1, HttpAnswer(200, headers, event * 1000 + answer))
    assert (flood.message, flood.malformed) == (None, ("more than 1000 messages come with the answer",))


def test_a_page_of_too_many_items_is_a_violation() -> None:
    tools = [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(ITEMS + 1)]
    message = {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}
    (found,) = Oracle().judge("tools/list", "2025-11-25", message)
    assert found == f"result.tools has {ITEMS + 1} items; more than {ITEMS} on a page are too many to read"


def test_a_scenario_takes_in_less_the_more_came() -> None:
    lane = Lane(["http://127.0.0.1/mcp"])
    assert lane.body_limit() == TAKEN_IN
    assert lane.body_limit(8) == TAKEN_IN // 8
    lane.room = 100_000
    assert lane.body_limit() == 100_000
    lane.room = -1
    assert lane.body_limit() == lane.body_limit(1000) == 64 * 1024


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"required": ["a"], "properties": {"a": {"type": "string", "minLength": 10**12}}}, "minLength"),
        ({"required": ["a"], "properties": {"a": {"type": "array", "minItems": 10**9}}}, "minItems"),
        ({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}, "without end"),
        ({"required": ["a"], "properties": {"a": {"type": ["null"]}}}, "no value"),
        ({"required": ["a"], "properties": {"a": {"$ref": "#/$defs/~1/0"}}}, "not there"),
    ],
)
def test_arguments_without_end_are_not_built(schema: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotTestable, match=reason):
        build("kadu_me_get", schema, load("kadu"), {}, now="2026-11-30T15:00:00Z")


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"required": 5, "properties": [None]}, {}),
        ({"required": [None, "a"], "properties": {"a": None}}, {"a": "conciliação de novembro"}),
        ({"required": ["a"], "properties": {"a": {"enum": 7, "examples": {}, "maxLength": "x"}}}, ...),
        ({"required": ["a"], "properties": {"a": {"type": "integer", "minimum": "x"}}}, {"a": 1}),
        ({"required": ["a"], "properties": {"a": {"anyOf": [3, {"type": "boolean"}]}}}, {"a": True}),
    ],
)
def test_what_is_no_schema_is_passed_over(schema: dict[str, Any], arguments: Any) -> None:
    built = build("kadu_me_get", schema, load("kadu"), MappingProxyType({}), now="2026-11-30T15:00:00Z")
    assert built == ({"a": "conciliação de novembro"} if arguments is ... else arguments)


@pytest.mark.parametrize("url", ["http://[::1/x", "javascript:alert(1)", "//host/x", ""])
def test_an_address_that_is_none_is_a_finding(url: str) -> None:
    approval = Approval("id", url, "", "", None, "")
    with pytest.raises(RuleBroken, match="not absolute"):
        expect_absolute(approval, exchange())


@pytest.mark.parametrize("shift", range(-80, 20, 7))
def test_a_secret_over_the_cut_of_a_body_leaves_no_half(shift: int) -> None:
    body = b"a" * (BODY_LIMIT + shift) + SECRET.encode() + b"z" * 500_000
    (line,) = exchange_lines([exchange(body)], Redactor([SECRET]))
    assert line["answer"]["cut"]
    assert len(line["answer"]["body"]) <= BODY_LIMIT
    assert SECRET[:8] not in line["answer"]["body"]


def test_many_secrets_before_the_cut_do_not_draw_a_half_of_one_in() -> None:
    body = (SECRET * 20_000).encode()
    (line,) = exchange_lines([exchange(body, f"http://a/{SECRET * 5000}")], Redactor([SECRET]))
    assert SECRET[:8] not in line["answer"]["body"] + line["request"]["url"]
    assert MARK in line["answer"]["body"]
    assert len(line["request"]["url"]) <= URL_LIMIT


def test_a_short_body_is_whole() -> None:
    (line,) = exchange_lines([exchange(f"a {SECRET} z".encode())], Redactor([SECRET]))
    assert line["answer"] == {"status": 200, "headers": [], "body": f"a {MARK} z", "cut": False}
    assert line["request"].keys() == {"method", "url", "headers", "body", "cut"}


def test_a_body_that_broke_off_within_a_secret_leaves_no_half() -> None:
    (line,) = exchange_lines([exchange(f"a {SECRET[:40]}".encode(), cut=True)], Redactor([SECRET]))
    assert line["answer"]["body"] == f"a {MARK}"


@pytest.mark.parametrize("end", ["", "…", '"…', "'"])
def test_a_finding_that_was_cut_within_a_secret_leaves_no_half(end: str) -> None:
    finding = Finding("m", "a whole sentence", f"result requestState {SECRET[:40]}{end}")
    (line,) = finding_lines([finding], Redactor([SECRET]))
    assert line["actual"] == f"result requestState {MARK}{end}"
    assert line["expected"] == "a whole sentence"


def test_the_words_of_a_finding_are_cut() -> None:
    (line,) = finding_lines([Finding("x" * 9_000_000, actual=SECRET * 9000)], Redactor([SECRET]))
    assert line["message"] == "x" * WORDS_LIMIT + "…"
    assert SECRET[:8] not in line["actual"]


def test_a_secret_of_any_length_is_taken_out_piece_by_piece() -> None:
    long = "".join(f"{n:08d}" for n in range(PIECE))
    assert Redactor([long]).text(f"a {long} z") == f"a {MARK * 8} z"
    assert Redactor(["x1" * 2_000_000]).longest < 20 * PIECE


def test_the_end_of_a_secret_address_is_secret_too() -> None:
    link = "http://127.0.0.1:4101/approvals/" + SECRET
    redactor = Redactor([link])
    assert redactor.text(f"POST /approvals/{SECRET}/continue") == f"POST /approvals/{MARK}/continue"
    assert redactor.text(f"open {link} now, at http://127.0.0.1:4101/settings") == (
        f"open {MARK} now, at http://127.0.0.1:4101/settings"
    )
    assert Redactor(["http://a/approvals/1"]).text("GET /approvals/1") == f"GET {MARK}"

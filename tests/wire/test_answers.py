"""Reading answers: which message answers, what came with it, and what is wrong."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.exchanges import HttpAnswer
from harness.wire.answers import Reading, Watch, read, same_id

JSON, SSE = "application/json", "text/event-stream"


def answer(body: bytes, kind: str | None = JSON, status: int = 200, cut: bool = False) -> HttpAnswer:
    headers = () if kind is None else (("content-type", kind),)
    return HttpAnswer(status, headers, body, cut)


def ok(id: object, **result: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def failure(id: object, code: object = -32602, message: object = "no") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}


NOTE = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}


def read_json(message: object, id: int | str | None = 1, **how: Any) -> Reading:
    return read("tools/call", id, answer(json.dumps(message).encode(), **how))


def read_stream(*messages: object, id: int | str | None = 1) -> Reading:
    body = "".join(f"data: {json.dumps(message)}\n\n" for message in messages)
    return read("tools/call", id, answer(body.encode(), SSE))


def test_a_json_body_holds_the_answer() -> None:
    assert read_json(ok(1, a=1)) == Reading(ok(1, a=1))


def test_the_content_type_may_have_parameters_and_any_case() -> None:
    assert read_json(ok(1), kind="Application/JSON; charset=utf-8") == Reading(ok(1))


def test_a_stream_holds_the_answer_among_others_in_order() -> None:
    second = {**NOTE, "method": "notifications/progress"}
    assert read_stream(NOTE, ok(1), second) == Reading(ok(1), (NOTE, second))


def test_events_that_carry_no_message_are_no_complaint() -> None:
    body = f": ping\n\nid: 0\ndata:\n\nevent: ping\ndata: now\n\ndata: {json.dumps(ok(1))}\n\n"
    assert read("tools/call", 1, answer(body.encode(), SSE)) == Reading(ok(1))


def test_an_error_response_is_an_answer() -> None:
    assert read_json(failure(1)) == Reading(failure(1))


@pytest.mark.parametrize(
    ("sent", "came"), [(1, "1"), (1, True), (1, 1.0), ("1", 1), (0, False), (0, None), ("", None)]
)
def test_ids_compare_by_type_too(sent: int | str, came: object) -> None:
    reading = read_json(ok(came), sent)
    assert reading.message is None
    assert reading.others == (ok(came),)
    assert reading.malformed


@pytest.mark.parametrize("id", ["a", "", 0, -7, 2**53 - 1, 2**70])
def test_an_id_that_comes_back_as_sent_is_found(id: int | str) -> None:
    assert same_id(id, json.loads(json.dumps(id)))
    assert read_json(ok(id), id).message == ok(id)


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        ([ok(1)], "the answer is a batch, an array of messages"),
        ("text", "the message is no object but a string"),
        ({"id": 1, "result": {}}, 'a message does not say "jsonrpc": "2.0"'),
        ({**ok(1), "jsonrpc": 2.0}, 'a message does not say "jsonrpc": "2.0"'),
        ({**ok(1), **failure(1)}, "a response has both result and error"),
        ({"jsonrpc": "2.0", "id": 1}, "a message has neither method nor result nor error"),
        ({"jsonrpc": "2.0", "id": 1, "result": []}, "the result is no object but an array"),
        ({"jsonrpc": "2.0", "id": 1, "error": "no"}, "the error is no object but a string"),
        (failure(1, code="x"), "the error has no integer code"),
        (failure(1, code=True), "the error has no integer code"),
        (failure(1, code=1.5), "the error has no integer code"),
        (failure(1, message=None), "the error has no message text"),
        (ok(2), "a response carries the id 2, the request carried 1"),
        (ok([]), "the id of a response is neither string nor integer but an array"),
        ({"jsonrpc": "2.0", "result": {}}, "a result comes without an id"),
        (failure(None), "an error comes without the id 1 of its request"),
        ({**NOTE, "params": []}, "the params of a message are no object but an array"),
        ({**NOTE, "method": 7}, "a method is no string but a number"),
        ({**NOTE, "id": None}, "the id of a request is neither string nor integer but null"),
        ({**NOTE, "result": {}}, "a message has a method and a result or error"),
    ],
)
def test_what_is_not_as_the_protocol_wants_is_listed(message: object, complaint: str) -> None:
    assert complaint in read_json(message).malformed
    assert complaint in read_stream(message).malformed


def test_two_answers_to_one_request_are_told_and_the_first_counts() -> None:
    reading = read_stream(ok(1, n=1), ok(1, n=2))
    assert reading.message == ok(1, n=1)
    assert reading.others == (ok(1, n=2),)
    assert reading.malformed == ("the request with id 1 is answered twice",)


@pytest.mark.parametrize(
    ("body", "kind", "complaint"),
    [
        (b"", JSON, "nothing answers tools/call with id 1 (HTTP 200)"),
        (b"", None, "nothing answers tools/call with id 1 (HTTP 200)"),
        (b": ping\n\n", SSE, "nothing answers tools/call with id 1 (HTTP 200)"),
        (b"data: {}", SSE, "the stream ends within an event: the empty line after it is missing"),
        (b"<html>", "text/html", "the content type is text/html, not application/json"),
        (
            b'{"jsonrpc":"2.0","id":1,"result":{}}',
            None,
            "the content type is not given, not application/json",
        ),
        (b"data: \xff\n\n", SSE, "the bytes of an event are not UTF-8"),
        (b"\xff", JSON, "the bytes are not UTF-8 (byte 0)"),
    ],
)
def test_an_answer_that_cannot_be_read_is_told(body: bytes, kind: str | None, complaint: str) -> None:
    assert complaint in read("tools/call", 1, answer(body, kind)).malformed


def test_an_open_subscription_has_no_answer_yet() -> None:
    body = f"data: {json.dumps(NOTE)}\n\n".encode()
    assert read("subscriptions/listen", 1, answer(body, SSE)) == Reading(None, (NOTE,))


def test_a_subscription_that_was_left_while_open_is_no_broken_answer() -> None:
    body = f"data: {json.dumps(NOTE)}\n\n".encode()
    assert read("subscriptions/listen", 1, answer(body, SSE, cut=True)) == Reading(None, (NOTE,))
    assert read("tools/call", 1, answer(body, SSE, cut=True)).malformed == ("the body is not whole",)


def test_a_body_that_was_cut_is_not_read_as_json_and_its_whole_events_are() -> None:
    assert read("tools/call", 1, answer(b'{"jsonrpc"', cut=True)).malformed == ("the body is not whole",)
    body = f"data: {json.dumps(ok(1))}\n\ndata: {{".encode()
    assert read("tools/call", 1, answer(body, SSE, cut=True)) == Reading(ok(1))
    assert read("tools/call", 2, answer(b"data: {", SSE, cut=True)) == Reading(
        None, (), ("the body is not whole",)
    )


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (401, JSON, b'{"error": "invalid_token"}'),
        (403, "text/plain", b"Forbidden"),
        (405, None, b""),
        (404, "text/html", b"<html>"),
        (400, "text/plain", b"{broken"),
    ],
)
def test_an_http_error_needs_no_json_rpc(status: int, kind: str | None, body: bytes) -> None:
    assert read("tools/call", 1, answer(body, kind, status)) == Reading(None)


@pytest.mark.parametrize("kind", [JSON, "text/plain", None])
@pytest.mark.parametrize("id", [1, None])
def test_an_error_without_an_id_answers_what_http_refused(kind: str | None, id: int | None) -> None:
    message = {"jsonrpc": "2.0", "error": {"code": -32600, "message": "no"}}
    assert read_json(message, id, kind=kind, status=400) == Reading(message)
    assert read_json(failure(None), id, kind=kind, status=400) == Reading(failure(None))


def test_a_request_without_a_readable_id_is_answered_by_an_error_without_one() -> None:
    assert read_json(failure(None, code=-32700), None) == Reading(failure(None, code=-32700))


def test_an_accepted_notification_has_no_answer() -> None:
    assert read("notifications/initialized", None, answer(b"", None, 202)) == Reading(None)


def test_complaints_are_bounded() -> None:
    assert len(read_stream(*[ok(n) for n in range(2, 500)]).malformed) == 20


BODIES = st.binary(max_size=200) | st.lists(
    st.sampled_from(
        [
            b"data: ",
            b"\n\n",
            b"[",
            b"{",
            b"}",
            b'"id":1',
            b'"jsonrpc":"2.0"',
            b",",
            b'"result":{}',
            b'"error":',
            b"null",
        ]
    ),
    max_size=20,
).map(b"".join)


@given(
    BODIES,
    st.sampled_from([JSON, SSE, "text/plain", "", None]),
    st.sampled_from([200, 202, 302, 400, 404, 500]),
    st.none() | st.integers() | st.text(),
    st.booleans(),
)
def test_reading_never_raises(
    body: bytes, kind: str | None, status: int, id: int | str | None, cut: bool
) -> None:
    reading = read("tools/call", id, answer(body, kind, status, cut))
    if reading.message is None and id is not None and status < 400:
        assert reading.malformed or (cut and not body.strip())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
MEMBERS = st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "other"])


@given(st.dictionaries(MEMBERS, VALUES | st.just("2.0") | st.just({})), st.none() | st.integers(0, 2))
def test_reading_any_message_never_raises_and_loses_nothing(
    message: dict[str, object], id: int | None
) -> None:
    reading = read_json(message, id)
    assert [*([reading.message] if reading.message else []), *reading.others] == [message]


@given(st.lists(st.integers(1, 30), max_size=10))
def test_a_watch_tells_when_the_answer_has_come_whatever_the_chunks(sizes: list[int]) -> None:
    before = f"data: {json.dumps(NOTE)}\n\ndata: {json.dumps(ok('1'))}\n\ndata: {json.dumps(ok(True))}\n\n".encode()
    mine = f"data: {json.dumps(ok(1))}\n\n".encode()
    watch = Watch(1)
    for size in sizes:
        assert not watch.feed(before[:size])
        before = before[size:]
    assert not watch.feed(before)
    assert not watch.feed(mine[:-1])
    assert watch.feed(mine[-1:])

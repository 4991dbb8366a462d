"""The plain reading of HTTP/1.1 comes to what h11 comes to, however the bytes arrive, whatever they are."""

from dataclasses import replace

import h11
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.exchanges import HttpAnswer, HttpRequest
from harness.wire.http_text import AnswerReader, NotSent, Outgoing, Progress, Unusable, outgoing, target_of
from harness.wire.plain_http import plain_head, plain_request

URL = "http://127.0.0.1:8000/mcp?a=b"
TARGET = target_of(URL)
LIMIT = 200

Came = tuple[HttpAnswer | None, str | None, bool, str]


def read(out: Outgoing, pieces: list[bytes], ends: bool) -> Came:
    """What an answer comes to: it, the complaint, whether the connection goes on, and the sentence of a timeout."""
    reader = AnswerReader(out, limit=LIMIT, until=None, answers_id=1)
    try:
        for piece in [*pieces, b""] if ends else pieces:
            if reader.receive(piece) is Progress.DONE:
                return reader.answer(broken=False), None, reader.reusable, ""
    except Unusable as error:
        return reader.answer(broken=True), str(error), reader.reusable, ""
    return reader.answer(broken=True), "more is waited for", reader.reusable, reader.so_far()


names = st.sampled_from(
    [
        "Content-Type",
        "content-length",
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "X-A",
        "x a",
        "Content-Encoding",
        "Upgrade",
        "É",
    ]
)
values = st.sampled_from(
    [
        "",
        "0",
        "3",
        "03",
        "3, 3",
        "-1",
        "+3",
        "10",
        "999",
        "9" * 30,
        "chunked",
        "close",
        "keep-alive",
        "Keep-Alive",
        "identity",
        "gzip",
        "text/event-stream",
        "text/event-stream; charset=utf-8",
        "application/json",
        " a  b\t",
        "\x01",
        "\xe9",
        "a\x0bb",
    ]
)
status_lines = st.sampled_from(
    [
        "HTTP/1.1 200 OK",
        "HTTP/1.1 200 ",
        "HTTP/1.1 200",
        "HTTP/1.0 200 OK",
        "HTTP/1.1 204 No",
        "HTTP/1.1 101 Up",
        "HTTP/1.1 304 X",
        "HTTP/1.1 500 é",
        "HTTP/1.1  200 OK",
        "HTTP/1.1 99 OK",
        "HTTP/1.1 600 OK",
        "HTTP/2 200",
        "http/1.1 200 OK",
        "HTTP/1.1 100 Continue",
    ]
)
ends_of_line = st.sampled_from(["\r\n", "\r\n", "\r\n", "\n", "\r", "\r\n "])
bodies = st.sampled_from(
    [
        b"",
        b"abc",
        b"abcdefghij",
        b"3\r\nabc\r\n0\r\n\r\n",
        b"data: {}\n\n",
        b"x" * 300,
        b"HTTP/1.1 200 OK\r\n\r\n",
    ]
)


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """Answers that are plain, nearly plain, or not at all."""
    line = draw(ends_of_line)
    fields = draw(st.lists(st.tuples(names, values), max_size=4))
    body = draw(bodies)
    if draw(st.booleans()):
        fields.insert(draw(st.integers(0, len(fields))), ("Content-Length", str(len(body))))
    head = draw(status_lines) + line + "".join(f"{name}: {value}{line}" for name, value in fields) + line
    return head.encode("latin-1") + body


@st.composite
def arrivals(draw: st.DrawFn) -> list[bytes]:
    """An answer in pieces as a network might cut it."""
    whole = draw(answers())
    cuts = sorted(draw(st.lists(st.integers(1, max(1, len(whole) - 1)), max_size=3)))
    return [piece for piece in (whole[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)) if piece]


@given(arrivals(), st.booleans())
@example([b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", b"ab", b"c"], False)
@example([b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"], True)
@example([b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcd"], False)
@example([b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"], False)
@example([b"HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n" + b"x" * 300], False)
@example(
    [b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9\r\n\r\ndata: {}\n"], False
)
@example([b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"], False)
def test_both_readings_come_to_the_same(pieces: list[bytes], ends: bool) -> None:
    out = outgoing(HttpRequest("POST", URL, (("accept", "*/*"),), b"{}"), TARGET)
    assert out.plain
    assert read(out, pieces, ends) == read(replace(out, plain=False), pieces, ends)


@given(
    st.sampled_from(["GET", "POST", "DELETE", "OPTIONS", "HEAD", "CONNECT", "inv ented", "PÚT", "X-Y"]),
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    "accept",
                    "Host",
                    "content-length",
                    "Transfer-Encoding",
                    "connection",
                    "expect",
                    "x y",
                    "X-Key",
                    "accept-encoding",
                ]
            ),
            st.sampled_from(
                [
                    "",
                    "2",
                    "5",
                    "chunked",
                    "close",
                    " a",
                    "a ",
                    "a b",
                    "a\r\nb: c",
                    "\x00",
                    "\x7f",
                    "é".encode(),
                    b"\xff",
                    "100-continue",
                ]
            ),
        ),
        max_size=4,
    ),
    st.sampled_from([b"", b"{}"]),
)
def test_both_writings_give_the_same_bytes(
    method: str, headers: list[tuple[str, str | bytes]], body: bytes
) -> None:
    built = HttpRequest(method, URL, tuple(headers), body)
    try:
        out = outgoing(built, TARGET)
    except NotSent:
        return
    if out.plain:
        assert out.expecting().our_state is h11.DONE
    by_h11 = h11.Connection(h11.CLIENT)
    sent = by_h11.send(h11.Request(method=out.method, target=out.path, headers=list(out.headers))) or b""
    sent += by_h11.send(h11.Data(data=body)) or b"" if body else b""
    assert out.data == sent + (by_h11.send(h11.EndOfMessage()) or b"")


def test_what_is_usual_is_plain() -> None:
    """Else nothing above would say anything."""
    out = outgoing(HttpRequest("POST", URL, (("accept", "*/*"), ("x", "a b")), b"{}"), TARGET)
    assert out.plain
    assert plain_head(b"HTTP/1.1 200 OK\r\ncontent-type: a/b\r\ncontent-length: 2\r\n\r\n{}", 100) is not None


@pytest.mark.parametrize(
    "header",
    [
        "Transfer-Encoding: chunked",
        "Connection: close",
        "Content-Encoding: gzip",
        "Content-Length: 2",
        "a b: c",
    ],
)
def test_what_is_unusual_is_not(header: str) -> None:
    assert plain_head(f"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n{header}\r\n\r\n".encode(), 100) is None


def test_a_header_value_can_never_become_a_line() -> None:
    assert plain_request(b"POST", b"/", [(b"Host", b"a"), (b"x", b"a\r\nb: c")], b"") is None
    with pytest.raises(NotSent):
        outgoing(HttpRequest("POST", URL, (("x", "a\r\nb: c"),)), TARGET)

"""The transport: bodies over the limit, streams without end, and deadlines."""

import socket
import threading

import pytest

from tests.wire.peers import STREAM, answering, chunked, event, get, http, once, post


def test_a_body_until_the_connection_ends(peer, transport) -> None:
    server = peer(once(b"HTTP/1.0 200 OK\r\n\r\nabc"))
    assert transport.send(post(server.url), timeout=5).answer.body == b"abc"


def test_a_body_over_the_limit_is_cut(peer, transport) -> None:
    server = peer(once(http(b"x" * 1_000_000)))
    sent = transport.send(post(server.url), timeout=5, body_limit=1000)
    assert sent.answer.body == b"x" * 1000
    assert sent.answer.cut
    assert sent.problem == "the body is longer than 1000 bytes"


def test_a_body_of_just_the_limit_is_whole(peer, transport) -> None:
    sent = transport.send(post(peer(once(http(b"x" * 1000))).url), timeout=5, body_limit=1000)
    assert (sent.problem, sent.answer.cut) == (None, False)


@pytest.mark.parametrize(
    "head", [b"", b"HTTP/1.1 200 OK\r\nX-A: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n"]
)
def test_a_slow_drip_ends_at_the_deadline(peer, transport, head: bytes) -> None:
    stop = threading.Event()

    def behave(connection: socket.socket) -> None:
        get(connection)
        connection.sendall(head)
        while head and not stop.wait(0.01):
            connection.sendall(b"x")
        stop.wait(5)

    sent = transport.send(post(peer(behave).url), timeout=0.15)
    stop.set()
    assert sent.answer is None
    assert sent.problem.startswith("no complete answer within 0.15 s")
    assert 0.15 <= sent.seconds < 4


def test_a_peer_that_never_accepts_ends_at_the_deadline(transport) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = listener.getsockname()
        with socket.create_connection(address), socket.socket() as another:
            another.setblocking(False)
            another.connect_ex(address)
            sent = transport.send(post(f"http://127.0.0.1:{address[1]}/"), timeout=0.1)
    assert sent.answer is None
    assert " within 0.1 s" in sent.problem


def test_a_stream_without_end_is_left_once_the_answer_is_in(peer, transport) -> None:
    note = b'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'
    stop = threading.Event()

    def behave(connection: socket.socket) -> None:
        get(connection)
        connection.sendall(STREAM + chunked(note, event(8), event(7)))
        stop.wait(5)

    server = peer(behave)
    for _ in range(2):
        sent = transport.send(post(server.url), timeout=5, answers_id=7)
        assert sent.problem is None
        assert sent.answer.body == note + event(8) + event(7)
        assert not sent.answer.cut
        assert sent.seconds < 4
    stop.set()
    assert server.accepted == 2


def test_a_flood_after_the_answer_is_left_too(peer, transport) -> None:
    def behave(connection: socket.socket) -> None:
        get(connection)
        connection.sendall(STREAM + chunked(event(7)))
        while True:
            connection.sendall(chunked(b": flood\n" * 1000))

    sent = transport.send(post(peer(behave).url), timeout=5, answers_id=7)
    assert sent.problem is None
    assert sent.answer.body.startswith(event(7))
    assert sent.seconds < 4


def test_a_stream_that_ends_after_the_answer_leaves_its_connection_usable(peer, transport) -> None:
    server = peer(answering(STREAM + chunked(event(7)), chunked(b"")))
    for _ in range(5):
        sent = transport.send(post(server.url), timeout=5, answers_id=7)
        assert (sent.problem, sent.answer.body) == (None, event(7))
    assert server.accepted == 1


def test_a_second_answer_right_behind_the_first_is_kept_as_evidence(peer, transport) -> None:
    server = peer(answering(STREAM + chunked(event(7)), chunked(event(7), b"")))
    assert transport.send(post(server.url), timeout=5, answers_id=7).answer.body == event(7) * 2


def test_a_stream_without_the_answer_is_kept_as_far_as_it_came(peer, transport) -> None:
    stop = threading.Event()

    def behave(connection: socket.socket) -> None:
        get(connection)
        connection.sendall(STREAM + chunked(event(8)))
        stop.wait(5)

    sent = transport.send(post(peer(behave).url), timeout=0.1, answers_id=7)
    stop.set()
    assert sent.answer.body == event(8)
    assert sent.answer.cut
    assert sent.problem.startswith("no complete answer within 0.1 s (HTTP 200, ")


def test_until_ends_the_reading_of_any_body(peer, transport) -> None:
    stop = threading.Event()

    def behave(connection: socket.socket) -> None:
        get(connection)
        connection.sendall(STREAM + chunked(event(1)))
        stop.wait(5)

    sent = transport.send(post(peer(behave).url), timeout=5, until=lambda piece: b'"id": 1' in piece)
    stop.set()
    assert (sent.problem, sent.answer.body) == (None, event(1))

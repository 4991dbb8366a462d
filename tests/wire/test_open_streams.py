"""Streams that stay open: what is done meanwhile begins with their first bytes, and then they are left."""

import json
import socket
import threading
from collections.abc import Callable

import pytest

from harness.actors.client import Client, Lane
from harness.exchanges import Exchange
from harness.transport import Transport
from tests.wire.peers import STREAM, answering, chunked, get, http

ACKNOWLEDGED = {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {}}
EVENT = f"data: {json.dumps(ACKNOWLEDGED)}\n\n".encode()
LISTEN = "subscriptions/listen"


@pytest.fixture
def client(transport: Transport) -> Callable[[str], Client]:
    recorded: list[Exchange] = []

    def make(url: str) -> Client:
        return Client("2026", None, transport, Lane([url]), recorded.append, lambda: len(recorded) + 1, 5.0)

    return make


def test_a_slow_stream_is_waited_for_and_then_left(peer, client) -> None:
    asked, may_answer, hung_up = threading.Event(), threading.Event(), threading.Event()

    def behave(connection: socket.socket) -> None:
        get(connection)
        asked.set()
        may_answer.wait(5)
        connection.sendall(STREAM + chunked(EVENT))
        if connection.recv(1) == b"":
            hung_up.set()

    made = client(peer(behave).url)

    def slowly() -> None:
        asked.wait(5)
        may_answer.set()

    pacing = threading.Thread(target=slowly)
    pacing.start()
    with made.open_stream(LISTEN, {}, 0.0) as stream:
        assert may_answer.is_set()
    pacing.join(5)
    assert hung_up.wait(5)
    assert stream.exchange.others == (ACKNOWLEDGED,)
    assert stream.exchange.malformed == ()
    assert stream.exchange.problem == "the stream was still open and was left"


def test_what_comes_meanwhile_is_heard(peer, client) -> None:
    told = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    changed, sent = threading.Event(), threading.Event()

    def behave(connection: socket.socket) -> None:
        get(connection)
        connection.sendall(STREAM + chunked(EVENT))
        changed.wait(5)
        connection.sendall(chunked(f"data: {json.dumps(told)}\n\n".encode()))
        sent.set()
        connection.recv(1)

    with client(peer(behave).url).open_stream(LISTEN, {}, 0.2) as stream:
        changed.set()
        assert sent.wait(5)
    assert stream.exchange.others == (ACKNOWLEDGED, told)


def test_a_refusal_is_not_waited_upon_and_its_connection_is_kept(peer, client) -> None:
    refused = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}
    body = json.dumps(refused).encode()
    there = peer(answering(http(body, b"Content-Type: application/json", status=b"404 Not Found")))
    made = client(there.url)
    with made.open_stream(LISTEN, {}, 60.0) as stream:
        pass
    assert (stream.exchange.error, stream.exchange.problem) == (refused["error"], None)
    made.request("tools/list")
    assert there.accepted == 1

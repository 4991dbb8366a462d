"""Listings that do not end: bounded by pages, and by time."""

import itertools
import json
from collections.abc import Callable

import pytest

from harness.actors.client import LISTING_TIMEOUTS, PAGE_LIMIT, Client, Lane
from harness.exchanges import Exchange
from harness.transport import Transport
from harness.verdicts import NotTestable, RuleBroken
from tests.wire.peers import get, http

TIMEOUT = 5.0


def endless(connection) -> None:
    """One more page, whatever is asked."""
    for id in itertools.count(1):
        get(connection)
        result = {"resultType": "complete", "tools": [{"name": "t"}], "nextCursor": "more", "ttlMs": 0}
        body = json.dumps(
            {"jsonrpc": "2.0", "id": id, "result": {**result, "cacheScope": "private"}}
        ).encode()
        connection.sendall(http(body, b"Content-Type: application/json"))


@pytest.fixture
def client(transport: Transport) -> Callable[[str], Client]:
    recorded: list[Exchange] = []

    def make(url: str) -> Client:
        return Client(
            "2026", None, transport, Lane([url]), recorded.append, lambda: len(recorded) + 1, TIMEOUT
        )

    return make


def test_a_listing_without_end_is_broken(peer, client) -> None:
    with pytest.raises(RuleBroken) as broken:
        list(client(peer(endless).url).items("tools/list", "tools"))
    assert broken.value.finding.actual == f"more than {PAGE_LIMIT} pages"


def test_a_listing_that_takes_too_long_is_not_judged(peer, client, monkeypatch) -> None:
    seconds = itertools.count()
    monkeypatch.setattr("harness.actors.client.monotonic", lambda: float(next(seconds)))
    with pytest.raises(NotTestable, match=r"tools/list was not at its end after 51 pages in 50 s"):
        list(client(peer(endless).url).items("tools/list", "tools"))
    assert LISTING_TIMEOUTS * TIMEOUT == 50

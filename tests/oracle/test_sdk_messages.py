"""No message that the SDK's server sends is accused, in either revision, as JSON or as events."""

from typing import Any

import pytest

from harness.exchanges import Era
from harness.oracle import judge
from harness.transport import Transport
from harness.wire import requests
from harness.wire.answers import Reading, read
from harness.wire.eras import ERA_TABLES
from harness.wire.requests import initialize, notification

FORMS = {"elicitation": {"form": {}, "url": {}}}
CLIENT = {"name": "tester", "version": "1"}
CALLS: list[tuple[str, dict[str, Any] | None]] = [
    ("tools/list", None),
    ("tools/call", {"name": "full", "arguments": {"a": "b"}, "_meta": {"progressToken": "p"}}),
    ("tools/call", {"name": "fails"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "test://a"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "p", "arguments": {"a": "b"}}),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}},
    ),
]
OF_AN_ERA: list[tuple[Era, str, dict[str, Any] | None]] = [
    ("2025", "ping", None),
    ("2025", "logging/setLevel", {"level": "info"}),
    ("2025", "resources/subscribe", {"uri": "test://a"}),
    ("2025", "resources/unsubscribe", {"uri": "test://a"}),
    ("2026", "server/discover", None),
]
ALL = [(table.era, *call) for table in ERA_TABLES.values() for call in CALLS] + OF_AN_ERA


@pytest.fixture(scope="module")
def transport():
    with Transport() as made:
        yield made


def ask(transport: Transport, url: str, era: Era, method: str, params: dict[str, Any] | None) -> Reading:
    built = requests.request(era, method, params, id=7, url=url, capabilities=FORMS, client=CLIENT)
    sent = transport.send(built, timeout=10, answers_id=7)
    assert sent.answer is not None, sent.problem
    assert sent.problem is None
    return read(method, 7, sent.answer)


@pytest.mark.parametrize(("era", "method", "params"), ALL)
def test_results_are_not_accused(
    transport, sdk_url: str, era: Era, method: str, params: dict[str, Any] | None
) -> None:
    reading = ask(transport, sdk_url, era, method, params)
    assert reading.malformed == ()
    assert "result" in reading.message
    assert judge(method, ERA_TABLES[era].version, reading.message, reading.others) == []


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2099-01-01"])
def test_the_handshake_is_not_accused(transport, sdk_url: str, version: str) -> None:
    opening = initialize(id="a", url=sdk_url, version=version, capabilities=FORMS, client=CLIENT)
    sent = transport.send(opening, timeout=10, answers_id="a")
    reading = read("initialize", "a", sent.answer)
    assert reading.malformed == ()
    agreed = reading.message["result"]["protocolVersion"]
    assert judge("initialize", agreed, reading.message) == []
    opened = transport.send(
        notification("2025", "notifications/initialized", url=sdk_url, version=agreed), timeout=10
    )
    assert (opened.answer.status, opened.answer.body) == (202, b"")


def test_a_question_is_not_accused(transport, sdk_url: str) -> None:
    reading = ask(transport, sdk_url, "2026", "tools/call", {"name": "ask", "arguments": {}})
    assert reading.message["result"]["resultType"] == "input_required"
    assert judge("tools/call", "2026-07-28", reading.message) == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "unknown"}),
        ("no/such", {}),
        ("prompts/get", {}),
        ("tools/list", {"cursor": 7}),
    ],
)
@pytest.mark.parametrize("era", list(ERA_TABLES))
def test_errors_are_not_accused(
    transport, sdk_url: str, era: Era, method: str, params: dict[str, Any]
) -> None:
    reading = ask(transport, sdk_url, era, method, params)
    assert reading.malformed == ()
    assert "error" in reading.message
    assert judge(method, ERA_TABLES[era].version, reading.message) == []


def test_an_unknown_revision_is_refused_without_accusation(transport, sdk_url: str) -> None:
    built = requests.request("2026", "tools/list", id=1, url=sdk_url, version="2099-01-01")
    sent = transport.send(built, timeout=10, answers_id=1)
    reading = read("tools/list", 1, sent.answer)
    assert (sent.answer.status, reading.message["error"]["code"]) == (400, -32022)
    assert judge("tools/list", "2026-07-28", reading.message) == []


def test_an_open_subscription_is_left_after_its_acknowledgement(transport, sdk_url: str) -> None:
    params = {"notifications": {"toolsListChanged": True}}
    built = requests.request("2026", "subscriptions/listen", params, id="s", url=sdk_url, client=CLIENT)
    sent = transport.send(built, timeout=10, until=lambda piece: b"acknowledged" in piece)
    assert sent.problem is None
    reading = read("subscriptions/listen", "s", sent.answer)
    assert reading.malformed == ()
    assert [other["method"] for other in reading.others] == ["notifications/subscriptions/acknowledged"]
    answer = {
        "jsonrpc": "2.0",
        "id": "s",
        "result": {"resultType": "complete", "_meta": reading.others[0]["params"]["_meta"]},
    }
    assert judge("subscriptions/listen", "2026-07-28", answer, reading.others) == []


def test_events_bring_progress_that_is_not_accused(
    transport, sdk_url: str, request: pytest.FixtureRequest
) -> None:
    for era, table in ERA_TABLES.items():
        reading = ask(transport, sdk_url, era, *CALLS[1])
        expected = ["notifications/progress"] if "events" in request.node.callspec.id else []
        assert [other["method"] for other in reading.others] == expected
        assert judge(CALLS[1][0], table.version, reading.message, reading.others) == []

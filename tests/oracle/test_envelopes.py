"""The oracle on what is around a result, and beside it: envelopes, errors, notifications, requests of the server."""

from typing import Any

import pytest

from harness.oracle import judge
from tests.oracle.messages import NEW, OLD, note, response


@pytest.mark.parametrize(
    ("version", "error", "violations"),
    [
        (OLD, {"code": -32002, "message": "m", "data": {"uri": "x"}}, []),
        (NEW, {"code": -32602, "message": "m", "data": [1]}, []),
        (NEW, {"code": "x", "message": "m"}, ['error.code is the string "x", not an integer']),
        (NEW, {"code": [1], "message": "m"}, ["error.code is an array, not an integer"]),
        (NEW, {"code": 1}, ["error lacks message"]),
        (NEW, "broken", ['error is the string "broken", not an object']),
        (NEW, {"code": -32022, "message": "m"}, ["error lacks data"]),
        (
            NEW,
            {"code": -32022, "message": "m", "data": {"supported": NEW}},
            ['error.data.supported is the string "2026-07-28", not an array', "error.data lacks requested"],
        ),
        (NEW, {"code": -32021, "message": "m", "data": {}}, ["error.data lacks requiredCapabilities"]),
        (NEW, {"code": -32022, "message": "m", "data": {"supported": [NEW], "requested": "x"}}, []),
        (OLD, {"code": -32022, "message": "m"}, []),
    ],
)
def test_errors_are_judged(version: str, error: Any, violations: list[str]) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "error": error}
    assert sorted(judge("tools/call", version, message)) == sorted(violations)


@pytest.mark.parametrize(
    ("message", "violation"),
    [
        ({"id": 1, "result": {"content": []}}, 'jsonrpc is not "2.0"'),
        (
            {"jsonrpc": "2.0", "id": True, "result": {"content": []}},
            "id is true, which is neither string nor integer",
        ),
        (
            {"jsonrpc": "2.0", "id": None, "result": {"content": []}},
            "id is null, which is neither string nor integer",
        ),
        (
            {"jsonrpc": "2.0", "id": [], "error": {"code": 1, "message": ""}},
            "id is [], which is neither string nor integer",
        ),
        (response([]), "result is no object"),
    ],
)
def test_the_envelope_is_judged(message: dict[str, Any], violation: str) -> None:
    assert judge("tools/call", OLD, message) == [violation]


def test_an_error_without_a_readable_id_is_not_accused() -> None:
    assert (
        judge("tools/call", NEW, {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "m"}})
        == []
    )
    assert judge("tools/call", NEW, {"jsonrpc": "2.0", "error": {"code": -32600, "message": "m"}}) == []


@pytest.mark.parametrize(
    ("version", "other", "violation"),
    [
        (
            NEW,
            note("notifications/progress", progressToken=1, progress="x"),
            'params.progress is the string "x", not a number',
        ),
        (OLD, note("notifications/progress", progress=1), "params lacks progressToken"),
        (
            NEW,
            note("notifications/message", level="loud", data=1),
            'params.level is "loud", which is none of "alert"',
        ),
        (NEW, note("notifications/resources/updated"), "params lacks uri"),
        (OLD, {"method": "notifications/tools/list_changed"}, "the message lacks jsonrpc"),
        (
            NEW,
            {"jsonrpc": "2.0", "method": "notifications/of/an/extension", "params": []},
            "params is an array, not an object",
        ),
    ],
)
def test_notifications_are_judged(version: str, other: dict[str, Any], violation: str) -> None:
    result = {"content": [], "resultType": "complete"}
    (found,) = judge("tools/call", version, response(result), [other])
    assert found.startswith(f"notification {other['method']}: {violation}")


@pytest.mark.parametrize(
    "other",
    [
        note("notifications/of/an/extension", anything=1),
        note("notifications/message", level="info", data=None),
        {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
    ],
)
@pytest.mark.parametrize("version", [OLD, NEW])
def test_good_notifications_are_not_accused(version: str, other: dict[str, Any]) -> None:
    assert judge("tools/call", version, response({"content": [], "resultType": "complete"}), [other]) == []


def test_requests_of_the_server_belong_to_the_handshake_era() -> None:
    result = response({"content": [], "resultType": "complete"})
    roots = {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
    asks = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {"message": "m"}}
    assert judge("tools/call", OLD, result, [roots]) == []
    assert judge("tools/call", OLD, result, [asks]) == [
        "request elicitation/create: params lacks requestedSchema"
    ]
    assert judge("tools/call", NEW, result, [roots]) == [
        "roots/list is a request of the server, which this revision does not have"
    ]

"""Requests of both eras, conforming and broken on purpose; the SDK's own server side is the witness."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.inbound import (
    InboundModernRoute,
    classify_inbound_request,
    decode_header_value,
    validate_mcp_param_headers,
)
from mcp_types.methods import CLIENT_REQUESTS, validate_client_request

from harness.exchanges import ERAS, Era, HttpRequest
from harness.wire.eras import ERA_TABLES, META_CAPABILITIES, META_CLIENT, META_VERSION, era_of, supports_forms
from harness.wire.http_text import outgoing, target_of
from harness.wire.requests import Overrides, initialize, notification, request

URL = "http://127.0.0.1:1/mcp"
CLIENT = {"name": "tester", "version": "1"}
FORMS = {"elicitation": {"form": {}}}
PARAMS: dict[str, dict[str, Any]] = {
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "p"},
        "argument": {"name": "a", "value": ""},
    },
    "logging/setLevel": {"level": "info"},
    "prompts/get": {"name": "p"},
    "resources/read": {"uri": "x://y"},
    "resources/subscribe": {"uri": "x://y"},
    "resources/unsubscribe": {"uri": "x://y"},
    "subscriptions/listen": {"notifications": {}},
    "tools/call": {"name": "t", "arguments": {"a": 1}},
}
METHODS = [
    (table.era, method)
    for method, version in sorted(CLIENT_REQUESTS)
    for table in ERA_TABLES.values()
    if version == table.version and method != "initialize"
]


def build(era: Era, method: str, params: Any = None, id: int | str = 1, **more: Any) -> HttpRequest:
    return request(era, method, params, id=id, url=URL, capabilities=FORMS, client=CLIENT, **more)


def headers(built: HttpRequest) -> dict[str, str | bytes]:
    lowered = {name.lower(): value for name, value in built.headers}
    assert len(lowered) == len(built.headers)
    return lowered


def message(built: HttpRequest) -> dict[str, Any]:
    loaded = json.loads(built.body)
    assert isinstance(loaded, dict)
    return loaded


@pytest.mark.parametrize(("era", "method"), METHODS)
def test_every_request_is_valid_for_its_revision(era: Era, method: str) -> None:
    sent = message(build(era, method, PARAMS.get(method)))
    assert sent["jsonrpc"] == "2.0"
    assert (sent["id"], sent["method"]) == (1, method)
    validate_client_request(method, ERA_TABLES[era].version, sent.get("params"))


@pytest.mark.parametrize("method", [method for era, method in METHODS if era == "2026"])
def test_a_stateless_request_passes_the_sdk_servers_own_ladder(method: str) -> None:
    built = build("2026", method, PARAMS.get(method))
    route = classify_inbound_request(
        message(built), headers={name: str(value) for name, value in headers(built).items()}
    )
    assert route == InboundModernRoute("2026-07-28", CLIENT, FORMS)


def test_a_handshake_request_carries_the_version_and_nothing_of_the_later_era() -> None:
    built = build("2025", "tools/call", PARAMS["tools/call"], token="t", session_id="s")
    assert headers(built) == {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2025-11-25",
        "authorization": "Bearer t",
        "mcp-session-id": "s",
    }
    assert message(built)["params"] == PARAMS["tools/call"]
    assert "params" not in message(build("2025", "ping"))


def test_the_revision_agreed_on_is_said() -> None:
    assert headers(build("2025", "ping", version="2025-06-18"))["mcp-protocol-version"] == "2025-06-18"


def test_initialize_asks_for_a_revision_without_a_version_header() -> None:
    built = initialize(id=0, url=URL, token="t", version="2099-01-01", capabilities=FORMS, client=CLIENT)
    assert message(built) == {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2099-01-01", "capabilities": FORMS, "clientInfo": CLIENT},
    }
    assert "mcp-protocol-version" not in headers(built)
    validate_client_request("initialize", "2025-11-25", message(built)["params"])


@pytest.mark.parametrize("era", ERAS)
def test_a_notification_has_no_id(era: Era) -> None:
    assert message(notification(era, "notifications/initialized", url=URL)) == {
        "jsonrpc": "2.0",
        "method": "notifications/initialized",
    }


def test_meta_of_the_caller_is_kept_beside_the_protocols() -> None:
    params = {"_meta": {"progressToken": 7}}
    assert message(build("2026", "tools/list", params))["params"]["_meta"] == {
        META_VERSION: "2026-07-28",
        META_CLIENT: CLIENT,
        META_CAPABILITIES: FORMS,
        "progressToken": 7,
    }
    assert message(build("2025", "tools/list", params))["params"] == params
    assert params == {"_meta": {"progressToken": 7}}


def test_who_the_client_is_can_be_left_untold() -> None:
    meta = message(request("2026", "tools/list", id=1, url=URL))["params"]["_meta"]
    assert meta == {META_VERSION: "2026-07-28", META_CAPABILITIES: {}}


@given(st.text(st.characters(blacklist_categories=["Cs"])))
def test_any_name_reaches_the_header_and_is_read_back_by_the_sdk(name: str) -> None:
    built = build("2026", "tools/call", {"name": name, "arguments": {}})
    outgoing(built, target_of(URL))
    assert decode_header_value(str(headers(built)["mcp-name"])) == name


def test_parameter_headers_pass_the_sdk_servers_check() -> None:
    schema = {
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "count": {"type": "integer", "x-mcp-header": "Count"},
            "inner": {"type": "object", "properties": {"on": {"type": "boolean", "x-mcp-header": "On"}}},
        },
    }
    arguments = {"region": " São ", "count": -3, "inner": {"on": True}}
    built = build("2026", "tools/call", {"name": "t", "arguments": arguments}, input_schema=schema)
    given_headers = {name: str(value) for name, value in headers(built).items()}
    assert validate_mcp_param_headers(schema, arguments, given_headers) is None
    assert given_headers["mcp-param-count"] == "-3"


@pytest.mark.parametrize("id", [0, -1, 2**53 - 1, "0", ""])
def test_ids_keep_their_type(id: int | str) -> None:
    assert message(build("2026", "ping", id=id))["id"] == id
    assert type(message(build("2026", "ping", id=id))["id"]) is type(id)


def test_text_that_utf8_cannot_hold_is_escaped() -> None:
    built = build("2025", "tools/call", {"name": "t", "arguments": {"a": "\ud800", "b": "é"}})
    assert rb"\ud800" in built.body
    assert message(build("2025", "tools/call", {"name": "é"}))["params"]["name"] == "é"


CHANGES = [
    (Overrides(set_headers={"mcp-method": "x"}), "mcp-method", "x"),
    (Overrides(set_headers={"MCP-NAME": b"\xff"}), "mcp-name", b"\xff"),
    (Overrides(drop_headers=frozenset({"MCP-protocol-version"})), "mcp-protocol-version", None),
    (Overrides(set_headers={"Accept": "text/html"}), "accept", "text/html"),
    (Overrides(version="1999-01-01"), "mcp-protocol-version", "1999-01-01"),
    (Overrides(add_headers=(("Origin", "http://evil.example"),)), "origin", "http://evil.example"),
]


@pytest.mark.parametrize(("change", "name", "value"), CHANGES)
def test_headers_can_be_broken(change: Overrides, name: str, value: str | bytes | None) -> None:
    built = build("2026", "tools/call", PARAMS["tools/call"], overrides=change)
    assert headers(built).get(name) == value
    untouched = {
        key: kept
        for key, kept in headers(build("2026", "tools/call", PARAMS["tools/call"])).items()
        if key != name
    }
    assert {key: kept for key, kept in headers(built).items() if key != name} == untouched


def test_a_header_can_stand_twice() -> None:
    built = build("2026", "tools/list", overrides=Overrides(add_headers=(("Mcp-Method", "tools/list"),)))
    assert [name for name, _ in built.headers].count("Mcp-Method") == 2


def test_meta_can_be_broken() -> None:
    gone = Overrides(drop_meta=frozenset({META_CAPABILITIES}), set_meta={META_CLIENT: 7})
    params = message(build("2026", "tools/list", overrides=gone))["params"]
    assert params["_meta"] == {META_VERSION: "2026-07-28", META_CLIENT: 7}
    bare = build(
        "2026", "tools/list", {"_meta": {"progressToken": 1}}, overrides=Overrides(without_meta=True)
    )
    assert message(bare)["params"] == {}
    other = message(build("2026", "tools/list", overrides=Overrides(version="2099-01-01")))
    assert other["params"]["_meta"][META_VERSION] == "2099-01-01"


def test_the_message_can_be_broken() -> None:
    change = Overrides(
        set_members={"id": None}, drop_members=frozenset({"jsonrpc"}), set_params={"cursor": 7}
    )
    broken = message(build("2025", "tools/list", overrides=change))
    assert broken == {"id": None, "method": "tools/list", "params": {"cursor": 7}}
    raw = build("2026", "tools/list", overrides=Overrides(body=b"\xff{", http_method="PUT"))
    assert (raw.method, raw.body) == ("PUT", b"\xff{")


def test_every_known_revision_belongs_to_one_era() -> None:
    assert [era_of(version) for version in ("2024-11-05", "2025-11-25", "2026-07-28", "2099-01-01")] == [
        "2025",
        "2025",
        "2026",
        None,
    ]


@pytest.mark.parametrize(
    ("elicitation", "forms"),
    [({}, True), ({"form": {}}, True), ({"form": {}, "url": {}}, True), ({"url": {}}, False), (None, False)],
)
def test_what_counts_as_declaring_forms(elicitation: dict[str, Any] | None, forms: bool) -> None:
    assert supports_forms({} if elicitation is None else {"elicitation": elicitation}) is forms

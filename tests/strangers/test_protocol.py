"""Both eras on the wire."""

import json
from typing import Any

import pytest

from tests.strangers.conftest import ClientOf
from tests.strangers.stub_api import StubApi, World
from tests.strangers.wire import META, Client

ERAS = ["2025", "2026"]
CODE = META + "protocolVersion"
OFFERED: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}


@pytest.fixture
def world(api: StubApi) -> World:
    return api.world()


@pytest.fixture(params=ERAS)
def client(request: pytest.FixtureRequest, client_of: ClientOf, world: World) -> Client:
    return client_of(world, era=request.param)


@pytest.fixture
def handshake(client_of: ClientOf, world: World) -> Client:
    return client_of(world, era="2025")


@pytest.fixture
def stateless(client_of: ClientOf, world: World) -> Client:
    return client_of(world)


def test_answers_are_event_streams_with_crlf_and_a_comment_first(client: Client) -> None:
    came = client.ask("tools/list")
    assert came.http.headers["content-type"].startswith("text/event-stream")
    assert came.http.content.startswith(b": ")
    assert came.http.content.count(b"\n") == came.http.content.count(b"\r\n")
    assert came.http.content.count(b"data: ") == 5


def test_who_takes_no_stream_gets_json(client: Client) -> None:
    came = client.ask("tools/list", headers={"Accept": "application/json"})
    assert came.http.headers["content-type"].startswith("application/json")
    assert came.result["tools"]


@pytest.mark.parametrize(
    ("wanted", "spoken"),
    [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-11-25")],
)
def test_initialize_answers_a_revision_that_is_spoken(handshake: Client, wanted: str, spoken: str) -> None:
    params = {"protocolVersion": wanted, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    came = handshake.ask("initialize", params)
    assert came.result["protocolVersion"] == spoken
    assert came.result["capabilities"] == {**OFFERED, "logging": {}}
    assert came.http.headers["mcp-session-id"]


def test_no_session_is_needed_and_any_is_taken(handshake: Client) -> None:
    assert handshake.ask("ping").result == {}
    assert handshake.ask("ping", headers={"Mcp-Session-Id": "of another replica"}).result == {}
    assert handshake.ask("ping", headers={"MCP-Protocol-Version": None}).result == {}
    assert handshake.ask("ping", headers={"MCP-Protocol-Version": "2025-06-18"}).result == {}


def test_log_lines_precede_a_2025_call_until_a_session_raises_the_level(handshake: Client) -> None:
    call = {"name": "server_time_get", "arguments": {}}
    session = {"Mcp-Session-Id": "mine"}
    assert [one["method"] for one in handshake.ask("tools/call", call, headers=session).before] == [
        "notifications/message"
    ]
    handshake.ask("logging/setLevel", {"level": "error"}, headers=session)
    assert handshake.ask("tools/call", call, headers=session).before == []
    assert handshake.ask("logging/setLevel", {"level": "loud"}).error["code"] == -32602


def test_2026_notifications_come_only_when_asked_for(stateless: Client) -> None:
    assert stateless.call("server_time_get").before == []
    came = stateless.call("server_time_get", meta={"progressToken": "p", META + "logLevel": "debug"})
    assert [one["method"] for one in came.before] == ["notifications/progress", "notifications/message"]
    assert came.before[0]["params"]["progressToken"] == "p"


def test_discover_and_what_every_result_carries(stateless: Client) -> None:
    result = stateless.ask("server/discover").result
    assert "2026-07-28" in result["supportedVersions"]
    assert result["capabilities"] == OFFERED
    assert result["resultType"] == "complete"
    assert result["ttlMs"] >= 0
    assert result["cacheScope"] == "public"
    assert stateless.ask("resources/list").result["cacheScope"] == "private"


@pytest.mark.parametrize("method", ["server/discover", "resources/subscribe", "nothing/here"])
def test_2025_does_not_know(handshake: Client, method: str) -> None:
    came = handshake.ask(method)
    assert (came.http.status_code, came.error["code"]) == (200, -32601)


@pytest.mark.parametrize("method", ["initialize", "ping", "subscriptions/listen", "nothing/here"])
def test_2026_does_not_know(stateless: Client, method: str) -> None:
    came = stateless.ask(method)
    assert (came.http.status_code, came.error["code"]) == (404, -32601)


def test_an_unknown_version_is_refused_with_those_spoken(stateless: Client) -> None:
    headers = {"MCP-Protocol-Version": "2099-01-01"}
    came = stateless.ask("tools/list", meta={CODE: "2099-01-01"}, headers=headers)
    assert (came.http.status_code, came.error["code"]) == (400, -32022)
    assert came.error["data"]["requested"] == "2099-01-01"
    assert "2026-07-28" in came.error["data"]["supported"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"meta": {CODE: None}}, -32602),
        ({"meta": {META + "clientCapabilities": None}}, -32602),
        ({"meta": {META + "clientCapabilities": []}}, -32602),
        ({"meta": {CODE: "2025-11-25"}}, -32020),
        ({"headers": {"MCP-Protocol-Version": None}}, -32020),
        ({"headers": {"MCP-Protocol-Version": "2025-11-25"}}, -32020),
        ({"headers": {"Mcp-Method": None}}, -32020),
        ({"headers": {"Mcp-Method": "tools/list"}}, -32020),
        ({"headers": {"Mcp-Name": None}}, -32020),
        ({"headers": {"Mcp-Name": "kadu_me_get"}}, -32020),
        ({"headers": {"Mcp-Name": "=?base64?!!!?="}}, -32020),
    ],
)
def test_headers_and_body_must_agree(stateless: Client, changes: dict[str, Any], code: int) -> None:
    came = stateless.call("server_time_get", **changes)
    assert (came.http.status_code, came.error["code"]) == (400, code)
    assert stateless.call("server_time_get").result["resultType"] == "complete"


def test_a_base64_header_is_decoded_first(stateless: Client) -> None:
    came = stateless.call("server_time_get", headers={"Mcp-Name": "=?base64?c2VydmVyX3RpbWVfZ2V0?="})
    assert "time" in json.loads(came.text)


def test_a_header_twice_is_refused(stateless: Client) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": {"_meta": {CODE: "2026-07-28", META + "clientCapabilities": {}}},
    }
    headers = [
        ("authorization", f"Bearer {stateless.token}"),
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/list"),
        ("mcp-method", "tools/list"),
    ]
    response = stateless.http.post(stateless.url, json=body, headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b'{"jsonrpc": "2.0", "id": NaN}', -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}', -32700),
        (b"[" * 100_000, -32700),
        (b"\xff\xfe\xfd", -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600),
    ],
)
def test_what_is_no_request_is_refused(client: Client, body: bytes, code: int) -> None:
    headers: dict[str, str | None] = {"Content-Type": "application/json"}
    headers["MCP-Protocol-Version"] = "2026-07-28" if client.era == "2026" else "2025-11-25"
    came = client.post(body, headers)
    assert (came.http.status_code, came.error["code"]) == (400, code)


@pytest.mark.parametrize("request_id", ["text", "", 0, -1, 2**53 - 1])
def test_ids_come_back_as_sent(client: Client, request_id: Any) -> None:
    came = client.ask("tools/list", id=request_id)
    assert came.message["id"] == request_id
    assert type(came.message["id"]) is type(request_id)


def test_a_notification_is_accepted(client: Client) -> None:
    version = "2026-07-28" if client.era == "2026" else "2025-11-25"
    headers: dict[str, str | None] = {"Content-Type": "application/json", "MCP-Protocol-Version": version}
    came = client.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
    assert (came.http.status_code, came.http.content) == (202, b"")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_served(client: Client, method: str) -> None:
    headers = {"Authorization": f"Bearer {client.token}"}
    assert client.http.request(method, client.url, headers=headers).status_code == 405


@pytest.mark.parametrize("token", [None, "nobody's", "two words"])
def test_without_a_good_token_it_is_401(client: Client, token: str | None) -> None:
    came = Client(client.http, client.url, token, client.era).ask("tools/list")
    assert came.http.status_code == 401
    assert came.http.headers["www-authenticate"].startswith("Bearer ")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://[", ""]
)
def test_a_foreign_origin_is_403(client: Client, origin: str) -> None:
    assert client.ask("tools/list", headers={"Origin": origin}).http.status_code == 403


def test_an_origin_of_this_machine_is_served(client: Client) -> None:
    assert client.ask("tools/list", headers={"Origin": "http://localhost:6274"}).result["tools"]


def test_a_body_that_is_not_declared_json_is_415(client: Client) -> None:
    assert client.ask("tools/list", headers={"Content-Type": "text/plain"}).http.status_code == 415


def test_a_body_too_long_is_413(client: Client) -> None:
    assert client.call("server_time_get", {"x": "x" * 5_000_000}).http.status_code == 413

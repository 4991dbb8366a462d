"""Tools: what is listed, what reaches the upstream, what comes back."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from .conftest import MakePeer, code
from .stub import StubUpstream, error

pytestmark = pytest.mark.anyio


async def test_list_is_what_the_caller_may_run_in_contract_order(
    connect: MakePeer, upstream: StubUpstream, modern: bool
) -> None:
    peer = await connect(modern=modern)
    names = [tool["name"] for tool in (await peer.result("tools/list"))["tools"]]
    assert names[0] == "kadu_me_get"
    assert "confirmations_create" not in names
    upstream.holders["token-1"].scopes.discard("kadu/tasks")
    upstream.holders["token-1"].permissions.discard("agent.webhooks.update")
    fewer = [tool["name"] for tool in (await peer.result("tools/list"))["tools"]]
    gone = {f"kadu_tasks_{n}" for n in ("list", "get", "update", "delete", "run")} | {"kadu_webhooks_update"}
    assert fewer == [name for name in names if name not in gone]


async def test_list_is_private_and_stale_at_once(connect: MakePeer) -> None:
    result = await (await connect()).result("tools/list")
    assert (result["cacheScope"], result["ttlMs"]) == ("private", 0)
    assert "nextCursor" not in result


async def test_annotations_and_schemas(connect: MakePeer) -> None:
    tools = {tool["name"]: tool for tool in (await (await connect()).result("tools/list"))["tools"]}
    for tool in tools.values():
        Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["inputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert "$ref" not in json.dumps(tool["inputSchema"])
    hints = {
        name: (t["annotations"]["readOnlyHint"], t["annotations"]["destructiveHint"])
        for name, t in tools.items()
    }
    assert hints["kadu_tasks_get"] == (True, False)
    assert hints["kadu_tasks_update"] == (False, False)
    assert (
        hints["kadu_tasks_run"]
        == hints["kadu_tasks_delete"]
        == hints["kadu_webhooks_update"]
        == (False, True)
    )
    key = tools["kadu_tasks_run"]["inputSchema"]["properties"]["idempotency_key"]
    assert (key["type"], key["minLength"], key["maxLength"]) == ("string", 1, 255)
    assert "idempotency_key" not in tools["kadu_tasks_run"]["inputSchema"]["required"]
    assert "idempotency_key" not in tools["kadu_tasks_delete"]["inputSchema"]["properties"]
    assert "idempotency_key" not in tools["kadu_tasks_get"]["inputSchema"]["properties"]


async def test_a_cursor_nobody_gave_out_is_refused(connect: MakePeer, modern: bool) -> None:
    peer = await connect(modern=modern)
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        assert (await peer.error(method, {"cursor": "x"}))["code"] == -32602


async def test_arguments_go_where_the_contract_says(
    connect: MakePeer, upstream: StubUpstream, modern: bool
) -> None:
    peer = await connect(modern=modern)
    await peer.call("kadu_tasks_list", {"limit": 1, "cursor": "1"})
    arguments = {"id": "tasks-1", "name": "novo nome", "idempotency_key": "a key: ~!"}
    result = await peer.call("kadu_tasks_update", arguments)
    listed, updated = (a for a in upstream.asked if a.path != "/v1/me")
    assert listed.query == {"limit": "1", "cursor": "1"}
    assert (updated.method, updated.path) == ("PATCH", "/v1/tasks/tasks-1")
    assert updated.body == {"name": "novo nome"}
    assert updated.headers["x-idempotency-key"] == "a key: ~!"
    assert "replay" not in json.dumps(result).lower()


async def test_result_is_the_body_as_text_and_structured(connect: MakePeer, modern: bool) -> None:
    result = await (await connect(modern=modern)).call("kadu_tasks_get", {"id": "tasks-1"})
    assert result["structuredContent"] == {"id": "tasks-1", "name": "tasks 1", "secret": None}
    (block,) = result["content"]
    assert json.loads(block["text"]) == result["structuredContent"]
    assert not result["isError"]


async def test_empty_body_is_a_result(connect: MakePeer, upstream: StubUpstream) -> None:
    upstream.faults["/v1/tasks/tasks-1"] = (204, b"")
    result = await (await connect()).call("kadu_tasks_update", {"id": "tasks-1"})
    assert not result["isError"]
    assert json.loads(result["content"][0]["text"]) == {}


async def test_unknown_tool(connect: MakePeer, modern: bool) -> None:
    peer = await connect(modern=modern)
    for name in ("kadu_nothing_get", "confirmations_create"):
        assert (await peer.error("tools/call", {"name": name, "arguments": {}}))["code"] == -32602


@pytest.mark.parametrize(("scope", "permission"), [("kadu/tasks", None), (None, "agent.tasks.update")])
async def test_forbidden_runs_nothing(
    connect: MakePeer, upstream: StubUpstream, modern: bool, scope: str | None, permission: str | None
) -> None:
    upstream.holders["token-1"].scopes.discard(scope or "")
    upstream.holders["token-1"].permissions.discard(permission or "")
    result = await (await connect(modern=modern)).call("kadu_tasks_update", {"id": "tasks-1", "name": "x"})
    assert code(result) == "FORBIDDEN"
    assert upstream.effects() == []


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"id": 7},
        {"id": "tasks-1", "name": "x" * 81},
        {"id": "tasks-1", "unknown": 1},
        {"id": "tasks-1", "idempotency_key": ""},
        {"id": "tasks-1", "idempotency_key": "x" * 256},
        {"id": "tasks-1", "idempotency_key": 7},
    ],
)
async def test_bad_arguments_run_nothing(
    connect: MakePeer, upstream: StubUpstream, modern: bool, arguments: Any
) -> None:
    result = await (await connect(modern=modern)).call("kadu_tasks_update", arguments)
    assert code(result) == "invalid_arguments"
    assert upstream.effects() == []


async def test_formats_are_checked(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    arguments = {"id": "tasks-1", "environment_id": "e", "reference_date": "30/10/2026"}
    assert code(await peer.call("kadu_tasks_run", arguments)) == "invalid_arguments"


@pytest.mark.parametrize("value", ["\ud800", float("nan")])
async def test_what_json_cannot_hold_is_refused(
    connect: MakePeer, upstream: StubUpstream, value: Any
) -> None:
    peer = await connect(elicitation={})
    arguments = {"id": "tasks-1", "environment_id": "e", "parameters": {"x": value}}
    assert code(await peer.call("kadu_tasks_run", arguments)) == "invalid_arguments"
    assert upstream.effects() == []


@pytest.mark.parametrize("key", [" a", "a ", "é", "😀", "a\r\nX-Evil: 1", "a\x00", "a\tb", "a\x7f"])
async def test_key_a_header_cannot_carry_is_refused(
    connect: MakePeer, upstream: StubUpstream, modern: bool, key: str
) -> None:
    arguments = {"id": "tasks-1", "name": "x", "idempotency_key": key}
    result = await (await connect(modern=modern)).call("kadu_tasks_update", arguments)
    assert code(result) == "invalid_idempotency_key"
    assert upstream.effects() == []


@pytest.mark.parametrize("key", ["a", "x" * 255])
async def test_shortest_and_longest_key(connect: MakePeer, upstream: StubUpstream, key: str) -> None:
    await (await connect()).call("kadu_tasks_update", {"id": "tasks-1", "idempotency_key": key})
    (effect,) = upstream.effects()
    assert effect.headers["x-idempotency-key"] == key


@pytest.mark.parametrize("record", [".", "..", "../me", "a/../../me", "x" * 10_000, "a\\b"])
async def test_an_id_never_leads_to_another_route(
    connect: MakePeer, upstream: StubUpstream, record: str
) -> None:
    assert code(await (await connect()).call("kadu_tasks_get", {"id": record})) == "NOT_FOUND"
    assert {a.path for a in upstream.asked} == {"/v1/me"}


async def test_an_id_is_one_segment(connect: MakePeer, upstream: StubUpstream) -> None:
    await (await connect()).call("kadu_tasks_get", {"id": "a?b#c%2F é{id}"})
    assert upstream.asked[-1].path == "/v1/tasks/a%3Fb%23c%252F%20%C3%A9%7Bid%7D"


@pytest.mark.parametrize(
    ("status", "upstream_code", "documented"),
    [
        (404, "not_found", "NOT_FOUND"),
        (403, "forbidden", "FORBIDDEN"),
        (401, "unauthorized", "UNAUTHORIZED"),
        (409, "idempotency_key_reused", "IDEMPOTENCY_KEY_REUSED"),
        (409, "idempotency_request_in_progress", "IDEMPOTENCY_REQUEST_IN_PROGRESS"),
        (422, "subject_changed", "subject_changed"),
        (503, "unavailable", "upstream_unavailable"),
        (500, "not_found", "upstream_unavailable"),
        (422, "not a code!", "upstream_unavailable"),
    ],
)
async def test_errors_go_by_their_documented_code(
    connect: MakePeer, upstream: StubUpstream, modern: bool, status: int, upstream_code: str, documented: str
) -> None:
    upstream.faults["/v1/tasks/tasks-1"] = error(status, upstream_code)
    result = await (await connect(modern=modern)).call("kadu_tasks_update", {"id": "tasks-1"})
    assert code(result) == documented
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize("fault", [(0, None), (200, b"<html>"), (404, b"{")])
async def test_useless_answers(
    connect: MakePeer, upstream: StubUpstream, modern: bool, fault: tuple[int, Any]
) -> None:
    upstream.faults["/v1/tasks/tasks-1"] = fault
    result = await (await connect(modern=modern)).call("kadu_tasks_update", {"id": "tasks-1"})
    assert code(result) == "upstream_unavailable"

"""Resources: what is listed, what a read gives, and every way there is nothing to read."""

import json
from typing import Any

import pytest

from reference_server.products.kadu import KADU

from .conftest import MakePeer
from .stub import CONTRACT, StubUpstream, error

pytestmark = pytest.mark.anyio
PREFIX = "kobana://kadu/"
FACTS = {o["operationId"]: o["x-kadu"] for item in CONTRACT["paths"].values() for o in item.values()}


async def uris(peer: Any) -> set[str]:
    """Every URI and template listed."""
    fixed = (await peer.result("resources/list"))["resources"]
    templates = (await peer.result("resources/templates/list"))["resourceTemplates"]
    return {r["uri"] for r in fixed} | {t["uriTemplate"] for t in templates}


async def test_three_fixed_and_eleven_templates(connect: MakePeer, modern: bool) -> None:
    peer = await connect(modern=modern)
    fixed = (await peer.result("resources/list"))["resources"]
    templates = (await peer.result("resources/templates/list"))["resourceTemplates"]
    assert {r["uri"] for r in fixed} == {PREFIX + n for n in ("me", "repository", "operation_approvals")}
    singles = ("operation_approvals", "workspaces", "activities", "tasks", "executions", "memories", "environments",
               "schedules")  # fmt: skip
    expected = {f"{PREFIX}{n}/{{id}}" for n in singles}
    expected |= {f"{PREFIX}executions/{{id}}/{n}" for n in ("events", "logs", "todos")}
    assert {t["uriTemplate"] for t in templates} == expected
    assert {t["mimeType"] for t in (*fixed, *templates)} == {"application/json"}


@pytest.mark.parametrize("row", KADU.resources, ids=lambda row: row.name)
@pytest.mark.parametrize("kind", ["scope", "permission"])
async def test_a_row_is_shown_and_read_only_with_scope_and_permission(
    connect: MakePeer, upstream: StubUpstream, modern: bool, row: Any, kind: str
) -> None:
    needed = FACTS[row.operation][kind]
    if needed is None:
        needed = "none"
    holder = upstream.holders["token-1"]
    (holder.scopes if kind == "scope" else holder.permissions).discard(needed)
    peer = await connect(modern=modern)
    uri = PREFIX + row.path
    assert (uri in await uris(peer)) is (needed == "none")
    if needed == "none":
        return
    read_before = len(upstream.asked)
    for record in (f"{row.path.split('/')[0]}-1", "nothing"):
        failure = await peer.error("resources/read", {"uri": uri.replace("{id}", record)})
        assert failure["code"] == -32602
        assert failure["data"]["code"] == "insufficient_permission"
    assert {a.path for a in upstream.asked[read_before:]} == {"/v1/me"}


@pytest.mark.parametrize("row", KADU.resources, ids=lambda row: row.name)
async def test_a_read_gives_the_json_of_its_tool(connect: MakePeer, modern: bool, row: Any) -> None:
    peer = await connect(modern=modern)
    record = f"{row.path.split('/')[0]}-1"
    uri = (PREFIX + row.path).replace("{id}", record)
    (content,) = (await peer.result("resources/read", {"uri": uri}))["contents"]
    arguments = {"id": record} if "{id}" in row.path else {}
    tool = await peer.call(row.operation, arguments)
    assert json.loads(content["text"]) == tool["structuredContent"]
    assert (content["uri"], content["mimeType"]) == (uri, "application/json")
    assert "blob" not in content


async def test_reads_carry_private_cache_hints(connect: MakePeer) -> None:
    result = await (await connect()).result("resources/read", {"uri": PREFIX + "me"})
    assert (result["cacheScope"], result["ttlMs"]) == ("private", 0)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "me",
        PREFIX,
        PREFIX + "nothing",
        PREFIX + "tasks",
        PREFIX + "tasks/",
        PREFIX + "tasks/none",
        PREFIX + "tasks/..",
        PREFIX + "tasks/%2e%2e",
        PREFIX + "tasks/%2e%2e%2fme",
        PREFIX + "tasks/..%2Fme",
        PREFIX + "tasks/../me",
        PREFIX + "tasks/%252e%252e",
        PREFIX + "tasks/%ff",
        PREFIX + "tasks/tasks-1?x=1",
        PREFIX + "tasks/tasks-1#x",
        PREFIX + "tasks/tasks-1/",
        PREFIX + "tasks/tasks-1/run",
        PREFIX + "executions//events",
        PREFIX + "me/",
        PREFIX + "%6de",
        "KOBANA://kadu/me",
        "kobana://dunning/me",
        "file:///etc/passwd",
        PREFIX + "webhooks/webhooks-1",
        PREFIX + "tasks/" + "x" * 10_000,
        PREFIX + "tasks/a%0d%0aX",
    ],
)
async def test_not_found(connect: MakePeer, upstream: StubUpstream, modern: bool, uri: str) -> None:
    peer = await connect(modern=modern)
    failure = await peer.error("resources/read", {"uri": uri})
    assert failure["code"] == (-32602 if modern else -32002)
    assert failure["data"] == {"uri": uri}
    assert all(a.path.startswith(("/v1/me", "/v1/tasks/")) for a in upstream.asked)
    assert (await peer.result("resources/read", {"uri": PREFIX + "me"}))["contents"]


@pytest.mark.parametrize("path", ["tasks/", "tasks/tasks-1?x=1", "tasks/tasks-1#x", "tasks/%ff", "nothing"])
async def test_what_no_row_matches_is_not_found_whatever_the_caller_may_do(
    connect: MakePeer, upstream: StubUpstream, modern: bool, path: str
) -> None:
    upstream.holders["token-1"].scopes.clear()
    failure = await (await connect(modern=modern)).error("resources/read", {"uri": PREFIX + path})
    assert failure["code"] == (-32602 if modern else -32002)
    assert failure["data"] == {"uri": PREFIX + path}


@pytest.mark.parametrize("status", [400, 404, 422])
async def test_an_id_the_upstream_refuses_is_not_found(
    connect: MakePeer, upstream: StubUpstream, modern: bool, status: int
) -> None:
    upstream.faults["/v1/tasks/odd"] = error(status, "unprocessable_entity")
    failure = await (await connect(modern=modern)).error("resources/read", {"uri": PREFIX + "tasks/odd"})
    assert failure["code"] == (-32602 if modern else -32002)


async def test_the_upstream_forbids(connect: MakePeer, upstream: StubUpstream, modern: bool) -> None:
    upstream.faults["/v1/tasks/tasks-1"] = error(403, "forbidden")
    failure = await (await connect(modern=modern)).error("resources/read", {"uri": PREFIX + "tasks/tasks-1"})
    assert (failure["code"], failure["data"]["code"]) == (-32602, "insufficient_permission")


@pytest.mark.parametrize("fault", [(0, None), (500, b""), (200, b""), (200, b"null")])
async def test_a_useless_answer_is_never_empty_contents(
    connect: MakePeer, upstream: StubUpstream, modern: bool, fault: tuple[int, Any]
) -> None:
    upstream.faults["/v1/tasks/tasks-1"] = fault
    failure = await (await connect(modern=modern)).error("resources/read", {"uri": PREFIX + "tasks/tasks-1"})
    assert failure["code"] == -32603


async def test_an_id_is_decoded_once(connect: MakePeer, upstream: StubUpstream) -> None:
    upstream.records["tasks"].append({"id": "a%20b"})
    await (await connect()).ask("resources/read", {"uri": PREFIX + "tasks/a%2520b"})
    assert upstream.asked[-1].path == "/v1/tasks/a%2520b"


async def test_reading_changes_nothing(connect: MakePeer, upstream: StubUpstream, modern: bool) -> None:
    peer = await connect(modern=modern)
    for uri in await uris(peer):
        await peer.ask("resources/read", {"uri": uri.replace("{id}", "tasks-1")})
    assert {a.method for a in upstream.asked} == {"GET"}


async def test_no_subscriptions(connect: MakePeer) -> None:
    handshake = await connect(modern=False)
    assert (await handshake.error("resources/subscribe", {"uri": PREFIX + "me"}))["code"] == -32601
    listen = {"notifications": {"toolsListChanged": True, "resourceSubscriptions": [PREFIX + "me"]}}
    assert (await (await connect()).error("subscriptions/listen", listen))["code"] == -32601

"""What the stranger offers: tools and resources, under the caller's rights."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.strangers.conftest import ClientOf
from tests.strangers.stub_api import StubApi, World
from tests.strangers.wire import Client


@pytest.fixture
def world(api: StubApi) -> World:
    return api.world()


@pytest.fixture(params=["2025", "2026"])
def client(request: pytest.FixtureRequest, client_of: ClientOf, world: World) -> Client:
    return client_of(world, era=request.param)


def everything(client: Client, method: str, member: str) -> list[dict[str, Any]]:
    """Every item of a list, page by page."""
    found: list[dict[str, Any]] = []
    params: dict[str, Any] = {}
    while True:
        result = client.ask(method, params).result
        found += result[member]
        if "nextCursor" not in result:
            return found
        params = {"cursor": result["nextCursor"]}


def test_tools_come_in_pages_each_once(client: Client) -> None:
    assert len(client.ask("tools/list").result["tools"]) == 7
    tools = everything(client, "tools/list", "tools")
    names = [tool["name"] for tool in tools]
    assert sorted(names) == sorted(
        [
            "server_time_get",
            "kadu_me_get",
            "kadu_tasks_get",
            "kadu_tasks_delete",
            "kadu_tasks_run",
            "kadu_executions_logs_list",
            "kadu_workspaces_create",
            "kadu_webhooks_create",
            "kadu_webhooks_get",
            "kadu_webhooks_update",
        ]
    )
    for tool in tools:
        Draft202012Validator.check_schema(tool["inputSchema"])
        assert "$ref" not in json.dumps(tool["inputSchema"])
    hints = {tool["name"]: tool["annotations"] for tool in tools}
    assert hints["kadu_tasks_get"] == {"readOnlyHint": True}
    assert hints["kadu_workspaces_create"]["destructiveHint"] is False
    assert all(
        hints[name]["destructiveHint"]
        for name in ("kadu_tasks_run", "kadu_tasks_delete", "kadu_webhooks_update")
    )
    keyed = {tool["name"] for tool in tools if "idempotency_key" in tool["inputSchema"].get("properties", {})}
    assert keyed == {
        "kadu_tasks_run",
        "kadu_workspaces_create",
        "kadu_webhooks_create",
        "kadu_webhooks_update",
    }


@pytest.mark.parametrize("cursor", ["nonsense", "after nobody", 7, ""])
def test_a_cursor_never_given_is_refused(client: Client, cursor: Any) -> None:
    assert client.ask("tools/list", {"cursor": cursor}).error["code"] == -32602


def test_an_ordinary_write_runs_at_once_with_its_key_as_a_header(client: Client, world: World) -> None:
    came = client.call("kadu_workspaces_create", {"name": "Tesouraria ✓", "idempotency_key": "key 1"})
    assert world.changes == [("POST", "/v1/workspaces", {"name": "Tesouraria ✓"}, "key 1")]
    assert json.loads(came.text) == {"id": "result-1", "given": {"name": "Tesouraria ✓"}}


@pytest.mark.parametrize("key", ["", "x" * 256, "a\r\nX-Evil: 1", "a\n", "a\x00", " a", "a ", "chave ✓"])
def test_a_key_that_is_no_header_is_refused(client: Client, world: World, key: str) -> None:
    came = client.call("kadu_workspaces_create", {"name": "W", "idempotency_key": key})
    assert came.code == "INVALID_ARGUMENTS"
    assert world.changes == []


@pytest.mark.parametrize("key", ["x", "x" * 255, "".join(map(chr, range(0x21, 0x7F)))])
def test_a_key_of_visible_ascii_goes_as_given(client: Client, world: World, key: str) -> None:
    client.call("kadu_workspaces_create", {"name": "W", "idempotency_key": key})
    assert [change[3] for change in world.changes] == [key]


def test_codes_of_the_api_go_by_their_documented_names(client: Client) -> None:
    assert client.call("kadu_tasks_get", {"id": "missing"}).code == "NOT_FOUND"
    came = client.call("kadu_workspaces_create", {"name": "W", "idempotency_key": "taken"})
    assert came.code == "IDEMPOTENCY_KEY_REUSED"


@pytest.mark.parametrize("arguments", [{}, {"id": 1}, {"id": "a", "more": 1}, {"id": ""}])
def test_bad_arguments_are_an_error_result(client: Client, arguments: dict[str, Any]) -> None:
    assert client.call("kadu_tasks_get", arguments).code == "INVALID_ARGUMENTS"


def test_tools_that_are_none(client: Client) -> None:
    assert client.call("kadu_nothing").error["code"] == -32602
    assert client.call("confirmations_create").error["code"] == -32602


@pytest.mark.parametrize("lost", ["scopes", "permissions"])
def test_without_the_right_nothing_runs(client: Client, world: World, lost: str) -> None:
    setattr(world, lost, [])
    assert client.call("kadu_workspaces_create", {"name": "W"}).code == "FORBIDDEN"
    assert client.call("kadu_tasks_run", {"id": "t", "environment_id": "e"}).code == "FORBIDDEN"
    assert world.changes == []


def test_an_api_that_is_down_is_an_error_and_no_crash(client: Client, world: World) -> None:
    world.api_is_down = True
    assert client.call("kadu_tasks_get", {"id": "t"}).code == "UNAVAILABLE"
    assert client.ask("resources/read", {"uri": "kobana://kadu/tasks/t"}).error["code"] == -32603


def test_query_arguments_go_in_the_query(client: Client) -> None:
    came = client.call("kadu_executions_logs_list", {"id": "e", "limit": 3})
    assert json.loads(came.text)["result"]["limit"] == "3"


def test_a_path_argument_stays_in_its_place(client: Client) -> None:
    came = client.call("kadu_tasks_get", {"id": "a/../b?c#d"})
    assert json.loads(came.text)["result"]["path"] == "/v1/tasks/a%2F..%2Fb%3Fc%23d"
    assert client.call("kadu_tasks_get", {"id": ".."}).code == "NOT_FOUND"


def test_resources_are_listed_by_right(client: Client, world: World) -> None:
    fixed = everything(client, "resources/list", "resources")
    templates = everything(client, "resources/templates/list", "resourceTemplates")
    assert [one["uri"] for one in fixed] == ["kobana://kadu/me"]
    assert [one["uriTemplate"] for one in templates] == [
        "kobana://kadu/tasks/{id}",
        "kobana://kadu/executions/{id}/logs",
    ]
    world.permissions = []
    assert everything(client, "resources/templates/list", "resourceTemplates") == []
    for record in ("t", "missing"):
        error = client.ask("resources/read", {"uri": f"kobana://kadu/tasks/{record}"}).error
        assert (error["code"], error["data"]) == (-32602, {"code": "insufficient_permission"})


def test_a_resource_holds_what_its_tool_answers(client: Client) -> None:
    (content,) = client.ask("resources/read", {"uri": "kobana://kadu/tasks/t1"}).result["contents"]
    assert (content["uri"], content["mimeType"]) == ("kobana://kadu/tasks/t1", "application/json")
    by_tool = json.loads(client.call("kadu_tasks_get", {"id": "t1"}).text)["result"]
    assert json.loads(content["text"])["document"] == by_tool


@pytest.mark.parametrize(
    "uri",
    [
        "kobana://kadu/nothing",
        "kobana://dunning/me",
        "kobana://kadu/tasks/",
        "kobana://kadu/tasks",
        "kobana://kadu/tasks/missing",
        "kobana://kadu/tasks/%2e%2e",
        "kobana://kadu/tasks/a/b",
        "kobana://kadu/environments/e1",
        "kobana://kadu/tasks/" + "x" * 10_000,
        "",
    ],
)
def test_what_is_not_there_is_not_found_in_the_words_of_the_era(client: Client, uri: str) -> None:
    error = client.ask("resources/read", {"uri": uri}).error
    assert error["code"] == (-32602 if client.era == "2026" else -32002)
    assert "code" not in error["data"]


def test_the_time_is_the_upstreams(client: Client, world: World) -> None:
    world.wait(days=400)
    assert json.loads(client.call("server_time_get").text)["time"].startswith("2028-01-04T15:00:00")

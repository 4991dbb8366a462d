"""Approval by link: what a caller without forms is told, and when it is refused."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.strangers.conftest import ClientOf, Tenant
from tests.strangers.stub_api import StubApi, World, pending
from tests.strangers.wire import Came, Client

RUN = {"id": "task-1", "environment_id": "env-1", "urgent": True, "idempotency_key": "key 1"}
NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
READER = "kadu_operation_approvals_get"


@pytest.fixture
def world(api: StubApi) -> World:
    return api.world()


@pytest.fixture(params=["2025", "2026"])
def stubbed(request: pytest.FixtureRequest, client_of: ClientOf, world: World) -> Client:
    """A client without forms, the stub behind its server."""
    return client_of(world, era=request.param, capabilities={})


@pytest.fixture(params=["2025", "2026"])
def client(request: pytest.FixtureRequest, tenant: Tenant) -> Client:
    """A client without forms, the mock behind its server."""
    return formless(tenant.another(era=request.param))


@pytest.fixture
def run(tenant: Tenant) -> dict[str, Any]:
    """Arguments of kadu_tasks_run with records of the tenant."""
    records = tenant.world["records"]
    return {"id": records["tasks"][0]["id"], "environment_id": records["environments"][0]["id"]}


def formless(client: Client) -> Client:
    return replace(client, capabilities={})


def approval(came: Came) -> dict[str, Any]:
    """The approval of an answer that waits for one."""
    assert not came.result.get("isError"), came.result
    told = json.loads(came.text)
    assert told["status"] == "approval_required"
    found = told["approval"]
    assert isinstance(found, dict)
    return found


def stored(tenant: Tenant) -> list[dict[str, Any]]:
    """Every approval of the tenant, newest first."""
    answer = tenant.mock.control.get(f"{tenant.path}/records/operation_approvals").raise_for_status()
    records = answer.json()["records"]
    assert isinstance(records, list)
    return records


def read(client: Client, path: str) -> Any:
    (content,) = client.ask("resources/read", {"uri": f"kobana://kadu/{path}"}).result["contents"]
    return json.loads(content["text"])["document"]


def test_one_text_tells_all_of_it(tenant: Tenant, client: Client, run: dict[str, Any]) -> None:
    tenant.control("/clock", set="2026-11-30T15:00:00Z")
    came = client.call("kadu_tasks_run", run)
    (block,) = came.result["content"]
    assert block["type"] == "text"
    assert not {"structuredContent", "isError", "ttlMs", "inputRequests"} & set(came.result)
    told = json.loads(block["text"])
    assert set(told) == {"status", "approval", "message"}
    found = approval(came)
    (record,) = stored(tenant)
    assert found.pop("url") in told["message"]
    assert found == {
        "id": record["id"],
        "status": "pending",
        "expires_at": "2026-11-30T12:15:00.000000-03:00",
        "created_at": "2026-11-30T12:00:00.000000-03:00",
        "resource_uri": f"kobana://kadu/operation_approvals/{record['id']}",
        "check_with": {"tool": READER, "arguments": {"id": record["id"]}},
    }
    assert tenant.effects() == []


def test_what_is_stored_is_the_call(tenant: Tenant, client: Client, run: dict[str, Any]) -> None:
    client.call("kadu_tasks_run", run | {"idempotency_key": "key 1"})
    (record,) = stored(tenant)
    assert record["operation"] == "kadu_tasks_run"
    assert record["arguments"] == run | {"idempotency_key": "key 1"}


def test_calling_again_makes_another(tenant: Tenant, client: Client, run: dict[str, Any]) -> None:
    first, second = (approval(client.call("kadu_tasks_run", run)) for _ in range(2))
    assert first["id"] != second["id"]
    assert first["url"] != second["url"]
    assert len(stored(tenant)) == 2


def test_what_is_named_for_checking_reads(tenant: Tenant, client: Client, run: dict[str, Any]) -> None:
    found = approval(client.call("kadu_tasks_run", run))
    check = found["check_with"]

    def seen() -> list[Any]:
        by_tool = json.loads(client.call(check["tool"], check["arguments"]).text)["result"]
        assert by_tool == read(client, found["resource_uri"].removeprefix("kobana://kadu/"))
        return [by_tool["id"], by_tool["status"], by_tool["arguments"]]

    assert seen() == [found["id"], "pending", run]
    tenant.wait(901)
    assert seen() == [found["id"], "expired", run]


@pytest.mark.parametrize("lost", ["scope", "permission"])
def test_who_may_not_check_is_not_told_to(
    tenant: Tenant, client: Client, run: dict[str, Any], lost: str
) -> None:
    if lost == "scope":
        client = formless(tenant.another(era=client.era, without_scopes=["kadu/system_events"]))
    else:
        tenant.without_permission("agent.operation_approvals.read")
    found = approval(client.call("kadu_tasks_run", run))
    assert set(found) == {"id", "status", "url", "expires_at", "created_at", "resource_uri"}
    for uri in (found["resource_uri"], "kobana://kadu/operation_approvals"):
        error = client.ask("resources/read", {"uri": uri}).error
        assert (error["code"], error["data"]) == (-32602, {"code": "insufficient_permission"})
    assert client.call(READER, {"id": found["id"]}).code == "FORBIDDEN"


def test_the_list_is_ones_own_and_newest_first(tenant: Tenant, client: Client, run: dict[str, Any]) -> None:
    colleague = formless(tenant.another(era=client.era, person=tenant.world["people"][1]["id"]))
    theirs = approval(colleague.call("kadu_tasks_run", run))["id"]
    mine = []
    for _ in range(3):
        mine.append(approval(client.call("kadu_tasks_run", run))["id"])
        tenant.wait(60)
    listed = json.loads(client.call("kadu_operation_approvals_list").text)["result"]
    assert [one["id"] for one in listed["data"]] == mine[::-1]
    assert read(client, "operation_approvals") == listed
    assert client.call(READER, {"id": theirs}).code == "NOT_FOUND"
    error = client.ask("resources/read", {"uri": f"kobana://kadu/operation_approvals/{theirs}"}).error
    assert error["code"] == (-32602 if client.era == "2026" else -32002)
    assert "code" not in error["data"]


def test_without_a_person_nothing_is_stored(tenant: Tenant, client: Client, run: dict[str, Any]) -> None:
    nobody = formless(tenant.another(era=client.era, person=None))
    assert nobody.call("kadu_tasks_run", run).code == "confirmation_required"
    assert stored(tenant) == []
    assert not nobody.call("kadu_workspaces_create", {"name": "W"}).result.get("isError")


@pytest.mark.parametrize("kind", ["unavailable", "drop_response"])
def test_a_register_at_fault_refuses_this_and_nothing_else(
    tenant: Tenant, client: Client, run: dict[str, Any], kind: str
) -> None:
    tenant.control("/faults", operation="operation_approvals_create", kind=kind, times=1)
    assert client.call("kadu_tasks_run", run).code == "confirmation_unavailable"
    assert tenant.effects() == []
    assert approval(client.call("kadu_tasks_run", run))["status"] == "pending"


def test_what_could_not_run_is_not_stored(tenant: Tenant, client: Client, run: dict[str, Any]) -> None:
    missing = run | {"id": "00000000-0000-4000-8000-000000000000"}
    assert client.call("kadu_tasks_run", missing).code == "NOT_FOUND"
    assert client.call("kadu_tasks_run", {"id": run["id"], "more": 1}).code == "INVALID_ARGUMENTS"
    tenant.without_permission("agent.tasks.run")
    assert client.call("kadu_tasks_run", run).code == "FORBIDDEN"
    assert stored(tenant) == []


def test_a_webhook_waits_only_for_another_url(stubbed: Client, world: World) -> None:
    stubbed.call("kadu_webhooks_update", {"id": "hook", "active": False})
    stubbed.call("kadu_webhooks_update", {"id": "hook", "url": world.webhook_url})
    assert (len(world.changes), world.stored) == (2, [])
    other = {"id": "hook", "url": "https://new.example/hook"}
    approval(stubbed.call("kadu_webhooks_update", other))
    assert world.stored == [{"operation": "kadu_webhooks_update", "arguments": other}]
    assert len(world.changes) == 2


def test_an_id_is_one_segment_of_its_uri(stubbed: Client, world: World) -> None:
    found = approval(stubbed.call("kadu_tasks_run", RUN))
    assert (found["id"], found["resource_uri"]) == ("a/1", "kobana://kadu/operation_approvals/a%2F1")
    # this contract has no tool that reads approvals
    assert "check_with" not in found
    assert world.stored == [{"operation": "kadu_tasks_run", "arguments": RUN}]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "pending",
        pending(NOW, id=None),
        pending(NOW, id=7),
        pending(NOW, id=""),
        pending(NOW, status="executed"),
        pending(NOW, url=None),
        pending(NOW, url=""),
        pending(NOW, expires_at=None),
        pending(NOW, expires_at="soon"),
        pending(NOW, expires_at="2026-11-30T15:15:00"),
        pending(NOW, expires_at="0001-01-01T00:00:00Z"),
    ],
)
def test_an_answer_that_is_no_approval_is_none(stubbed: Client, world: World, answer: Any) -> None:
    world.approval = (201, answer)
    assert stubbed.call("kadu_tasks_run", RUN).code == "confirmation_unavailable"
    assert world.changes == []


def test_a_register_that_is_down_is_confirmation_unavailable(stubbed: Client, world: World) -> None:
    world.register_is_down = True
    assert stubbed.call("kadu_tasks_run", RUN).code == "confirmation_unavailable"
    assert not stubbed.call("kadu_workspaces_create", {"name": "W"}).result.get("isError")
    assert len(world.changes) == 1


@pytest.mark.parametrize(
    ("status", "code", "told"),
    [
        (403, "confirmation_required", "confirmation_required"),
        (403, "forbidden", "FORBIDDEN"),
        (404, "not_found", "NOT_FOUND"),
        (422, "unprocessable_entity", "UNPROCESSABLE_ENTITY"),
        (429, "too_many_requests", "confirmation_unavailable"),
        (500, "internal", "confirmation_unavailable"),
    ],
)
def test_what_the_register_refuses_is_told(
    stubbed: Client, world: World, status: int, code: str, told: str
) -> None:
    world.approval = (status, code)
    assert stubbed.call("kadu_tasks_run", RUN).code == told
    assert world.changes == []


def test_created_at_may_be_missing(stubbed: Client, world: World) -> None:
    world.approval = (201, pending(NOW, created_at=None))
    found = approval(stubbed.call("kadu_tasks_run", RUN))
    assert "created_at" not in found
    assert datetime.fromisoformat(found["expires_at"]) == NOW + timedelta(minutes=15)

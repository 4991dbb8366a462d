"""What the stranger suggests while somebody types."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.strangers.conftest import ClientOf, Tenant
from tests.strangers.stub_api import StubApi
from tests.strangers.test_offer import everything
from tests.strangers.wire import Came, Client

PROMPT_OF = {
    "execution_id": "explain_execution",
    "task_id": "check_task_readiness",
    "environment_id": "check_task_readiness",
    "month": "monthly_usage_report",
    "since": "review_failed_executions",
}
SOURCE_OF = {"execution_id": "executions", "task_id": "tasks", "environment_id": "environments"}


@pytest.fixture(params=["2025", "2026"])
def client(request: pytest.FixtureRequest, tenant: Tenant) -> Client:
    return tenant.another(era=request.param)


def completed(client: Client, ref: Any, argument: Any, typed: Any = "") -> Came:
    params = {"ref": ref, "argument": {"name": argument, "value": typed}}
    return client.ask("completion/complete", params)


def of_prompt(client: Client, argument: str, typed: str = "") -> list[str]:
    ref = {"type": "ref/prompt", "name": PROMPT_OF[argument]}
    return values(completed(client, ref, argument, typed))


def of_template(client: Client, path: str, typed: str = "") -> list[str]:
    return values(completed(client, {"type": "ref/resource", "uri": f"kobana://kadu/{path}"}, "id", typed))


def values(came: Came) -> list[str]:
    found = came.result["completion"]["values"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("argument", sorted(SOURCE_OF))
def test_ids_of_a_prompt_come_from_their_listing(tenant: Tenant, client: Client, argument: str) -> None:
    newest = tenant.newest(SOURCE_OF[argument])
    assert of_prompt(client, argument)[0] == newest
    assert newest in of_prompt(client, argument, newest[:4])
    assert newest in of_prompt(client, argument, newest[-6:])
    assert of_prompt(client, argument, newest.upper() + "!") == []


def test_every_template_is_completed_from_its_collection(tenant: Tenant, client: Client) -> None:
    templates = everything(client, "resources/templates/list", "resourceTemplates")
    paths = [one["uriTemplate"].removeprefix("kobana://kadu/") for one in templates]
    assert len(paths) == 11
    for path in paths:
        found = of_template(client, path)
        collection = path.split("/")[0]
        if collection == "operation_approvals":
            assert found == []
        else:
            assert found[0] == tenant.newest(collection)


def test_approvals_are_completed_from_ones_own(tenant: Tenant, client: Client) -> None:
    by_link = replace(tenant.another(), capabilities={})
    asked = []
    for _ in range(2):
        came = by_link.call(
            "kadu_webhooks_create", {"url": "https://new.example/hook", "events": ["execution.failed"]}
        )
        asked.append(json.loads(came.text)["approval"]["id"])
        tenant.wait(60)
    assert of_template(client, "operation_approvals/{id}") == asked[::-1]
    assert of_template(client, "operation_approvals/{id}", asked[0][3:20]) == [asked[0]]
    colleague = tenant.another(person=tenant.world["people"][1]["id"])
    assert of_template(colleague, "operation_approvals/{id}", asked[0]) == []
    blind = tenant.another(without_scopes=["kadu/system_events"])
    assert of_template(blind, "operation_approvals/{id}") == []


def test_what_begins_with_the_typed_comes_before_what_contains_it(tenant: Tenant, client: Client) -> None:
    tenant.control("/records/tasks", count=30)
    typed = tenant.newest("tasks")[0]
    found = of_prompt(client, "task_id", typed)
    begins = [value.startswith(typed) for value in found]
    assert begins == sorted(begins, reverse=True)
    assert False in begins
    assert all(typed in value for value in found)


def test_who_may_not_list_is_suggested_nothing(tenant: Tenant) -> None:
    client = tenant.another(scopes=[])
    assert all(of_prompt(client, argument) == [] for argument in SOURCE_OF)
    assert of_template(client, "memories/{id}") == []
    tenant.without_permission("agent.environments.read")
    assert of_template(tenant.client, "environments/{id}") == []
    assert of_prompt(tenant.client, "environment_id") == []
    # the prompt is hidden by now; the other listing is not
    assert of_prompt(tenant.client, "task_id") != []


def test_nothing_of_another_organization_is_suggested(tenant: Tenant, client: Client) -> None:
    created = tenant.mock.control.post("/_control/tenants", json={"seed": "the other one"})
    theirs = {record["id"] for record in created.raise_for_status().json()["records"]["tasks"]}
    for typed in ("", *theirs):
        assert theirs.isdisjoint(of_prompt(client, "task_id", typed))


@pytest.mark.parametrize(
    ("now", "first", "last"),
    [
        ("2026-11-30T15:00:00Z", "2025-11", "2026-10"),
        ("2026-03-31T15:00:00Z", "2025-03", "2026-02"),
        ("2027-01-01T15:00:00Z", "2026-01", "2026-12"),
        ("2027-01-01T02:59:59Z", "2025-12", "2026-11"),
    ],
)
def test_months_are_the_twelve_that_are_over(
    tenant: Tenant, client: Client, now: str, first: str, last: str
) -> None:
    tenant.control("/clock", set=now)
    found = of_prompt(client, "month")
    assert (len(set(found)), found[0], found[-1]) == (12, first, last)
    assert found == sorted(found)


def test_months_are_those_that_contain_what_was_typed(tenant: Tenant, client: Client) -> None:
    tenant.control("/clock", set="2026-11-30T15:00:00Z")
    assert of_prompt(client, "month", "2025") == ["2025-11", "2025-12"]
    assert of_prompt(client, "month", "-1") == ["2025-11", "2025-12", "2026-10"]
    assert of_prompt(client, "month", "x") == []


def test_a_hundred_at_most_and_only_what_is_known_is_said(tenant: Tenant, client: Client) -> None:
    ref = {"type": "ref/prompt", "name": "explain_execution"}
    few = completed(client, ref, "execution_id").result["completion"]
    assert (few["hasMore"], few["total"]) == (False, len(few["values"]))
    tenant.control("/records/executions", count=150)
    many = completed(client, ref, "execution_id").result["completion"]
    assert len(many["values"]) == 100
    assert (many["hasMore"], "total" in many) == (True, False)
    typed = completed(client, ref, "execution_id", many["values"][0][:3]).result["completion"]
    assert set(typed) == {"values"}
    assert many["values"][0] in typed["values"]


def test_since_has_no_source(client: Client) -> None:
    assert of_prompt(client, "since") == of_prompt(client, "since", "2026") == []


def test_a_listing_the_contract_lacks_suggests_nothing(api: StubApi, client_of: ClientOf) -> None:
    assert of_prompt(client_of(api.world()), "task_id") == []


@pytest.mark.parametrize("kind", ["unavailable", "drop_response"])
def test_a_listing_at_fault_suggests_nothing(tenant: Tenant, client: Client, kind: str) -> None:
    tenant.control("/faults", operation="kadu_tasks_list", kind=kind, times=1)
    assert of_prompt(client, "task_id") == []
    assert of_prompt(client, "task_id") != []


@pytest.mark.parametrize(
    ("ref", "argument", "typed"),
    [
        ({"type": "ref/prompt", "name": "explain_execution"}, "unheard_of", ""),
        ({"type": "ref/prompt", "name": "explain_execution"}, "task_id", ""),
        ({"type": "ref/prompt", "name": "no_such_prompt"}, "month", ""),
        ({"type": "ref/prompt", "name": 7}, "month", ""),
        ({"type": "ref/prompt"}, "month", ""),
        ({"type": "ref/resource", "uri": "kobana://kadu/tasks/{id}"}, "task_id", ""),
        ({"type": "ref/resource", "uri": "kobana://kadu/me"}, "id", ""),
        ({"type": "ref/resource", "uri": "kobana://kadu/files/{id}"}, "id", ""),
        ({"type": "ref/tool", "name": "kadu_tasks_get"}, "id", ""),
        ("explain_execution", "execution_id", ""),
        (None, "execution_id", ""),
        ({"type": "ref/prompt", "name": "explain_execution"}, "execution_id", 7),
        ({"type": "ref/prompt", "name": "explain_execution"}, "execution_id", None),
        ({"type": "ref/prompt", "name": "explain_execution"}, ["execution_id"], ""),
    ],
)
def test_what_nobody_knows_is_invalid(client: Client, ref: Any, argument: Any, typed: Any) -> None:
    assert completed(client, ref, argument, typed).error["code"] == -32602


def test_the_argument_and_the_context_are_objects(client: Client) -> None:
    ref = {"type": "ref/prompt", "name": "monthly_usage_report"}
    month = {"name": "month", "value": ""}
    assert client.ask("completion/complete", {"ref": ref}).error["code"] == -32602
    wrong = client.ask("completion/complete", {"ref": ref, "argument": month, "context": []})
    assert wrong.error["code"] == -32602
    context = {"arguments": {"month": "2026-10"}}
    right = client.ask("completion/complete", {"ref": ref, "argument": month, "context": context})
    assert len(values(right)) == 12


def test_suggesting_has_no_effect(tenant: Tenant, client: Client) -> None:
    of_prompt(client, "task_id")
    of_template(client, "schedules/{id}")
    assert tenant.effects() == []

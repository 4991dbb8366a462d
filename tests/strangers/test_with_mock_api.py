"""The stranger against the mock API of this project, as a program, through its control plane."""

import json
from typing import Any

import pytest

from tests.strangers.conftest import Tenant
from tests.strangers.test_confirmation import YES, is_question
from tests.strangers.wire import Client


@pytest.fixture
def run(tenant: Tenant) -> dict[str, Any]:
    """Arguments of kadu_tasks_run with records of the tenant."""
    records = tenant.world["records"]
    return {"id": records["tasks"][0]["id"], "environment_id": records["environments"][0]["id"]}


def test_a_yes_runs_exactly_that_call_once(tenant: Tenant, run: dict[str, Any]) -> None:
    asked = tenant.client.call("kadu_tasks_run", run)
    assert is_question(asked)
    assert tenant.effects() == []
    state = asked.result["requestState"]
    done = tenant.client.call("kadu_tasks_run", run, state=state, answers=YES)
    assert not done.result.get("isError"), done.result
    again = tenant.client.call("kadu_tasks_run", run, state=state, answers=YES)
    assert again.code == "confirmation_replayed"
    assert [(one["operation"], one["arguments"]) for one in tenant.effects()] == [("kadu_tasks_run", run)]


@pytest.mark.parametrize(("seconds", "asks"), [(299, False), (301, True)])
def test_the_tenants_clock_is_the_one_that_counts(
    tenant: Tenant, run: dict[str, Any], seconds: int, asks: bool
) -> None:
    state = tenant.client.call("kadu_tasks_run", run).result["requestState"]
    tenant.wait(seconds)
    came = tenant.client.call("kadu_tasks_run", run, state=state, answers=YES)
    assert (came.result["resultType"] == "input_required") is asks
    assert len(tenant.effects()) == (0 if asks else 1)


@pytest.mark.parametrize("kind", ["unavailable", "drop_response"])
def test_a_register_at_fault_is_confirmation_unavailable(
    tenant: Tenant, run: dict[str, Any], kind: str
) -> None:
    state = tenant.client.call("kadu_tasks_run", run).result["requestState"]
    fault = {"operation": "confirmations_create", "kind": kind, "times": 1}
    tenant.mock.control.post(f"{tenant.path}/faults", json=fault).raise_for_status()
    came = tenant.client.call("kadu_tasks_run", run, state=state, answers=YES)
    assert came.code == "confirmation_unavailable"
    assert tenant.effects() == []


def test_an_ordinary_write_runs_at_once_with_its_key_as_a_header(tenant: Tenant) -> None:
    came = tenant.client.call("kadu_workspaces_create", {"name": "Tesouraria", "idempotency_key": "a key"})
    assert json.loads(came.text)["name"] == "Tesouraria"
    (effect,) = tenant.effects()
    assert effect["headers"]["x-idempotency-key"] == "a key"
    assert effect["body"] == {"name": "Tesouraria"}


def test_every_listed_resource_reads_as_its_tool(tenant: Tenant) -> None:
    records = tenant.world["records"]
    pages = [tenant.client.ask("resources/templates/list", {})]
    while "nextCursor" in pages[-1].result:
        params = {"cursor": pages[-1].result["nextCursor"]}
        pages.append(tenant.client.ask("resources/templates/list", params))
    templates = [one["uriTemplate"] for page in pages for one in page.result["resourceTemplates"]]
    assert "kobana://kadu/tasks/{id}" in templates
    for template in templates:
        collection = template.split("/")[3]
        if not records.get(collection):
            assert collection == "operation_approvals"
            continue
        uri = template.replace("{id}", records[collection][0]["id"])
        (content,) = tenant.client.ask("resources/read", {"uri": uri}).result["contents"]
        assert records[collection][0]["id"] in content["text"]


def test_a_revoked_token_is_unauthorized(tenant: Tenant, run: dict[str, Any]) -> None:
    person = tenant.world["people"][0]["id"]
    created = tenant.mock.control.post(f"{tenant.path}/tokens", json={"person": person}).json()
    client = Client(tenant.client.http, tenant.mock.stranger, created["token"], "2025")
    assert client.ask("ping").result == {}
    tenant.mock.control.delete(f"{tenant.path}/tokens/{created['id']}").raise_for_status()
    assert client.ask("ping").http.status_code == 401

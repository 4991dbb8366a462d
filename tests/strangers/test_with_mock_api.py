"""The stranger against the mock API of this project, as a program, through its control plane."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.strangers.conftest import start, stop
from tests.strangers.test_confirmation import YES, is_question
from tests.strangers.wire import FORMS, Client


@dataclass(frozen=True)
class Mock:
    """The mock's control plane, and a stranger in front of the mock."""

    control: httpx.Client
    stranger: str


@dataclass(frozen=True)
class Tenant:
    """One tenant and the stranger as one of its people sees it."""

    mock: Mock
    path: str
    world: dict[str, Any]
    client: Client

    def effects(self) -> list[dict[str, Any]]:
        """Every business entry of the ledger that changed something."""
        entries = self.mock.control.get(f"{self.path}/ledger").json()["entries"]
        return [entry for entry in entries if entry["class"] == "business" and entry["effect"]]

    def wait(self, seconds: int) -> None:
        """Move the tenant's clock."""
        self.mock.control.post(f"{self.path}/clock", json={"advance": seconds}).raise_for_status()


@pytest.fixture(scope="session")
def mock() -> Iterator[Mock]:
    secret = secrets.token_urlsafe(16)
    command = [sys.executable, "-m", "mock_api", "--product", "kadu", "--host", "127.0.0.1"]
    command += ["--port", "0", "--control-port", "0", "--control-secret-file", "-"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(secret + "\n")
        process.stdin.flush()
        ready = json.loads(process.stdout.readline())
        stranger, url = start(ready["api_url"])
        headers = {"authorization": f"Bearer {secret}"}
        with httpx.Client(base_url=ready["control_url"], headers=headers, trust_env=False) as control:
            yield Mock(control, url)
        stop(stranger)
        process.stdin.close()
        process.wait(timeout=10)


@pytest.fixture
def tenant(mock: Mock, http: httpx.Client) -> Tenant:
    created = mock.control.post("/_control/tenants", json={"seed": secrets.token_hex(4)})
    world = created.raise_for_status().json()
    path = f"/_control/tenants/{world['id']}"
    wanted = {"person": world["people"][0]["id"], "scopes": world["scopes"]}
    token = mock.control.post(f"{path}/tokens", json=wanted).raise_for_status().json()["token"]
    return Tenant(mock, path, world, Client(http, mock.stranger, token, "2026", FORMS))


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

"""Approvals by link as the engine keeps them, whatever the product."""

import asyncio
import dataclasses
import importlib.util
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from mock_api import approvals
from mock_api.api import Api
from mock_api.approval_subjects import affected, digest, is_destructive
from mock_api.contract import load
from mock_api.tenants import Tenants

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
HERE = Path(__file__).parent
PERSON = {"id": "p", "name": "Pessoa", "email": "p@tiny.test"}
ROUTE = {
    "post": {
        "operationId": "operation_approvals_create",
        "x-tiny": {
            "scope": None,
            "permission": None,
            "access": "write",
            "tool": False,
            "collection": "operation_approvals",
            "does": "operation_approvals_create",
        },
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"type": "object", "required": ["operation", "arguments"]}}
            },
        },
        "responses": {"201": {"description": "stored", "content": {"application/json": {"schema": {}}}}},
    }
}


def _pending() -> dict[str, Any]:
    record, _ = approvals.pending("tiny_boxes_open", "Abrir", {}, PERSON, {"id": "c", "name": "C"}, "t", NOW)
    return record


@pytest.mark.parametrize(("seconds", "status"), [(899.999, "pending"), (900, "expired"), (901, "expired")])
def test_it_expires_after_exactly_fifteen_minutes(seconds: float, status: str) -> None:
    record = _pending()
    approvals.expire({approvals.COLLECTION: {record["id"]: record}}, NOW + timedelta(seconds=seconds), {})
    assert record["status"] == status


def test_what_is_being_decided_does_not_expire() -> None:
    record = _pending()
    records = {approvals.COLLECTION: {record["id"]: record}}
    approvals.expire(records, NOW + timedelta(days=1), {record["id"]})
    assert record["status"] == "pending"


@pytest.mark.parametrize("expires_at", [None, "amanhã", 7])
def test_one_without_a_time_that_can_be_read_never_expires(expires_at: Any) -> None:
    record = {**_pending(), "expires_at": expires_at}
    approvals.expire({approvals.COLLECTION: {record["id"]: record}}, NOW + timedelta(days=9), {})
    assert record["status"] == "pending"


def test_a_link_opens_its_own_approval_alone() -> None:
    made = [
        approvals.pending("tiny_boxes_open", "Abrir", {}, PERSON, {"id": "c", "name": "C"}, "t", NOW)
        for _ in range(3)
    ]
    records = {approvals.COLLECTION: {record["id"]: record for record, _ in made}}
    for record, link in made:
        assert approvals.by_link(records, link) is record
        assert approvals.by_link(records, link[:-1]) is None
        assert approvals.by_link(records, record["_link"]) is None


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Tenants:
    """The tiny product, with the register of approvals, and no words for its console."""
    spec = importlib.util.spec_from_file_location("tiny_with_approvals", HERE / "tiny_product.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    document = yaml.safe_load((HERE / "tiny.yaml").read_text(encoding="utf-8"))
    document["paths"]["/v1/operation_approvals"] = ROUTE
    path = tmp_path_factory.mktemp("contract") / "tiny.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return Tenants(dataclasses.replace(module.tiny("tiny"), contract=load(path, "tiny")))


def test_any_product_has_the_console(tenants: Tenants) -> None:
    tenant = tenants.create("mundo", NOW, [None])
    (person,) = tenant.people.values()
    token = tenants.issue(tenant, person.record["id"], tenants.product.contract.scopes, None)
    box = next(iter(tenant.records["boxes"]))

    async def main() -> None:
        transport = httpx.ASGITransport(app=Api(tenants))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            asked = {"operation": "tiny_boxes_open", "arguments": {"id": box}}
            bearer = {"authorization": f"Bearer {token.value}"}
            made = await http.post("/v1/operation_approvals", json=asked, headers=bearer)
            assert made.status_code == 201
            assert made.json()["title"] == "tiny_boxes_open"
            form = {"email": person.record["email"], "password": person.password}
            await http.post("/login", data=form)
            page = await http.get(made.json()["url"])
            assert page.status_code == 200
            assert "Tiny" in page.text
            assert box in page.text
            fields = dict(re.findall(r'name="(csrf|shown)" value="([^"]*)"', page.text))
            done = await http.post(f"{made.json()['url']}/continue", data=fields)
            assert done.status_code == 200
        assert tenant.records["boxes"][box]["open"] is True

    asyncio.run(main())


def test_what_is_affected_is_what_the_arguments_name(tenants: Tenants) -> None:
    contract = tenants.product.contract
    records: dict[str, dict[str, Any]] = {
        "boxes": {"b": {"id": "b", "name": "Caixa", "color": "red"}},
        "notes": {"n": {"id": "n", "title": "Nota"}},
        "activities": {"a": {"id": "a", "name": "Atividade"}},
    }
    operation = contract.operations["tiny_boxes_open"]
    flat = {"note_id": "n", "activity_id": "a", "id": "b", "other_id": "x", "box_id": "none", "text": "n"}
    shown = affected(contract, records, operation, flat)
    assert [(each.argument, each.collection, each.exists) for each in shown] == [
        ("id", "boxes", True),
        ("note_id", "notes", True),
        ("activity_id", "activities", True),
        ("box_id", "boxes", False),
    ]
    before = digest(shown)
    records["boxes"]["b"]["color"] = "blue"
    assert digest(affected(contract, records, operation, flat)) == before
    records["activities"]["a"]["name"] = "Outra"
    changed = digest(affected(contract, records, operation, flat))
    assert changed != before
    del records["boxes"]["b"]
    assert digest(affected(contract, records, operation, flat)) != changed


def test_destructive_is_what_the_contract_says(tenants: Tenants) -> None:
    operations = tenants.product.contract.operations
    assert is_destructive({}, operations["tiny_boxes_open"], {})
    assert not is_destructive({}, operations["tiny_boxes_update"], {"name": "x"})

"""The register of idempotency keys from within: what it keeps, and what frees a key."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from mock_api.calls import Outcome, Refusal
from mock_api.execution import Arguments, execute
from mock_api.idempotency import Idempotency, fingerprint
from mock_api.product import load_product
from mock_api.tenants import Caller, Tenant, Tenants

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
HEADERS = {"x-idempotency-key": "chave"}
CREATE = "kadu_workspaces_create"


@pytest.fixture(scope="module")
def product() -> Any:
    return load_product("kadu")


@pytest.fixture
def tenants(product: Any) -> Tenants:
    return Tenants(product)


@pytest.fixture
def tenant(tenants: Tenants) -> Tenant:
    return tenants.create("registro", NOW, [None])


@pytest.fixture
def caller(tenants: Tenants, tenant: Tenant) -> Caller:
    token = tenants.issue(tenant, next(iter(tenant.people)), tenants.product.contract.scopes, None)
    return tenant.caller(token)


def _ask(tenant: Tenant, caller: Caller, operation: str, **arguments: Any) -> Any:
    named = tenant.product.contract.operations[operation]
    return execute(tenant, caller, named, Arguments(headers=HEADERS, **arguments))


def _kept(tenant: Tenant) -> str:
    return repr(vars(tenant.idempotency))


def test_a_secret_shown_once_is_not_kept(tenant: Tenant, caller: Caller) -> None:
    webhook = next(iter(tenant.records["webhooks"]))
    first = asyncio.run(_ask(tenant, caller, "kadu_webhooks_rotate_secret", path={"id": webhook}))
    secret = first.body["signing_secret"]
    assert webhook in _kept(tenant)
    assert secret not in _kept(tenant)


def test_neither_an_internal_field_nor_a_value_asked_for_is_kept(tenant: Tenant, caller: Caller) -> None:
    webhook = tenant.records["webhooks"][next(iter(tenant.records["webhooks"]))]
    webhook["_signing_secret"] = "whsec_interno"
    asked = {"description": "Novo destino"}
    asyncio.run(_ask(tenant, caller, "kadu_webhooks_update", path={"id": webhook["id"]}, body=asked))
    assert "Novo destino" in _kept(tenant)
    assert "whsec_interno" not in _kept(tenant)
    secret = next(iter(tenant.records["secrets"]))
    value = {"value": "valor-em-claro"}
    arguments = Arguments(headers={"x-idempotency-key": "outra"}, path={"id": secret}, body=value)
    update = tenant.product.contract.operations["kadu_secrets_update"]
    asyncio.run(execute(tenant, caller, update, arguments))
    assert secret in _kept(tenant)
    assert "valor-em-claro" not in _kept(tenant)


def test_a_call_cut_off_while_it_is_held_frees_its_key(tenant: Tenant, caller: Caller) -> None:
    async def cut_off() -> Outcome:
        fault = tenant.faults.arm(CREATE, "hold", 1)
        held = asyncio.create_task(_ask(tenant, caller, CREATE, body={"name": "Cortada"}))
        while not fault.holding:
            await asyncio.sleep(0)
        with pytest.raises(Refusal, match="still running"):
            await _ask(tenant, caller, CREATE, body={"name": "Cortada"})
        held.cancel()
        with pytest.raises(asyncio.CancelledError):
            await held
        outcome: Outcome = await _ask(tenant, caller, CREATE, body={"name": "Outra"})
        return outcome

    assert asyncio.run(cut_off()).effect is True


def test_a_bug_of_ours_is_no_answer_to_keep(tenant: Tenant, caller: Caller) -> None:
    def broken(_call: Any) -> Outcome:
        raise ZeroDivisionError

    sound = tenant.product
    behaviours = {**sound.behaviours, sound.contract.operations[CREATE].does: broken}
    tenant.product = replace(sound, behaviours=behaviours)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(_ask(tenant, caller, CREATE, body={"name": "Quebrada"}))
    tenant.product = sound
    outcome = asyncio.run(_ask(tenant, caller, CREATE, body={"name": "Quebrada"}))
    assert (outcome.effect, outcome.replay) == (True, False)


def test_a_clock_moved_back_keeps_the_key() -> None:
    register, asked = Idempotency(), fingerprint("o", {}, {}, {})
    assert register.begin("k", asked, NOW) is None
    register.run("k", lambda: Outcome(201, {"id": "1"}, effect=True))
    register.end("k")
    again = register.begin("k", asked, NOW.replace(year=2000))
    assert again == Outcome(201, {"id": "1"}, effect=False, replay=True)


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        (("o", {"id": "1"}, {"a": 1, "b": 2}, {"x": {"c": 1, "d": 2}}),
         ("o", {"id": "1"}, {"b": 2, "a": 1}, {"x": {"d": 2, "c": 1}}), True),
        (("o", {}, {}, {}), ("p", {}, {}, {}), False),
        (("o", {"id": "1"}, {}, {}), ("o", {"id": "2"}, {}, {}), False),
        (("o", {}, {"a": 1}, {}), ("o", {}, {"a": 2}, {}), False),
        (("o", {}, {"a": 1}, {}), ("o", {}, {}, {"a": 1}), False),
        (("o", {}, {}, {"a": [1, 2]}), ("o", {}, {}, {"a": [2, 1]}), False),
        (("o", {}, {}, {"a": 1}), ("o", {}, {}, {"a": True}), False),
        (("o", {}, {}, {"a": None}), ("o", {}, {}, {}), False),
    ],
    ids=["order of keys", "operation", "path", "query", "place", "order of a list", "type", "null"],
)  # fmt: skip
def test_what_makes_two_requests_the_same(one: Any, two: Any, equal: bool) -> None:
    assert (fingerprint(*one) == fingerprint(*two)) is equal

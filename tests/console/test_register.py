"""Storing an operation until its person decides: what is taken, what is refused, what comes back."""

import asyncio
import re
import uuid
from typing import Any

import pytest

from mock_api.tenant_clock import parse

NOWHERE = "00000000-0000-4000-8000-000000000000"


async def _refused(desk: Any, operation: str, arguments: Any, token: Any = None) -> tuple[int, str]:
    body = {"operation": operation, "arguments": arguments}
    answer = await desk.api("POST", "/v1/operation_approvals", body, token)
    assert not desk.tenant.records.get("operation_approvals")
    return answer.status_code, answer.json()["errors"][0]["code"]


def test_an_operation_is_stored_and_nothing_runs(desk: Any) -> None:
    async def main() -> None:
        asked = {**desk.run_arguments, "idempotency_key": "chave"}
        made = await desk.ask("kadu_tasks_run", **asked)
        assert made["status"] == "pending"
        assert uuid.UUID(made["id"]).version == 4
        assert re.fullmatch(r"http://kadu\.exemplo/approvals/[A-Za-z0-9_-]{43}", made["url"])
        assert made["id"] not in made["url"]
        assert (parse(made["expires_at"]) - parse(made["created_at"])).total_seconds() == 900
        assert parse(made["created_at"]) == desk.tenant.clock.now()
        assert made["title"] == "Executar a tarefa"
        assert made["arguments"] == asked
        assert made["person"] == {name: desk.people[0][name] for name in ("id", "name", "email")}
        assert made["client"]["name"] == desk.token.client.name
        assert (made["result"], made["error"], made["decided_at"]) == (None, None, None)
        assert not any(name.startswith("_") for name in made)
        read = await desk.read(made)
        assert read == {name: value for name, value in made.items() if name != "url"}
        assert desk.effects() == 0
        (entry,) = desk.ledger("register")
        assert (entry["operation"], entry["effect"]) == ("operation_approvals_create", True)

    asyncio.run(main())


def test_the_link_itself_is_kept_nowhere(desk: Any) -> None:
    async def main() -> None:
        made = await desk.ask_run()
        assert made["url"].rpartition("/")[2] not in str(desk.tenant.records)
        assert made["url"].rpartition("/")[2] not in desk.tenant.ledger.after(0).decode()

    asyncio.run(main())


def test_asking_again_makes_another(desk: Any) -> None:
    async def main() -> None:
        first, second = await desk.ask_run(), await desk.ask_run()
        assert first["id"] != second["id"]
        assert first["url"] != second["url"]
        answer = await desk.api("GET", "/v1/operation_approvals")
        assert [each["id"] for each in answer.json()["data"]] == [second["id"], first["id"]]

    asyncio.run(main())


def test_each_holds_its_own_person_only(desk: Any) -> None:
    async def main() -> None:
        other = desk.issue(1)
        mine, theirs = await desk.ask_run(), await desk.ask_run(other)
        for token, own, hidden in ((desk.token, mine, theirs), (other, theirs, mine)):
            listed = (await desk.api("GET", "/v1/operation_approvals", token=token)).json()["data"]
            assert [each["id"] for each in listed] == [own["id"]]
            none = await desk.api("GET", f"/v1/operation_approvals/{NOWHERE}", token=token)
            answer = await desk.api("GET", f"/v1/operation_approvals/{hidden['id']}", token=token)
            assert (answer.status_code, answer.content) == (404, none.content)

    asyncio.run(main())


def test_a_token_without_a_person_is_told_so(desk: Any) -> None:
    told = _refused(desk, "kadu_tasks_run", desk.run_arguments, desk.issue(None))
    assert asyncio.run(told) == (403, "confirmation_required")


def test_scope_and_permission_are_those_of_the_operation(desk: Any) -> None:
    scopes = set(desk.tenants.product.contract.scopes) - {"kadu/tasks"}
    told = _refused(desk, "kadu_tasks_run", desk.run_arguments, desk.issue(scopes=scopes))
    assert asyncio.run(told) == (403, "forbidden")
    person = desk.tenant.people[desk.people[0]["id"]]
    person.permissions -= {"agent.tasks.run"}
    assert asyncio.run(_refused(desk, "kadu_tasks_run", desk.run_arguments)) == (403, "forbidden")


@pytest.mark.parametrize(
    ("operation", "change", "told"),
    [
        ("kadu_tasks_nothing", {}, (422, "unprocessable_entity")),
        ("confirmations_create", {}, (422, "unprocessable_entity")),
        ("operation_approvals_create", {}, (422, "unprocessable_entity")),
        ("kadu_tasks_get", {"environment_id": None}, (422, "unprocessable_entity")),
        ("kadu_tasks_run", {"environment_id": None}, (422, "unprocessable_entity")),
        ("kadu_tasks_run", {"environment_id": 7}, (422, "unprocessable_entity")),
        ("kadu_tasks_run", {"more": 1}, (422, "unprocessable_entity")),
        ("kadu_tasks_run", {"_hidden": 1}, (422, "unprocessable_entity")),
        ("kadu_tasks_run", {"id": None}, (422, "unprocessable_entity")),
        ("kadu_tasks_run", {"id": 7}, (404, "not_found")),
        ("kadu_tasks_run", {"id": NOWHERE}, (404, "not_found")),
        ("kadu_tasks_run", {"environment_id": NOWHERE}, (404, "not_found")),
        ("kadu_tasks_run", {"idempotency_key": ""}, (400, "bad_request")),
        ("kadu_tasks_run", {"idempotency_key": "k" * 256}, (400, "bad_request")),
        ("kadu_tasks_run", {"idempotency_key": "k\r\nx: y"}, (400, "bad_request")),
        ("kadu_tasks_delete", {}, (400, "bad_request")),
    ],
)
def test_what_a_direct_call_would_not_do_is_not_stored(
    desk: Any, operation: str, change: dict[str, Any], told: tuple[int, str]
) -> None:
    arguments = {**desk.run_arguments, **change}
    arguments = {name: value for name, value in arguments.items() if value is not None}
    assert asyncio.run(_refused(desk, operation, arguments)) == told


def test_a_webhook_asks_only_when_its_url_changes(desk: Any) -> None:
    hook = desk.newest("webhooks")
    for same in ({"active": False}, {"url": hook["url"]}):
        told = _refused(desk, "kadu_webhooks_update", {"id": hook["id"], **same})
        assert asyncio.run(told) == (422, "unprocessable_entity")
    made = asyncio.run(desk.ask("kadu_webhooks_update", id=hook["id"], url="https://outro.exemplo.com.br/"))
    assert made["status"] == "pending"


@pytest.mark.parametrize("operation", ["operation_approvals_create", "confirmations_create"])
def test_registers_can_be_down(desk: Any, operation: str) -> None:
    desk.tenant.faults.arm(operation, "unavailable", 1)
    path, body = {
        "operation_approvals_create": (
            "/v1/operation_approvals",
            {"operation": "kadu_tasks_run", "arguments": desk.run_arguments},
        ),
        "confirmations_create": (
            "/v1/confirmations",
            {"nonce": "n" * 16, "operation": "kadu_tasks_run", "expires_at": "2026-11-30T15:05:00Z"},
        ),
    }[operation]
    answers = [asyncio.run(desk.api("POST", path, body)).status_code for _ in range(2)]
    assert answers == [503, 201]


def test_no_route_of_the_api_decides(desk: Any) -> None:
    async def main() -> None:
        made = await desk.ask_run()
        link = made["url"].removeprefix("http://kadu.exemplo")
        paths = [f"/v1/operation_approvals/{made['id']}", link]
        paths += [f"{each}/{verb}" for each in paths for verb in ("continue", "cancel", "approve", "decide")]
        for path in paths:
            for method in ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "APPROVE"):
                answer = await desk.api(
                    method, path, None if method in ("GET", "HEAD") else {"decision": "yes"}
                )
                assert answer.status_code >= 400 or method in ("GET", "HEAD"), (method, path)
        assert (await desk.read(made))["status"] == "pending"
        assert desk.effects() == 0

    asyncio.run(main())

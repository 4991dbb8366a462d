"""The person's yes in the chat, branch by branch."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.strangers.conftest import ClientOf
from tests.strangers.stub_api import StubApi, World
from tests.strangers.wire import Came, Client

RUN = {"id": "task-1", "environment_id": "env-1", "urgent": True}
YES = {"run_decision": {"action": "accept", "content": {"decision": "Sim, executar"}}}


def is_question(came: Came) -> bool:
    """Whether a question came, with a state, and no caching hints."""
    result = came.result
    assert "ttlMs" not in result
    return result["resultType"] == "input_required" and isinstance(result["requestState"], str)


def confirmed(client: Client, tool: str, arguments: dict[str, Any], state: str) -> Came:
    return client.call(tool, arguments, state=state, answers=YES)


@pytest.fixture
def world(api: StubApi) -> World:
    return api.world()


@pytest.fixture
def client(client_of: ClientOf, world: World) -> Client:
    return client_of(world)


@pytest.fixture
def state(client: Client) -> str:
    return str(client.call("kadu_tasks_run", RUN).result["requestState"])


def test_the_question_shows_the_action_and_every_argument(client: Client, world: World) -> None:
    came = client.call("kadu_tasks_run", RUN)
    assert is_question(came)
    asked = came.result["inputRequests"]["run_decision"]
    assert asked["method"] == "elicitation/create"
    shown = asked["params"]["message"]
    assert all(part in shown for part in ("kadu_tasks_run", "Executar a tarefa", "task-1", "env-1", "true"))
    assert asked["params"]["requestedSchema"]["properties"]["decision"]["enum"] == ["Não", "Sim, executar"]
    assert world.changes == []


def test_a_yes_runs_once_with_the_arguments_shown(client: Client, world: World, state: str) -> None:
    came = confirmed(client, "kadu_tasks_run", RUN, state)
    assert came.result["resultType"] == "complete"
    assert not came.result.get("isError")
    assert world.changes == [
        ("POST", "/v1/tasks/task-1/run", {"environment_id": "env-1", "urgent": True}, None)
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "decline"},
        {"action": "cancel"},
        {"action": "accept", "content": {"decision": "Não"}},
    ],
)
def test_a_no_is_user_declined(client: Client, world: World, state: str, answer: dict[str, Any]) -> None:
    came = client.call("kadu_tasks_run", RUN, state=state, answers={"run_decision": answer})
    assert came.code == "USER_DECLINED"
    assert world.changes == []


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"run_decision": {"action": "accept"}},
        {"run_decision": {"action": "accept", "content": {"decision": True}}},
        {"run_decision": {"action": "accept", "content": {"confirm": "Sim, executar"}}},
        {"other": YES["run_decision"]},
    ],
)
def test_what_is_no_clear_yes_asks_again(client: Client, world: World, state: str, answers: Any) -> None:
    assert is_question(client.call("kadu_tasks_run", RUN, state=state, answers=answers))
    assert world.changes == []


@pytest.mark.parametrize("answers", [[], {"run_decision": []}, {"run_decision": {"action": "maybe"}}])
def test_a_malformed_answer_map_is_invalid_params(client: Client, state: str, answers: Any) -> None:
    assert client.call("kadu_tasks_run", RUN, state=state, answers=answers).error["code"] == -32602


def test_keys_nobody_asked_for_are_ignored(client: Client, world: World, state: str) -> None:
    answers = YES | {"extra": {"action": "decline"}}
    client.call("kadu_tasks_run", RUN, state=state, answers=answers)
    assert len(world.changes) == 1


@pytest.mark.parametrize(
    "changed",
    [
        RUN | {"id": "task-2"},
        RUN | {"urgent": False},
        RUN | {"idempotency_key": "k"},
        {"id": "task-1", "environment_id": "env-1"},
    ],
)
def test_other_arguments_ask_again_about_them(
    client: Client, world: World, state: str, changed: dict[str, Any]
) -> None:
    came = confirmed(client, "kadu_tasks_run", changed, state)
    assert is_question(came)
    assert world.changes == []
    confirmed(client, "kadu_tasks_run", changed, came.result["requestState"])
    assert len(world.changes) == 1


def test_the_order_of_arguments_does_not_count(client: Client, world: World, state: str) -> None:
    confirmed(client, "kadu_tasks_run", dict(reversed(RUN.items())), state)
    assert len(world.changes) == 1


def test_another_tool_asks_again(client: Client, world: World) -> None:
    state = client.call("kadu_tasks_delete", {"id": "task-1"}).result["requestState"]
    url = {"id": "task-1", "url": "https://new.example"}
    assert is_question(confirmed(client, "kadu_webhooks_update", url, state))
    assert world.changes == []


@pytest.mark.parametrize("other", [{"person": "person-2"}, {"organization": "organization-2"}])
def test_another_caller_asks_again(
    api: StubApi, client_of: ClientOf, state: str, other: dict[str, Any]
) -> None:
    stranger = api.world(**other)
    assert is_question(confirmed(client_of(stranger), "kadu_tasks_run", RUN, state))
    assert stranger.changes == []


def test_five_minutes_still_run(client: Client, world: World, state: str) -> None:
    world.wait(minutes=4, seconds=59)
    confirmed(client, "kadu_tasks_run", RUN, state)
    assert len(world.changes) == 1


def test_past_five_minutes_asks_again(client: Client, world: World, state: str) -> None:
    world.wait(minutes=5, seconds=1)
    assert is_question(confirmed(client, "kadu_tasks_run", RUN, state))
    assert world.changes == []


def test_states_that_are_none_ask_again(client: Client, world: World, state: str) -> None:
    for broken in ("", "x", state[:-8], "A" * 100_000, "not base64 é", state + "AAAA", state[::-1]):
        assert is_question(confirmed(client, "kadu_tasks_run", RUN, broken)), broken[:40]
    assert world.changes == []


def test_every_changed_byte_of_a_state_asks_again(client: Client, world: World, state: str) -> None:
    blob = base64.urlsafe_b64decode(state + "=" * (-len(state) % 4))
    for at in range(len(blob)):
        changed = blob[:at] + bytes([blob[at] ^ 1]) + blob[at + 1 :]
        broken = base64.urlsafe_b64encode(changed).rstrip(b"=").decode()
        assert is_question(confirmed(client, "kadu_tasks_run", RUN, broken)), at
    assert world.changes == []


def test_another_servers_state_asks_again(api: StubApi, client: Client, world: World) -> None:
    from tests.strangers.conftest import start, stop

    process, url = start(api.url)
    try:
        alien = Client(client.http, url, world.token, "2026", client.capabilities)
        state = alien.call("kadu_tasks_run", RUN).result["requestState"]
    finally:
        stop(process)
    assert is_question(confirmed(client, "kadu_tasks_run", RUN, state))


def test_a_confirmed_call_sent_again_is_replayed(
    client_of: ClientOf, client: Client, world: World, state: str
) -> None:
    confirmed(client, "kadu_tasks_run", RUN, state)
    world.wait(minutes=4)
    for replica in (0, 1):
        again = confirmed(client_of(world, replica=replica), "kadu_tasks_run", RUN, state)
        assert again.code == "confirmation_replayed"
    assert len(world.changes) == 1


def test_twenty_at_once_run_once(client: Client, world: World, state: str) -> None:
    with ThreadPoolExecutor(20) as pool:
        came = list(pool.map(lambda _: confirmed(client, "kadu_tasks_run", RUN, state), range(20)))
    assert len(world.changes) == 1
    assert [one.result.get("isError", False) for one in came].count(False) == 1


def test_to_repeat_one_asks_anew(client: Client, world: World, state: str) -> None:
    confirmed(client, "kadu_tasks_run", RUN, state)
    again = client.call("kadu_tasks_run", RUN)
    assert is_question(again)
    confirmed(client, "kadu_tasks_run", RUN, again.result["requestState"])
    assert len(world.changes) == 2


@pytest.mark.parametrize("lost", ["scopes", "permissions"])
def test_a_right_lost_in_between_stops_it(client: Client, world: World, state: str, lost: str) -> None:
    setattr(world, lost, [])
    assert confirmed(client, "kadu_tasks_run", RUN, state).code == "FORBIDDEN"
    assert world.changes == []


def test_a_token_revoked_in_between_is_unauthorized(client: Client, world: World, state: str) -> None:
    world.revoked = True
    assert confirmed(client, "kadu_tasks_run", RUN, state).http.status_code == 401
    assert world.changes == []


def test_a_register_that_is_down_is_confirmation_unavailable(
    client: Client, world: World, state: str
) -> None:
    world.register_is_down = True
    assert confirmed(client, "kadu_tasks_run", RUN, state).code == "confirmation_unavailable"
    assert world.changes == []
    world.register_is_down = False
    later = client.call("kadu_tasks_run", RUN).result["requestState"]
    confirmed(client, "kadu_tasks_run", RUN, later)
    assert len(world.changes) == 1


def test_a_token_without_a_person_is_confirmation_required(api: StubApi, client_of: ClientOf) -> None:
    world = api.world(person=None)
    assert client_of(world).call("kadu_tasks_run", RUN).code == "confirmation_required"
    assert world.changes == []


@pytest.mark.parametrize("capabilities", [{"elicitation": {}}, {"elicitation": {"form": {}, "url": {}}}])
def test_these_clients_show_forms(client_of: ClientOf, world: World, capabilities: Any) -> None:
    assert is_question(client_of(world, capabilities=capabilities).call("kadu_tasks_run", RUN))


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}])
def test_these_clients_show_none(client_of: ClientOf, world: World, capabilities: Any) -> None:
    came = client_of(world, capabilities=capabilities).call("kadu_tasks_run", RUN)
    assert json.loads(came.text)["status"] == "approval_required"
    assert world.changes == []


def test_2025_has_no_question(client_of: ClientOf, world: World, state: str) -> None:
    client = client_of(world, era="2025")
    for came in (client.call("kadu_tasks_run", RUN), confirmed(client, "kadu_tasks_run", RUN, state)):
        assert json.loads(came.text)["status"] == "approval_required"
    assert world.changes == []


def test_an_argument_is_no_yes(client: Client, world: World) -> None:
    assert client.call("kadu_tasks_run", RUN | {"decision": "Sim, executar"}).code == "INVALID_ARGUMENTS"
    assert world.changes == []


def test_a_webhook_asks_only_for_another_url(client: Client, world: World) -> None:
    same = {"id": "hook", "url": world.webhook_url}
    client.call("kadu_webhooks_update", {"id": "hook", "active": False})
    client.call("kadu_webhooks_update", same)
    assert len(world.changes) == 2
    other = {"id": "hook", "url": "https://new.example/hook"}
    came = client.call("kadu_webhooks_update", other)
    assert is_question(came)
    state = came.result["requestState"]
    confirmed(client, "kadu_webhooks_update", other, state)
    assert world.webhook_url == other["url"]
    assert confirmed(client, "kadu_webhooks_update", other, state).code == "confirmation_replayed"
    assert len(world.changes) == 3


def test_a_webhook_that_is_not_there_is_not_found(client: Client) -> None:
    came = client.call("kadu_webhooks_update", {"id": "missing", "url": "https://new.example/hook"})
    assert came.code == "NOT_FOUND"


def test_an_ordinary_write_ignores_a_stray_state(client: Client, world: World, state: str) -> None:
    came = client.call("kadu_workspaces_create", {"name": "W"}, state=state, answers=YES)
    assert not came.result.get("isError")
    assert len(world.changes) == 1

"""Confirmation in the chat: every way a call does not run, and the one way it does."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest

from .conftest import MakePeer, Peer, code
from .stub import Holder, StubUpstream, error

pytestmark = pytest.mark.anyio
RUN = {"id": "tasks-1", "environment_id": "environments-1"}
YES = {"confirmation": {"action": "accept", "content": {"confirm": True}}}


async def asked(
    peer: Peer, name: str = "kadu_tasks_run", arguments: Any = RUN, **rest: Any
) -> dict[str, Any]:
    """Call a tool that must ask; the question's result."""
    result = await peer.call(name, arguments, **rest)
    assert result["resultType"] == "input_required"
    assert "ttlMs" not in result
    assert "cacheScope" not in result
    return result


def message(result: dict[str, Any]) -> str:
    """What the person is asked."""
    return str(result["inputRequests"]["confirmation"]["params"]["message"])


async def test_first_call_asks_one_question_and_runs_nothing(
    connect: MakePeer, upstream: StubUpstream
) -> None:
    result = await asked(await connect(elicitation={}))
    (request,) = result["inputRequests"].values()
    assert request["method"] == "elicitation/create"
    assert request["params"]["mode"] == "form"
    schema = request["params"]["requestedSchema"]
    assert schema["required"] == ["confirm"]
    assert schema["properties"]["confirm"]["type"] == "boolean"
    assert upstream.effects() == []


async def test_question_names_the_action_and_every_argument(connect: MakePeer) -> None:
    arguments = {
        **RUN,
        "reference_date": "2026-10-30",
        "dry": False,
        "parameters": {"n": 7},
        "idempotency_key": "k-1",
    }
    text = message(await asked(await connect(elicitation={}), arguments=arguments))
    for shown in ("Executar a tarefa", "tasks-1", "environments-1", "2026-10-30", "false", "7", "k-1"):
        assert shown in text


async def test_two_tools_with_the_same_arguments_ask_differently(connect: MakePeer) -> None:
    peer = await connect(elicitation={})
    rotate = message(await asked(peer, "kadu_webhooks_rotate_secret", {"id": "x-1"}))
    assert rotate != message(await asked(peer, "kadu_tasks_delete", {"id": "x-1"}))


async def test_argument_cannot_break_its_line_or_hide(connect: MakePeer) -> None:
    arguments = {**RUN, "idempotency_key": "a", "parameters": {"x": "um\n- id: dois\u202e\u2028\x85"}}
    text = message(await asked(await connect(elicitation={}), arguments=arguments))
    assert len(text.splitlines()) == 2 + len(arguments)
    assert "\u202e" not in text
    assert "\\u202e" in text


async def test_explicit_yes_runs_once_as_asked(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={"form": {}})
    arguments = {**RUN, "idempotency_key": "k-1"}
    state = (await asked(peer, arguments=arguments))["requestState"]
    reordered = dict(reversed(arguments.items()))
    result = await peer.call("kadu_tasks_run", reordered, requestState=state, inputResponses=YES)
    assert not result["isError"]
    (effect,) = upstream.effects()
    assert (effect.method, effect.path) == ("POST", "/v1/tasks/tasks-1/run")
    assert effect.body == {"environment_id": "environments-1"}
    assert effect.headers["x-idempotency-key"] == "k-1"


async def test_register_comes_first_and_says_what_is_used(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES)
    written = [a for a in upstream.asked if a.method == "POST"]
    assert [a.path for a in written] == ["/v1/confirmations", "/v1/tasks/tasks-1/run"]
    assert written[0].body["operation"] == "kadu_tasks_run"
    assert written[0].body["expires_at"] == "2026-11-30T15:05:00Z"
    assert 16 <= len(written[0].body["nonce"]) <= 200


@pytest.mark.parametrize(
    "answer",
    [{"action": "decline"}, {"action": "cancel"}, {"action": "accept", "content": {"confirm": False}}],
    ids=["decline", "cancel", "no"],
)
async def test_refusal_is_user_declined(connect: MakePeer, upstream: StubUpstream, answer: Any) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    result = await peer.call(
        "kadu_tasks_run", RUN, requestState=state, inputResponses={"confirmation": answer}
    )
    assert code(result) == "USER_DECLINED"
    assert upstream.effects() == []
    assert upstream.nonces == set()


@pytest.mark.parametrize(
    "answers",
    [
        None,
        {},
        {"other": YES["confirmation"]},
        {"confirmation": {"action": "accept"}},
        {"confirmation": {"action": "accept", "content": {}}},
        {"confirmation": {"action": "accept", "content": {"confirm": "true"}}},
        {"confirmation": {"action": "accept", "content": {"confirm": 1}}},
        {"confirmation": {"action": "accept", "content": {"confirmation": True}}},
        {
            "confirmation": {"action": "decline", "content": {"confirm": True}, "x": 1},
            "y": YES["confirmation"],
        },
    ],
)
async def test_anything_but_an_explicit_yes_does_not_run(
    connect: MakePeer, upstream: StubUpstream, answers: Any
) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    rest = {} if answers is None else {"inputResponses": answers}
    result = await peer.call("kadu_tasks_run", RUN, requestState=state, **rest)
    assert result["resultType"] == "input_required" or code(result) == "USER_DECLINED"
    assert upstream.effects() == []


async def test_extra_answers_are_ignored(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    answers = {**YES, "another": {"action": "decline"}}
    assert code(await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=answers)) is None
    assert len(upstream.effects()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {**RUN, "id": "tasks-2"},
        {**RUN, "dry": True},
        {**RUN, "idempotency_key": "k-1"},
        {**RUN, "parameters": {"a": {"b": 1}}},
    ],
)
async def test_other_arguments_ask_again_about_the_new_call(
    connect: MakePeer, upstream: StubUpstream, arguments: Any
) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    again = await asked(peer, arguments=arguments, requestState=state, inputResponses=YES)
    assert upstream.effects() == []
    result = await peer.call(
        "kadu_tasks_run", arguments, requestState=again["requestState"], inputResponses=YES
    )
    assert code(result) is None
    assert len(upstream.effects()) == 1


async def test_other_tool_asks_again(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    same = {"id": "tasks-1"}
    state = (await asked(peer, "kadu_webhooks_rotate_secret", same))["requestState"]
    again = await asked(peer, "kadu_tasks_delete", same, requestState=state, inputResponses=YES)
    assert upstream.effects() == []
    await peer.call("kadu_tasks_delete", same, requestState=again["requestState"], inputResponses=YES)
    assert [a.method for a in upstream.effects()] == ["DELETE"]


@pytest.mark.parametrize("token", ["token-2", "token-other"], ids=["person", "organization"])
async def test_other_person_or_organization_asks_again(
    connect: MakePeer, upstream: StubUpstream, token: str
) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    peer.token = token
    again = await asked(peer, requestState=state, inputResponses=YES)
    assert upstream.effects() == []
    await peer.call("kadu_tasks_run", RUN, requestState=again["requestState"], inputResponses=YES)
    assert len(upstream.effects()) == 1


@pytest.mark.parametrize(("seconds", "runs"), [(299, True), (300, False), (301, False), (86400, False)])
async def test_five_minutes(connect: MakePeer, upstream: StubUpstream, seconds: int, runs: bool) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    upstream.now += timedelta(seconds=seconds)
    result = await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES)
    assert len(upstream.effects()) == (1 if runs else 0)
    assert (result["resultType"] == "input_required") is not runs


@pytest.mark.parametrize("spoil", ["", "x", "v1.", "v1.AAAA", "A" * 100_000, "v1." + "é" * 40])
async def test_foreign_state_asks_again(connect: MakePeer, upstream: StubUpstream, spoil: str) -> None:
    peer = await connect(elicitation={})
    await asked(peer, requestState=spoil, inputResponses=YES)
    assert upstream.effects() == []


async def test_truncated_or_changed_state_asks_again(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    swapped = {"A": "B"}
    for position in (4, 20, 60, len(state) - 2):
        other = swapped.get(state[position], "A")
        await asked(peer, requestState=state[:position] + other + state[position + 1 :], inputResponses=YES)
        await asked(peer, requestState=state[:position], inputResponses=YES)
    assert upstream.effects() == []


async def test_used_confirmation_is_replayed(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES)
    replica = await connect(elicitation={})
    for another in (peer, replica):
        result = await another.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES)
        assert code(result) == "confirmation_replayed"
    assert len(upstream.effects()) == 1
    again = await asked(peer)
    await peer.call("kadu_tasks_run", RUN, requestState=again["requestState"], inputResponses=YES)
    assert len(upstream.effects()) == 2


async def test_of_twenty_at_once_one_runs(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    peers = [Peer(peer.http, peer.shell, True, "token-1", {}) for _ in range(20)]
    results = await asyncio.gather(
        *(p.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES) for p in peers)
    )
    assert sorted(str(code(r)) for r in results) == ["None"] + ["confirmation_replayed"] * 19
    assert len(upstream.effects()) == 1


@pytest.mark.parametrize(
    "fault", [error(503, "unavailable"), (500, b"<html>"), (0, None), error(409, "conflict")]
)
async def test_unrecorded_confirmation_runs_nothing(
    connect: MakePeer, upstream: StubUpstream, fault: tuple[int, Any]
) -> None:
    peer = await connect(elicitation={})
    upstream.faults["/v1/confirmations"] = fault
    state = (await asked(peer))["requestState"]
    result = await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES)
    assert code(result) == "confirmation_unavailable"
    assert upstream.effects() == []
    assert code(await peer.call("kadu_tasks_get", {"id": "tasks-1"})) is None
    upstream.faults.clear()
    again = await asked(peer)
    await peer.call("kadu_tasks_run", RUN, requestState=again["requestState"], inputResponses=YES)
    assert len(upstream.effects()) == 1


def waiting(result: Any) -> dict[str, Any]:
    """What an answer tells that waits for an approval by link."""
    assert result.get("isError") is not True
    assert "structuredContent" not in result
    [block] = result["content"]
    told: dict[str, Any] = json.loads(block["text"])
    assert (told["status"], told["approval"]["status"]) == ("approval_required", "pending")
    return told["approval"]


@pytest.mark.parametrize("elicitation", [None, {"url": {}}])
async def test_without_forms_the_call_waits_for_a_link(
    connect: MakePeer, upstream: StubUpstream, elicitation: Any
) -> None:
    peer = await connect(elicitation=elicitation)
    approval = waiting(await peer.call("kadu_tasks_run", RUN))
    assert approval["resource_uri"] == f"kobana://kadu/operation_approvals/{approval['id']}"
    assert approval["check_with"] == {
        "tool": "kadu_operation_approvals_get",
        "arguments": {"id": approval["id"]},
    }
    state = (await asked(await connect(elicitation={})))["requestState"]
    waiting(await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES))
    assert upstream.effects() == []
    stored = [one for one in upstream.asked if one.path == "/v1/operation_approvals"]
    assert [one.body for one in stored] == [{"operation": "kadu_tasks_run", "arguments": RUN}] * 2


async def test_handshake_era_never_confirms_in_the_chat(connect: MakePeer, upstream: StubUpstream) -> None:
    state = (await asked(await connect(elicitation={})))["requestState"]
    peer = await connect(modern=False)
    waiting(await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES))
    assert upstream.effects() == []


@pytest.mark.parametrize("fault", [error(503, "unavailable"), (0, None), error(429, "too_many_requests")])
async def test_an_approval_that_cannot_be_stored_refuses_the_call(
    connect: MakePeer, upstream: StubUpstream, fault: Any
) -> None:
    peer = await connect(modern=False)
    upstream.faults["/v1/operation_approvals"] = fault
    assert code(await peer.call("kadu_tasks_run", RUN)) == "confirmation_unavailable"
    assert upstream.effects() == []
    upstream.faults.clear()
    waiting(await peer.call("kadu_tasks_run", RUN))


async def test_both_modes_are_forms(connect: MakePeer) -> None:
    await asked(await connect(elicitation={"form": {}, "url": {}}))


async def test_nobody_behind_the_token(connect: MakePeer, upstream: StubUpstream, modern: bool) -> None:
    peer = await connect(modern=modern, token="token-nobody", elicitation={})
    assert code(await peer.call("kadu_tasks_run", RUN)) == "confirmation_required"
    assert upstream.effects() == []


async def test_permission_lost_between_question_and_yes(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    state = (await asked(peer))["requestState"]
    upstream.holders["token-1"] = Holder(
        permissions=upstream.holders["token-1"].permissions - {"agent.tasks.run"}
    )
    result = await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES)
    assert code(result) == "FORBIDDEN"
    assert upstream.effects() == []


async def test_stray_state_on_an_ordinary_tool_is_ignored(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    arguments = {"id": "tasks-1", "name": "x"}
    declined = {"confirmation": {"action": "decline"}}
    result = await peer.call("kadu_tasks_update", arguments, requestState="stray", inputResponses=declined)
    assert code(result) is None
    assert len(upstream.effects()) == 1


UPDATE = {"id": "webhooks-1", "description": "novo"}


async def test_update_without_the_field_runs_at_once(
    connect: MakePeer, upstream: StubUpstream, modern: bool
) -> None:
    peer = await connect(modern=modern)
    for arguments in (UPDATE, {**UPDATE, "url": "https://example.com/hook"}):
        assert code(await peer.call("kadu_webhooks_update", arguments)) is None
    assert len(upstream.effects()) == 2


async def test_update_of_the_field_asks(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    arguments = {**UPDATE, "url": "https://example.com/other"}
    state = (await asked(peer, "kadu_webhooks_update", arguments))["requestState"]
    assert upstream.effects() == []
    await peer.call("kadu_webhooks_update", arguments, requestState=state, inputResponses=YES)
    assert len(upstream.effects()) == 1


async def test_update_of_no_record_is_not_found(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    result = await peer.call("kadu_webhooks_update", {"id": "none", "url": "https://example.com/x"})
    assert code(result) == "NOT_FOUND"
    assert upstream.effects() == []


async def test_update_of_what_cannot_be_read_asks(connect: MakePeer, upstream: StubUpstream) -> None:
    peer = await connect(elicitation={})
    same = {**UPDATE, "url": "https://example.com/hook"}
    upstream.faults["/v1/webhooks/webhooks-1"] = error(500, "internal")
    await asked(peer, "kadu_webhooks_update", same)
    upstream.faults.clear()
    upstream.holders["token-1"].permissions.discard("agent.webhooks.read")
    await asked(peer, "kadu_webhooks_update", same)
    assert upstream.effects() == []

"""Each mutant tells its lie, and the correct server beside it does not."""

import re
from datetime import timedelta

import pytest

from reference_server.engine.server import Parts
from reference_server.mutants import from_part, mutants

from .conftest import MakePeer, Peer
from .stub import StubUpstream

pytestmark = pytest.mark.anyio
RUN = {"id": "tasks-1", "environment_id": "environments-1"}
YES = {"confirmation": {"action": "accept", "content": {"confirm": True}}}
NO = {"confirmation": {"action": "accept", "content": {"confirm": False}}}
BY_NAME = {mutant.name: mutant for mutant in mutants()}


@pytest.fixture(params=[True, False], ids=["mutant", "correct"])
def lying(request: pytest.FixtureRequest) -> bool:
    """The mutant, then the correct server as its control."""
    return bool(request.param)


async def peer_of(connect: MakePeer, name: str, lying: bool) -> Peer:
    """A peer of the mutant, or of the correct server."""
    return await connect(elicitation={}, parts=BY_NAME[name].parts if lying else Parts())


async def state_of(peer: Peer) -> str:
    """The state of a fresh question."""
    return str((await peer.call("kadu_tasks_run", RUN))["requestState"])


async def test_names_rules_and_lies() -> None:
    assert [(m.name, m.rule) for m in mutants()] == [
        ("confirmation_never_expires", "KADU-CNF-10"),
        ("confirmation_replays", "KADU-CNF-12"),
        ("arguments_not_bound", "KADU-CNF-07"),
        ("person_not_bound", "KADU-CNF-08"),
        ("no_taken_as_yes", "KADU-CNF-05"),
    ]
    for mutant in mutants():
        assert re.fullmatch(r"[A-Z][^.\n]*\.", mutant.lie)
        assert mutant.parts != Parts()


async def test_a_class_that_is_no_part_is_refused() -> None:
    with pytest.raises(TypeError):
        from_part(int)


async def test_confirmation_never_expires(connect: MakePeer, upstream: StubUpstream, lying: bool) -> None:
    peer = await peer_of(connect, "confirmation_never_expires", lying)
    state = await state_of(peer)
    upstream.now += timedelta(days=1)
    await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES)
    assert len(upstream.effects()) == lying


async def test_confirmation_replays(connect: MakePeer, upstream: StubUpstream, lying: bool) -> None:
    peer = await peer_of(connect, "confirmation_replays", lying)
    state = await state_of(peer)
    for _ in range(2):
        await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES)
    assert len(upstream.effects()) == 1 + lying


async def test_arguments_not_bound(connect: MakePeer, upstream: StubUpstream, lying: bool) -> None:
    peer = await peer_of(connect, "arguments_not_bound", lying)
    state = await state_of(peer)
    await peer.call("kadu_tasks_run", {**RUN, "id": "tasks-2"}, requestState=state, inputResponses=YES)
    assert len(upstream.effects()) == lying


async def test_person_not_bound(connect: MakePeer, upstream: StubUpstream, lying: bool) -> None:
    peer = await peer_of(connect, "person_not_bound", lying)
    state = await state_of(peer)
    peer.token = "token-2"
    await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=YES)
    assert len(upstream.effects()) == lying


async def test_no_taken_as_yes(connect: MakePeer, upstream: StubUpstream, lying: bool) -> None:
    peer = await peer_of(connect, "no_taken_as_yes", lying)
    state = await state_of(peer)
    await peer.call("kadu_tasks_run", RUN, requestState=state, inputResponses=NO)
    assert len(upstream.effects()) == lying

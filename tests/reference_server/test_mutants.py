"""Each mutant tells its lie, and the correct server beside it does not."""

import re
from datetime import timedelta

import pytest

from reference_server.engine.http import Shell
from reference_server.engine.server import Parts
from reference_server.mutants import from_class, mutants
from reference_server.products.kadu import KADU

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


def rules(chapter: str, last: int, without: tuple[int, ...] = ()) -> set[str]:
    """The ids of a chapter's rules, those left out that only advise or that no lie can break here."""
    return {f"{chapter}-{number:02d}" for number in range(1, last + 1) if number not in without}


def test_every_rule_that_binds_has_a_mutant() -> None:
    wanted = rules("KADU-RES", 12) | rules("KADU-TLS", 2) | {"KADU-DST-03"} | rules("KADU-PRM", 8)
    wanted |= rules("KADU-CMP", 6) | rules("KADU-CNF", 17) | rules("MCP", 21, without=(9, 15))
    assert wanted <= {mutant.rule for mutant in mutants()}


def test_names_are_unique_and_lies_are_one_sentence() -> None:
    assert len(BY_NAME) == len(mutants())
    for mutant in mutants():
        assert re.fullmatch(r"[A-Z](?:[^.\n]|\.(?=\S))*\.", mutant.lie), mutant.name
        assert re.fullmatch(r"[a-z][a-z0-9_]*", mutant.name)


def test_each_mutant_differs_from_the_correct_server_in_one_place() -> None:
    for mutant in mutants():
        changes = [mutant.parts != Parts(), mutant.shell is not Shell, mutant.edit(KADU) != KADU]
        assert changes.count(True) == 1, mutant.name


def test_a_class_that_is_no_part_is_refused() -> None:
    with pytest.raises(TypeError, match="derives from no part"):
        from_class(int)


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

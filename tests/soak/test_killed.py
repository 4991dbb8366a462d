"""A mock with a state file, killed in the middle of many operations: each ran at most once, none is forgotten.

Two short rounds; with KADU_SOAK=1 twenty long ones. A round is repeated by its number.
"""

import asyncio
import os
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from .deeds import RUN, Decision, Deed, House, Mix, made_house
from .programs import SECRET, Person, Program, StartProgram, Upstream, mock_words

ROUNDS, OPERATIONS = (20, 500) if os.environ.get("KADU_SOAK") == "1" else (2, 150)
AGAIN = 0.2
"""How many of the acknowledged operations are asked for again."""
LAST_MOMENT = 0.004
"""In half of the rounds the kill comes within that many seconds after some answer, else at once."""
MAKES = {
    "workspaces": "kadu_workspaces_create",
    "executions": RUN,
    "webhooks": "kadu_webhooks_create",
    "operation_approvals": "operation_approvals_create",
}
"""Collection → the operation each new record of it comes from."""


@pytest.mark.parametrize("number", range(ROUNDS))
def test_each_ran_at_most_once_and_what_was_acknowledged_is_there(
    start: StartProgram, tmp_path: Path, number: int
) -> None:
    words, chance = mock_words(tmp_path / "estado"), Random(number)

    async def before(mock: Program) -> Mix:
        async with Upstream(mock.ready) as upstream, AsyncExitStack() as stack:
            mix = Mix(chance, [await made_house(upstream, f"casa {each}") for each in range(2)])
            people = await _inside(upstream, mix, stack)
            last = chance.randrange(OPERATIONS // 5, OPERATIONS * 4 // 5)

            def kill(acknowledged: int) -> None:
                if acknowledged == last:
                    loop = asyncio.get_running_loop()
                    later = chance.choice((0, chance.uniform(0, LAST_MOMENT)))
                    loop.call_later(later, mock.kill) if later else mock.kill()

            await mix.drive(upstream, people, OPERATIONS, kill)
            return mix

    async def after(mock: Program, mix: Mix) -> None:
        async with Upstream(mock.ready) as upstream, AsyncExitStack() as stack:
            for house in mix.houses:
                await _holds(upstream, mix, house)
            people = await _inside(upstream, mix, stack)
            for deed in mix.deeds:
                if deed.answer is None or chance.random() < AGAIN:
                    await _again(upstream, deed)
            for decision in mix.decisions:
                if decision.status is None or chance.random() < AGAIN:
                    await _decide_again(people[decision.house.id], decision)
            for house in mix.houses:
                await _holds(upstream, mix, house)

    first = start(words, SECRET + "\n")
    mix = asyncio.run(before(first))
    first.end()
    assert len(mix.deeds) + len(mix.decisions) < OPERATIONS
    assert any(each.answer is None for each in mix.deeds) or any(
        each.status is None for each in mix.decisions
    )
    asyncio.run(after(start(words, SECRET + "\n"), mix))


async def _inside(upstream: Upstream, mix: Mix, stack: AsyncExitStack) -> dict[str, Person]:
    """The owner of each house, logged in."""
    people = {each.id: await stack.enter_async_context(Person(upstream.api_url)) for each in mix.houses}
    for house in mix.houses:
        await people[house.id].enter(house.owner)
    return people


async def _holds(upstream: Upstream, mix: Mix, house: House) -> None:
    """Check all that is kept of a house against what was asked of it and acknowledged."""
    entries = await upstream.ledger(house.id)
    assert [each["seq"] for each in entries] == [*range(1, len(entries) + 1)]
    _direct(entries, [each for each in mix.deeds if each.house is house])
    approvals = {each["id"]: each for each in await upstream.records(house.id, "operation_approvals")}
    runs = Counter(each["approval"] for each in entries if each["approval"] is not None)
    for approval in approvals.values():
        # Run and decision are one: the operation ran, once, where the approval says so, and nowhere else.
        assert runs[approval["id"]] == (approval["status"] == "executed"), approval
        assert approval["status"] in ("pending", "executed", "declined"), approval
    for decision in mix.decisions:
        if decision.house is house and decision.status == 200:
            done = "executed" if decision.button == "continue" else "declined"
            assert approvals[decision.approval]["status"] == done
    effects = Counter(each["operation"] for each in entries if each["effect"])
    for collection, operation in MAKES.items():
        new = len(await upstream.records(house.id, collection)) - house.planted.get(collection, 0)
        assert new == effects[operation], collection


def _direct(entries: list[dict[str, Any]], deeds: list[Deed]) -> None:
    """Each direct call that was answered is in the ledger, and none of them had an effect twice."""
    told: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        told.setdefault(entry["headers"].get("x-deed", ""), []).append(entry)
    for deed in deeds:
        mine = told.get(str(deed.number), [])
        effects = [each["effect"] for each in mine].count(True)
        if deed.answer is not None:
            assert mine, deed
            assert (mine[0]["status"], mine[0]["effect"]) == (deed.answer.status, True)
        # An approval asked for once more is one more; all else takes effect once, however often it is asked.
        if deed.path == "/v1/operation_approvals":
            assert effects == len(mine)
        else:
            assert effects == (1 if mine else 0), deed


async def _again(upstream: Upstream, deed: Deed) -> None:
    first = deed.answer
    answer = await deed.do(upstream)
    if deed.path == "/v1/confirmations":
        assert answer.status == 409 if first is not None else answer.status in (201, 409)
        return
    assert answer.status == 201, answer.text
    if deed.key is None:
        return
    if first is not None:
        assert answer.headers.get("x-idempotent-replay") == "true"
        hidden = {"signing_secret": None} if "signing_secret" in first.json() else {}
        assert answer.json() == {**first.json(), **hidden}
    deed.answer = first or answer


async def _decide_again(person: Person, decision: Decision) -> None:
    screen = await person.open(decision.link)
    assert not (screen.offers and decision.status is not None)
    if screen.offers:
        decision.status = await person.press(screen, decision.button)
        assert decision.status == 200

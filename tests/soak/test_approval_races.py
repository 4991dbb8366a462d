"""Decisions raced against each other and the world through a mock's own process; KADU_SOAK=1 races more often."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from .programs import Person, Program, Screen, Upstream, path_of

ROUNDS = 200 if os.environ.get("KADU_SOAK") == "1" else 10
CROWD = 50
FEW = 5
LIFE = 900


@dataclass(frozen=True)
class Desk:
    """A tenant, a token that asks, and the person behind it, logged in."""

    upstream: Upstream
    tenant: str
    token: str
    person: Person
    run: dict[str, str]

    async def asked(self) -> tuple[str, Screen]:
        """A new approval: its id and its open page."""
        body = {"operation": "kadu_tasks_run", "arguments": self.run}
        made = (await self.upstream.api(self.token, "POST", "/v1/operation_approvals", body)).json()
        return made["id"], await self.person.open(path_of(made["url"]))

    async def outcome(self, approval: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The approval as it is now, and the entries of what it ran with effect."""
        read = (await self.upstream.api(self.token, "GET", f"/v1/operation_approvals/{approval}")).json()
        ledger = await self.upstream.ledger(self.tenant)
        return read, [each for each in ledger if each["approval"] == approval and each["effect"]]


@asynccontextmanager
async def desk(mock: Program) -> AsyncIterator[Desk]:
    async with Upstream(mock.ready) as upstream:
        world = await upstream.control("POST", "", {"seed": "corrida", "tokens": True})
        run = {
            "id": world["records"]["tasks"][0]["id"],
            "environment_id": world["records"]["environments"][0]["id"],
        }
        async with Person(upstream.api_url) as person:
            await person.enter(world["people"][0])
            yield Desk(upstream, world["id"], world["tokens"][0]["token"], person, run)


def test_of_fifty_continues_one_runs(mock: Program) -> None:
    async def main() -> None:
        async with desk(mock) as at:
            for _ in range(ROUNDS):
                approval, screen = await at.asked()
                came = await asyncio.gather(*(at.person.press(screen, "continue") for _ in range(CROWD)))
                assert Counter(came) == {200: 1, 409: CROWD - 1}
                read, runs = await at.outcome(approval)
                assert (read["status"], len(runs)) == ("executed", 1)

    asyncio.run(main())


def test_continue_and_cancel_at_once_agree(mock: Program) -> None:
    async def main() -> None:
        async with desk(mock) as at:
            for turn in range(ROUNDS):
                approval, screen = await at.asked()
                buttons = [("continue", "cancel")[(each + turn) % 2] for each in range(CROWD)]
                came = await asyncio.gather(*(at.person.press(screen, button) for button in buttons))
                assert Counter(came) == {200: 1, 409: CROWD - 1}
                decided = buttons[came.index(200)]
                read, runs = await at.outcome(approval)
                expected = ("executed", 1) if decided == "continue" else ("declined", 0)
                assert (read["status"], len(runs)) == expected

    asyncio.run(main())


def test_a_change_of_the_subject_is_before_or_after_a_continue(mock: Program) -> None:
    async def main() -> None:
        async with desk(mock) as at:
            for turn in range(ROUNDS):
                approval, screen = await at.asked()
                path, body = f"/v1/tasks/{at.run['id']}", {"instructions": f"Versão {turn}"}
                change = at.upstream.api(at.token, "PATCH", path, body, x_deed=f"change-{turn}")
                sends = [at.person.press(screen, "continue") for _ in range(FEW)]
                answers = await asyncio.gather(*([change, *sends] if turn % 2 else [*sends, change]))
                came = [each for each in answers if isinstance(each, int)]
                assert Counter(came) == {200: 1, 409: FEW - 1}
                read, runs = await at.outcome(approval)
                entries = await at.upstream.ledger(at.tenant)
                [changed] = [each for each in entries if each["headers"].get("x-deed") == f"change-{turn}"]
                assert changed["effect"]
                if read["status"] == "executed":
                    [run] = runs
                    assert run["seq"] < changed["seq"]
                else:
                    assert (read["status"], read["error"]["code"], runs) == ("failed", "subject_changed", [])

    asyncio.run(main())


def test_the_end_of_its_time_is_before_or_after_a_continue(mock: Program) -> None:
    async def main() -> None:
        async with desk(mock) as at:
            for turn in range(ROUNDS):
                approval, screen = await at.asked()
                passes = at.upstream.control("POST", f"/{at.tenant}/clock", {"advance": LIFE})
                sends = [at.person.press(screen, "continue") for _ in range(FEW)]
                await asyncio.gather(*([passes, *sends] if turn % 2 else [*sends, passes]))
                read, runs = await at.outcome(approval)
                if read["status"] == "executed":
                    [run] = runs
                    assert run["at"] < read["expires_at"]
                else:
                    assert (read["status"], runs) == ("expired", [])

    asyncio.run(main())

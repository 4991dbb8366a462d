"""A mix of operations against a mock that may be killed at any moment, and what came of each."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from .programs import Person, Upstream, path_of
from .wire import Answer, NoAnswer

RUN = "kadu_tasks_run"
IN_FLIGHT = 16


@dataclass(frozen=True)
class House:
    """A tenant as it was made; `run` are the arguments with which its task runs."""

    id: str
    token: str
    owner: dict[str, str]
    run: dict[str, str]
    planted: dict[str, int]


@dataclass
class Deed:
    """One request to the API of a house, which carries its number; `answer` is None while none came."""

    number: int
    house: House
    path: str
    body: dict[str, Any]
    key: str | None = None
    answer: Answer | None = None

    async def do(self, upstream: Upstream) -> Answer:
        """Ask once, whatever came before. Raises NoAnswer."""
        headers = {"x_deed": str(self.number)} | ({} if self.key is None else {"x_idempotency_key": self.key})
        return await upstream.api(self.house.token, "POST", self.path, self.body, **headers)


@dataclass
class Decision:
    """A button pressed on the page of an approval; `status` is None while no answer came."""

    house: House
    approval: str
    link: str
    button: str
    status: int | None = None


@dataclass
class Mix:
    """What was asked of the mock, and by whom."""

    chance: Random
    houses: list[House]
    deeds: list[Deed] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    acknowledged: int = 0

    def deed(self) -> Deed:
        """One more: an approval asked, a confirmation registered, or an operation with a key."""
        number, house = len(self.deeds), self.chance.choice(self.houses)
        kind = self.chance.choices(("ask", "confirm", "create", "run", "webhook"), (6, 4, 4, 4, 2))[0]
        if kind == "ask":
            made = Deed(number, house, "/v1/operation_approvals", {"operation": RUN, "arguments": house.run})
        elif kind == "confirm":
            nonce = {
                "nonce": f"confirmação {number:08}",
                "operation": RUN,
                "expires_at": "2031-01-01T00:00:00Z",
            }
            made = Deed(number, house, "/v1/confirmations", nonce)
        elif kind == "create":
            made = Deed(number, house, "/v1/workspaces", {"name": f"Área {number}"}, f"k{number}")
        elif kind == "run":
            body = {name: value for name, value in house.run.items() if name != "id"}
            made = Deed(number, house, f"/v1/tasks/{house.run['id']}/run", body, f"k{number}")
        else:
            body = {"url": f"https://erp.exemplo/{number}", "events": ["execution.failed"]}
            made = Deed(number, house, "/v1/webhooks", body, f"k{number}")
        self.deeds.append(made)
        return made

    async def drive(
        self, upstream: Upstream, people: dict[str, Person], operations: int, kill: Callable[[int], None]
    ) -> None:
        """Do so many operations, many at a time, until they are done or no answer comes.

        `kill` is told after each answer how many there were.
        """
        left = deque(range(operations))

        async def told(asked: Awaitable[Any]) -> Any:
            answer = await asked
            self.acknowledged += 1
            kill(self.acknowledged)
            return answer

        async def work() -> None:
            while left:
                left.popleft()
                deed = self.deed()
                deed.answer = await told(deed.do(upstream))
                assert deed.answer is not None
                assert deed.answer.status == 201, deed.answer.text
                button = self.chance.choice(("continue", "continue", "cancel", None))
                if deed.path != "/v1/operation_approvals" or button is None or not left:
                    continue
                left.popleft()
                made = deed.answer.json()
                person = people[deed.house.id]
                screen = await person.open(path_of(made["url"]))
                decision = Decision(deed.house, made["id"], screen.link, button)
                self.decisions.append(decision)
                decision.status = await told(person.press(screen, button))

        async def until_it_ends() -> None:
            try:
                await work()
            except NoAnswer:
                left.clear()

        await asyncio.gather(*(until_it_ends() for _ in range(IN_FLIGHT)))


async def made_house(upstream: Upstream, seed: str) -> House:
    """A new tenant."""
    world = await upstream.control("POST", "", {"seed": seed, "tokens": True})
    records = world["records"]
    return House(
        world["id"],
        world["tokens"][0]["token"],
        world["people"][0],
        {"id": records["tasks"][0]["id"], "environment_id": records["environments"][0]["id"]},
        {
            name: len(records[name])
            for name in ("workspaces", "executions", "webhooks", "operation_approvals")
            if name in records
        },
    )

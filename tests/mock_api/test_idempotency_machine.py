"""The registers of the mock against a model of a few lines: keys, confirmations, time, organizations, holds.

Short by default, and a failure is told as it was found; with KADU_SOAK=1 it goes on for minutes, and looks for the
shortest way to what it found.
"""

import asyncio
import json
import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mock_api.api import Api
from mock_api.product import Product, load_product
from mock_api.tenants import Tenant, Tenants

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
SECOND = 1_000
DAY = 86_400 * SECOND
"""In milliseconds, as all times of the model."""
SOAK = os.environ.get("KADU_SOAK") == "1"
EXAMPLES, STEPS = (1_500, 60) if SOAK else (80, 40)
PHASES = (Phase.generate, Phase.shrink) if SOAK else (Phase.generate,)


@dataclass(frozen=True)
class Ask:
    """A request, and what it comes to when it runs."""

    operation: str
    method: str
    path: str
    body: Any
    status: int
    secret: bool = False

    @property
    def effect(self) -> bool:
        return self.status < 400


NOWHERE = "2f1c8f7e-5d3a-4b0e-9c61-7a2f4e8b1d90"
ASKS = (
    Ask("kadu_workspaces_create", "POST", "/v1/workspaces", {"name": "A"}, 201),
    Ask("kadu_workspaces_create", "POST", "/v1/workspaces", {"name": "B"}, 201),
    Ask("kadu_workspaces_update", "PATCH", "/v1/workspaces/{workspaces}", {"name": "A"}, 200),
    Ask("kadu_workspaces_update", "PATCH", f"/v1/workspaces/{NOWHERE}", {"name": "A"}, 404),
    Ask("kadu_webhooks_rotate_secret", "POST", "/v1/webhooks/{webhooks}/rotate_secret", None, 200, True),
)
CODES = {404: "not_found", 403: "forbidden", 422: "unprocessable_entity", 503: "unavailable"}
HOLDABLE = sorted({ask.operation for ask in ASKS})
WHO = ("ana", "bruno", "without scopes", "nobody")

keys = st.sampled_from(["k", "K", None])
houses = st.integers(0, 1)
who = st.sampled_from(WHO)
asks = st.sampled_from(ASKS)
nonces = st.sampled_from(["n" * 16, "n" * 17])
moves = st.sampled_from([1, 60 * SECOND, DAY // 2, DAY - 1, DAY, DAY + 60 * SECOND, -3600 * SECOND])


@dataclass
class First:
    """Of the model: the first call of a key. `answer` is what a replay gives, None while it runs."""

    ask: Ask
    at: int
    answer: Any = None


@dataclass(repr=False)
class House:
    """An organization, and what the model knows of it: `told` is the ledger as it should be."""

    tenant: Tenant
    tokens: dict[str, str]
    now: int = 0
    first: dict[str, First] = field(default_factory=dict)
    nonces: set[str] = field(default_factory=set)
    holds: dict[str, Any] = field(default_factory=dict)
    held: list[tuple[Ask, str | None, Any]] = field(default_factory=list)
    told: list[tuple[int, str | None, bool, bool]] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    made: int = 0

    def path(self, ask: Ask) -> str:
        return ask.path.format(
            **{name: next(iter(self.tenant.records[name])) for name in ("workspaces", "webhooks")}
        )


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: Any

    @property
    def code(self) -> str | None:
        return self.body["errors"][0]["code"] if self.status >= 400 else None

    @property
    def replay(self) -> bool:
        return self.headers.get("x-idempotent-replay") == "true"


@cache
def kadu() -> Product:
    return load_product("kadu")


class Registers(RuleBasedStateMachine):
    """Two organizations with equal ids, so that nothing but the organization tells their calls apart."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        tenants = Tenants(kadu())
        self.api = Api(tenants, check_answers=True)
        self.houses = [self._house(tenants) for _ in range(2)]

    def _house(self, tenants: Tenants) -> House:
        tenant, every = tenants.create("máquina", NOW, [None, None]), kadu().contract.scopes
        ana, bruno = tenant.people
        behind = dict(zip(WHO, ((ana, every), (bruno, every), (ana, ()), (None, every)), strict=True))
        tokens = {name: tenants.issue(tenant, *each, None).value for name, each in behind.items()}
        return House(tenant, tokens)

    def teardown(self) -> None:
        # Closing ends what is still held.
        self.runner.close()

    @rule(at=houses, who=who, key=keys, ask=asks)
    def call(self, at: int, who: str, key: str | None, ask: Ask) -> None:
        house = self.houses[at]
        self._call(house, who, key, ask, dropping=False)

    @precondition(lambda self: any(house.first for house in self.houses))
    @rule(data=st.data(), who=who)
    def call_again(self, data: Any, who: str) -> None:
        house, key = self._known(data)
        self._call(house, who, key, house.first[key].ask, dropping=False)

    @precondition(lambda self: any(house.first for house in self.houses))
    @rule(data=st.data(), short=st.sampled_from([0, 1, 60 * SECOND]))
    def key_comes_of_age(self, data: Any, short: int) -> None:
        """At 24 hours it is gone, a millisecond before it is not."""
        house, key = self._known(data)
        self.time_moves(self.houses.index(house), house.first[key].at + DAY - short - house.now)
        self._call(house, "bruno", key, house.first[key].ask, dropping=False)

    @rule(at=houses, key=keys, ask=asks)
    def answer_is_lost(self, at: int, key: str | None, ask: Ask) -> None:
        house = self.houses[at]
        fault = house.tenant.faults.arm(ask.operation, "drop_response", 1)
        self._call(house, "ana", key, ask, dropping=True)
        house.tenant.faults.disarm(fault.id)

    @rule(at=houses, who=who, key=keys, ask=asks, unavailable=st.booleans())
    def call_is_refused(self, at: int, who: str, key: str | None, ask: Ask, unavailable: bool) -> None:
        house = self.houses[at]
        if unavailable:
            house.tenant.faults.arm(ask.operation, "unavailable", 1)
            answer = self._answered(self._ask(house, who, key, ask.method, house.path(ask), ask.body))
            self._is(house, answer, 503)
        else:
            answer = self._answered(self._ask(house, who, key, "POST", "/v1/workspaces", {"name": 7}))
            self._is(house, answer, 403 if who == "without scopes" else 422)

    @rule(at=houses, who=who, nonce=nonces)
    def confirmation_is_used(self, at: int, who: str, nonce: str) -> None:
        house = self.houses[at]
        body = {"nonce": nonce, "operation": "kadu_tasks_run", "expires_at": "2026-11-30T15:05:00Z"}
        answer = self._answered(self._ask(house, who, "k", "POST", "/v1/confirmations", body))
        if who == "nobody":
            self._is(house, answer, 403)
        elif nonce in house.nonces:
            self._is(house, answer, 409, "confirmation_replayed")
        else:
            house.nonces.add(nonce)
            self._is(house, answer, 201, effect=True)

    @rule(at=houses, by=moves)
    def time_moves(self, at: int, by: int) -> None:
        self.houses[at].tenant.clock.advance(by / SECOND)
        self.houses[at].now += by

    @rule(at=houses, operation=st.sampled_from(HOLDABLE))
    def hold(self, at: int, operation: str) -> None:
        house = self.houses[at]
        if operation not in house.holds:
            house.holds[operation] = house.tenant.faults.arm(operation, "hold", None)

    @precondition(lambda self: any(house.holds for house in self.houses))
    @rule(data=st.data())
    def let_go(self, data: Any) -> None:
        armed = [(at, held) for at, house in enumerate(self.houses) for held in sorted(house.holds)]
        at, operation = data.draw(st.sampled_from(armed), label="house and operation")
        self._let_go(self.houses[at], operation)

    @invariant()
    def it_is_as_in_the_model(self) -> None:
        planted = len(kadu_workspaces())
        for house in self.houses:
            entries = json.loads(house.tenant.ledger.after(0))
            told = [(each["status"], each["code"], each["effect"], each["replay"]) for each in entries]
            assert told == house.told
            assert len(house.tenant.records["workspaces"]) == planted + house.made
            kept = repr(vars(house.tenant.idempotency))
            assert not [secret for secret in house.secrets if secret in kept]

    def _known(self, data: Any) -> tuple[House, str]:
        """A key that was used, and where."""
        known = [(at, key) for at, house in enumerate(self.houses) for key in sorted(house.first)]
        at, key = data.draw(st.sampled_from(known), label="house and key")
        return self.houses[at], key

    def _call(self, house: House, who: str, key: str | None, ask: Ask, *, dropping: bool) -> None:
        task = self._ask(house, who, key, ask.method, house.path(ask), ask.body)
        if who == "without scopes":
            self._is(house, self._answered(task), 403)
            return
        first = house.first.get(key) if key is not None else None
        if first is not None and first.answer is not None and house.now - first.at >= DAY:
            first = None
        if first is None:
            if key is not None:
                house.first[key] = First(ask, house.now)
            if ask.operation in house.holds:
                assert not task.done()
                house.held.append((ask, key, task))
            else:
                self._ran(house, ask, key, task, lost=dropping and ask.effect)
        elif first.ask != ask:
            self._is(house, self._answered(task), 409, "idempotency_key_reused")
        elif first.answer is None:
            answer = self._answered(task)
            self._is(house, answer, 409, "idempotency_request_in_progress")
            assert answer.headers["retry-after"] == "2"
        else:
            status, body = first.answer
            code = CODES.get(status)
            house.told.append((status, code, False, True))
            if dropping and ask.effect:
                assert task.result() is None
            else:
                answer = self._answered(task)
                assert (answer.status, answer.body, answer.replay) == (status, body, True)

    def _ran(self, house: House, ask: Ask, key: str | None, task: Any, *, lost: bool = False) -> None:
        """What ran and was answered is in the ledger, and is what its key replays."""
        house.made += ask.method == "POST" and ask.status == 201
        if lost:
            house.told.append((ask.status, None, True, False))
            assert task.result() is None
            if key is not None:
                # Nobody saw the answer: what it was is what one replay of it gives, and all further ones.
                again = self._answered(self._ask(house, "bruno", key, ask.method, house.path(ask), ask.body))
                assert (again.status, again.replay) == (ask.status, True)
                assert not ask.secret or again.body["signing_secret"] is None
                house.told.append((ask.status, None, False, True))
                house.first[key].answer = (again.status, again.body)
            return
        answer = self._answered(task)
        self._is(house, answer, ask.status, effect=ask.effect)
        body = answer.body
        if ask.secret:
            assert body["signing_secret"].startswith("whsec_")
            house.secrets.append(body["signing_secret"])
            body = {**body, "signing_secret": None}
        if key is not None:
            house.first[key].answer = (answer.status, body)

    def _let_go(self, house: House, operation: str) -> None:
        house.tenant.faults.disarm(house.holds.pop(operation).id)
        self._settle()
        waiting = [each for each in house.held if each[0].operation == operation]
        house.held = [each for each in house.held if each not in waiting]
        for ask, key, task in waiting:
            self._ran(house, ask, key, task)

    @staticmethod
    def _is(
        house: House, answer: Answer, status: int, code: str | None = None, *, effect: bool = False
    ) -> None:
        """The answer is this one, no replay, and belongs into the ledger so."""
        code = code or CODES.get(status)
        assert (answer.status, answer.code, answer.replay) == (status, code, False)
        house.told.append((status, code, effect, False))

    @staticmethod
    def _answered(task: Any) -> Answer:
        assert task.done()
        answer = task.result()
        assert isinstance(answer, Answer)
        return answer

    def _ask(self, house: House, who: str, key: str | None, method: str, path: str, body: Any) -> Any:
        """Begin a request and go on until it is answered, or held."""
        asked = _exchange(self.api, house.tokens[who], key, method, path, body)
        task = self.runner.get_loop().create_task(asked)
        self._settle()
        return task

    def _settle(self) -> None:
        async def turns() -> None:
            for _ in range(4):
                await asyncio.sleep(0)

        self.runner.run(turns())


@cache
def kadu_workspaces() -> tuple[str, ...]:
    """The workspaces that a tenant of the machine starts with."""
    return tuple(Tenants(kadu()).create("máquina", NOW, [None, None]).records["workspaces"])


async def _exchange(
    api: Api, token: str, key: str | None, method: str, path: str, body: Any
) -> Answer | None:
    """One request to the app itself; None where no answer comes."""
    headers = [(b"authorization", f"Bearer {token}".encode())]
    if key is not None:
        headers.append((b"x-idempotency-key", key.encode()))
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"" if body is None else json.dumps(body).encode()}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": headers}
    await api(scope, receive, send)
    if not sent:
        return None
    start, content = sent
    told = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], told, json.loads(content["body"]))


Registers.TestCase.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    database=None,
    phases=PHASES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestRegisters = Registers.TestCase

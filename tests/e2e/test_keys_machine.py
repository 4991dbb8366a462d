"""The register of keys as a whole server shows it through MCP, against a small model of the documents."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from harness.checks.questions import read_question
from harness.checks.results import codes_of, is_error_result, is_question, is_success, parse_json, texts
from harness.exchanges import Exchange
from harness.settings import Settings
from harness.world import World, open_world

from .programs import judged

SOAK = "KADU_SOAK" in os.environ
LIFE = timedelta(hours=24)
CALLERS = ("the assistant", "the colleague's assistant", "a stranger's assistant")
HOME = {"the assistant": "home", "the colleague's assistant": "home", "a stranger's assistant": "elsewhere"}
KEYS = ("disparo-1", "disparo-2", "~")


@dataclass
class First:
    """The first call with a key, as the model remembers it."""

    call: tuple[str, str]
    body: Any
    at: datetime


@dataclass
class Model:
    """What the documents say of one organization: its keys, its effects, its time."""

    now: datetime
    firsts: dict[str, First] = field(default_factory=dict)
    effects: int = 0


class Keys(RuleBasedStateMachine):
    """Calls of everybody, with and without keys, asked about or not, while time goes on."""

    running: ClassVar[Settings]
    number: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).number += 1
        self.world: World = open_world(self.running, f"keys machine {self.number}", "2026", "KADU-IDM-04")
        self.models = {
            home: Model(datetime.fromisoformat(self.world.tenant_of(caller).now))
            for caller, home in HOME.items()
        }

    def teardown(self) -> None:
        self.world.close()

    @rule(
        who=st.sampled_from(CALLERS),
        key=st.none() | st.sampled_from(KEYS),
        name=st.sampled_from(["Tesouraria", "Fiscal"]),
    )
    def write(self, who: str, key: str | None, name: str) -> None:
        """An ordinary write, which runs at once."""
        self._judge(
            who,
            key,
            ("kadu_workspaces_create", name),
            self._call(who, "kadu_workspaces_create", {"name": name}, key),
        )

    @rule(who=st.sampled_from(CALLERS), key=st.none() | st.sampled_from(KEYS), which=st.integers(0, 1))
    def run(self, who: str, key: str | None, which: int) -> None:
        """A destructive call, which asks every time, whatever its key did before."""
        records = self.world.tenant_of(who).records
        task = records["tasks"][which]["id"]
        arguments = {"id": task, "environment_id": records["environments"][0]["id"]}
        asked = self._call(who, "kadu_tasks_run", arguments, key)
        assert is_question(asked), asked.message
        question = read_question(asked)
        more = {"inputResponses": question.explicit_yes(), "requestState": question.state}
        self._judge(
            who, key, ("kadu_tasks_run", task), self._call(who, "kadu_tasks_run", arguments, key, **more)
        )

    @rule(home=st.sampled_from(["home", "elsewhere"]), hours=st.sampled_from([1, 12, 23, 24, 25]))
    def time_goes_on(self, home: str, hours: int) -> None:
        """Hours pass for one organization."""
        caller = next(one for one, where in HOME.items() if where == home)
        self.world.tenant_of(caller).advance(hours * 3600)
        self.models[home].now += timedelta(hours=hours)

    @precondition(lambda self: self.models["home"].firsts)
    @rule(data=st.data())
    def repeat_by_a_colleague(self, data: Any) -> None:
        """A colleague's repetition of a write is a repetition."""
        model = self.models["home"]
        key = data.draw(st.sampled_from(sorted(model.firsts)))
        tool, name = model.firsts[key].call
        if tool == "kadu_workspaces_create":
            self.write("the colleague's assistant", key, name)

    @invariant()
    def every_effect_is_in_the_model(self) -> None:
        """The ledger shows as many effects as the model, in each organization."""
        for caller, home in (("the assistant", "home"), ("a stranger's assistant", "elsewhere")):
            entries = self.world.tenant_of(caller).ledger()
            effects = [entry for entry in entries if entry.kind == "business" and entry.effect]
            assert len(effects) == self.models[home].effects

    def _call(self, who: str, tool: str, arguments: dict[str, Any], key: str | None, **more: Any) -> Exchange:
        keyed = arguments if key is None else {**arguments, "idempotency_key": key}
        return self.world.client(who).request("tools/call", {"name": tool, "arguments": keyed, **more})

    def _judge(self, who: str, key: str | None, call: tuple[str, str], answer: Exchange) -> None:
        model = self.models[HOME[who]]
        first = None if key is None else model.firsts.get(key)
        if first is not None and model.now - first.at < LIFE:
            if first.call == call:
                assert is_success(answer)
                assert _body(answer) == first.body
            else:
                assert is_error_result(answer)
                assert codes_of(answer, self.world.product.codes) == {"IDEMPOTENCY_KEY_REUSED"}
            return
        assert is_success(answer), answer.message
        model.effects += 1
        if key is not None:
            model.firsts[key] = First(call, _body(answer), model.now)


def _body(exchange: Exchange) -> Any:
    return parse_json(texts(exchange)[0])


@pytest.fixture(scope="module")
def running() -> Iterator[Settings]:
    with judged() as ready:
        yield ready


def test_a_whole_server_keeps_keys_as_the_model_does(running: Settings) -> None:
    Keys.running = running
    run_state_machine_as_test(
        Keys,
        settings=settings(
            max_examples=300 if SOAK else 12,
            stateful_step_count=25,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )

"""Idempotency: calls with a key, their repetitions, and what the upstream saw of the key."""

from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any

from harness.actors.patience import TOO_MANY_REQUESTS
from harness.checks.answers import expect_same, expect_same_but_secret
from harness.checks.questions import Question
from harness.checks.results import (
    broken,
    describe,
    expect_code,
    expect_success,
    is_question,
    is_success,
)
from harness.controls.moving import follows
from harness.exchanges import Exchange
from harness.expressions import given, then, when
from harness.schemas import needed
from harness.steps.callers import named
from harness.steps.calls import answered, call_for, confirm, race, send
from harness.steps.confirmations import CHANGES
from harness.steps.outcomes import control_ran_once, it_ran_once
from harness.steps.permissions import give_back_permissions
from harness.steps.questions import question_of
from harness.steps.resources import MISSING_ID
from harness.verdicts import HarnessFault, NotTestable, RuleBroken
from harness.world import Call, World

KEY = "idempotency_key"
IN_PROGRESS = "IDEMPOTENCY_REQUEST_IN_PROGRESS"

PECULIAR: Mapping[str, str] = {
    "an emoji": "chave-🔑-1",
    "letters with accents": "conciliação-são-joão",
    "a space at its end": "chave-1 ",
    "a space at its start": " chave-1",
    "a line end and a header": "chave-1\r\nX-Smuggled: yes",
    "a line feed and a header": "chave-1\nX-Smuggled: yes",
    "a zero byte": "chave-1\x00",
}

TWINS: Mapping[str, str] = {
    PECULIAR["an emoji"]: "chave-🔒-1",
    PECULIAR["letters with accents"]: "conciliaçáo-sáo-joáo",
}
"""Other keys that become the same where such characters are dropped, replaced or stripped of their accents."""


def fresh_key(world: World) -> str:
    """A key of this scenario, new each time."""
    world.story.notes["keys"] = world.story.notes.get("keys", 0) + 1
    return f"conciliacao-{world.era}-{world.story.notes['keys']}"


def call_through(world: World, call: Call, caller: str = "the assistant") -> Exchange:
    """A call with everything it takes: where the server asks, the answer is yes. The story remembers the last answer."""
    client = world.client(caller)
    exchange = send(world, client, call)
    if is_question(exchange):
        question = question_of(world, exchange)
        exchange = confirm(world, call, question.explicit_yes(), question.state, client)
    world.story.exchanges.append(exchange)
    return exchange


def with_key(world: World, call: Call, key: str) -> Call:
    """The same call with a key; the story is about it from now on."""
    keyed = Call(call.tool, {**call.arguments, KEY: key})
    world.story.call = keyed
    world.story.notes["key"] = key
    return keyed


def begin_with_key(
    world: World, tool: str, key: str | None = None, *, schema_of: str = "the assistant"
) -> None:
    """The first call of a tool with a key."""
    keyed = with_key(world, call_for(world, tool, caller=schema_of), fresh_key(world) if key is None else key)
    world.story.notes["first"] = call_through(world, keyed)


@when("the assistant calls {tool} with a key")
def calls_with_a_key(world: World, tool: str) -> None:
    begin_with_key(world, tool)


@when("the assistant calls {tool} with a key, by what everybody knows of it")
def calls_as_known_with_a_key(world: World, tool: str) -> None:
    begin_with_key(world, tool, schema_of="the colleague's assistant")


@when("the assistant calls {tool} with the key {string}")
def calls_with_the_key(world: World, tool: str, key: str) -> None:
    begin_with_key(world, tool, key)


@when("the assistant calls {tool} with a key of {int} characters")
def calls_with_a_long_key(world: World, tool: str, length: int) -> None:
    # Zeros: whoever reads a number, or takes a text for false, makes another key of them.
    begin_with_key(world, tool, "0" * length)


@when("the assistant calls {tool} with a key that has {phrase}")
def calls_with_a_peculiar_key(world: World, tool: str, peculiarity: str) -> None:
    begin_with_key(world, tool, named(dict(PECULIAR), peculiarity))


@when("the assistant makes the call with a key that differs from it in just that")
def calls_with_the_twin(world: World) -> None:
    key = str(world.story.notes["key"])
    if key not in TWINS:
        raise HarnessFault(f"There is no key like {key!r}; there are some like {', '.join(TWINS)}.")
    call_through(world, with_key(world, world.call, TWINS[key]))


@when("the assistant calls {tool} without a key")
def calls_without_a_key(world: World, tool: str) -> None:
    world.story.call = call_for(world, tool)
    world.story.notes["first"] = call_through(world, world.call)


@when("the assistant calls {tool} on a record that does not exist, with a key")
def calls_on_nothing(world: World, tool: str) -> None:
    call = call_for(world, tool, {"id": MISSING_ID})
    world.story.notes["first"] = call_through(world, with_key(world, call, fresh_key(world)))


@when("the assistant calls {tool} with a key and without an argument that it needs")
def calls_without_what_it_needs(world: World, tool: str) -> None:
    keyed = with_key(world, call_for(world, tool), fresh_key(world))
    first = next((name for name in needed(world.schemas()[tool].get("inputSchema")) if name != KEY), None)
    if first is None:
        raise NotTestable(f"could not exercise {tool} without an argument that it needs: it needs none")
    call_through(world, Call(tool, {name: value for name, value in keyed.arguments.items() if name != first}))


@when("the assistant calls {tool}, and yes is said where it asks")
def calls_confirmed(world: World, tool: str) -> None:
    world.story.call = call_for(world, tool)
    world.story.notes["first"] = call_through(world, world.call)


@when("the assistant repeats the call with the same key")
@when("the assistant makes the call in full with the same key")
@when("the assistant makes the very same call again, and yes is said where it asks")
def repeats(world: World) -> None:
    call_through(world, world.call)


@when("the assistant repeats the call with the same key and its arguments in another order")
def repeats_in_another_order(world: World) -> None:
    call_through(world, Call(world.call.tool, dict(reversed(list(world.call.arguments.items())))))


@when("the assistant calls it with the same key and other arguments")
def with_other_arguments(world: World) -> None:
    call_through(world, Call(world.call.tool, _other_arguments(world, world.call)))


def _other_arguments(world: World, call: Call) -> dict[str, Any]:
    # Another text where the call has one, else another record.
    for name in ("name", "title", "content", "description"):
        if isinstance(call.arguments.get(name), str):
            return {**call.arguments, name: f"{call.arguments[name]} e mais"}
    changed: dict[str, Any] = named(CHANGES, "changed")(world, call)
    return changed


@when("the assistant calls {tool} with the same key")
def another_tool_with_the_same_key(world: World, tool: str) -> None:
    call_through(world, Call(tool, {**call_for(world, tool).arguments, KEY: world.story.notes["key"]}))


@when("{caller} makes the same call with the same key")
def somebody_makes_the_same_call(world: World, caller: str) -> None:
    call_through(world, world.call, caller)


@when("the assistant calls {tool} {int} times at once with one key")
def calls_at_once(world: World, tool: str, times: int) -> None:
    keyed = with_key(world, call_for(world, tool), fresh_key(world))
    params = {"name": tool, "arguments": dict(keyed.arguments)}
    world.story.exchanges = race(world, world.client(), params, times)
    world.story.client, world.story.exchange = world.client(), world.story.exchanges[-1]


@when("the assistant makes two equal calls of {tool} with one key at once")
def two_at_once(world: World, tool: str) -> None:
    keyed = with_key(world, call_for(world, tool), fresh_key(world))
    params = {"name": tool, "arguments": dict(keyed.arguments)}
    _side_by_side(world, params, params)


@when("both questions are answered with yes at once")
def both_answered_at_once(world: World) -> None:
    confirmed = (
        {"name": call.tool, "arguments": dict(call.arguments), **answered(asked.explicit_yes(), asked.state)}
        for call, asked in _both_asked(world)
    )
    _side_by_side(world, *confirmed)


def _side_by_side(world: World, *calls: Mapping[str, Any]) -> None:
    first, second = world.client(), world.new_client(world.token_of("the assistant").value)
    for client in (first, second):
        client.shake_hands()
    pool = ThreadPoolExecutor(2)
    running = [
        pool.submit(client.request, "tools/call", params)
        for client, params in zip((first, second), calls, strict=True)
    ]
    # A busy machine may be slow to tell; the call that is held has to have some of its time left all the same.
    patience = world.settings.timeout / 2
    done, waiting = wait(running, timeout=patience, return_when=FIRST_COMPLETED)
    world.story.client = first
    world.story.notes |= {"pool": pool, "done": done, "waiting": waiting, "patience": patience}


@then("one of them is told IDEMPOTENCY_REQUEST_IN_PROGRESS while the other runs")
def one_is_told(world: World) -> None:
    done = world.story.notes["done"]
    if not done:
        _end_hold(world)
        raise broken(
            "a repetition waits instead of being told",
            None,
            expected=IN_PROGRESS,
            actual=f"no answer within {world.story.notes['patience']:g} s",
        )
    [told, *others] = [future.result() for future in done]
    if others:
        _end_hold(world)
        raise NotTestable("the first call was not kept running: both were answered at once")
    expect_code(told, IN_PROGRESS, world.product.codes)


@then("when the upstream is done the other succeeds")
def the_other_succeeds(world: World) -> None:
    _end_hold(world)
    [other] = [future.result() for future in world.story.notes["waiting"]]
    world.story.exchange = world.story.notes["first"] = other
    world.story.exchanges.append(other)
    expect_success(other)


def _end_hold(world: World) -> None:
    world.tenant.disarm(world.story.notes.pop("fault"))
    world.story.notes["pool"].shutdown(wait=True)


@given("the upstream takes its time with {tool}")
def takes_its_time(world: World, operation: str) -> None:
    world.story.notes["fault"] = world.tenant.arm(operation, "hold")


@given("the upstream loses its next answer to {tool}")
def loses_its_answer(world: World, operation: str) -> None:
    world.tenant.arm(operation, "drop_response", times=1)


@when("the person has every permission again")
def has_every_permission(world: World) -> None:
    give_back_permissions(world)


@when("the assistant asks for {tool} with a key")
def asks_with_a_key(world: World, tool: str) -> None:
    send(world, world.client(), with_key(world, call_for(world, tool), fresh_key(world)))


@when("the assistant asks for the same call with the same key again")
def asks_again_with_the_key(world: World) -> None:
    send(world, world.client(), world.call)


@when("both questions are answered with yes")
def both_answered(world: World) -> None:
    world.story.exchanges = [
        confirm(world, call, asked.explicit_yes(), asked.state, world.client())
        for call, asked in _both_asked(world)
    ]


def _both_asked(world: World) -> list[tuple[Call, Question]]:
    """The last two calls that were asked about, with their questions. Raises RuleBroken where there are fewer."""
    if len(world.story.asked) < 2:
        raise broken(
            "a call is not asked about", world.answer, expected="two questions", actual=describe(world.answer)
        )
    return [(call, question_of(world, exchange)) for call, exchange in world.story.asked[-2:]]


@then("the second answer is the first one again")
def second_is_the_first(world: World) -> None:
    first, second = world.story.exchanges[-2:]
    expect_success(first)
    expect_same(first, second)


@then("the answer is the first one again")
def is_the_first_again(world: World) -> None:
    expect_same(world.story.notes["first"], world.answer)


@then("the answer is the first one again, with its secret null")
def is_the_first_without_secret(world: World) -> None:
    expect_same_but_secret(world.story.notes["first"], world.answer)


@then("the answer is the first one again, its secret aside")
def is_the_first_secret_aside(world: World) -> None:
    expect_same_but_secret(world.story.notes["first"], world.answer, gone=False)


@then("the answer is the one that succeeded")
def is_the_one_that_succeeded(world: World) -> None:
    succeeded = [exchange for exchange in world.story.exchanges if is_success(exchange)]
    if not succeeded:
        raise broken(
            "none of the calls succeeds", world.answer, expected="one success", actual=describe(world.answer)
        )
    expect_same(succeeded[0], world.answer)


@then("each of the answers is the same, or says IDEMPOTENCY_REQUEST_IN_PROGRESS")
def each_is_the_same(world: World) -> None:
    succeeded = [exchange for exchange in world.story.exchanges if is_success(exchange)]
    others = [exchange for exchange in world.story.exchanges if not is_success(exchange)]
    for exchange in succeeded[1:]:
        expect_same(succeeded[0], exchange)
    for exchange in others:
        # Who is put off because so many came at once was told neither way.
        if exchange.status != TOO_MANY_REQUESTS:
            expect_code(exchange, IN_PROGRESS, world.product.codes)


@then("it ran once more, a day later")
def ran_once_more(world: World) -> None:
    entries = [entry for entry in world.tenant.ledger() if entry.operation == world.call.tool]
    if len(entries) < 2 and not follows(world):
        raise NotTestable(
            "the upstream was not asked again: how long this server itself keeps a key cannot be seen"
        )
    it_ran_once(world)


@then("the call succeeds and its repetition replays, or it is refused and nothing runs")
def works_or_is_refused(world: World) -> None:
    first = world.answer
    if not is_success(first):
        expect_refused_clearly(first)
        ran = world.look().effects
        if ran:
            raise broken("a refused call ran", first, expected="no effect", actual=f"{ran!r}"[:300])
        return
    it_ran_once(world)
    expect_same(first, call_through(world, world.call))
    if world.look().effects:
        raise broken(
            "the key was not honoured", world.answer, expected="a replay", actual="the call ran a second time"
        )


@then("as many calls ran as were not refused")
def as_many_ran(world: World) -> None:
    made = world.story.exchanges
    for exchange in made:
        if not is_success(exchange):
            expect_refused_clearly(exchange)
    taken, ran = [exchange for exchange in made if is_success(exchange)], world.look().effects
    if len(ran) != len(taken):
        raise broken(
            "two keys are taken for one",
            made[-1],
            expected=f"{len(taken)} of {len(made)} calls succeed, so as many run",
            actual=f"{len(ran)} ran",
        )


def expect_refused_clearly(exchange: Exchange) -> None:
    """A refusal that says something, not a crash: an error result, or a JSON-RPC error other than an internal one."""
    crashed = (
        exchange.answer is None
        or (exchange.error or {}).get("code") == -32603
        or (exchange.status or 0) >= 500
    )
    if crashed or is_question(exchange):
        raise broken(
            "the key is not refused clearly", exchange, expected="a clear refusal", actual=describe(exchange)
        )


@then("with another key the same call runs once")
def with_another_key(world: World) -> None:
    world.mark()
    plain = {name: value for name, value in world.call.arguments.items() if name != KEY}
    try:
        expect_success(call_through(world, with_key(world, Call(world.call.tool, plain), fresh_key(world))))
    except RuleBroken as broken_rule:
        raise NotTestable(
            f"could not exercise {world.call.tool} with a key: {broken_rule.finding.message}"
        ) from broken_rule
    control_ran_once(world)

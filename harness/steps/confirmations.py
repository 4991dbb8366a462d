"""When: a person answers the question, honestly or not; and what is done with the state behind their back."""

import base64
import json
import random
import re
import string
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from harness.checks.questions import Question
from harness.checks.results import broken, describe, is_question, is_success
from harness.controls.moving import ageing_since, follows, move, too_slow
from harness.exchanges import Exchange
from harness.expressions import then, when
from harness.schemas import forms_of, needed, resolve
from harness.steps.callers import named
from harness.steps.calls import answered, call_for, call_with_every_argument, confirm, race, send
from harness.steps.questions import question_of
from harness.verdicts import Finding, NotTestable, RuleBroken
from harness.world import Call, World

A_DAY = 86400
SHORTEST_SEAL = 20
OVERSIZED = 100_000
FOREIGN_STATE = "v1.c29tZWJvZHkgZWxzZSdzIHN0YXRlLCBzZWFsZWQgdW5kZXIgYSBrZXkgbm9ib2R5IGhlcmUgaG9sZHM"


def asked(world: World) -> Question:
    """The question of the last answer; where the server did not ask, that is what is wrong."""
    return question_of(world, world.answer)


@when("the person says yes")
def says_yes(world: World) -> None:
    question = asked(world)
    since = ageing_since(world)
    exchange = confirm(world, current(world), question.explicit_yes(), question.state, world.caller)
    reason = too_slow(since) if is_question(exchange) else None
    if reason is not None:
        raise reason


@when("the person says yes too late")
def says_yes_too_late(world: World) -> None:
    question, call = asked(world), current(world)
    exchange = confirm(world, call, question.explicit_yes(), question.state, world.caller)
    if is_success(exchange) and not follows(world):
        _try_a_day_later(world, call)


def _try_a_day_later(world: World, call: Call) -> None:
    # Two explanations remain: the limit is not kept, or this server's clock did not move. A day tells them apart.
    late = world.answer
    question = question_of(world, send(world, world.caller, call))
    move(world, A_DAY)
    exchange = confirm(world, call, question.explicit_yes(), question.state, world.caller)
    if is_question(exchange):
        raise broken(
            "a yes past its limit still runs",
            late,
            expected="a new question past five minutes",
            actual=describe(late),
        )
    raise NotTestable(
        "time could not be moved for this server: a yes still ran after a day, as if no time had passed"
    )


@when("the person chooses to {name}")
def chooses_to(world: World, action: str) -> None:
    question = asked(world)
    confirm(world, current(world), question.answer(action), question.state, world.caller)


@when("the person fills in yes and chooses to {name}")
def fills_in_yes_and_chooses_to(world: World, action: str) -> None:
    question = asked(world)
    answers = question.answer(action, {question.property: question.yes})
    confirm(world, current(world), answers, question.state, world.caller)


ANSWERS: dict[str, Callable[[Question], dict[str, Any] | None]] = {
    "no": lambda q: q.explicit_no(),
    "no content": lambda q: q.answer("accept"),
    "an empty content": lambda q: q.answer("accept", {}),
    "a yes of the wrong type": lambda q: q.answer("accept", {q.property: "true" if q.yes is True else True}),
    "a one for a yes": lambda q: q.answer("accept", {q.property: 1}),
    "a yes under another name": lambda q: q.answer("accept", {f"{q.property}_x": q.yes}),
    "a yes under another key": lambda q: {f"{q.key}-x": q.explicit_yes()[q.key]},
    "an unknown action": lambda q: q.answer("perhaps", {q.property: q.yes}),
    "no action": lambda q: {q.key: {"content": {q.property: q.yes}}},
    "an empty map": lambda q: {},
    "no map": lambda q: None,
}


@when("the person's answer is {words}")
def the_answer_is(world: World, words: str) -> None:
    question = asked(world)
    confirm(world, current(world), named(ANSWERS, words)(question), question.state, world.caller)


@when("the yes comes with further answers that nobody asked for")
def with_further_answers(world: World) -> None:
    question = asked(world)
    further = {f"{question.key}-further": {"action": "decline"}}
    confirm(world, current(world), {**question.explicit_yes(), **further}, question.state, world.caller)


CHANGES: dict[str, Callable[[World, Call], dict[str, Any]]] = {
    "changed": lambda world, call: _changed(world, call),
    "added to": lambda world, call: _added_to(world, call),
    "changed in one it could do without": lambda world, call: _changed_optional(world, call),
    "changed inside of one": lambda world, call: _changed_inside(call),
    "changed to another list": lambda world, call: _longer_list(world, call),
    "changed to another flag": lambda world, call: _other_flag(world, call),
    "changed to another case of the last word": lambda world, call: _longest_changed(call, _other_case),
    "changed to a wider gap between two words": lambda world, call: _longest_changed(call, _wider_gap),
    "changed to a space at the end": lambda world, call: _longest_changed(call, lambda text: f"{text} "),
    "taken from": lambda world, call: _taken_from(world, call),
    "given an idempotency key": lambda world, call: {
        **call.arguments,
        "idempotency_key": "a-key-nobody-was-asked-about",
    },
    "in another order": lambda world, call: dict(reversed(list(call.arguments.items()))),
}


def _changed(world: World, call: Call) -> dict[str, Any]:
    # Another record of the same kind: the call stays valid, and is another one.
    for name, value in call.arguments.items():
        for records in world.tenant.records.values():
            ids = [record.get("id") for record in records]
            if value in ids and len(ids) > 1:
                return {**call.arguments, name: next(other for other in reversed(ids) if other != value)}
    raise NotTestable(f"could not exercise {call.tool} with other arguments")


def _changed_optional(world: World, call: Call) -> dict[str, Any]:
    must = needed(world.schemas()[call.tool].get("inputSchema"))
    for name, value in call.arguments.items():
        if name not in must and isinstance(value, str):
            # A day stays a day, and any text stays a text.
            other = re.sub(r"\d\d$", lambda day: "11" if day[0] == "10" else "10", value)
            return {**call.arguments, name: other if other != value else f"{value} e mais"}
    raise NotTestable(f"could not exercise {call.tool}: it has no text that it could do without")


def _longer_list(world: World, call: Call) -> dict[str, Any]:
    schema = world.schemas()[call.tool].get("inputSchema", {})
    for name, form in forms_of(schema).items():
        value, items = call.arguments.get(name), form.get("items")
        choices = resolve(items, schema).get("enum") if isinstance(items, Mapping) else None
        if not isinstance(value, list) or not isinstance(choices, list):
            continue
        further = next((one for one in choices if one not in value), None)
        if further is not None:
            return {**call.arguments, name: [*value, further]}
    raise NotTestable(f"could not exercise {call.tool}: it has no list that could be longer")


def _other_flag(world: World, call: Call) -> dict[str, Any]:
    for name, form in forms_of(world.schemas()[call.tool].get("inputSchema")).items():
        if form.get("type") in ("boolean", ["boolean", "null"]):
            # Another than the call has, or than stands for one left out: it means another action.
            return {**call.arguments, name: not call.arguments.get(name, form.get("default", True))}
    raise NotTestable(f"could not exercise {call.tool}: it has no argument that is true or false")


def _changed_inside(call: Call) -> dict[str, Any]:
    for name, value in call.arguments.items():
        for inner, number in value.items() if isinstance(value, Mapping) else ():
            if isinstance(number, int) and not isinstance(number, bool):
                return {**call.arguments, name: {**value, inner: number + 1}}
    raise NotTestable(f"could not exercise {call.tool}: none of its arguments holds a number")


def _longest_changed(call: Call, change: Callable[[str], str]) -> dict[str, Any]:
    name, text = max(
        ((name, value) for name, value in call.arguments.items() if isinstance(value, str)),
        key=lambda one: len(one[1]),
    )
    return {**call.arguments, name: change(text)}


def _other_case(text: str) -> str:
    head, _, last = text.rpartition(" ")
    return f"{head} {last.swapcase()}"


def _wider_gap(text: str) -> str:
    return text.replace(" ", "  ", 1)


def _added_to(world: World, call: Call) -> dict[str, Any]:
    return {**call_with_every_argument(world, call.tool).arguments, **call.arguments}


def _taken_from(world: World, call: Call) -> dict[str, Any]:
    return dict(call_for(world, call.tool).arguments)


@when("its yes is sent with the arguments {words}")
def sent_with_arguments(world: World, words: str) -> None:
    question, call = asked(world), world.call
    other = Call(call.tool, named(CHANGES, words)(world, call))
    world.story.call = other
    confirm(world, other, question.explicit_yes(), question.state, world.caller)


@when("the assistant calls the same with {words}")
def calls_the_same_with(world: World, words: str) -> None:
    call = Call(world.call.tool, named(CHANGES, f"changed to {words}")(world, world.call))
    send(world, world.caller, call)


@when("its yes is sent with a call of {tool}")
def sent_with_a_call_of(world: World, tool: str) -> None:
    question = asked(world)
    known = forms_of(world.schemas().get(tool, {}).get("inputSchema")) or world.call.arguments
    other = Call(tool, {name: value for name, value in world.call.arguments.items() if name in known})
    world.story.call = other
    confirm(world, other, question.explicit_yes(), question.state, world.caller)


@when("its yes is sent by {caller}")
def sent_by(world: World, caller: str) -> None:
    question = asked(world)
    confirm(world, world.call, question.explicit_yes(), question.state, world.client(caller))


STATES: dict[str, Callable[[str, random.Random], str | None]] = {
    "no state": lambda state, chance: None,
    "an empty state": lambda state, chance: "",
    "a truncated state": lambda state, chance: state[: len(state) // 2],
    "a random state": lambda state, chance: "".join(
        chance.choices(string.ascii_letters + string.digits, k=len(state))
    ),
    "another server's state": lambda state, chance: FOREIGN_STATE,
    "a doubled state": lambda state, chance: state + state,
    "an oversized state": lambda state, chance: (state * (OVERSIZED // max(len(state), 1) + 1))[:OVERSIZED],
}


@when("its yes comes with {words}")
def comes_with_state(world: World, words: str) -> None:
    question = with_state(asked(world))
    change, chance = named(STATES, words), random.Random(world.scenario)
    answers, state = _with_other_seal(question, change(question.state or question.key, chance))
    confirm(world, world.call, answers, state, world.caller)


def with_state(question: Question) -> Question:
    """The question, where it came with what can bind the yes to the call.

    The protocol has two places that a client brings back: a requestState, and the key of the question, which is the server's
    own; a key too short to be a seal is a name.
    """
    if not question.state and len(question.key) < SHORTEST_SEAL:
        raise RuleBroken(
            Finding(
                "the question comes without a requestState",
                expected="a requestState, or a key of the question that seals it",
                actual=f"none, and the key {question.key!r}",
            )
        )
    return question


def _with_other_seal(question: Question, seal: str | None) -> tuple[dict[str, Any], str | None]:
    """The yes with another state, or under another key where the key is the seal; without one where None."""
    if question.state:
        return question.explicit_yes(), seal
    return {} if seal is None else replace(question, key=seal).explicit_yes(), None


@then("a changed byte anywhere in the state is asked again")
def a_changed_byte(world: World) -> None:
    question, call = with_state(asked(world)), world.call
    for seal in changed_states(question.state or question.key, random.Random(world.scenario)):
        exchange = confirm(world, call, *_with_other_seal(question, seal), world.caller)
        if not is_question(exchange):
            raise broken(
                "a state that was tampered with is not asked about again",
                exchange,
                expected="a new question",
                actual=describe(exchange),
            )


def changed_states(state: str, chance: random.Random, count: int = 12) -> list[str]:
    """States that differ from the given one in one byte of what they encode.

    Where a part of the state is base64, a byte of the decoded part changes (bits that decode to nothing are no
    change); where it is plain text, a character does.
    """
    parts = re.findall(r"[A-Za-z0-9_\-+/]+=*|[^A-Za-z0-9_\-+/=]+", state)
    weights = [len(part) for part in parts]
    # Each part once, however short (a date beside a seal), the rest where most of the state is.
    each = list(range(len(parts)))[:count]
    counted = ((i, other) for i, part in enumerate(parts) for other in _counted_up(part))
    changed = ["".join([*parts[:i], other, *parts[i + 1 :]]) for i, other in counted]
    for index in [*each, *chance.choices(range(len(parts)), weights, k=count - len(each))]:
        other = _change_a_byte(parts[index], chance)
        changed.append("".join([*parts[:index], other, *parts[index + 1 :]]))
    return [other for other in dict.fromkeys(changed) if other != state]


def _counted_up(part: str) -> list[str]:
    # A number that stands in the open is a time or a count: a larger one is the change that pays.
    if not part.isdecimal():
        return []
    return [part[:i] + str(int(digit) + 1) + part[i + 1 :] for i, digit in enumerate(part) if digit != "9"]


def _change_a_byte(part: str, chance: random.Random) -> str:
    bare = part.rstrip("=")
    url_safe = not set(bare) & set("+/")
    try:
        decode = base64.urlsafe_b64decode if url_safe else base64.b64decode
        raw = bytearray(decode(bare + "=" * (-len(bare) % 4)))
    except ValueError:
        raw = bytearray()
    if len(raw) < 16:
        position = chance.randrange(len(part))
        # A figure becomes another figure: what reads it has to notice by more than its form.
        alike = string.digits if part[position].isdigit() else string.ascii_letters
        other = chance.choice([letter for letter in alike if letter != part[position]])
        return part[:position] + other + part[position + 1 :]
    # The high bit: no other spelling of the same text (the case of a hex digit, spare bits of base64 inside) flips it.
    raw[chance.randrange(len(raw))] ^= 0x80
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
    text = encode(bytes(raw)).decode()
    return text if part.endswith("=") else text.rstrip("=")


@when("the confirmed call is sent again")
def sent_again(world: World) -> None:
    params = world.story.confirmed or {}
    world.story.exchange = world.caller.request("tools/call", params)


@then("no other way to send the confirmed call is taken")
def no_other_way(world: World) -> None:
    params = world.story.confirmed or {}
    arguments, state = params["arguments"], str(params.get("requestState", ""))
    ways: list[tuple[str, dict[str, Any]]] = [
        ("the assistant", {"arguments": dict(reversed(list(arguments.items())))}),
        ("the assistant", {"inputResponses": {**params["inputResponses"], "further": {"action": "cancel"}}}),
        ("the person's other assistant", {}),
        *(("the assistant", {"requestState": other}) for other in (respelt_states(state) if state else ())),
    ]
    for caller, change in ways:
        world.story.exchange = world.client(caller).request("tools/call", {**params, **change})
        if is_success(world.answer):
            raise broken(
                "a yes that was used is taken again",
                world.answer,
                expected="a refusal or a new question",
                actual=describe(world.answer),
            )


def respelt_states(state: str) -> list[str]:
    """Other texts that a lenient reader of base64 takes for the same state."""
    bare = state.rstrip("=")
    ways = [bare, bare + "=" * (-len(bare) % 4), f"{state}=", f"{state} ", f"{state}\n"]
    ways.append(bare.translate(str.maketrans("-_+/", "+/-_")))
    # The bits of the last letter that decode to nothing.
    letters = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    if len(bare) % 4 in (2, 3) and bare[-1] in letters:
        ways.append(bare[:-1] + letters[letters.index(bare[-1]) ^ 1])
    return [other for other in dict.fromkeys(ways) if other != state]


@when("the yes arrives {int} times at once")
def arrives_at_once(world: World, times: int) -> None:
    question, call = asked(world), world.call
    params = {
        "name": call.tool,
        "arguments": dict(call.arguments),
        **answered(question.explicit_yes(), question.state),
    }
    world.story.exchanges = race(world, world.caller, params, times)


@when("{duration} pass")
def time_passes(world: World, duration: int) -> None:
    move(world, duration)


def current(world: World) -> Call:
    """The call that the last question is about."""
    return world.story.asked[-1][0] if world.story.asked else world.call


def question_json(exchange: Exchange) -> str:
    """The question as it came, for comparing two."""
    return json.dumps((exchange.result or {}).get("inputRequests"), sort_keys=True, ensure_ascii=False)

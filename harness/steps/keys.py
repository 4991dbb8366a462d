"""Keys of idempotency: what tools say of them, and what the upstream saw."""

import json
from collections.abc import Iterator, Mapping

from harness.checks.results import (
    broken,
)
from harness.checks.schemas import hints, key_argument
from harness.exchanges import Exchange
from harness.expressions import then
from harness.steps.idempotency import KEY
from harness.verdicts import HarnessFault, NotTestable
from harness.world import World

HEADER = "x-idempotency-key"
SAID_OF_CHANGES = {"readOnlyHint", "destructiveHint", "idempotentHint"}
TRACES = ("idempotent-replay", "idempotent_replay", "idempotentreplay")


@then("the upstream saw the key as the header x-idempotency-key, and not in the body")
def saw_the_key(world: World) -> None:
    key = world.story.notes["key"]
    entries = [
        entry for entry in world.tenant.ledger() if entry.operation == world.call.tool and entry.effect
    ]
    if len(entries) != 1:
        raise NotTestable(f"the ledger shows {len(entries)} effects of {world.call.tool}, not one")
    [entry] = entries
    inside = isinstance(entry.body, Mapping) and KEY in entry.body
    if entry.headers.get(HEADER) != key or inside or KEY in entry.arguments:
        shown = f"header {entry.headers.get(HEADER)!r}, body {entry.body!r}"
        raise broken(
            "the key does not travel as it should",
            world.answer,
            expected=f"header {HEADER}: {key!r}, no key in the body",
            actual=shown[:700],
        )


@then("no header was smuggled")
def no_header_smuggled(world: World) -> None:
    smuggled = [
        entry.headers
        for entry in world.tenant.ledger()
        if any("smuggled" in name.lower() for name in entry.headers)
    ]
    if smuggled:
        raise broken(
            "a key smuggles a header",
            world.answer,
            expected="no such header",
            actual=f"{smuggled[0]!r}"[:500],
        )


@then("it shows no trace of being a replay")
def no_trace(world: World) -> None:
    answer = world.answer.answer
    if answer is None:
        raise HarnessFault("A successful answer without HTTP is no answer.")
    # A log line beside the result may speak of what the upstream said.
    seen = "\n".join(
        [json.dumps(world.answer.result), *(f"{name}: {value}" for name, value in answer.headers)]
    )
    found = [trace for trace in TRACES if trace in seen.lower()]
    first = world.story.notes["first"]
    added = {*_parts(world.answer)} - {*_parts(first)}
    if found or added:
        raise broken(
            "the result shows that it is a replay",
            world.answer,
            expected="the body alone",
            actual=f"{found or sorted(added)}",
        )


def _parts(exchange: Exchange) -> Iterator[str]:
    # The members of a result, and its blocks by their place.
    result = exchange.result or {}
    content = result.get("content")
    yield from result
    yield from (f"content[{index}]" for index, _ in enumerate(content if isinstance(content, list) else ()))


@then("these tools take an optional text idempotency_key")
def take_the_key(world: World, datatable: list[list[str]]) -> None:
    tools = world.story.notes["tools"]
    without = [name for [name] in datatable if name in tools and not key_argument(tools[name]).optional_text]
    offered = [name for [name] in datatable if name in tools]
    if without:
        raise broken(
            "a tool that changes something takes no key",
            world.answer,
            expected="an optional string idempotency_key",
            actual=", ".join(without),
        )
    if len(offered) < len(datatable):
        raise NotTestable(
            f"the server does not list {', '.join(sorted({name for [name] in datatable} - set(offered)))}"
        )


@then("no tool named get, list or delete takes idempotency_key")
def reads_take_none(world: World) -> None:
    tools = world.product.own(world.story.notes["tools"])
    with_it = [
        name
        for name, tool in tools.items()
        if name.endswith(("_get", "_list", "_delete")) and key_argument(tool).present
    ]
    if with_it:
        raise broken(
            "a tool that reads or deletes takes a key",
            world.answer,
            expected="no idempotency_key",
            actual=", ".join(with_it),
        )


@then("every idempotency_key is said to have 1 to 255 characters")
def lengths_are_said(world: World) -> None:
    keys = {name: key_argument(tool) for name, tool in world.product.own(world.story.notes["tools"]).items()}
    silent = [name for name, key in keys.items() if key.present and (key.shortest, key.longest) != (1, 255)]
    if silent:
        raise broken(
            "the schema does not say how long a key may be",
            world.answer,
            expected="minLength 1, maxLength 255",
            actual=", ".join(silent),
        )


@then("no idempotency_key is said to be narrower than 1 to 255 characters")
def none_is_narrower(world: World) -> None:
    keys = {name: key_argument(tool) for name, tool in world.product.own(world.story.notes["tools"]).items()}
    if not any(key.present for key in keys.values()):
        raise NotTestable("the server lists no tool that takes a key")
    narrow = [name for name, key in keys.items() if key.narrow]
    if narrow:
        raise broken(
            "a schema refuses keys that are none too short and none too long",
            world.answer,
            expected="minLength 1 at most, maxLength 255 at least",
            actual=", ".join(narrow),
        )


@then("every tool that neither reads nor deletes takes idempotency_key")
def every_other_takes_it(world: World) -> None:
    tools = {
        name: tool
        for name, tool in world.product.own(world.story.notes["tools"]).items()
        if not name.endswith(("_get", "_list", "_delete", "_download"))
        and hints(tool).get("readOnlyHint") is not True
    }
    if not tools:
        raise NotTestable("the server lists no tool that changes something")
    keyless = {name: tool for name, tool in tools.items() if not key_argument(tool).optional_text}
    changing = [name for name, tool in keyless.items() if hints(tool).keys() & SAID_OF_CHANGES]
    if changing:
        raise broken(
            "a tool that changes something takes no key",
            world.answer,
            expected="an optional string idempotency_key",
            actual=", ".join(changing),
        )
    if keyless:
        raise NotTestable(f"the server does not say whether these only read: {', '.join(keyless)}")

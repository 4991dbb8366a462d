"""Completions: what is suggested for the arguments of prompts and for the ids of templates."""

from collections.abc import Mapping
from typing import Any

from harness.checks.dates import months_before
from harness.checks.results import broken, describe
from harness.clock import now as machine_time
from harness.exchanges import Exchange
from harness.expressions import given, then, when
from harness.steps.permissions import give_back_permissions, give_back_scopes
from harness.steps.time import not_moved
from harness.verdicts import NotTestable
from harness.wire.eras import INVALID_PARAMS
from harness.world import World

LIMIT = 100
TYPED = 8


def prompt(name: str) -> dict[str, str]:
    """The reference to a prompt."""
    return {"type": "ref/prompt", "name": name}


def template(world: World, row: str) -> dict[str, str]:
    """The reference to a resource template."""
    return {"type": "ref/resource", "uri": world.product.uri_prefix + row}


def complete(
    world: World,
    reference: Mapping[str, str],
    argument: str,
    typed: str = "",
    caller: str = "the assistant",
) -> Exchange:
    """Ask for suggestions; the story remembers the answer and what was typed."""
    params = {"ref": dict(reference), "argument": {"name": argument, "value": typed}}
    exchange = world.client(caller).request("completion/complete", params)
    world.story.exchange = exchange
    world.story.notes["typed"] = typed
    return exchange


def values(exchange: Exchange) -> list[str]:
    """What is suggested. Raises RuleBroken where the answer is no suggestion at all."""
    completion = (exchange.result or {}).get("completion")
    found = completion.get("values") if isinstance(completion, Mapping) else None
    if not isinstance(found, list) or not all(isinstance(value, str) for value in found):
        raise broken(
            "the completion is not answered",
            exchange,
            expected="completion.values",
            actual=describe(exchange),
        )
    return found


@when("the assistant completes the argument {name} of {name}")
def completes_argument(world: World, argument: str, name: str) -> None:
    complete(world, prompt(name), argument)


@when("{caller} completes the id of {resource}")
def completes_id(world: World, caller: str, row: str) -> None:
    complete(world, template(world, row), "id", caller=caller)


@when("the assistant types the beginning of that id for {name} of {name}")
def types_beginning(world: World, argument: str, name: str) -> None:
    complete(world, prompt(name), argument, str(world.story.notes["newest"])[:TYPED])


@when("the assistant types the beginning of that id for {resource}")
def types_beginning_for_template(world: World, row: str) -> None:
    complete(world, template(world, row), "id", str(world.story.notes["newest"])[:TYPED])


@when("the assistant types most of that id for {name} of {name}")
def types_most(world: World, argument: str, name: str) -> None:
    complete(world, prompt(name), argument, str(world.story.notes["newest"])[:-1])


@when("the assistant types that id with another end for {name} of {name}")
def types_another_end(world: World, argument: str, name: str) -> None:
    newest = str(world.story.notes["newest"])
    complete(world, prompt(name), argument, newest[:-1] + ("0" if newest[-1] != "0" else "1"))


@when("the assistant types {value} for {name} of {name}")
def types(world: World, typed: str, argument: str, name: str) -> None:
    complete(world, prompt(name), argument, typed)


@then("the newest of {name} is suggested")
def newest_suggested(world: World, collection: str) -> None:
    held = world.tenant.listing(collection)
    if not held:
        raise NotTestable(f"the upstream holds nothing in {collection} that could be suggested")
    newest = held[0]["id"]
    world.story.notes["newest"] = newest
    found = values(world.answer)
    if newest not in found:
        raise broken(
            "the newest record is not suggested", world.answer, expected=newest, actual=str(found)[:500]
        )


@then("every suggestion contains what was typed")
def contains_what_was_typed(world: World) -> None:
    typed = world.story.notes["typed"]
    others = [value for value in values(world.answer) if typed.casefold() not in value.casefold()]
    if others:
        raise broken(
            "a suggestion does not fit what was typed",
            world.answer,
            expected=f"values with {typed!r}",
            actual=str(others)[:500],
        )


@then("nothing is suggested, and it is no error")
def nothing_suggested(world: World) -> None:
    found = values(world.answer)
    if found:
        raise broken(
            "something is suggested that was not to be",
            world.answer,
            expected="an empty list",
            actual=str(found)[:500],
        )


@then("nothing is suggested, or the request is refused as invalid")
def nothing_or_invalid(world: World) -> None:
    if (world.answer.error or {}).get("code") != INVALID_PARAMS:
        nothing_suggested(world)


def _something(world: World) -> None:
    if not values(world.answer):
        raise broken(
            "nothing is suggested to who may list",
            world.answer,
            expected="at least one value",
            actual="an empty list",
        )


@then("with every scope the argument {name} of {name} is suggested something")
def with_every_scope(world: World, argument: str, name: str) -> None:
    give_back_scopes(world)
    complete(world, prompt(name), argument)
    _something(world)


@then("with every permission the id of {resource} is suggested something")
def with_every_permission(world: World, row: str) -> None:
    give_back_permissions(world)
    complete(world, template(world, row), "id")
    _something(world)


@then("twelve consecutive months are suggested, up to {word} or the month before")
def twelve_months(world: World, current: str) -> None:
    found = sorted(values(world.answer))
    if found in _endings(current):
        return
    reason = not_moved(world) if found in _endings(f"{machine_time():%Y-%m}") else None
    raise reason or broken(
        "the months are not the last twelve",
        world.answer,
        expected=f"twelve months up to {current}, or up to the one before",
        actual=str(found)[:500],
    )


def _endings(current: str) -> list[list[str]]:
    thirteen = months_before(current, 13)
    return [thirteen[1:], thirteen[:-1]]


@given("{int} more executions, one of them on {word}, one on {word} and one on {word}")
def more_executions(world: World, count: int, first: str, second: str, third: str) -> None:
    special = (first, second, third)
    # Days that months and leap years end on are in the past of a clock that stands after all of them.
    world.tenant.set_time(f"{max(int(day[:4]) for day in special)}-06-15T15:00:00Z")
    for day in special:
        world.tenant.plant("executions", values={"created_at": f"{day}T15:00:00.000Z", "reference_date": day})
    world.tenant.plant("executions", count - len(special))
    world.mark()


@then("at least one and at most {int} values are suggested")
def at_most(world: World, limit: int) -> None:
    found = values(world.answer)
    if not 0 < len(found) <= limit:
        raise broken(
            "the number of suggestions is out of bounds",
            world.answer,
            expected=f"1 to {limit}",
            actual=str(len(found)),
        )


@then("the suggestion says that there are more")
def says_more(world: World) -> None:
    completion: Any = (world.answer.result or {}).get("completion")
    values(world.answer)
    if completion.get("hasMore") is not True:
        raise broken(
            "the suggestion hides that there are more",
            world.answer,
            expected="hasMore true",
            actual=repr(completion.get("hasMore")),
        )


@given("another organization")
def another_organization(world: World) -> None:
    world.tenant_of("a stranger's assistant")


def _foreign(world: World, collection: str) -> set[str]:
    return {record["id"] for record in world.tenant_of("a stranger's assistant").listing(collection)}


@then("no id of the other organization is suggested")
def none_of_the_other(world: World) -> None:
    every = world.tenant_of("a stranger's assistant").records
    foreign = {str(record["id"]) for records in every.values() for record in records if "id" in record}
    _none_of(world, foreign)


@then("no approval of the colleague is suggested")
def none_of_the_colleague(world: World) -> None:
    _none_of(world, {world.story.notes["colleague's"].id})


@then("typing the beginning of such an id for {resource} suggests none of them")
def typing_suggests_none(world: World, row: str) -> None:
    foreign = _foreign(world, row.split("/")[0])
    for one in sorted(foreign)[:2]:
        complete(world, template(world, row), "id", one[:TYPED])
        _none_of(world, foreign)


def _none_of(world: World, foreign: set[str]) -> None:
    leaked = sorted(foreign & set(values(world.answer)))
    if leaked:
        raise broken(
            "an id that is not the caller's to see is suggested",
            world.answer,
            expected="none of those ids",
            actual=str(leaked)[:500],
        )

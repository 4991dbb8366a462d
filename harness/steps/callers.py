"""Given: who is there, what they may do, which records there are."""

from typing import Any

from harness.actors.client import FORMS, NO_FORMS
from harness.expressions import given, when
from harness.verdicts import HarnessFault
from harness.world import CALLERS, World

DECLARATIONS: dict[str, dict[str, Any]] = {
    "bare elicitation": {"elicitation": {}},
    "forms": {"elicitation": {"form": {}}},
    "forms and links": {"elicitation": {"form": {}, "url": {}}},
    "links alone": {"elicitation": {"url": {}}},
}


@given("an assistant")
@given("an assistant that shows forms")
def an_assistant_with_forms(world: World) -> None:
    world.declare(FORMS)
    world.client()


@given("an assistant without forms")
def an_assistant_without_forms(world: World) -> None:
    world.declare(NO_FORMS)
    world.client()


@given("an assistant that declares {words}")
def an_assistant_that_declares(world: World, words: str) -> None:
    world.declare(named(DECLARATIONS, words))
    world.client()


@given("one of the {name} that is {name}")
def one_of_the_records(world: World, collection: str, state: str) -> None:
    fitting = [record for record in world.tenant.records.get(collection, ()) if record.get("state") == state]
    if not fitting:
        raise HarnessFault(f"The tenant has no record of {collection} that is {state}.")
    world.story.record = (collection, fitting[0])


@when("the caller loses the {name}")
def the_caller_loses(world: World, what: str) -> None:
    person = world.tenant.people[CALLERS["the assistant"][1] or 0]["id"]
    losses = {
        "permission": lambda: world.tenant.change_person(person, permissions=[]),
        "membership": lambda: world.tenant.change_person(person, member=False),
        "token": lambda: world.tenant.revoke(world.token_of("the assistant")),
    }
    named(losses, what)()


def named(table: dict[str, Any], words: str) -> Any:
    """What a table of the steps means by these words. Raises HarnessFault where it does not know them."""
    if words not in table:
        raise HarnessFault(f"A feature says {words!r}; known: {', '.join(table)}.")
    return table[words]

"""What the documents of resources hold."""

from collections.abc import Mapping
from typing import Any

from harness.checks.documents import (
    contents,
    document,
    holds_records,
    readings,
    record_of,
    same_records,
    walk,
)
from harness.checks.results import broken, describe, documents, expect_success
from harness.expressions import given, then, when
from harness.schemas import properties
from harness.steps.calls import call_for
from harness.steps.permissions import person_of
from harness.verdicts import HarnessFault
from harness.world import World

ME = "me"


@then("the document is JSON text")
def is_json_text(world: World) -> None:
    document(world.answer)


@then("the document says that it is JSON")
def says_json(world: World) -> None:
    kinds = [item.get("mimeType") for item in contents(world.answer)]
    if any(str(kind).split(";")[0].strip() != "application/json" for kind in kinds):
        raise broken(
            "the document does not say that it is JSON",
            world.answer,
            expected="application/json",
            actual=str(kinds),
        )


@then("the document holds the same records as {tool}")
def holds_the_same(world: World, tool: str) -> None:
    read_answer = world.answer
    arguments = {name: value for name, value in _ids(world).items() if name in _properties(world, tool)}
    call = call_for(world, tool, arguments)
    called = world.client().request("tools/call", {"name": tool, "arguments": dict(call.arguments)})
    expect_success(called)
    answered = list(documents(called))
    if not answered:
        raise broken("the tool answers no JSON", called, expected="a JSON document", actual=describe(called))
    held = document(read_answer)
    # Who one is, is said to be the person, the organization and the scopes: the tool may tell more.
    same = holds_records if world.story.notes["uri"] == world.product.uri_prefix + ME else same_records
    if not any(same(held, one) for one in answered):
        raise broken(
            "the document differs from what its tool answers",
            read_answer,
            expected=f"the records of {tool}: {answered[0]!r}"[:900],
            actual=f"{held!r}"[:900],
        )


def _ids(world: World) -> dict[str, Any]:
    parts = str(world.story.notes["uri"]).removeprefix(world.product.uri_prefix).split("/")
    return {} if len(parts) < 2 else {"id": parts[1], f"{parts[0].rstrip('s')}_id": parts[1]}


def _properties(world: World, tool: str) -> Mapping[str, Any]:
    return properties(world.schemas().get(tool, {}).get("inputSchema"))


@then("the document tells the person, the organization and every scope of the token")
def tells_who(world: World) -> None:
    held = list(walk(document(world.answer)))
    person, token = person_of(world), world.token_of("the assistant")
    wanted = [
        person["id"],
        person["name"],
        world.tenant.organization["id"],
        world.tenant.organization["name"],
        *token.scopes,
    ]
    missing = [value for value in wanted if value not in held]
    if missing:
        raise broken(
            "the document does not say who is calling",
            world.answer,
            expected=str(wanted),
            actual=f"missing: {missing}",
        )


@given("a record of {name} planted with the {name} {string}")
def planted(world: World, collection: str, field: str, canary: str) -> None:
    known = (world.tenant.records.get(collection) or [{}])[0]
    if field not in known:
        raise HarnessFault(f"The mock's records of {collection} have no {field}: {', '.join(sorted(known))}.")
    [record] = world.tenant.plant(collection, values={field: canary})
    world.story.record = (collection, record)
    world.story.notes["canary"] = (field, canary)
    world.mark()


@when("the {name} of the planted record becomes {string}")
def planted_becomes(world: World, field: str, canary: str) -> None:
    if world.story.record is None:
        raise HarnessFault("Nothing was planted.")
    collection, record = world.story.record
    world.tenant.change(collection, record["id"], {field: canary})
    world.story.notes["canary"] = (field, canary)
    world.look_anew()


@then("the document holds the planted record")
def holds_the_planted(world: World) -> None:
    if world.story.record is None:
        raise HarnessFault("Nothing was planted.")
    record, (field, canary) = world.story.record[1], world.story.notes["canary"]
    found = record_of(document(world.answer), record["id"])
    if found is None or found.get(field) != canary:
        raise broken(
            "the document does not hold its record",
            world.answer,
            expected=f"{field} {canary!r} of {record['id']}",
            actual=f"{found!r}"[:600],
        )


@then("the document holds the {name} of the record")
def holds_the_field(world: World, field: str) -> None:
    uri = str(world.story.notes["uri"])
    row, _, record_id = uri.removeprefix(world.product.uri_prefix).partition("/")
    # A row without an id is of the only record of its collection.
    collection = next(name for name in world.tenant.records if name in (row, f"{row[:-1]}ies"))
    known = world.tenant.records[collection]
    record = next(one for one in known if one["id"] == record_id or not record_id)
    if field not in record:
        raise HarnessFault(f"The mock's record of {collection} has no {field}.")
    if not any(one == record[field] for one in walk(document(world.answer))):
        raise broken(
            f"the document lacks {field}",
            world.answer,
            expected=f"{record[field]!r}"[:600],
            actual=describe(world.answer),
        )


@then("the document holds every record of {name} of that execution and no other")
def holds_those_of_the_execution(world: World, collection: str) -> None:
    execution = str(world.story.notes["uri"]).removeprefix(world.product.uri_prefix).split("/")[1]
    owned = {
        one["id"]
        for one in world.tenant.listing(_collection(world, collection))
        if one.get("execution_id") == execution
    }
    if not owned:
        raise HarnessFault(f"The mock's execution {execution} has no {collection}.")
    held = [{one.get("id") for one in found} for found in readings(document(world.answer))]
    if owned not in held:
        raise broken(
            f"the document does not hold the {collection} of its execution alone",
            world.answer,
            expected=str(sorted(owned)),
            actual=str(sorted(map(str, held[0]))),
        )


def _collection(world: World, name: str) -> str:
    named = [
        collection
        for collection in world.tenant.records
        if collection == name or collection.endswith("_" + name)
    ]
    if not named:
        raise HarnessFault(
            f"The mock has no collection of {name}: {', '.join(sorted(world.tenant.records))}."
        )
    return named[0]


@then("both reads hold the same")
def both_reads_hold_the_same(world: World) -> None:
    first, second = world.story.exchanges[-2:]
    if not same_records(document(first), document(second)):
        raise broken(
            "a request without the session is served otherwise",
            second,
            expected=describe(first),
            actual=describe(second),
        )

"""Resources: reading, listing, and what the documents hold."""

from collections.abc import Mapping
from typing import Any

from harness.checks.documents import contents, document, record_of, records, same_records, walk
from harness.checks.results import broken, describe, documents, expect_rpc_error, expect_success
from harness.exchanges import Exchange
from harness.expressions import given, then, when
from harness.steps.calls import call_for
from harness.verdicts import HarnessFault, NotTestable
from harness.wire.eras import ERA_TABLES
from harness.world import CALLERS, World

MISSING_ID = "00000000-0000-4000-8000-00000000dead"
INSUFFICIENT = "insufficient_permission"
INVALID_PARAMS = -32602
HTTP_REFUSALS = (400, 404, 413, 414, 431)


def read(world: World, uri: str, caller: str = "the assistant") -> Exchange:
    """Read an address; the story remembers the answer."""
    exchange = world.client(caller).request("resources/read", {"uri": uri})
    world.story.exchange = exchange
    world.story.exchanges.append(exchange)
    world.story.notes["uri"] = uri
    return exchange


def address(world: World, resource: str, record_id: str | None = None) -> str:
    """The address of a row, `{id}` filled with a record of the tenant."""
    if "{id}" in resource:
        chosen = record_id or first_record(world, resource)["id"]
        resource = resource.replace("{id}", chosen)
    return world.product.uri_prefix + resource


def first_record(world: World, resource: str) -> Mapping[str, Any]:
    """The record a row's `{id}` is tried with. Raises NotTestable where the tenant has none."""
    collection = resource.split("/")[0]
    found = world.tenant.records.get(collection) or ()
    if not found:
        raise NotTestable(f"could not read {resource}: the tenant has no record of {collection}")
    return found[0]


@when("{caller} reads {resource}")
def reads(world: World, caller: str, resource: str) -> None:
    read(world, address(world, resource), caller)


@when("{caller} reads {resource} of it")
def reads_of_it(world: World, caller: str, resource: str) -> None:
    if world.story.record is None:
        raise HarnessFault("The scenario says `of it` before it spoke of a record.")
    read(world, address(world, resource, world.story.record[1]["id"]), caller)


@when("{caller} reads {resource} of a record that does not exist")
def reads_of_no_record(world: World, caller: str, resource: str) -> None:
    read(world, address(world, resource, MISSING_ID), caller)


@when("{caller} reads {resource} of another organization")
def reads_of_another(world: World, caller: str, resource: str) -> None:
    elsewhere = world.tenant_of("a stranger's assistant").records[resource.split("/")[0]][0]
    missing = read(world, address(world, resource, MISSING_ID), caller)
    world.story.notes["missing"] = missing
    read(world, address(world, resource, elsewhere["id"]), caller)


@when("{caller} reads the address {address}")
def reads_the_address(world: World, caller: str, uri: str) -> None:
    read(world, uri, caller)


@when("{caller} reads a task with an id of {int} letters")
def reads_a_long_id(world: World, caller: str, letters: int) -> None:
    read(world, world.product.uri_prefix + "tasks/" + "a" * letters, caller)


@when("{caller} forgets its session")
def forgets_its_session(world: World, caller: str) -> None:
    world.client(caller).forget_session()


def rows(world: World, caller: str = "the assistant") -> dict[str, Exchange]:
    """Every address and template under the product's prefix that a caller is listed."""
    client = world.client(caller)
    listed = {
        str(item.get("uri")): exchange for item, exchange in client.items("resources/list", "resources")
    }
    templates = client.items("resources/templates/list", "resourceTemplates")
    listed.update({str(item.get("uriTemplate")): exchange for item, exchange in templates})
    return listed


@when("{caller} lists the resources")
def lists_resources(world: World, caller: str) -> None:
    items = list(world.client(caller).items("resources/list", "resources"))
    world.story.notes["listed"] = {str(item.get("uri")) for item, _ in items}
    world.story.exchange = items[-1][1] if items else None


@when("{caller} lists the resource templates")
def lists_templates(world: World, caller: str) -> None:
    items = list(world.client(caller).items("resources/templates/list", "resourceTemplates"))
    world.story.notes["listed"] = {str(item.get("uriTemplate")) for item, _ in items}
    world.story.exchange = items[-1][1] if items else None


@when("{caller} lists every row")
def lists_every_row(world: World, caller: str) -> None:
    listed = rows(world, caller)
    world.story.notes["listed"] = set(listed)
    world.story.exchange = next(iter(listed.values()), None)


@then("these and no other addresses of the product are listed")
@then("these and no other templates of the product are listed")
def exactly_these(world: World, datatable: list[list[str]]) -> None:
    prefix = world.product.uri_prefix
    wanted = {prefix + row[0] for row in datatable}
    found = {uri for uri in world.story.notes["listed"] if uri.startswith(prefix)}
    if found != wanted:
        told = f"missing: {sorted(wanted - found)}; beyond the documents: {sorted(found - wanted)}"
        raise broken(
            "the list is not what the documents name",
            world.story.exchange,
            expected=str(sorted(wanted)),
            actual=told,
        )


@then("the row {resource} is not listed")
def is_not_listed(world: World, resource: str) -> None:
    uri = world.product.uri_prefix + resource
    if uri in world.story.notes["listed"]:
        raise broken(
            "a row is listed to who may not run its tool",
            world.story.exchange,
            expected=f"no {uri}",
            actual=f"{uri} is listed",
        )


def _listed_again(world: World, resource: str) -> None:
    uri = world.product.uri_prefix + resource
    listed = rows(world)
    if uri not in listed:
        raise broken(
            "a row is hidden from who may run its tool",
            world.story.exchange,
            expected=f"{uri} is listed",
            actual=f"{sorted(listed)}",
        )


@then("with every scope the row {resource} is listed")
def listed_with_scope(world: World, resource: str) -> None:
    give_back_scopes(world)
    _listed_again(world, resource)


@then("with every permission the row {resource} is listed")
def listed_with_permission(world: World, resource: str) -> None:
    give_back_permissions(world)
    _listed_again(world, resource)


def person_of(world: World) -> Mapping[str, Any]:
    """The person behind the assistant."""
    return world.tenant.people[CALLERS["the assistant"][1] or 0]


@given("the token lacks the scope {scope}")
def lacks_scope(world: World, scope: str) -> None:
    if scope not in world.tenant.scopes:
        raise NotTestable(f"the upstream knows no scope {scope}")
    world.use_token("the assistant", world.tenant.token(person_of(world)["id"], without_scopes=[scope]))


@given("the person lacks the permission {permission}")
def lacks_permission(world: World, permission: str) -> None:
    if permission not in person_of(world)["permissions"]:
        raise NotTestable(f"the upstream knows no permission {permission}")
    world.tenant.change_person(person_of(world)["id"], without_permissions=[permission])
    world.use_token("the assistant", world.tenant.token(person_of(world)["id"]))


def give_back_scopes(world: World) -> None:
    """A fresh token of the same person that holds every scope."""
    world.use_token("the assistant", world.tenant.token(person_of(world)["id"]))


def give_back_permissions(world: World) -> None:
    """The same person with every permission, and a fresh token."""
    world.tenant.change_person(person_of(world)["id"], permissions=None)
    give_back_scopes(world)


@then("with every scope the same read is answered")
def read_with_scope(world: World) -> None:
    give_back_scopes(world)
    contents(read(world, world.story.notes["uri"]))


@then("with every permission the same read is answered")
def read_with_permission(world: World) -> None:
    give_back_permissions(world)
    contents(read(world, world.story.notes["uri"]))


@then("the read is refused for want of permission")
def refused_for_permission(world: World) -> None:
    error = expect_rpc_error(world.answer, INVALID_PARAMS)
    data = error.get("data")
    code = data.get("code") if isinstance(data, Mapping) else None
    if code != INSUFFICIENT:
        raise broken(
            "the refusal does not name its reason",
            world.answer,
            expected=f"{INVALID_PARAMS} with data.code {INSUFFICIENT}",
            actual=describe(world.answer),
        )


@then("the read is refused as not found")
def refused_as_not_found(world: World) -> None:
    error = expect_rpc_error(world.answer, ERA_TABLES[world.era].not_found_code)
    data = error.get("data")
    if isinstance(data, Mapping) and data.get("code") == INSUFFICIENT:
        raise broken(
            "what does not exist is refused for want of permission",
            world.answer,
            expected="not found",
            actual=describe(world.answer),
        )


@then("the read is refused as not found, or by HTTP")
def refused_or_by_http(world: World) -> None:
    if world.answer.message is None and world.answer.status in HTTP_REFUSALS:
        return
    refused_as_not_found(world)


@then("the read is answered or refused as not found")
def answered_or_not_found(world: World) -> None:
    if world.answer.result is not None:
        document(world.answer)
    else:
        refused_as_not_found(world)


@then("the read is answered")
def the_read_is_answered(world: World) -> None:
    contents(world.answer)


@then("the upstream was asked")
def the_upstream_was_asked(world: World) -> None:
    if not world.tenant.ledger():
        raise NotTestable(
            "the ledger shows nothing of this read: what the server did upstream cannot be seen"
        )


@then("the next read is answered")
def the_next_read_is_answered(world: World) -> None:
    contents(world.caller.request("resources/read", {"uri": world.product.uri_prefix + "me"}))


@then("the refusal is the same as for a record that does not exist")
def same_refusal(world: World) -> None:
    missing: Exchange = world.story.notes["missing"]
    here, there = _bare(world.answer), _bare(missing)
    if here != there:
        raise broken(
            "another organization's record shows by its refusal",
            world.answer,
            expected=str(there),
            actual=str(here),
        )


def _bare(exchange: Exchange) -> str:
    # All that may differ is the address itself, and the id in it.
    uri = str((parse_params(exchange) or {}).get("uri"))
    text = f"HTTP {exchange.status} {exchange.error!r}"
    return text.replace(uri, "<uri>").replace(next((p for p in uri.split("/") if len(p) == 36), uri), "<id>")


def parse_params(exchange: Exchange) -> Mapping[str, Any] | None:
    """The params that a recorded request was sent with."""
    from harness.checks.results import parse_json

    message = parse_json(exchange.request.body.decode())
    return message.get("params") if isinstance(message, dict) else None


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
    if not any(same_records(held, one) for one in answered):
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
    schema = world.schemas().get(tool, {}).get("inputSchema", {})
    properties = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
    return properties if isinstance(properties, Mapping) else {}


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
    collection, record_id = uri.removeprefix(world.product.uri_prefix).split("/")[:2]
    record = next(one for one in world.tenant.records[collection] if one["id"] == record_id)
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
    found = {one.get("id") for one in records(document(world.answer))}
    if found != owned:
        raise broken(
            f"the document does not hold the {collection} of its execution alone",
            world.answer,
            expected=str(sorted(owned)),
            actual=str(sorted(map(str, found))),
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


@then("no row is about files")
def no_row_is_about_files(world: World) -> None:
    about = [
        uri for uri in world.story.notes["listed"] if "file" in uri.removeprefix(world.product.uri_prefix)
    ]
    if about:
        raise broken(
            "a row is about files", world.story.exchange, expected="no resource of files", actual=str(about)
        )


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


@then("the answer carries no session id")
def carries_no_session(world: World) -> None:
    session = None if world.answer.answer is None else world.answer.answer.header("mcp-session-id")
    if session is not None:
        raise broken("a session id is given out", world.answer, expected="no Mcp-Session-Id", actual=session)

"""Resources: reading, listing, and what the documents hold."""

import re
from collections.abc import Mapping
from typing import Any

from harness.checks.documents import contents, document, is_about_files
from harness.checks.results import broken, describe, expect_rpc_error
from harness.exchanges import Exchange
from harness.expressions import then, when
from harness.steps.permissions import give_back_permissions, give_back_scopes
from harness.verdicts import HarnessFault, NotTestable
from harness.wire.eras import ERA_TABLES
from harness.world import World

MISSING_ID = "00000000-0000-4000-8000-00000000dead"
INSUFFICIENT = "insufficient_permission"
INVALID_PARAMS = -32602
HTTP_REFUSALS = (400, 404, 413, 414, 431)
FIGURES = re.compile(r"[\w.:+-]*\d[\w.:+-]*")


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


@when("{caller} reads each of these, of a record and of none")
def reads_each(world: World, caller: str, datatable: list[list[str]]) -> None:
    resources = [row[0] for row in datatable]
    kept = [one for one in resources if "{id}" not in one or world.tenant.records.get(one.split("/")[0])]
    world.story.notes["uris"] = [address(world, one) for one in kept]
    made_up = [address(world, one, MISSING_ID) for one in resources if "{id}" in one]
    for uri in (*world.story.notes["uris"], *made_up):
        read(world, uri, caller)


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


@then("with every scope the same read is answered")
def read_with_scope(world: World) -> None:
    give_back_scopes(world)
    contents(read(world, world.story.notes["uri"]))


@then("with every permission the same read is answered")
def read_with_permission(world: World) -> None:
    give_back_permissions(world)
    contents(read(world, world.story.notes["uri"]))


@then("with every scope each read of a record is answered")
def each_read_with_scope(world: World) -> None:
    give_back_scopes(world)
    _read_again(world)


@then("with every permission each read of a record is answered")
def each_read_with_permission(world: World) -> None:
    give_back_permissions(world)
    _read_again(world)


def _read_again(world: World) -> None:
    for uri in world.story.notes["uris"]:
        contents(read(world, uri))


@then("the read is refused for want of permission")
def refused_for_permission(world: World) -> None:
    _expect_insufficient(world.answer)


@then("each read is refused for want of permission")
def each_refused_for_permission(world: World) -> None:
    for exchange in world.story.exchanges:
        _expect_insufficient(exchange)


def _expect_insufficient(exchange: Exchange) -> None:
    expect_rpc_error(exchange, INVALID_PARAMS)
    if not _for_permission(exchange):
        raise broken(
            "the refusal does not name its reason",
            exchange,
            expected=f"{INVALID_PARAMS} with data.code {INSUFFICIENT}",
            actual=describe(exchange),
        )


@then("the read is refused as not found")
def refused_as_not_found(world: World) -> None:
    expect_rpc_error(world.answer, ERA_TABLES[world.era].not_found_code)
    if _for_permission(world.answer):
        raise broken(
            "what does not exist is refused for want of permission",
            world.answer,
            expected="not found",
            actual=describe(world.answer),
        )


def _for_permission(exchange: Exchange) -> bool:
    data = (exchange.error or {}).get("data")
    return isinstance(data, Mapping) and data.get("code") == INSUFFICIENT


@then("the read is refused as not found, or by HTTP")
def refused_or_by_http(world: World) -> None:
    # A refusal by HTTP may say why in a JSON-RPC error.
    if (
        world.answer.status in HTTP_REFUSALS
        and world.answer.result is None
        and not _for_permission(world.answer)
    ):
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


@when("that read can be judged")
def that_read_can_be_judged(world: World) -> None:
    if world.answer.result is None:
        raise NotTestable(f"could not exercise the read: {describe(world.answer)}")


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
    # All that may differ is the address itself and the id in it, ids of requests and times: words with figures.
    uri = str((parse_params(exchange) or {}).get("uri"))
    record = next((p for p in uri.split("/") if len(p) == 36), uri)
    error = exchange.error or {}
    told = repr({name: value for name, value in error.items() if name != "code"})
    told = FIGURES.sub("<…>", told.replace(uri, "<uri>").replace(record, "<id>"))
    return f"HTTP {exchange.status} error {error.get('code')}: {told}"


def parse_params(exchange: Exchange) -> Mapping[str, Any] | None:
    """The params that a recorded request was sent with."""
    from harness.checks.results import parse_json

    message = parse_json(exchange.request.body.decode())
    return message.get("params") if isinstance(message, dict) else None


@then("no row is about files")
def no_row_is_about_files(world: World) -> None:
    about = [uri for uri in world.story.notes["listed"] if is_about_files(uri)]
    if about:
        raise broken(
            "a row is about files", world.story.exchange, expected="no resource of files", actual=str(about)
        )


@then("the answer carries no session id")
def carries_no_session(world: World) -> None:
    session = None if world.answer.answer is None else world.answer.answer.header("mcp-session-id")
    if session is not None:
        raise broken("a session id is given out", world.answer, expected="no Mcp-Session-Id", actual=session)

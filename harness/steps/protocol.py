"""The protocol itself: requests that are right, and requests that are wrong on purpose."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from harness.checks.documents import contents
from harness.checks.protocol import (
    expect_cache_hints,
    expect_code_of_revision,
    expect_complete,
    expect_declared,
    expect_discovery,
    expect_header_refusal,
    expect_http,
    expect_invalid,
    expect_no_changes_offered,
    expect_nothing_heard,
    expect_private,
    expect_released,
    expect_result,
    expect_schemas,
    expect_unauthorized,
    expect_unsupported_version,
)
from harness.checks.results import broken, describe, is_success
from harness.exchanges import Exchange
from harness.expressions import given, step, then, when
from harness.steps.callers import named
from harness.steps.calls import call_for, send
from harness.steps.resources import read
from harness.verdicts import NotTestable
from harness.wire.eras import (
    ERA_TABLES,
    INVALID_REQUEST,
    META_CAPABILITIES,
    META_CLIENT,
    META_VERSION,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
)
from harness.wire.header_values import wrap
from harness.wire.requests import Overrides, encoded
from harness.world import SCHEMA_RULE, Call, World

Item = TypeVar("Item")

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
META_KEYS = {
    "protocolVersion": META_VERSION,
    "clientCapabilities": META_CAPABILITIES,
    "clientInfo": META_CLIENT,
}
LISTEN_SECONDS = 1.0
OPTIONAL_FAMILIES = ("resources/", "prompts/", "completion/")


def ask(world: World, method: str, overrides: Overrides | None = None, **more: Any) -> Exchange:
    """Ask for a method without parameters; the story remembers the answer."""
    exchange = world.client().request(method, more.pop("params", None), overrides=overrides, **more)
    world.story.exchange = exchange
    world.story.exchanges.append(exchange)
    error = exchange.error
    if method.startswith(OPTIONAL_FAMILIES) and error is not None and error.get("code") == METHOD_NOT_FOUND:
        raise NotTestable(f"the server does not offer {method}")
    return exchange


def some(items: list[Item], method: str) -> list[Item]:
    """The items of a listing. Raises NotTestable where there are none, for they would show nothing."""
    if not items:
        raise NotTestable(f"{method} lists nothing that could be looked at")
    return items


@when("the assistant asks for {method}")
def asks_for(world: World, method: str) -> None:
    ask(world, method)


@when("the assistant asks for {method} in the version {word}")
def asks_in_version(world: World, method: str, version: str) -> None:
    ask(world, method, Overrides(version=version))


@when("the assistant asks for {method} without the meta key {name}")
def asks_without_meta(world: World, method: str, key: str) -> None:
    ask(world, method, Overrides(drop_meta=frozenset({named(META_KEYS, key)})))


@when("the assistant asks for {method} from a foreign page")
def asks_from_a_foreign_page(world: World, method: str) -> None:
    world.client().shake_hands()
    ask(world, method, Overrides(set_headers={"Origin": "https://evil.example"}))


@when("the assistant asks for {method} under the id {json}")
def asks_under_id(world: World, method: str, request_id: Any) -> None:
    ask(world, method, id=request_id)


@when("the assistant asks for {method} with a made-up cursor")
def asks_with_cursor(world: World, method: str) -> None:
    ask(world, method, params={"cursor": "bm9ib2R5LWdhdmUtdGhpcy1vdXQ"})


@when("the assistant shakes hands asking for {word}")
def shakes_hands(world: World, version: str) -> None:
    world.story.exchange = world.client().initialize(version)


@when("the assistant asks what the server offers")
def asks_what_is_offered(world: World) -> None:
    table = ERA_TABLES[world.era]
    world.story.exchange = (
        world.client().initialize() if table.handshake else world.client().request(table.opening, None)
    )


@when("the assistant sends the HTTP method {word}")
def sends_http_method(world: World, verb: str) -> None:
    ask(world, ERA_TABLES[world.era].opening, Overrides(http_method=verb, body=b""))


HEADERS: dict[str, Callable[[str], Overrides]] = {
    "no method": lambda tool: Overrides(drop_headers=frozenset({"Mcp-Method"})),
    "another method": lambda tool: Overrides(set_headers={"Mcp-Method": "tools/list"}),
    "no name": lambda tool: Overrides(drop_headers=frozenset({"Mcp-Name"})),
    "another name": lambda tool: Overrides(set_headers={"Mcp-Name": tool + "_not"}),
    "another version": lambda tool: Overrides(set_meta={META_VERSION: "2026-07-29"}),
    "another name, encoded": lambda tool: Overrides(set_headers={"Mcp-Name": wrap(tool + "_not")}),
    "its name in base64": lambda tool: Overrides(set_headers={"Mcp-Name": wrap(tool)}),
}


@when("the assistant calls a tool with {phrase}")
def calls_with_header(world: World, words: str) -> None:
    call = reading_call(world)
    params = {"name": call.tool, "arguments": dict(call.arguments)}
    world.story.exchange = world.client().request(
        "tools/call", params, overrides=named(HEADERS, words)(call.tool)
    )


@when("the assistant calls a tool that only reads")
def calls_a_reading_tool(world: World) -> None:
    world.story.call = reading_call(world)
    send(world, world.client(), world.call)


def reading_call(world: World) -> Call:
    """A call that reads and needs no argument, or at least none that cannot be built."""
    tool = f"{world.product.tool_prefix}me_get"
    return call_for(world, tool)


@when("the assistant calls the unknown tool {tool}")
def calls_unknown(world: World, tool: str) -> None:
    send(world, world.client(), Call(tool, {}))


def ordinary_write(world: World) -> Call:
    """A write that asks nobody: offered, no reading, not marked destructive, with an argument it needs."""
    for name, tool in world.schemas().items():
        hints = tool.get("annotations") or {}
        schema = tool.get("inputSchema") or {}
        if name.endswith("_create") and hints.get("destructiveHint") is False and schema.get("required"):
            return call_for(world, name)
    raise NotTestable(
        "could not exercise an ordinary write: the server lists none that is marked as not destructive"
    )


@when("the assistant calls an ordinary write with {phrase}")
def calls_write_wrongly(world: World, words: str) -> None:
    call = ordinary_write(world)
    schema = world.schemas()[call.tool]["inputSchema"]
    text = next(
        (n for n in schema["required"] if schema["properties"].get(n, {}).get("type") == "string"), None
    )
    if text is None:
        raise NotTestable(f"could not exercise {call.tool} with bad arguments: it needs no text")
    wrong = {"nothing it needs": {}, "a number for a text": {**call.arguments, text: 12}}
    world.story.call = call
    send(world, world.client(), Call(call.tool, named(wrong, words)))


@when("somebody asks for {method} with {phrase}")
def asks_with_token(world: World, method: str, words: str) -> None:
    ended = world.tenant.token(world.tenant.people[0]["id"])
    world.tenant.revoke(ended)
    token = named(
        {
            "no token": None,
            "a made-up token": "a-token-that-nobody-minted-0123456789",
            "an ended token": ended.value,
        },
        words,
    )
    client = world.new_client(token)
    table = ERA_TABLES[world.era]
    world.story.exchange = client.initialize() if table.handshake else client.request(method)


@when("the assistant sends what is not JSON")
def sends_no_json(world: World) -> None:
    ask(world, "tools/list", Overrides(body=b'{"jsonrpc": "2.0", "id": 1, "method": '))


@when("the assistant sends a batch of two requests")
def sends_a_batch(world: World) -> None:
    client = world.client()
    client.shake_hands()
    one = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    ask(world, "tools/list", Overrides(body=encoded([one, {**one, "id": 2}])))


@when("the assistant notifies that it is ready")
def notifies(world: World) -> None:
    world.story.exchange = world.client().notify("notifications/initialized")


@when("the assistant lists the tools twice")
def lists_twice(world: World) -> None:
    world.story.notes["orders"] = [
        [item.get("name") for item, _ in world.client().items("tools/list", "tools")] for _ in range(2)
    ]


@when("the assistant goes through every page of {method}")
def goes_through_pages(world: World, method: str) -> None:
    ask(world, method)
    key = LISTS[method]
    identity = {"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}[
        key
    ]
    items = list(world.client().items(method, key))
    world.story.notes["items"] = [item.get(identity) for item, _ in items]
    some(items, method)


@given("two assistants, one of whom may run nothing")
def two_assistants(world: World) -> None:
    person = world.tenant.people[1]["id"]
    world.tenant.change_person(person, permissions=[])
    world.use_token("the colleague's assistant", world.tenant.token(person, scopes=[]))


@when("both ask for {method}")
def both_ask(world: World, method: str) -> None:
    ask(world, method)
    world.story.exchanges.append(world.client("the colleague's assistant").request(method))


@when("both read {resource}")
def both_read(world: World, resource: str) -> None:
    for caller in ("the assistant", "the colleague's assistant"):
        contents(read(world, world.product.uri_prefix + resource, caller))


@when("the assistant subscribes to {resource}")
def subscribes(world: World, resource: str) -> None:
    uri = world.product.uri_prefix + resource
    world.story.exchange = world.client().request("resources/subscribe", {"uri": uri})


@when("the assistant listens for changes while a record changes")
def listens(world: World) -> None:
    wanted = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
    uri = world.product.uri_prefix + "me"
    client = world.client()
    with client.open_stream(
        "subscriptions/listen", {"notifications": {**wanted, "resourceSubscriptions": [uri]}}, LISTEN_SECONDS
    ) as stream:
        person = world.tenant.people[0]["id"]
        world.tenant.change_person(person, permissions=[])
        world.tenant.change_person(person, permissions=None)
        client.request("tools/list")
    world.story.exchange = stream.exchange


@then("the listening is refused or brings nothing")
def listening_brings_nothing(world: World) -> None:
    expect_nothing_heard(world.answer)


@step("the request is answered")
def is_answered(world: World) -> None:
    expect_result(world.answer)


@step("the request is rejected")
@then("the request is answered by an error")
def is_rejected(world: World) -> None:
    if world.answer.error is None and (world.answer.status or 0) < 400:
        raise broken(
            "the request is not refused", world.answer, expected="an error", actual=describe(world.answer)
        )


@then("an assistant of the other era is served too")
def other_era_served(world: World) -> None:
    exchange = world.in_other_era().initialize()
    if world.other_era not in world.settings.eras and exchange.result is None:
        raise NotTestable("the other era was not asked for and is not offered")
    expect_result(exchange)


@then("the handshake is answered with a released revision of its era")
def released_revision(world: World) -> None:
    expect_released(world.answer, world.era)


@then("the tools are listed in that revision")
def tools_listed(world: World) -> None:
    expect_result(world.client().request("tools/list"))


@then("the discovery names the revision and the capabilities")
def discovery(world: World) -> None:
    expect_discovery(world.answer, ERA_TABLES[world.era].version)


@then("the refusal names the supported versions and {word}")
def names_versions(world: World, asked: str) -> None:
    expect_unsupported_version(world.answer, asked, ERA_TABLES[world.era].version)


@then("the request is refused as invalid with HTTP 400")
def refused_as_invalid_400(world: World) -> None:
    expect_invalid(world.answer, mismatch_allowed=True)
    expect_http(world.answer, 400)


@then("the request is refused as invalid")
def refused_as_invalid(world: World) -> None:
    expect_invalid(world.answer, mismatch_allowed=False)


@then("the request is refused for its headers with HTTP 400")
def refused_for_headers(world: World) -> None:
    expect_header_refusal(world.answer)


@then("the result is of the type complete")
def is_complete(world: World) -> None:
    expect_complete(world.answer)


@then("the result says for how long and for whom it may be cached")
def says_how_to_cache(world: World) -> None:
    expect_cache_hints(world.answer)


@then("what differs between them is private")
def differs_is_private(world: World) -> None:
    mine, theirs = world.story.exchanges[-2:]
    expect_private(mine, theirs)


@then("the answer is HTTP {int}")
def is_http(world: World, status: int) -> None:
    expect_http(world.answer, status)


@then("the answer is HTTP 401 and says how to authenticate")
def is_unauthorized(world: World) -> None:
    expect_unauthorized(world.answer)


@then("what the server offers is declared as")
def is_declared(world: World, datatable: list[list[str]]) -> None:
    expect_declared(world.answer, [row[0] for row in datatable])


@then("neither subscriptions nor changed lists are offered")
def no_changes_offered(world: World) -> None:
    expect_no_changes_offered(world.answer)


@then("the method is refused as not found")
def method_not_found(world: World) -> None:
    error = world.answer.error
    status = ERA_TABLES[world.era].statuses.get(METHOD_NOT_FOUND)
    if error is None or error.get("code") != METHOD_NOT_FOUND:
        raise broken(
            "an unknown method is not refused as one",
            world.answer,
            expected=f"{METHOD_NOT_FOUND}",
            actual=describe(world.answer),
        )
    if status is not None:
        expect_http(world.answer, status)


@then("the error has a code of this revision")
def code_of_revision(world: World) -> None:
    expect_code_of_revision(world.answer)


@then("every inputSchema is valid and of the type object")
def schemas_are_valid(world: World) -> None:
    expect_schemas(some(list(world.client().items("tools/list", "tools")), "tools/list"))


@then("both listings have the same order")
def same_order(world: World) -> None:
    first, second = world.story.notes["orders"]
    some(first, "tools/list")
    if first != second:
        raise broken(
            "the tools change their order",
            world.story.exchange,
            expected=str(first)[:500],
            actual=str(second)[:500],
        )


@then("the request is refused as unreadable")
def refused_as_unreadable(world: World) -> None:
    error = world.answer.error
    if error is None or error.get("code") != PARSE_ERROR:
        raise broken(
            "what is not JSON is not called so",
            world.answer,
            expected=f"an error {PARSE_ERROR}",
            actual=describe(world.answer),
        )


@then("the batch is refused")
def batch_refused(world: World) -> None:
    answer = world.answer.answer
    body = b"" if answer is None else answer.body
    served = answer is not None and answer.status < 400 and (b'"result"' in body or b'"error"' not in body)
    if answer is None or served:
        raise broken(
            "a batch is served",
            world.answer,
            expected=f"an error such as {INVALID_REQUEST}",
            actual=describe(world.answer),
        )


@then("the answer carries that very id")
def carries_that_id(world: World) -> None:
    sent = json.loads(world.answer.request.body)["id"]
    message = world.answer.message
    if message is None or type(message.get("id")) is not type(sent) or message.get("id") != sent:
        raise broken(
            "the answer carries another id",
            world.answer,
            expected=f"the id {sent!r}",
            actual=describe(world.answer),
        )


@then("every message so far is valid for its revision")
def every_message_valid(world: World) -> None:
    wrong = next((finding for finding in world.findings if finding.rule == SCHEMA_RULE), None)
    if wrong is not None:
        exchange = world.exchanges[(wrong.exchange or 1) - 1]
        raise broken(wrong.message, exchange, expected=wrong.expected, actual=wrong.actual)


@then("the unknown tool is refused")
def unknown_tool_refused(world: World) -> None:
    allowed = ERA_TABLES[world.era].unknown_tool_codes
    if allowed and (world.answer.error or {}).get("code") not in allowed:
        raise broken(
            "an unknown tool is not refused as one",
            world.answer,
            expected=f"an error {allowed[0]}",
            actual=describe(world.answer),
        )
    if is_success(world.answer) or world.answer.answer is None:
        raise broken(
            "an unknown tool succeeds", world.answer, expected="an error", actual=describe(world.answer)
        )


@then("no item came twice")
def no_item_twice(world: World) -> None:
    items = world.story.notes["items"]
    twice = sorted({str(item) for item in items if items.count(item) > 1})
    if twice:
        raise broken(
            "an item comes twice", world.story.exchange, expected="every item once", actual=f"twice: {twice}"
        )

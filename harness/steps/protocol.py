"""The protocol itself: requests that are right, and requests that are wrong on purpose."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from harness.actors.client import Client
from harness.checks.documents import contents
from harness.checks.schemas import hints
from harness.exchanges import Exchange
from harness.expressions import given, when
from harness.schemas import texts_needed
from harness.steps.callers import named
from harness.steps.calls import call_for, send
from harness.steps.resources import address, read
from harness.verdicts import NotApplicable, NotTestable
from harness.wire.eras import (
    ERA_TABLES,
    META_CAPABILITIES,
    META_CLIENT,
    META_VERSION,
    METHOD_NOT_FOUND,
)
from harness.wire.header_values import wrap
from harness.wire.requests import Overrides, encoded
from harness.wire.requests import request as build
from harness.world import Call, World

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
LAST_WITH_BATCHES = "2025-03-26"
LISTEN_SECONDS = 1.0
FROM_ELSEWHERE = Overrides(set_headers={"Origin": "https://evil.example"})
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


@when("the assistant asks for {method} without any meta")
def asks_without_any_meta(world: World, method: str) -> None:
    ask(world, method, Overrides(without_meta=True))


@when("the assistant calls a tool without the meta key {name}")
def calls_without_meta(world: World, key: str) -> None:
    calls_otherwise(world, Overrides(drop_meta=frozenset({named(META_KEYS, key)})))


@when("the assistant calls a tool in the version {word}")
def calls_in_version(world: World, version: str) -> None:
    calls_otherwise(world, Overrides(version=version))


@when("the assistant asks for {method} from a foreign page")
def asks_from_a_foreign_page(world: World, method: str) -> None:
    world.client().shake_hands()
    ask(world, method, FROM_ELSEWHERE)


@when("the assistant calls a tool from a foreign page")
def calls_from_a_foreign_page(world: World) -> None:
    calls_otherwise(world, FROM_ELSEWHERE)


@when("the assistant asks from a foreign page what the server offers")
def asks_from_a_foreign_page_what_is_offered(world: World) -> None:
    client, table = world.client(), ERA_TABLES[world.era]
    world.story.exchange = (
        client.initialize(overrides=FROM_ELSEWHERE)
        if table.handshake
        else client.request(table.opening, None, overrides=FROM_ELSEWHERE)
    )


@when("the assistant asks for {method} from a page of {string}")
def asks_from_a_page(world: World, method: str, origin: str) -> None:
    world.client().shake_hands()
    ask(world, method, Overrides(set_headers={"Origin": origin}))


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
    "no version": lambda tool: Overrides(drop_headers=frozenset({"MCP-Protocol-Version"})),
    "another version": lambda tool: Overrides(set_meta={META_VERSION: "2026-07-29"}),
    "another name, encoded": lambda tool: Overrides(set_headers={"Mcp-Name": wrap(tool + "_not")}),
    "its name in base64": lambda tool: Overrides(set_headers={"Mcp-Name": wrap(tool)}),
    "its name in capitals": lambda tool: Overrides(set_headers={"Mcp-Name": tool.upper()}),
    "its method in capitals": lambda tool: Overrides(set_headers={"Mcp-Method": "TOOLS/CALL"}),
    "a name that is no base64": lambda tool: Overrides(set_headers={"Mcp-Name": "=?base64?%%%?="}),
}


@when("the assistant calls a tool with {phrase}")
def calls_with_header(world: World, words: str) -> None:
    calls_otherwise(world, named(HEADERS, words)(reading_call(world).tool))


def calls_otherwise(world: World, overrides: Overrides) -> None:
    """A call that reads, sent as a conforming client never would."""
    call = reading_call(world)
    params = {"name": call.tool, "arguments": dict(call.arguments)}
    world.story.exchange = world.client().request("tools/call", params, overrides=overrides)


@when("the assistant sends a listing of {method} with {phrase}")
def lists_with_header(world: World, method: str, words: str) -> None:
    world.story.exchange = world.client().request(method, None, overrides=named(HEADERS, words)(""))


@when("the assistant sends a read of {resource} with {phrase}")
def reads_with_header(world: World, resource: str, words: str) -> None:
    uri = world.product.uri_prefix + resource
    world.story.exchange = world.client().request(
        "resources/read", {"uri": uri}, overrides=named(HEADERS, words)(uri)
    )


@when("the assistant asks for the prompt {name} with {phrase}")
def gets_with_header(world: World, prompt: str, words: str) -> None:
    params: dict[str, Any] = {"name": prompt, "arguments": {}}
    world.story.exchange = world.client().request(
        "prompts/get", params, overrides=named(HEADERS, words)(prompt)
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
    """A write that asks nobody: offered, no reading, not marked destructive, with a text that it needs."""
    for name, tool in world.schemas().items():
        asks_nobody = hints(tool).get("destructiveHint") is False
        if name.endswith("_create") and asks_nobody and texts_needed(tool.get("inputSchema")):
            return call_for(world, name)
    raise NotTestable(
        "could not exercise an ordinary write: the server lists none that needs a text and is marked as not destructive"
    )


@when("the assistant calls an ordinary write with {phrase}")
def calls_write_wrongly(world: World, words: str) -> None:
    call = ordinary_write(world)
    text = texts_needed(world.schemas()[call.tool].get("inputSchema"))[0]
    wrong = {
        "nothing it needs": {},
        "a number for a text": {**call.arguments, text: 12},
        "a list for a text": {**call.arguments, text: ["doze"]},
        "null for a text": {**call.arguments, text: None},
    }
    world.story.call = call
    send(world, world.client(), Call(call.tool, named(wrong, words)))


@when("somebody asks for {method} with {phrase}")
def asks_with_token(world: World, method: str, words: str) -> None:
    ended = world.tenant.token(world.tenant.people[0]["id"])
    if "used" in words:
        world.new_client(ended.value).request(method)
    world.tenant.revoke(ended)
    token = named(
        {
            "no token": None,
            "a made-up token": "a-token-that-nobody-minted-0123456789",
            "an ended token": ended.value,
            "a token that was used before it ended": ended.value,
        },
        words,
    )
    client = world.new_client(token)
    table = ERA_TABLES[world.era]
    world.story.exchange = client.initialize() if table.handshake else client.request(method)


@when("somebody asks for everything without a token")
def asks_for_everything(world: World) -> None:
    client = world.client()
    client.shake_hands()
    client.token = None
    asked: dict[str, dict[str, Any]] = {
        **{method: {} for method in LISTS},
        "tools/call": {"name": f"{world.product.tool_prefix}me_get", "arguments": {}},
        "resources/read": {"uri": f"{world.product.uri_prefix}me"},
        "prompts/get": {"name": "no_such_prompt_here", "arguments": {}},
        "completion/complete": {
            "ref": {"type": "ref/prompt", "name": "no_such_prompt_here"},
            "argument": {"name": "month", "value": ""},
        },
    }
    world.story.exchanges += [client.request(method, params) for method, params in asked.items()]
    if ERA_TABLES[world.era].opened is not None:
        world.story.exchanges.append(notify(client))


@when("somebody whose token ended after the handshake asks for {method} and notifies")
def asks_after_the_end(world: World, method: str) -> None:
    token = world.tenant.token(world.tenant.people[0]["id"])
    client = world.new_client(token.value)
    client.shake_hands()
    world.tenant.revoke(token)
    world.story.exchanges += [client.request(method), notify(client)]


@when("the assistant sends what is not JSON")
def sends_no_json(world: World) -> None:
    ask(world, "tools/list", Overrides(body=b'{"jsonrpc": "2.0", "id": 1, "method": '))


# Each is a message that would be taken by itself.
_LISTING: tuple[str, dict[str, Any]] = ("tools/list", {})
_NOTICE: tuple[str, dict[str, Any]] = ("notifications/cancelled", {"requestId": "nobody-asked"})
BATCHES = {
    "no request": [],
    "one request": [_LISTING],
    "two requests": [_LISTING, _LISTING],
    "notifications alone": [_NOTICE, _NOTICE],
}


@when("the assistant sends a batch of {phrase}")
def sends_a_batch(world: World, words: str) -> None:
    client = world.client()
    client.shake_hands()
    if client.version <= LAST_WITH_BATCHES:
        raise NotApplicable(f"The server agreed on {client.version}, which has batches.")
    batch = [
        json.loads(build(world.era, method, params, id=number, url=world.settings.urls[0]).body)
        for number, (method, params) in enumerate(named(BATCHES, words), 1)
    ]
    for message in batch:
        if message["method"].startswith("notifications/"):
            del message["id"]
    ask(world, "tools/list", Overrides(body=encoded(batch)))


@when("the assistant notifies that it is ready")
def notifies(world: World) -> None:
    world.story.exchange = notify(world.client())


def notify(client: Client) -> Exchange:
    """The one notification that every client of the handshake era sends."""
    return client.notify("notifications/initialized")


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


@when("both ask to read {resource}")
def both_ask_to_read(world: World, resource: str) -> None:
    uri = address(world, resource)
    contents(read(world, uri))
    read(world, uri, "the colleague's assistant")


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

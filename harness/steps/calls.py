"""When: an assistant calls a tool."""

from collections.abc import Mapping
from typing import Any

from harness import clock
from harness.actors.arguments import build, held, optional_value, subject
from harness.actors.client import FORMS, NO_FORMS, Client
from harness.actors.upstream import Tenant
from harness.checks.results import is_question
from harness.exchanges import Exchange
from harness.expressions import given, when
from harness.product import Product
from harness.schemas import forms_of, resolve
from harness.steps.callers import named
from harness.steps.questions import question_of
from harness.verdicts import HarnessFault, NotApplicable, NotTestable
from harness.world import Call, World

Forms = Mapping[str, Mapping[str, Any]]
TEXTS = {
    "nothing": "",
    "a space at either end": " avisos do financeiro ",
    "a ligature and a raised figure": "avisos do o\ufb01cial, 12 m\u00b2",
    "an emoji": "avisos \U0001f514 do financeiro",
}
STRAY_STATE = "c3RyYXktc3RhdGUtdGhhdC1ub2JvZHktYXNrZWQtZm9y"


def call_for(
    world: World, tool: str, given_arguments: Mapping[str, Any] | None = None, caller: str = "the assistant"
) -> Call:
    """A call of a tool with arguments that this server's own inputSchema takes."""
    listed = world.schemas(caller).get(tool)
    if listed is None:
        raise not_listed(world, tool)
    schema = listed.get("inputSchema")
    if not isinstance(schema, Mapping) or not isinstance(schema.get("properties", {}), Mapping):
        raise NotTestable(f"could not exercise {tool}: its inputSchema is no schema of an object")
    if "$ref" in resolve(schema, schema):
        raise NotTestable(f"could not exercise {tool}: its inputSchema refers to a schema that is not there")
    tenant = world.tenant_of(caller)
    return Call(
        tool, build(tool, schema, world.product, tenant.records, now=tenant.now, given=given_arguments)
    )


def not_listed(world: World, tool: str) -> NotTestable | NotApplicable:
    """What to raise where a tool is not offered: its rules are about what is offered, where a server may do without it."""
    if tool in world.product.optional:
        return NotApplicable(f"the server does not offer {tool}, and need not")
    return NotTestable(f"could not exercise {tool}: the server does not list it")


def call_with_every_argument(world: World, tool: str, caller: str = "the assistant") -> Call:
    """The call with every argument of its schema, the key of idempotency apart. Raises NotTestable where it needs all."""
    plain = call_for(world, tool, caller=caller)
    full = _with_all(world, plain, caller)
    if full.arguments.keys() == plain.arguments.keys():
        raise NotTestable(f"could not exercise {tool} with every argument: it has no optional one")
    return full


def fullest_call(world: World, tool: str, caller: str = "the assistant") -> Call:
    """The call with all that it takes, the key of idempotency apart; arguments that may hold others are filled."""
    return _with_all(world, call_for(world, tool, caller=caller), caller)


def _with_all(world: World, plain: Call, caller: str) -> Call:
    tool, tenant = plain.tool, world.tenant_of(caller)
    schema = world.schemas(caller)[tool].get("inputSchema", {})
    forms = forms_of(schema)
    more = {
        name: optional_value(form, schema, world.product, tool=tool, name=name, now=tenant.now)
        for name, form in forms.items()
        if name not in plain.arguments and name != "idempotency_key"
    }
    return Call(tool, {**plain.arguments, **more, **_filled(world.product, tool, forms, tenant)})


def _filled(product: Product, tool: str, forms: Forms, tenant: Tenant) -> dict[str, Any]:
    """The arguments that hold others, by what the record of the tool says of their inside; none that stays empty."""
    found = subject(tool, product, tenant.records)
    if found is None:
        return {}
    filled = {
        name: held(forms[name], found[1].get(field), tool=tool, now=tenant.now)
        for name, field in product.inside.get(tool, {}).items()
        if forms.get(name, {}).get("type") in ("object", ["object", "null"])
    }
    return {name: value for name, value in filled.items() if value}


def send(world: World, client: Client, call: Call, **more: Any) -> Exchange:
    """Send a call, with whatever else goes beside its name and arguments; the story remembers the answer."""
    story = world.story
    began = clock.monotonic()
    exchange = client.request("tools/call", {"name": call.tool, "arguments": dict(call.arguments), **more})
    story.client, story.exchange = client, exchange
    if is_question(exchange):
        story.question = question_of(world, exchange)
        story.asked.append((call, exchange))
        story.asked_at, story.moved = began, False
    return exchange


def begin(world: World, call: Call, caller: str = "the assistant") -> None:
    """A call that starts a story."""
    world.story.call = call
    send(world, world.client(caller), call)


def confirm(
    world: World, call: Call, answers: Mapping[str, Any] | None, state: str | None, caller: Client
) -> Exchange:
    """The same call again with an answer map and a state, each left out where None."""
    more = answered(answers, state)
    world.story.confirmed = {"name": call.tool, "arguments": dict(call.arguments), **more}
    return send(world, caller, call, **more)


def race(world: World, client: Client, params: Mapping[str, Any], times: int) -> list[Exchange]:
    """The same call that often at one moment, inside the server too: the mock gathers what each of them asks first."""
    # What is gathered are the calls: a handshake is over before.
    client.shake_hands()
    gathering = world.tenant.gather(times)
    exchanges = client.together("tools/call", params, times)
    world.tenant.disarm(gathering)
    return exchanges


def answered(answers: Mapping[str, Any] | None, state: str | None) -> dict[str, Any]:
    """What goes beside a call that was asked about: an answer map and a state, each left out where None."""
    more: dict[str, Any] = {} if answers is None else {"inputResponses": dict(answers)}
    return more if state is None else {**more, "requestState": state}


@when("{caller} calls {tool}")
def calls(world: World, caller: str, tool: str) -> None:
    begin(world, call_for(world, tool, caller=caller), caller)


@when("{caller} calls {tool} on it")
def calls_on_it(world: World, caller: str, tool: str) -> None:
    if world.story.record is None:
        raise HarnessFault("The scenario says `on it` before it spoke of a record.")
    begin(world, call_for(world, tool, {"id": world.story.record[1]["id"]}, caller), caller)


@when("{caller} calls {tool} with every argument")
def calls_with_every_argument(world: World, caller: str, tool: str) -> None:
    begin(world, call_with_every_argument(world, tool, caller), caller)


@when("{caller} calls {tool} with all it takes")
def calls_with_all_it_takes(world: World, caller: str, tool: str) -> None:
    begin(world, fullest_call(world, tool, caller), caller)


@when("{caller} calls {tool} with {name} set to true")
def calls_with_a_flag(world: World, caller: str, tool: str, name: str) -> None:
    world.story.call = call_for(world, tool, caller=caller)
    send(world, world.client(caller), Call(tool, {**world.call.arguments, name: True}))


@when("{caller} calls {tool} with {int} words of {name}")
def calls_with_many_words(world: World, caller: str, tool: str, count: int, name: str) -> None:
    words = " ".join(f"palavra{number}" for number in range(count))
    built = call_for(world, tool, caller=caller)
    begin(world, Call(tool, {**built.arguments, name: words}), caller)


@when("{caller} calls {tool} with {phrase} in its {name}")
def calls_with_a_text(world: World, caller: str, tool: str, peculiarity: str, name: str) -> None:
    text = named(TEXTS, peculiarity)
    call = call_for(world, tool, {name: text}, caller)
    least = forms_of(world.schemas(caller)[tool].get("inputSchema", {})).get(name, {}).get("minLength", 0)
    if isinstance(least, int) and len(text) < least:
        raise NotTestable(f"could not exercise {tool}: its {name} takes no text so short")
    begin(world, call, caller)


@when("{caller} calls {tool} with a stray state")
def calls_with_a_stray_state(world: World, caller: str, tool: str) -> None:
    world.story.call = call_for(world, tool, caller=caller)
    send(world, world.client(caller), world.call, requestState=STRAY_STATE, inputResponses={})


@when("the same call comes from a client without forms")
def comes_without_forms(world: World) -> None:
    world.declare(NO_FORMS)
    send(world, world.client(), world.call)


@when("the same call comes from a client that shows forms")
def comes_with_forms(world: World) -> None:
    world.declare(FORMS)
    send(world, world.client(), world.call)


@when("{caller} calls the same again")
def calls_the_same_again(world: World, caller: str) -> None:
    send(world, world.client(caller), world.call)


@given("the server offers {tool}")
def the_server_offers(world: World, tool: str) -> None:
    if tool not in world.schemas():
        raise not_listed(world, tool)

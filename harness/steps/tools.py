"""Tools: what is offered, how it is marked, and who may run it."""

from collections.abc import Mapping
from typing import Any

from harness.checks.approvals import REQUIRED
from harness.checks.results import broken, describe, documents, expect_success, is_question
from harness.checks.schemas import hints, key_argument
from harness.expressions import given, then, when
from harness.steps.calls import begin, call_for, send
from harness.steps.outcomes import control_ran_once
from harness.steps.permissions import give_back_permissions, give_back_scopes, person_of
from harness.verdicts import HarnessFault, NotApplicable, NotTestable, RuleBroken
from harness.world import World

READING = ("_get", "_list")


@when("the assistant lists the tools")
def lists_tools(world: World) -> None:
    world.story.notes["tools"] = world.list_tools()
    world.story.exchange = next(
        (one for one in reversed(world.exchanges) if one.method == "tools/list"), None
    )


@then("these tools are offered")
def these_are_offered(world: World, datatable: list[list[str]]) -> None:
    wanted = {row[0] for row in datatable}
    missing = sorted(wanted - set(world.story.notes["tools"]))
    if missing:
        raise broken(
            "a tool that the documents name is not offered",
            world.answer,
            expected=", ".join(sorted(wanted)),
            actual=f"missing: {', '.join(missing)}",
        )


def _reading(world: World) -> dict[str, Mapping[str, Any]]:
    offered: Mapping[str, Mapping[str, Any]] = world.product.own(world.story.notes["tools"])
    found = {name: tool for name, tool in offered.items() if name.endswith(READING)}
    if not found:
        raise NotTestable("the server lists no tool named get or list")
    return found


@then("no tool named get or list is marked destructive")
def reads_not_destructive(world: World) -> None:
    marked = [name for name, tool in _reading(world).items() if hints(tool).get("destructiveHint") is True]
    if marked:
        raise broken(
            "a reading tool is marked destructive",
            world.answer,
            expected="no destructiveHint",
            actual=", ".join(marked),
        )


@then("{tool} is not marked destructive")
def not_destructive(world: World, tool: str) -> None:
    if tool not in world.story.notes["tools"]:
        raise NotTestable(f"the server does not list {tool}")
    if hints(world.story.notes["tools"][tool]).get("destructiveHint") is True:
        raise broken(
            "a reading tool is marked destructive", world.answer, expected="no destructiveHint", actual=tool
        )


@then("every tool named get or list is marked as only reading")
def reads_say_so(world: World) -> None:
    silent = [name for name, tool in _reading(world).items() if hints(tool).get("readOnlyHint") is not True]
    if silent:
        raise broken(
            "a reading tool does not say that it only reads",
            world.answer,
            expected="readOnlyHint true",
            actual=", ".join(silent),
        )


@when("the assistant calls {tool} by what everybody knows of it")
def calls_as_known(world: World, tool: str) -> None:
    # The caller may not be listed the tool: its schema is the one that a colleague is listed.
    world.story.call = call_for(world, tool, caller="the colleague's assistant")
    send(world, world.client(), world.call)


def _runs_once(world: World) -> None:
    try:
        expect_success(send(world, world.client(), world.call))
    except RuleBroken as broken_rule:
        raise NotTestable(
            f"could not exercise {world.call.tool}: {broken_rule.finding.message}"
        ) from broken_rule
    control_ran_once(world)


@then("with every scope the same call runs once")
def runs_with_scopes(world: World) -> None:
    give_back_scopes(world)
    _runs_once(world)


@then("with every permission the same call runs once")
def runs_with_permissions(world: World) -> None:
    give_back_permissions(world)
    _runs_once(world)


@given("the assistant loses the scope {scope} after it was asked to confirm {tool}")
def loses_scope(world: World, scope: str, tool: str) -> None:
    begin(world, call_for(world, tool))
    if scope not in world.tenant.scopes:
        raise HarnessFault(f"The mock knows no scope {scope}.")
    world.use_token("the assistant", world.tenant.token(person_of(world)["id"], without_scopes=[scope]))
    world.story.client = world.client()


@given("the assistant loses the permission {permission} after it was asked to confirm {tool}")
def loses_permission(world: World, permission: str, tool: str) -> None:
    begin(world, call_for(world, tool))
    world.tenant.change_person(person_of(world)["id"], without_permissions=[permission])


@then("every tool named delete is marked destructive")
def deletions_marked(world: World) -> None:
    tools = world.product.own(world.story.notes["tools"])
    deleting = {name: tool for name, tool in tools.items() if name.endswith("_delete")}
    if not deleting:
        raise NotApplicable("the server offers no tool named delete, and need not")
    _expect_marked(world, deleting)


@then("these tools are marked destructive")
def these_marked(world: World, datatable: list[list[str]]) -> None:
    tools = world.story.notes["tools"]
    missing = sorted({row[0] for row in datatable} - set(tools))
    _expect_marked(world, {row[0]: tools[row[0]] for row in datatable if row[0] in tools})
    if missing:
        raise NotTestable(f"the server does not list {', '.join(missing)}")


def _expect_marked(world: World, tools: Mapping[str, Mapping[str, Any]]) -> None:
    # The protocol gives the mark a meaning only where a tool does not say that it only reads.
    unmarked = [
        name
        for name, tool in tools.items()
        if hints(tool).get("destructiveHint") is not True or hints(tool).get("readOnlyHint") is True
    ]
    if unmarked:
        raise broken(
            "a destructive tool is not marked",
            world.answer,
            expected="destructiveHint true, and not readOnlyHint true",
            actual=", ".join(unmarked),
        )


@then("these tools are said not to be destructive")
def these_not_destructive(world: World, datatable: list[list[str]]) -> None:
    tools = world.story.notes["tools"]
    silent = [
        row[0]
        for row in datatable
        if row[0] in tools and hints(tools[row[0]]).get("destructiveHint") is not False
    ]
    if silent:
        raise broken(
            "an ordinary write is not said to be harmless",
            world.answer,
            expected="destructiveHint false",
            actual=", ".join(silent),
        )


@when("the assistant calls every other tool that is marked destructive or named delete")
def calls_every_other(world: World) -> None:
    others = [
        name
        for name, tool in world.product.own(world.schemas()).items()
        if name not in world.product.destructive
        and (name.endswith("_delete") or hints(tool).get("destructiveHint") is True)
    ]
    for name in others:
        begin(world, call_for(world, name))


@when("the assistant calls every other write that is not marked destructive")
def calls_ordinary_writes(world: World) -> None:
    # What writes and deletes nothing takes a key, whatever a server says or leaves unsaid in its marks.
    judged = set(world.product.destructive)
    for name, tool in world.product.own(world.schemas()).items():
        asks = name in judged or name.endswith("_delete") or hints(tool).get("destructiveHint") is True
        if not asks and key_argument(tool).present:
            begin(world, call_for(world, name))
            world.story.exchanges.append(world.answer)


@then("none of them was asked about or put off")
def none_asked_or_put_off(world: World) -> None:
    if not world.story.exchanges:
        raise NotTestable("the server lists no ordinary write")
    for exchange in world.story.exchanges:
        put_off = any(
            isinstance(found, Mapping) and found.get("status") == REQUIRED for found in documents(exchange)
        )
        if is_question(exchange) or put_off:
            raise broken(
                "an ordinary write does not run at once",
                exchange,
                expected="no question, no approval to wait for",
                actual=describe(exchange),
            )


@when("the assistant calls {tool} with {string} for its {name}")
def calls_with_argument(world: World, tool: str, value: str, argument: str) -> None:
    begin(world, call_for(world, tool, {argument: value}))


@when("the assistant calls {tool} with the address it has already")
@when("the assistant calls {tool} with the address it had at first")
def calls_with_same_address(world: World, tool: str) -> None:
    call = call_for(world, tool)
    if "id" not in call.arguments:
        raise NotTestable(f"could not exercise {tool}: it takes no id")
    record = next(
        one
        for found in world.tenant.records.values()
        for one in found
        if one.get("id") == call.arguments["id"]
    )
    begin(world, call_for(world, tool, {"url": record["url"]}))

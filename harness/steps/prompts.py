"""Prompts: listing them, getting them, and what their texts hold."""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from harness.actors.arguments import related
from harness.checks.dates import around, holds_date, holds_month
from harness.checks.results import broken, describe
from harness.clock import now as machine_time
from harness.exchanges import Exchange
from harness.expressions import given, then, when
from harness.steps.callers import named
from harness.steps.permissions import give_back_permissions, give_back_scopes, person_of
from harness.steps.time import not_moved
from harness.world import World

SUBJECTS: Mapping[str, str] = {
    "failures": r"falh|fail|fall|fehl|scheiter|échec|échou|erreur|errore",
    "steps": r"passo|paso|step|schritt|étape|pas à pas|passagg",
    "cost": r"cust|cost|coste|kosten|coût|cout",
    "secrets": r"secret|segredo|secreto|geheim|segret",
}
ADDITIONS: Mapping[str, str] = {
    "a line break behind": "{}\n",
    "a space before": " {}",
    "a space behind": "{} ",
}
WEEK = timedelta(days=7)


@given("the token holds no scope")
def holds_no_scope(world: World) -> None:
    world.use_token("the assistant", world.tenant.token(person_of(world)["id"], scopes=[]))


def listed(world: World) -> dict[str, Mapping[str, Any]]:
    """The prompts that the assistant is listed, by name."""
    items = list(world.client().items("prompts/list", "prompts"))
    world.story.exchange = items[-1][1] if items else world.exchanges[-1]
    return {str(item.get("name")): item for item, _ in items}


@when("the assistant lists the prompts")
def lists_prompts(world: World) -> None:
    world.story.notes["prompts"] = listed(world)


def _arguments_of(prompt: Mapping[str, Any], *, required: bool) -> set[str]:
    arguments = prompt.get("arguments")
    known = [one for one in arguments if isinstance(one, Mapping)] if isinstance(arguments, list) else []
    return {str(one.get("name")) for one in known if (one.get("required") is True) == required}


@then("these and no other prompts are listed, with their arguments")
def exactly_these(world: World, datatable: list[list[str]]) -> None:
    wanted = {name: (_names(required), _names(optional)) for name, required, optional in datatable[1:]}
    found = {
        name: (_arguments_of(prompt, required=True), _arguments_of(prompt, required=False))
        for name, prompt in world.story.notes["prompts"].items()
    }
    if found != wanted:
        raise broken(
            "the prompts are not those of the documents",
            world.answer,
            expected=str(wanted),
            actual=str(found),
        )


def _names(cell: str) -> set[str]:
    return {name.strip() for name in cell.split(",") if name.strip()}


@then("no prompt is listed")
def none_listed(world: World) -> None:
    found = sorted(world.story.notes["prompts"])
    if found:
        raise broken(
            "a prompt is listed to who may run nothing", world.answer, expected="no prompt", actual=str(found)
        )


@then("the prompt {name} is not listed")
def not_listed(world: World, prompt: str) -> None:
    if prompt in world.story.notes["prompts"]:
        raise broken(
            "a prompt is listed to who may not run its tools",
            world.answer,
            expected=f"no {prompt}",
            actual=f"{prompt} is listed",
        )


def _is_listed(world: World, prompt: str) -> None:
    found = listed(world)
    if prompt not in found:
        raise broken(
            "a prompt is hidden from who may run its tools",
            world.answer,
            expected=prompt,
            actual=str(sorted(found)),
        )


@then("with every scope the prompt {name} is listed")
def listed_with_scopes(world: World, prompt: str) -> None:
    give_back_scopes(world)
    _is_listed(world, prompt)


@then("with every permission the prompt {name} is listed")
def listed_with_permissions(world: World, prompt: str) -> None:
    give_back_permissions(world)
    _is_listed(world, prompt)


@then("with every scope four prompts are listed")
def four_listed(world: World) -> None:
    give_back_scopes(world)
    found = listed(world)
    if len(found) != 4:
        raise broken(
            "the prompts do not come back with the scopes",
            world.answer,
            expected="four prompts",
            actual=str(sorted(found)),
        )


def arguments_for(world: World, prompt: str) -> dict[str, str]:
    """The required arguments of a prompt, from the tenant's records; a month is the one before now's."""
    names = {
        "explain_execution": ["execution_id"],
        "monthly_usage_report": ["month"],
        "check_task_readiness": ["task_id", "environment_id"],
    }
    before = datetime.fromisoformat(world.tenant.now).replace(day=1) - timedelta(days=1)
    return {
        name: f"{before:%Y-%m}" if name == "month" else str(related(name, world.tenant.records))
        for name in names.get(prompt, [])
    }


def get(world: World, prompt: str, arguments: Mapping[str, str]) -> Exchange:
    """Get a prompt; the story remembers the answer and what was asked. Where there are no arguments, none are sent."""
    given = {"arguments": dict(arguments)} if arguments else {}
    exchange = world.client().request("prompts/get", {"name": prompt, **given})
    world.story.exchange = exchange
    world.story.notes["given"] = dict(arguments)
    return exchange


@when("the assistant gets {name}")
def gets(world: World, prompt: str) -> None:
    get(world, prompt, arguments_for(world, prompt))


@when("the assistant gets {name} without {name}")
def gets_without(world: World, prompt: str, argument: str) -> None:
    arguments = arguments_for(world, prompt)
    del arguments[argument]
    get(world, prompt, arguments)


@when("the assistant gets {name} with the {name} {value}")
def gets_with(world: World, prompt: str, argument: str, value: str) -> None:
    get(world, prompt, {**arguments_for(world, prompt), argument: value})


@when("the assistant gets {name} with the {name} {value} and {phrase}")
def gets_with_more(world: World, prompt: str, argument: str, value: str, addition: str) -> None:
    get(
        world,
        prompt,
        {**arguments_for(world, prompt), argument: named(dict(ADDITIONS), addition).format(value)},
    )


def text(exchange: Exchange) -> str:
    """All text of a prompt's messages. Raises RuleBroken where the prompt is not answered."""
    messages = (exchange.result or {}).get("messages")
    if not isinstance(messages, list) or not messages:
        raise broken("the prompt is not answered", exchange, expected="messages", actual=describe(exchange))
    blocks = [one.get("content") for one in messages if isinstance(one, Mapping)]
    return "\n".join(
        str(block.get("text")) for block in blocks if isinstance(block, Mapping) and "text" in block
    )


@then("the prompt is answered")
def is_answered(world: World) -> None:
    text(world.answer)


@then("with every scope the prompt {name} is answered")
def answered_with_scopes(world: World, prompt: str) -> None:
    give_back_scopes(world)
    text(get(world, prompt, arguments_for(world, prompt)))


@then("with every argument the prompt {name} is answered")
def answered_with_arguments(world: World, prompt: str) -> None:
    text(get(world, prompt, arguments_for(world, prompt)))


@then("the text holds the date {word}")
def holds_the_date(world: World, day: str) -> None:
    _expect_day(world, date.fromisoformat(day), asked="since" in world.story.notes["given"])


@then("the text holds the date of seven days ago")
def holds_seven_days_ago(world: World) -> None:
    # Nobody moved the clock: whichever zone the server counts its days in, it is one of these.
    days = around((datetime.fromisoformat(world.tenant.now) - WEEK).date())
    told = text(world.answer)
    if not any(holds_date(told, day) for day in days):
        raise broken(
            "the text lacks its date",
            world.answer,
            expected=f"{days[1]} (or its neighbour in another zone)",
            actual=told[:700],
        )


def _expect_day(world: World, day: date, *, asked: bool) -> None:
    told = text(world.answer)
    if holds_date(told, day):
        return
    by_machine = around((machine_time() - WEEK).date())
    reason = None if asked or not any(holds_date(told, other) for other in by_machine) else not_moved(world)
    raise reason or broken(
        "the text lacks its date", world.answer, expected=f"{day}, in any rendering", actual=told[:700]
    )


@then("the text holds the month {word}")
def holds_the_month(world: World, month: str) -> None:
    told = text(world.answer)
    if not holds_month(told, month):
        raise broken(
            "the text lacks its month", world.answer, expected=f"{month}, in any rendering", actual=told[:700]
        )


@then("the first message is text of the user")
def first_message(world: World) -> None:
    text(world.answer)
    first = (world.answer.result or {})["messages"][0]
    content = first.get("content") if isinstance(first, Mapping) else None
    if (
        not isinstance(content, Mapping)
        or first.get("role") != "user"
        or content.get("type") != "text"
        or not content.get("text")
    ):
        raise broken(
            "the first message is not the user's",
            world.answer,
            expected="role user, content of the type text",
            actual=f"{first!r}"[:500],
        )


@then("the text holds every id it was given")
def holds_every_id(world: World) -> None:
    told = text(world.answer)
    missing = [
        value
        for name, value in world.story.notes["given"].items()
        if name.endswith("_id") and value not in told
    ]
    if missing:
        raise broken(
            "the text lacks an id it was given", world.answer, expected=str(missing), actual=told[:700]
        )


@then("the text speaks of {name}")
def speaks_of(world: World, subject: str) -> None:
    told = text(world.answer)
    if not re.search(named(dict(SUBJECTS), subject), told, re.IGNORECASE):
        raise broken(
            f"the text does not speak of {subject}", world.answer, expected=subject, actual=told[:700]
        )


@then("the prompt {name} is not listed, or its text does not name {tool}")
def not_listed_or_without(world: World, prompt: str, tool: str) -> None:
    if prompt not in world.story.notes["prompts"]:
        return
    told = text(get(world, prompt, arguments_for(world, prompt)))
    if tool in told:
        raise broken(
            "a prompt is listed to who may not run a tool that its text names",
            world.answer,
            expected=f"no {prompt}, or a text without {tool}",
            actual=told[:700],
        )


@then("every reading tool that the text names may be run by the caller")
def names_runnable_tools(world: World) -> None:
    told = text(world.answer)
    tools = set(re.findall(rf"\b{world.product.tool_prefix}[a-z_]+\b", told))
    missing = sorted(tools - set(world.schemas()))
    if missing:
        raise broken(
            "the text names a tool that the caller is not offered",
            world.answer,
            expected="tools that are listed",
            actual=str(missing),
        )

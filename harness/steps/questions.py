"""Which answer of a question is its yes: read from the words, else tried out in tenants of their own."""

from collections.abc import Mapping
from typing import Any

from harness.actors.arguments import build
from harness.checks.questions import Question, UnknownWords, read_question, unanswerable
from harness.checks.results import is_question
from harness.exchanges import Exchange
from harness.steps.resources import parse_params
from harness.verdicts import NotTestable, RuleBroken
from harness.world import World


def question_of(world: World, exchange: Exchange) -> Question:
    """The one question of an answer that asks for a yes; in words that nobody knows it is tried out what they do.

    Raises RuleBroken where it does not ask as documented, or where either of two answers runs the call; NotTestable
    where neither does.
    """
    try:
        return read_question(exchange)
    except UnknownWords as unknown:
        params = parse_params(exchange) or {}
        key = str(params.get("name")), unknown.form
        ran = world.learned.get(key) or tuple(
            value
            for number, value in enumerate(unknown.values, 1)
            if _runs(world, key[0], params.get("arguments"), unknown, number)
        )
        # That nothing ran may be due to this call: another may show more.
        if ran:
            world.learned[key] = ran
        if len(ran) > 1:
            raise unanswerable(exchange, f"{key[0]} runs after either answer: {unknown.form}"[:500]) from None
        if not ran:
            raise NotTestable(f"{unknown}; and {key[0]} runs after neither") from None
        [no] = [value for value in unknown.values if value != ran[0]]
        return read_question(exchange, (ran[0], no))


def _runs(world: World, tool: str, arguments: Any, unknown: UnknownWords, number: int) -> bool:
    """Whether the same call runs after that answer."""
    aside = world.aside(f"answer {number} of {tool}")
    try:
        return _runs_in(aside, tool, arguments, unknown, unknown.values[number - 1])
    except RuleBroken as problem:
        raise NotTestable(f"{unknown}; trying them out failed: {problem}") from problem
    finally:
        world.redactions |= aside.redactions
        aside.leave()


def _runs_in(aside: World, tool: str, arguments: Any, unknown: UnknownWords, value: Any) -> bool:
    call = {"name": tool, "arguments": _arguments(aside, tool, arguments)}
    asked = aside.client().request("tools/call", call)
    if not is_question(asked):
        raise NotTestable(f"{unknown}; asked for in a tenant of its own, {tool} does not ask")
    other = next(one for one in unknown.values if one != value)
    question = read_question(asked, (value, other))
    state = {} if question.state is None else {"requestState": question.state}
    aside.client().request("tools/call", {**call, "inputResponses": question.explicit_yes(), **state})
    return bool(aside.look().effects)


def _arguments(aside: World, tool: str, arguments: Any) -> dict[str, Any]:
    # All but ids, which are another tenant's there, and what only some records take inside of it.
    listed = aside.schemas().get(tool)
    if listed is None:
        raise NotTestable(f"could not exercise {tool}: the server does not list it")
    schema, tenant = listed.get("inputSchema"), aside.tenant
    given = dict(arguments) if isinstance(arguments, Mapping) else {}
    kept = {
        name: value
        for name, value in given.items()
        if name != "id" and not name.endswith("_id") and not isinstance(value, Mapping)
    }
    form = schema if isinstance(schema, Mapping) else {}
    return build(tool, form, aside.product, tenant.records, now=tenant.now, given=kept)

"""Which time control works for a server: tried in a tenant of its own, never assumed.

At most ten requests, and further pages of what is listed.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from harness.checks.dates import holds_date
from harness.checks.results import describe, is_question, is_success
from harness.controls.moving import move
from harness.controls.time_control import TimeControl, TimeName
from harness.exchanges import Era, Exchange
from harness.record.redaction import Redactor
from harness.settings import Settings
from harness.steps.calls import call_for, confirm, send
from harness.steps.questions import question_of
from harness.verdicts import NotTestable, RuleBroken
from harness.wire.eras import ERA_TABLES
from harness.world import Call, World, open_world

SCENARIO: Final = "probe of the time control"
SIX_MINUTES: Final = 360
A_DAY: Final = 86400
A_WHILE: Final = 45 * A_DAY
LOOKED_BACK: Final = 31
TOOLS_TRIED: Final = 2


def probe_time(settings: Settings) -> TimeControl:
    """Try the time control of the settings. Raises HarnessFault where the mock does not do its part.

    The yes: given at once it has to run (else an old one that does not run tells nothing), given after six minutes it
    has to be asked again, or at the latest after a day. The dates: those a prompt computes have to go along.
    """
    era: Era = "2026" if "2026" in settings.eras else "2025"
    world = open_world(settings, SCENARIO, era, "")
    try:
        name: TimeName = "faketime" if settings.time_file else "upstream-date"
        found = _confirmations(world, name)
        with suppress(RuleBroken, NotTestable):
            found = replace(found, dates=_dates(world))
        # It is told in records of scenarios that know nothing of this tenant's secrets.
        return replace(found, said=Redactor(world.redactions).text(found.said))
    finally:
        world.close()


def _confirmations(world: World, name: TimeName) -> TimeControl:
    try:
        call, asked = _asked(world)
        at_once = _yes(world, call, asked)
        if not is_success(at_once):
            return TimeControl(name, False, f"a yes to {call.tool} does not run: {describe(at_once)[:200]}")
        return _aged(world, name, call)
    except (NotTestable, RuleBroken) as problem:
        return TimeControl(name, False, f"its confirmations could not be tried: {problem}")


def _aged(world: World, name: TimeName, call: Call) -> TimeControl:
    for seconds, words in ((SIX_MINUTES, "six minutes"), (A_DAY, "a day")):
        asked = send(world, world.client(), call)
        move(world, seconds)
        late = _yes(world, call, asked)
        if is_question(late):
            return TimeControl(name, True, f"a yes was asked again after {words}")
        if not is_success(late):
            return TimeControl(
                name, False, f"a yes after {words} is neither asked again nor run: {describe(late)[:200]}"
            )
    return TimeControl(
        "none", False, f"a yes still ran after a day, moved by {name}: this server keeps another clock"
    )


def _asked(world: World) -> tuple[Call, Exchange]:
    """A destructive call that was asked about."""
    if not ERA_TABLES[world.era].forms_in_chat:
        raise NotTestable(f"the era {world.era} knows no question in the chat")
    listed = [tool for tool in world.product.destructive if tool in world.schemas()]
    for tool in listed[:TOOLS_TRIED]:
        call = call_for(world, tool)
        exchange = send(world, world.client(), call)
        if is_question(exchange):
            return call, exchange
    raise NotTestable(
        f"no destructive tool asks for a yes ({', '.join(listed[:TOOLS_TRIED])} tried)"
        if listed
        else "no destructive tool is listed"
    )


def _yes(world: World, call: Call, asked: Exchange) -> Exchange:
    question = question_of(world, asked)
    return confirm(world, call, question.explicit_yes(), question.state, world.client())


def _dates(world: World) -> bool:
    """Whether a date that a prompt computes goes along with a move of some weeks."""
    listed = (prompt for prompt, _ in world.client().items("prompts/list", "prompts"))
    name = next(_without_required_arguments(listed), None)
    if name is None:
        return False
    before, then = _text(world, name), datetime.fromisoformat(world.tenant.now).date()
    # No question is open any more: what is moved here is the time that dates are counted from.
    world.story.asked.clear()
    move(world, A_WHILE)
    after, now = _text(world, name), datetime.fromisoformat(world.tenant.now).date()
    return any(
        holds_date(before, then - timedelta(days)) and holds_date(after, now - timedelta(days))
        for days in range(LOOKED_BACK)
    )


def _without_required_arguments(prompts: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for prompt in prompts:
        if not isinstance(prompt.get("name"), str):
            continue
        arguments = prompt.get("arguments") or []
        if isinstance(arguments, list) and not any(
            isinstance(one, Mapping) and one.get("required") is True for one in arguments
        ):
            yield prompt["name"]


def _text(world: World, prompt: str) -> str:
    exchange = world.client().request("prompts/get", {"name": prompt, "arguments": {}})
    return json.dumps((exchange.result or {}).get("messages"), ensure_ascii=False)

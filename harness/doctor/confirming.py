"""Confirmations: the question in the chat, the link, and whether both are registered upstream. In a tenant of its own."""

from typing import Final

from harness.actors.client import FORMS, NO_FORMS
from harness.checks.approvals import read_approval
from harness.checks.results import expect_success, is_question
from harness.collection.cases import TIME_PASSES
from harness.controls.choosing import TIME_IS_SET
from harness.doctor.diagnosis import Sign, State, Suite
from harness.settings import Settings
from harness.steps.approvals import REGISTER, STORE
from harness.steps.calls import call_for, confirm, send
from harness.steps.questions import question_of
from harness.verdicts import Finding, NotTestable, RuleBroken
from harness.world import Call, World

SAYS_YES: Final = ("the person says yes", "a fresh yes makes it run once")
WAITS: Final = ("the call waits for an approval", "the call waits for another approval")
CANNOT_REGISTER: Final = "the upstream cannot register confirmations"
CANNOT_STORE: Final = "the upstream cannot store approvals"
IS_AN_ERROR: Final = "the result is the error {name}"
SHOWN: Final = 200


def forms(world: World, suite: Suite) -> list[Sign]:
    """Whether a destructive call asks in the chat and a yes makes it run; and whether the yes is registered upstream."""
    lost = suite.with_steps(*SAYS_YES)
    try:
        call = _destructive(world)
        world.declare(FORMS)
        asked = send(world, world.client(), call)
        question = question_of(world, asked)
        expect_success(confirm(world, call, question.explicit_yes(), question.state, world.client()))
    except (RuleBroken, NotTestable) as problem:
        return [
            Sign(
                "forms",
                State.BAD,
                _told(problem),
                advice="ask a client that shows forms by input_required, and run the same call with its yes",
                rules=lost,
            ),
            Sign("register", State.UNKNOWN, "no yes was taken, so none could be registered"),
        ]
    ran = [effect.operation for effect in world.look().effects]
    if call.tool not in ran:
        return [
            Sign(
                "forms",
                State.BAD,
                f"a yes to {call.tool} is answered as a success, but the mock saw nothing run",
                advice="run a confirmed call at the API, under the caller's token",
                rules=lost,
            ),
            Sign(
                "register", State.UNKNOWN, "nothing ran, so it cannot be told whether the yes was registered"
            ),
        ]
    return [
        Sign("forms", State.GOOD, f"{call.tool} asks in the chat, and a yes runs it"),
        _register(world, suite),
    ]


def _register(world: World, suite: Suite) -> Sign:
    if any(entry.operation == REGISTER for entry in world.tenant.ledger()):
        return Sign("register", State.GOOD, f"a yes is registered upstream ({REGISTER})")
    return Sign(
        "register",
        State.NOTE,
        f"a yes is not registered upstream ({REGISTER} was never called): the server keeps its own store, or none",
        advice="register the nonce of a yes upstream before the call runs: replicas then share it, and its failure shows",
        rules=suite.with_steps(CANNOT_REGISTER, beside=IS_AN_ERROR),
    )


def link(world: World, suite: Suite) -> Sign:
    """Whether a client without forms gets a link, stored upstream, and nothing runs."""
    world.declare(NO_FORMS)
    world.mark()
    try:
        call = _destructive(world)
        exchange = send(world, world.client(), call)
        if is_question(exchange):
            raise RuleBroken(Finding("a client without forms is asked in the chat"))
        ran = [effect.operation for effect in world.look().effects]
        if ran:
            raise RuleBroken(Finding(f"{call.tool} ran without anybody's yes", actual=", ".join(ran)))
        approval = read_approval(exchange)
    except (RuleBroken, NotTestable) as problem:
        return Sign(
            "link",
            State.BAD,
            f"{world.era}: {_told(problem)}",
            advice=f"store the call by {STORE} and answer where it is decided",
            rules=suite.with_steps(*WAITS),
        )
    world.redactions.add(approval.url)
    if any(entry.operation == STORE for entry in world.tenant.ledger()):
        return Sign("link", State.GOOD, f"{world.era}: without forms {call.tool} waits for a link ({STORE})")
    return Sign(
        "link",
        State.NOTE,
        f"{world.era}: {call.tool} waits for a link that is not stored upstream ({STORE} was never called)",
        advice="store approvals upstream: what a person decides on a page of your own cannot be followed",
        rules=tuple(
            dict.fromkeys(
                (
                    *suite.with_steps(*WAITS),
                    *suite.with_steps(CANNOT_STORE, beside=IS_AN_ERROR),
                )
            )
        ),
    )


def time(settings: Settings, destructive: tuple[str, ...], suite: Suite, *, started: bool) -> Sign:
    """What moves this server's time, as the settings have found it. `started` is whether we start the server."""
    proven, dates = settings.time_proven, settings.dates_proven
    said = f"{settings.time_control}: {settings.time_said}"
    if settings.time_control != "real":
        said += f"; the dates in its prompts {'follow' if dates else 'were not seen to follow'}"
    if proven and dates:
        return Sign("time", State.GOOD, said)
    confirmations = () if proven else suite.with_steps(TIME_PASSES, naming=destructive)
    set_moments = () if dates else suite.with_steps(TIME_IS_SET)
    faked = "run with --time faketime" if started else "let --command start it, with --time faketime"
    ways = ("take now from the Date of the API's answer in the same request", faked)
    waiting = "" if proven else ", or wait with --time real --max-wait 301 (what takes a day stays untested)"
    return Sign(
        "time",
        State.NOTE,
        said,
        advice=f"{', or '.join(ways)}{waiting}",
        rules=tuple(dict.fromkeys((*confirmations, *set_moments))),
    )


def _destructive(world: World) -> Call:
    """A call of the first documented destructive tool that is offered. Raises NotTestable where there is none."""
    listed = world.schemas()
    tool = next((tool for tool in world.product.destructive if tool in listed), None)
    if tool is None:
        raise NotTestable("no documented destructive tool is offered")
    return call_for(world, tool)


def _told(problem: RuleBroken | NotTestable) -> str:
    if isinstance(problem, NotTestable):
        return str(problem)
    actual = problem.finding.actual
    return f"{problem}: {actual[:SHOWN]}" if actual else str(problem)

"""Then: what a call came to, and what the ledger shows of it."""

from harness.checks.effects import expect_nothing_ran, expect_ran_once
from harness.checks.questions import missing_arguments
from harness.checks.results import (
    broken,
    describe,
    expect_code,
    expect_refusal,
    expect_success,
    is_question,
    is_refusal,
    is_success,
)
from harness.expressions import step, then
from harness.steps.approvals import failed_unseen
from harness.steps.calls import confirm, send
from harness.steps.confirmations import current, question_json, with_state
from harness.steps.questions import question_of
from harness.verdicts import HarnessFault, NotTestable, RuleBroken
from harness.world import World


@then("the server asks for a yes")
def asks_for_a_yes(world: World) -> None:
    world.story.question = with_state(question_of(world, world.answer))


@then("the server does not ask in the chat")
def does_not_ask(world: World) -> None:
    if is_question(world.answer):
        raise broken(
            "a client that cannot show forms is asked in the chat",
            world.answer,
            expected="no input_required",
            actual=describe(world.answer),
        )


@then("the answer carries no caching hints")
def no_caching_hints(world: World) -> None:
    hints = {"ttlMs", "cacheScope"} & set(world.answer.result or {})
    if hints:
        raise broken(
            "a question is marked as cacheable",
            world.answer,
            expected="no caching hints",
            actual=str(sorted(hints)),
        )


@then("the question shows every argument")
def shows_every_argument(world: World) -> None:
    question = question_of(world, world.answer)
    missing = missing_arguments(question.words, world.call.arguments)
    if missing:
        raise broken(
            "the question hides an argument",
            world.answer,
            expected=f"every argument of {dict(world.call.arguments)} in words a person reads",
            actual=f"missing: {', '.join(missing)}; shown: {question.words[:600]}",
        )


@then("the two questions differ")
def two_questions_differ(world: World) -> None:
    if len(world.story.asked) != 2:
        raise NotTestable(
            f"could not compare two questions: {len(world.story.asked)} of 2 calls were asked about"
        )
    first, second = (exchange for _, exchange in world.story.asked)
    if question_of(world, first).words == question_of(world, second).words:
        raise broken(
            "two actions are asked about in the same words",
            second,
            expected="another question for another tool",
            actual=question_json(second)[:600],
        )


@step("the call succeeds")
def the_call_succeeds(world: World) -> None:
    expect_success(world.answer)


@then("the call is refused")
def the_call_is_refused(world: World) -> None:
    expect_refusal(world.answer)


@then("the result is the error {name}")
def the_result_is_the_error(world: World, code: str) -> None:
    if code not in world.product.codes:
        raise HarnessFault(f"A feature names the code {code}, which product.toml does not know.")
    unseen = failed_unseen(world) if is_success(world.answer) else None
    if unseen is not None:
        raise unseen
    expect_code(world.answer, code, world.product.codes)


@then("the yes was not taken")
def the_yes_was_not_taken(world: World) -> None:
    if not (is_question(world.answer) or is_refusal(world.answer)):
        raise broken(
            "what is no explicit yes is taken as one",
            world.answer,
            expected="a refusal or a new question",
            actual=describe(world.answer),
        )


@then("the yes ran nothing")
def the_yes_ran_nothing(world: World) -> None:
    # How it is refused is open: who asks the register again is told that the yes was used.
    unseen = failed_unseen(world) if is_success(world.answer) else None
    if unseen is not None:
        raise unseen
    nothing_ran(world)


@step("nothing ran")
def nothing_ran(world: World) -> None:
    looks = world.looks()
    for look in looks:
        expect_nothing_ran(look.effects, look.changed, world.story.exchange)
    world.mark(looks)


@step("it ran once")
def it_ran_once(world: World) -> None:
    call = current(world)
    schema = world.schemas().get(call.tool, {}).get("inputSchema", {})
    looks = world.looks()
    effects = [effect for look in looks for effect in look.effects]
    expect_ran_once(effects, call.tool, call.arguments, schema, world.story.exchange)
    world.mark(looks)


def control_ran_once(world: World) -> None:
    """A positive control ran. Raises NotTestable where nothing did; what ran twice or otherwise than called is broken."""
    if not any(look.effects for look in world.looks()):
        raise NotTestable(f"could not exercise {current(world).tool}: it succeeds, and nothing ran")
    it_ran_once(world)


@then("it ran no more than once")
def it_ran_no_more_than_once(world: World) -> None:
    # Whatever was answered: who lost the answer may say so in any way, and may not run it a second time.
    if not any(look.effects for look in world.looks()):
        raise NotTestable(f"could not exercise {current(world).tool}: the ledger shows no effect")
    it_ran_once(world)


@then("a fresh yes makes it run once")
def a_fresh_yes_makes_it_run(world: World) -> None:
    # The positive control of a negative: where the call cannot be made to run, that it did not run shows nothing.
    call, client = world.call, world.client()
    try:
        question = question_of(world, send(world, client, call))
        expect_success(confirm(world, call, question.explicit_yes(), question.state, client))
    except RuleBroken as broken_rule:
        raise NotTestable(f"could not exercise {call.tool}: {broken_rule.finding.message}") from broken_rule
    control_ran_once(world)

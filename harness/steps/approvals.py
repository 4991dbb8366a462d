"""Approvals by link: what a call answers, what a person does on the console, and what became of it."""

from collections.abc import Mapping
from datetime import datetime

from harness.checks.approvals import (
    Approval,
    expect_absolute,
    expect_expiry,
    expect_instructions,
    read_approval,
    statuses_of,
)
from harness.checks.documents import document
from harness.checks.results import (
    broken,
    codes_of,
    describe,
    is_question,
    is_refusal,
)
from harness.expressions import given, step, then, when
from harness.steps.resources import read
from harness.verdicts import HarnessFault, NotTestable
from harness.world import World

GET_TOOL = "operation_approvals_get"
LIST_TOOL = "operation_approvals_list"
COLLECTION = "operation_approvals"
STORE = "operation_approvals_create"
REGISTER = "confirmations_create"
MARGIN = 2.0


def approval(world: World) -> Approval:
    """The approval the story is about. Raises HarnessFault where there is none."""
    found = world.story.notes.get("approval")
    if not isinstance(found, Approval):
        raise HarnessFault("The scenario speaks of an approval before there was one.")
    return found


def waits(world: World, *, checkable: bool = True) -> Approval:
    """The last answer says that the call waits; the story is about that approval from now on."""
    world.story.notes["approval"] = read_approval(world.answer, checkable=checkable)
    world.redactions.add(approval(world).url)
    return approval(world)


@step("the call waits for an approval")
def call_waits(world: World) -> None:
    waits(world)


@then("the call waits for another approval")
def waits_for_another(world: World) -> None:
    first, second = approval(world), waits(world)
    if first.id == second.id or first.url == second.url:
        raise broken(
            "the second call is not another approval",
            world.answer,
            expected="another id, another url",
            actual=second.id,
        )


@then("the call waits for an approval, and check_with alone is absent")
def waits_without_check(world: World) -> None:
    waits(world, checkable=False)


@then("the approval expires {int} minutes from now")
def expires(world: World, minutes: int) -> None:
    found, now = waits(world), datetime.fromisoformat(world.tenant.now)
    # It was stored at some moment of the call, which may have taken its time.
    expect_expiry(found, world.answer, now, minutes, MARGIN + world.answer.seconds)


@then("the approval names its resource, which reads as pending")
def names_resource(world: World) -> None:
    found = waits(world)
    wanted = f"{world.product.uri_prefix}{COLLECTION}/{found.id}"
    if found.resource_uri != wanted:
        raise broken(
            "the approval names another resource", world.answer, expected=wanted, actual=found.resource_uri
        )
    told = statuses_of(document(read(world, found.resource_uri)), found.id)
    if told != {"pending"}:
        raise broken(
            "the resource does not show the approval as pending",
            world.answer,
            expected="pending",
            actual=str(told),
        )


@then("the approval is to be checked with {tool} and its id")
def names_check(world: World, tool: str) -> None:
    found = waits(world)
    wanted = {"tool": tool, "arguments": {"id": found.id}}
    told = found.check_with
    if not isinstance(told, Mapping) or any(told.get(name) != value for name, value in wanted.items()):
        raise broken(
            "the approval is to be checked otherwise",
            world.answer,
            expected=str(wanted),
            actual=repr(found.check_with),
        )


@then("the approval has an absolute address")
def has_absolute_address(world: World) -> None:
    expect_absolute(waits(world), world.answer)


@then("the message tells to show the address and not to call again")
def message_tells(world: World) -> None:
    expect_instructions(waits(world), world.answer)


# The person at the console


@given("a token without a person")
def token_without_person(world: World) -> None:
    world.use_token("the assistant", world.tenant.token(None))


@given("the upstream cannot store approvals")
def cannot_store(world: World) -> None:
    _fails(world, STORE)


@given("the upstream loses its answers to storing approvals")
def loses_stored(world: World) -> None:
    _fails(world, STORE, "drop_response")


@step("the upstream cannot register confirmations")
def cannot_register(world: World) -> None:
    _fails(world, REGISTER)


@when("the upstream loses its answers to registering confirmations")
def loses_registered(world: World) -> None:
    _fails(world, REGISTER, "drop_response")


@given("the upstream cannot answer {tool}")
def cannot_answer(world: World, tool: str) -> None:
    _fails(world, tool)


def _fails(world: World, operation: str, kind: str = "unavailable") -> None:
    world.story.notes.setdefault("faults", {})[operation] = world.tenant.arm(operation, kind)


@when("the upstream is well again")
def well_again(world: World) -> None:
    for fault in world.story.notes.pop("faults").values():
        world.tenant.disarm(fault)
    world.mark()


def failed_unseen(world: World) -> NotTestable | None:
    """Why the failing of a register shows nothing of a call that succeeded; None where it may be judged.

    A server with a store of its own never asks the upstream's: then nothing failed for it.
    """
    asked = {entry.operation for entry in world.tenant.ledger()}
    unseen = sorted(set(world.story.notes.get("faults", ())) - asked)
    # An approval that is kept elsewhere runs nothing yet; what ran without one was not kept anywhere.
    ran = any(look.effects for look in world.looks())
    if not unseen or (STORE in unseen and ran):
        return None
    return NotTestable(
        f"the server never asked the upstream's register ({', '.join(unseen)}): whatever store it has instead "
        "cannot be made to fail"
    )


@then("the server asks for a yes, or the error is {name}")
def asks_or_refuses(world: World, code: str) -> None:
    if is_question(world.answer):
        return
    if not is_refusal(world.answer) or codes_of(world.answer, world.product.codes) != {code}:
        raise broken(
            "the call is neither asked about nor refused",
            world.answer,
            expected=f"a question, or {code}",
            actual=describe(world.answer),
        )

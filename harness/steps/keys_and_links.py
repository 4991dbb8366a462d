"""Keys of idempotency and approvals by link, together."""

from collections.abc import Mapping
from typing import Any

from harness.actors.client import NO_FORMS
from harness.actors.person import Page
from harness.checks.documents import records, walk
from harness.checks.results import broken, describe, documents, expect_code, expect_success, is_success
from harness.expressions import then, when
from harness.steps.approvals import approval
from harness.steps.calls import fullest_call, send
from harness.steps.console import continues, open_link
from harness.steps.idempotency import fresh_key, with_key
from harness.steps.tracking import check, expect_status
from harness.world import World

NOT_FOUND = "NOT_FOUND"


@when("the assistant asks for {tool} with all it takes, a key too")
def asks_with_all_it_takes(world: World, tool: str) -> None:
    send(world, world.client(), with_key(world, fullest_call(world, tool), fresh_key(world)))


@when("the person opens the new link")
def opens_the_new_link(world: World) -> None:
    notes = world.story.notes
    notes["first approval"] = notes.pop("approval", None)
    open_link(world)


@when("the same call with the same key is made without forms")
def made_without_forms(world: World) -> None:
    world.declare(NO_FORMS)
    send(world, world.client(), world.call)


def _results(world: World) -> list[Any]:
    checked = check(world)
    expect_success(checked)
    held = [one for found in documents(checked) for one in walk(found)]
    return [
        one["result"]
        for one in held
        if isinstance(one, Mapping) and one.get("id") == approval(world).id and one.get("result")
    ]


@then("the new approval holds what the first one holds")
def holds_what_the_first_holds(world: World) -> None:
    later, notes = _results(world), world.story.notes
    notes["approval"] = notes["first approval"]
    first = _results(world)
    if not first or first != later:
        raise broken(
            "the second approval does not answer as the first",
            None,
            expected=f"{first!r}"[:500],
            actual=f"{later!r}"[:500],
        )


@then("the new approval holds what the chat answered")
def holds_what_the_chat_answered(world: World) -> None:
    expect_status(world, "executed")
    wanted = {one.get("id") for found in documents(world.story.notes["first"]) for one in records(found)}
    held = {one.get("id") for found in _results(world) for one in records(found)}
    if not wanted or wanted != held:
        raise broken(
            "the approval does not answer as the first call", None, expected=str(wanted), actual=str(held)
        )


@then("it comes to NOT_FOUND, at once or when the person continues")
def comes_to_not_found(world: World) -> None:
    if is_success(world.answer):
        opens_the_new_link(world)
        continues(world)
        _failed_as_not_found(world)
    else:
        expect_code(world.answer, NOT_FOUND, world.product.codes)


@then("the page does not show that secret")
def does_not_show_secret(world: World) -> None:
    page: Page = world.story.notes["page"]
    if any(secret in page.text for secret in world.story.notes["secrets"]):
        raise broken(
            "a secret that is shown once is shown again",
            page.exchange,
            expected="no secret",
            actual="the same secret",
        )


def _failed_as_not_found(world: World) -> None:
    checked = expect_status(world, "failed")
    told = {str(one).upper() for found in documents(checked) for one in walk(found) if isinstance(one, str)}
    if NOT_FOUND not in told:
        raise broken(
            "the second deletion fails for another reason",
            checked,
            expected=NOT_FOUND,
            actual=describe(checked),
        )

"""What became of an approval: by the tool, by the resource, by the list; and the control that it can be decided."""

from collections.abc import Callable, Mapping
from typing import Any

from harness.checks.approvals import Approval, read_approval, statuses_of
from harness.checks.documents import document, readings, walk
from harness.checks.results import (
    broken,
    describe,
    documents,
    expect_success,
    is_question,
)
from harness.checks.schemas import hints
from harness.exchanges import Exchange, HttpRequest
from harness.expressions import given, then, when
from harness.steps.approvals import COLLECTION, GET_TOOL, LIST_TOOL, approval, waits
from harness.steps.callers import named
from harness.steps.calls import begin, call_for, send
from harness.steps.console import cancels, continues, execution_ends, open_link, pass_upstream
from harness.steps.idempotency import call_through
from harness.steps.outcomes import control_ran_once
from harness.steps.resources import read
from harness.verdicts import HarnessFault, NotTestable, RuleBroken
from harness.world import Call, World

DECIDING = {"approve", "cancel", "confirm", "continue", "decide", "decline", "execute", "reject"}


def check(world: World) -> Exchange:
    """Ask the reading tool for the story's approval."""
    tool = f"{world.product.tool_prefix}{GET_TOOL}"
    return world.client().request("tools/call", {"name": tool, "arguments": {"id": approval(world).id}})


def expect_status(world: World, status: str) -> Exchange:
    """The reading tool shows the story's approval in this status."""
    checked = check(world)
    expect_success(checked)
    told = {one for found in documents(checked) for one in statuses_of(found, approval(world).id)}
    if told != {status}:
        raise broken("the approval has another status", checked, expected=status, actual=str(sorted(told)))
    return checked


@then("the approval is {name}")
def approval_is(world: World, status: str) -> None:
    expect_status(world, status)


@then("the approval is failed, with the code {name}")
def failed_with_code(world: World, code: str) -> None:
    checked = expect_status(world, "failed")
    told = [one for found in documents(checked) for one in walk(found) if one == code]
    if not told:
        raise broken(
            "the approval does not say why it failed", checked, expected=code, actual=describe(checked)
        )


@then("the approval is failed, with its error readable")
def failed_readably(world: World) -> None:
    checked = expect_status(world, "failed")
    errors = [
        one
        for found in documents(checked)
        for one in walk(found)
        if isinstance(one, Mapping) and one.get("code")
    ]
    if not errors:
        raise broken(
            "the approval does not hold the error",
            checked,
            expected="an error with a code",
            actual=describe(checked),
        )


@then("to the mock the approval is {name}")
def to_the_mock(world: World, status: str) -> None:
    # The caller who lost its rights cannot read it any more: a fresh look, by the mock itself.
    found = {one["id"]: one["status"] for one in world.tenant.listing(COLLECTION)}
    if approval(world).id not in found:
        raise NotTestable("the upstream holds no such approval: where this server keeps it cannot be seen")
    if found[approval(world).id] != status:
        if not world.story.notes.get("could continue", True):
            raise NotTestable("the link leads to no page on which somebody could decide")
        raise HarnessFault(
            f"The mock holds the approval as {found.get(approval(world).id)}, not as {status}."
        )


@then("the approval holds what was returned")
def holds_what_was_returned(world: World) -> None:
    checked = check(world)
    expect_success(checked)
    held = [one for found in documents(checked) for one in walk(found)]
    results = [
        one.get("result") for one in held if isinstance(one, Mapping) and one.get("id") == approval(world).id
    ]
    if not any(results):
        raise broken(
            "the approval does not hold what was returned",
            checked,
            expected="a result",
            actual=describe(checked),
        )


@then("the approval holds the execution that was begun")
def holds_the_execution(world: World) -> None:
    checked = check(world)
    expect_success(checked)
    begun = world.tenant.listing("executions")[0]["id"]
    if not any(one == begun for found in documents(checked) for one in walk(found)):
        raise broken(
            "the approval does not hold what was returned",
            checked,
            expected=f"the execution {begun}",
            actual=describe(checked),
        )


@when("the assistant reads its own approval")
def reads_own(world: World) -> None:
    read(world, approval(world).resource_uri)


@then("the document tells what was asked")
def tells_what_was_asked(world: World) -> None:
    # In which words is open: the tool's name or anything it was called with will do.
    held, call = str(document(world.answer)), world.call
    if not any(str(one) in held for one in (call.tool, *call.arguments.values())):
        raise broken(
            "the document does not tell what was asked",
            world.answer,
            expected=f"{call.tool} with {dict(call.arguments)}",
            actual=describe(world.answer),
        )


@then("the tool and the resource show that it is {name}")
def both_show(world: World, status: str) -> None:
    expect_status(world, status)
    told = statuses_of(document(read(world, approval(world).resource_uri)), approval(world).id)
    if told != {status}:
        raise broken(
            "the resource shows another status", world.answer, expected=status, actual=str(sorted(told))
        )


# Positive controls


@then("confirmed the call runs once")
def confirmed_runs_once(world: World) -> None:
    call = world.call
    try:
        exchange = call_through(world, call)
        if not is_question(exchange):
            _approve(world)
    except RuleBroken as rule:
        raise NotTestable(f"could not exercise {call.tool}: {rule.finding.message}") from rule
    control_ran_once(world)


def _approve(world: World) -> None:
    # In the chat the call ran already; by link the person decides now.
    content = (world.answer.result or {}).get("content")
    if isinstance(content, list) and any('"approval_required"' in str(block) for block in content):
        world.story.notes.pop("approval", None)
        open_link(world)
        continues(world)


@given("an approval that is {name}")
def an_approval(world: World, status: str) -> None:
    begin(world, call_for(world, "kadu_tasks_run" if status != "failed" else "kadu_executions_cancel"))
    waits(world)
    made: dict[str, Callable[[], None]] = {
        "pending": lambda: None,
        "executed": lambda: (open_link(world), continues(world), None)[-1],
        "declined": lambda: (open_link(world), cancels(world), None)[-1],
        "failed": lambda: (execution_ends(world), open_link(world), continues(world), None)[-1],
        "expired": lambda: pass_upstream(world, 16 * 60),
    }
    named(dict(made), status)()
    world.mark()


@given("an approval of a colleague")
def of_a_colleague(world: World) -> None:
    colleague = "the colleague's assistant"
    world.story.call = call_for(world, "kadu_tasks_run", caller=colleague)
    found = read_approval(send(world, world.client(colleague), world.call))
    world.redactions.add(found.url)
    world.story.notes["colleague's"] = found


# Nobody else


@when("the asker tries every verb on the approval at the API")
def tries_every_verb(world: World) -> None:
    base = f"{world.settings.api_url.rstrip('/')}/v1/{COLLECTION}/{approval(world).id}"
    bearer = ("authorization", f"Bearer {world.token_of('the assistant').value}")
    for verb in ("POST", "PUT", "PATCH", "DELETE"):
        for tail in ("", "/approve", "/continue", "/execute", "/decide"):
            request = HttpRequest(
                verb, base + tail, (bearer, ("content-type", "application/json")), b'{"status": "executed"}'
            )
            sent = world.transport.send(request, timeout=world.settings.timeout)
            if sent.answer is not None and sent.answer.status < 400:
                raise HarnessFault(f"The mock API takes {verb} {base + tail}.")


@then("no tool named after approvals does anything but read")
def no_deciding_tool(world: World) -> None:
    listed = world.story.notes["tools"]
    deciding = [name for name, tool in listed.items() if _decides(name, tool, world.product.tool_prefix)]
    if deciding:
        raise broken(
            "a tool decides approvals",
            world.story.exchange,
            expected="reading tools alone",
            actual=", ".join(deciding),
        )


def _decides(name: str, tool: Mapping[str, Any], prefix: str) -> bool:
    if name.endswith(("_get", "_list")):
        return False
    if name.startswith(prefix) and "approval" in name and DECIDING & set(name.split("_")):
        return True
    # What says that it only reads is believed, unless its name says that it decides.
    return COLLECTION.rstrip("s") in name and hints(tool).get("readOnlyHint") is not True


# Following


@given("three approvals, a minute apart")
def three_approvals(world: World) -> None:
    made = []
    for _ in range(3):
        begin(world, call_for(world, "kadu_tasks_run"))
        made.append(waits(world).id)
        pass_upstream(world, 60)
    world.story.notes["made"] = made


@when("the assistant lists the approvals")
def lists_approvals(world: World) -> None:
    begin(world, Call(f"{world.product.tool_prefix}{LIST_TOOL}", {}))
    expect_success(world.answer)


def _listed_ids(told: Any) -> list[list[str]]:
    """The ids of a list, in each way to read it."""
    return [[str(one["id"]) for one in found] for found in readings(told)]


@then("they are listed newest first, and no others")
def newest_first(world: World) -> None:
    wanted = list(reversed(world.story.notes["made"]))
    told = [ids for found in documents(world.answer) for ids in _listed_ids(found)]
    if wanted not in told:
        raise broken(
            "the approvals are not listed newest first",
            world.answer,
            expected=str(wanted),
            actual=str(told)[:500],
        )


@then("the resource of approvals lists the same")
def resource_lists_the_same(world: World) -> None:
    wanted = list(reversed(world.story.notes["made"]))
    told = _listed_ids(document(read(world, world.product.uri_prefix + COLLECTION)))
    if wanted not in told:
        raise broken(
            "the resource lists them otherwise", world.answer, expected=str(wanted), actual=str(told)[:500]
        )


@then("the colleague's approval is not among them")
def colleagues_not_listed(world: World) -> None:
    told = [one for found in documents(world.answer) for ids in _listed_ids(found) for one in ids]
    if world.story.notes["colleague's"].id in told or approval(world).id not in told:
        raise broken(
            "the list is not of one's own approvals",
            world.answer,
            expected=approval(world).id,
            actual=str(told)[:500],
        )


@then("the list calls one's own nothing but {name}")
def list_calls_it(world: World, status: str) -> None:
    # A list may leave the status to the reading tool.
    told = {one for found in documents(world.answer) for one in statuses_of(found, approval(world).id)}
    if told - {status}:
        raise broken("the list tells another status", world.answer, expected=status, actual=str(sorted(told)))


@when("the assistant asks for it with the reading tool")
def asks_for_colleagues(world: World) -> None:
    found: Approval = world.story.notes["colleague's"]
    send(world, world.client(), Call(f"{world.product.tool_prefix}{GET_TOOL}", {"id": found.id}))


@when("the assistant reads its resource")
def reads_colleagues(world: World) -> None:
    found: Approval = world.story.notes["colleague's"]
    read(world, f"{world.product.uri_prefix}{COLLECTION}/{found.id}")


# When it is impossible


@then("the upstream holds {int} approvals")
def upstream_holds(world: World, count: int) -> None:
    ids = {one["id"] for one in world.tenant.listing(COLLECTION)}
    held = len(ids)
    if held > count and approval(world).id in ids:
        raise broken(
            "more approvals are stored than were told of",
            world.story.exchange,
            expected=f"{count} approvals",
            actual=f"{held}",
        )
    if held != count:
        raise NotTestable(
            f"the upstream holds {held} approvals, not {count}: where this server keeps them cannot be seen"
        )


@then("no approval was stored")
def none_stored(world: World) -> None:
    stored = world.tenant.listing(COLLECTION)
    if stored:
        raise broken(
            "an approval was stored that nobody can open",
            world.story.exchange,
            expected="no approval",
            actual=f"{len(stored)}",
        )


@then("for the person the same call runs once, confirmed")
def for_the_person(world: World) -> None:
    world.use_token("the assistant", world.tenant.token(world.tenant.people[0]["id"]))
    confirmed_runs_once(world)

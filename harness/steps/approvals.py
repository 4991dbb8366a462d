"""Approvals by link: what a call answers, what a person does on the console, and what became of it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from harness.actors.person import CANCEL, CONTINUE, Page, Person
from harness.checks.approvals import Approval, expect_absolute, expect_expiry, read_approval, statuses_of
from harness.checks.documents import document, records, walk
from harness.checks.results import (
    broken,
    codes_of,
    describe,
    documents,
    expect_success,
    is_question,
    is_refusal,
)
from harness.exchanges import Exchange, HttpRequest
from harness.expressions import given, step, then, when
from harness.steps.callers import named
from harness.steps.calls import begin, call_for, send
from harness.steps.idempotency import complete
from harness.steps.outcomes import it_ran_once
from harness.steps.resources import read
from harness.verdicts import HarnessFault, NotTestable, RuleBroken
from harness.world import Call, World

GET_TOOL, LIST_TOOL, COLLECTION = "operation_approvals_get", "operation_approvals_list", "operation_approvals"
STORE, REGISTER = "operation_approvals_create", "confirmations_create"
SETTINGS = "/settings/approvals"
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
    expect_expiry(waits(world), world.answer, datetime.fromisoformat(world.tenant.now), minutes, MARGIN)


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
    if found.check_with != wanted:
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
    words = waits(world).message.casefold()
    shows = any(word in words for word in ("url", "link", "endereço", "enlace"))
    again = any(
        word in words for word in ("não chame", "not call", "do not", "don't", "no llame", "de novo", "again")
    )
    if not (shows and again):
        raise broken(
            "the message does not say what to do",
            world.answer,
            expected="show the URL, do not call again",
            actual=words[:500],
        )


# The person at the console


def person(world: World, position: int = 0) -> Person:
    """Somebody of the tenant at a browser of their own; the first is the one behind the assistant's token."""
    people: dict[int, Person] = world.story.notes.setdefault("people", {})
    if position not in people:
        who = world.tenant.people[position]
        people[position] = Person(
            email=who["email"],
            password=who["password"],
            origins=(world.settings.api_url.rstrip("/"),),
            transport=world.transport,
            record=world.record,
            number=world.next_number,
            timeout=world.settings.timeout,
            secrets=world.redactions,
        )
    return people[position]


def open_link(world: World, position: int = 0) -> Page:
    """Open the link of the story's approval, logging in where that is asked for."""
    if "approval" not in world.story.notes:
        waits(world)
    page = person(world, position).open(approval(world).url)
    world.story.notes["page"] = page
    return page


@when("the person opens the link")
def opens_link(world: World) -> None:
    open_link(world)


@when("the person opens the link in two tabs")
def opens_two_tabs(world: World) -> None:
    world.story.notes["other tab"] = open_link(world)
    open_link(world)


@when("the person opens the link in another tab")
def opens_another_tab(world: World) -> None:
    world.story.notes["first tab"] = world.story.notes["page"]
    open_link(world)


@when("the person opens the link without a session")
def opens_without_session(world: World) -> None:
    waits(world)
    world.story.notes["page"] = person(world).get(approval(world).url)


@then("the console asks for a login")
def asks_for_login(world: World) -> None:
    page: Page = world.story.notes["page"]
    told = world.story.exchange
    if not page.asks_for_login or told is None:
        raise broken(
            "the link does not go through the login",
            page.exchange,
            expected="a login",
            actual=page.text[:300],
        )


@when("the person logs in")
def logs_in(world: World) -> None:
    world.story.notes["page"] = person(world).log_in(world.story.notes["page"])


@then("the page shows what waits for a decision")
def shows_what_waits(world: World) -> None:
    page: Page = world.story.notes["page"]
    if page.status != 200 or page.button(CONTINUE) is None or page.button(CANCEL) is None:
        raise broken(
            "the login does not come back to the link",
            page.exchange,
            expected="a page to continue or cancel",
            actual=page.text[:300],
        )


@then("the page says {string}")
def page_says(world: World, words: str) -> None:
    _shows(world, [words])


@then("the page shows who asked, by which client, and every argument")
def page_shows_facts(world: World) -> None:
    token = world.token_of("the assistant")
    _shows(world, [world.tenant.people[0]["name"], token.client, *map(str, world.call.arguments.values())])


@then("the page shows the record it is about")
def page_shows_record(world: World) -> None:
    _shows(world, [str(record_it_is_about(world)[1]["name"])])


def _shows(world: World, wanted: list[str]) -> None:
    page: Page = world.story.notes["page"]
    seen = " ".join(page.text.split()).casefold()
    missing = [words for words in wanted if " ".join(words.split()).casefold() not in seen]
    if missing:
        raise broken(
            "the screen lacks something",
            page.exchange,
            expected=", ".join(wanted)[:500],
            actual=f"missing: {missing}"[:500],
        )


def record_it_is_about(world: World) -> tuple[str, Mapping[str, Any]]:
    """The collection and record whose id the story's call carries."""
    wanted = world.call.arguments.get("id")
    for collection, found in world.tenant.records.items():
        for one in found:
            if one.get("id") == wanted:
                return collection, one
    raise HarnessFault(f"The call of {world.call.tool} is about no record.")


@when("the person continues")
def continues(world: World) -> None:
    world.story.notes["page"] = person(world).press(world.story.notes["page"], CONTINUE)


@when("the person cancels")
def cancels(world: World) -> None:
    world.story.notes["page"] = person(world).press(world.story.notes["page"], CANCEL)


@when("the person continues in the other tab")
def continues_in_other(world: World) -> None:
    person(world).press(world.story.notes["other tab"], CONTINUE)


@when("the person cancels in the other tab")
def cancels_in_other(world: World) -> None:
    person(world).press(world.story.notes["other tab"], CANCEL)


@when("the person continues in the first tab")
def continues_in_first(world: World) -> None:
    person(world).press(world.story.notes["first tab"], CONTINUE)


@when("the person continues where it is still possible")
def continues_if_possible(world: World) -> None:
    page: Page = world.story.notes["page"]
    if page.button(CONTINUE) is not None:
        world.story.notes["page"] = person(world).press(page, CONTINUE)


@when("the person continues {int} times at once")
def continues_at_once(world: World, times: int) -> None:
    request = person(world).prepared(world.story.notes["page"], CONTINUE)
    world.transport.send_many([request] * times, timeout=world.settings.timeout)


@when("{duration} pass upstream")
def pass_upstream(world: World, seconds: int) -> None:
    # The register of approvals is the upstream's, and so is its clock: no control over the server is needed.
    world.tenant.advance(seconds)
    world.look_anew()


@when("the {name} of the record changes")
def record_changes(world: World, field: str) -> None:
    collection, record = record_it_is_about(world)
    world.tenant.change(collection, record["id"], {field: f"https://mudou.exemplo.com.br/{field}"})
    world.look_anew()


@when("another webhook changes its url")
def another_changes(world: World) -> None:
    collection, record = record_it_is_about(world)
    other = next(one for one in world.tenant.records[collection] if one["id"] != record["id"])
    world.tenant.change(collection, other["id"], {"url": "https://mudou.exemplo.com.br/outro"})
    world.look_anew()


@when("the record is deleted")
def record_is_deleted(world: World) -> None:
    collection, record = record_it_is_about(world)
    world.tenant.remove(collection, record["id"])
    world.look_anew()


@when("the execution ends behind everybody's back")
def execution_ends(world: World) -> None:
    collection, record = record_it_is_about(world)
    world.tenant.change(collection, record["id"], {"state": "succeeded"})
    world.look_anew()


# What became of it


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
    if found.get(approval(world).id) != status:
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
        exchange = complete(world, call)
        if not is_question(exchange):
            _approve(world)
        it_ran_once(world)
    except RuleBroken as rule:
        raise NotTestable(f"could not exercise {call.tool}: {rule.finding.message}") from rule


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


@when("a colleague opens the link")
def colleague_opens(world: World) -> None:
    open_link(world, 1)


@then("it looks like a link that does not exist")
def looks_like_none(world: World) -> None:
    page: Page = world.story.notes["page"]
    head, _, last = approval(world).url.rpartition("/")
    unknown = person(world, 1).open(f"{head}/{_other(last)}")
    if (page.status, page.text) != (unknown.status, unknown.text) or page.button(CONTINUE) is not None:
        raise broken(
            "the link of somebody else shows that it exists",
            page.exchange,
            expected=f"{unknown.status}: {unknown.text}"[:500],
            actual=f"{page.status}: {page.text}"[:500],
        )


def _other(text: str) -> str:
    return "".join("b" if letter == "a" else "a" if letter.isalpha() else letter for letter in text)


@when("the assistant itself opens the link with its token")
def assistant_opens(world: World) -> None:
    waits(world)
    nobody = Person(
        "",
        "",
        person(world).origins,
        world.transport,
        world.record,
        world.next_number,
        world.settings.timeout,
    )
    bearer = (("authorization", f"Bearer {world.token_of('the assistant').value}"),)
    world.story.notes["page"] = nobody.get(approval(world).url, bearer)


@then("it is shown nothing of the approval")
def shown_nothing(world: World) -> None:
    page: Page = world.story.notes["page"]
    if page.button(CONTINUE) is not None or any(
        str(value) in page.text for value in world.call.arguments.values()
    ):
        raise broken(
            "a token opens a page of the console",
            page.exchange,
            expected="a login, or nothing",
            actual=page.text[:500],
        )


# Settings


def settings(world: World, position: int = 0) -> dict[str, Page]:
    """The tabs of the approvals' settings, by their names, opened one after another."""
    who = person(world, position)
    first = who.open(world.settings.api_url.rstrip("/") + SETTINGS)
    tabs = {label: url for label, url in first.links.items() if label.split(" (")[0] in TABS}
    return {label: who.get(url) for label, url in tabs.items()}


TABS = ("Pendentes", "Executadas", "Canceladas", "Com falha", "Expiradas")


@when("the person opens the settings of approvals")
def opens_settings(world: World) -> None:
    world.story.notes["tabs"] = settings(world)


@when("a colleague opens the settings of approvals")
def colleague_opens_settings(world: World) -> None:
    waits(world)
    world.story.notes["tabs"] = settings(world, 1)


def _holding(world: World) -> list[str]:
    tabs: dict[str, Page] = world.story.notes["tabs"]
    if len(tabs) != len(TABS):
        raise NotTestable(f"the console shows the tabs {', '.join(tabs) or 'none'}, not {', '.join(TABS)}")
    return [
        label for label, page in tabs.items() if any(approval(world).id in url for url in page.links.values())
    ]


@then("the tab {words} alone holds the approval")
def tab_alone_holds(world: World, tab: str) -> None:
    holding = _holding(world)
    if [label.split(" (")[0] for label in holding] != [tab]:
        raise broken("the approval stands in other tabs", None, expected=tab, actual=str(holding))
    page: Page = world.story.notes["tabs"][holding[0]]
    world.story.notes["row"] = next(url for url in page.links.values() if approval(world).id in url)


@then("its row opens without a button to decide")
def row_opens_read_only(world: World) -> None:
    page = person(world).get(world.story.notes["row"])
    if page.status != 200 or page.button(CONTINUE) is not None or page.button(CANCEL) is not None:
        raise broken(
            "a row of the settings can decide",
            page.exchange,
            expected="a page to read",
            actual=page.text[:300],
        )


@then("no tab holds the approval")
def no_tab_holds(world: World) -> None:
    holding = _holding(world)
    if holding:
        raise broken(
            "somebody else's settings hold the approval", None, expected="no tab", actual=str(holding)
        )


@then("the person's own settings hold it")
def own_settings_hold(world: World) -> None:
    world.story.notes["tabs"] = settings(world)
    if not _holding(world):
        raise broken("one's own settings lack the approval", None, expected="one tab", actual="none")


# Secrets, races, reading


@then("a secret is shown that the reloaded page does not show")
def secret_shown_once(world: World) -> None:
    shown: Page = world.story.notes["page"]
    reloaded = person(world).open(approval(world).url)
    gone = [word for word in shown.text.split() if len(word) >= 16 and word not in reloaded.text]
    if not gone:
        raise broken(
            "no secret is shown once",
            shown.exchange,
            expected="a secret on the page, gone after reloading",
            actual=shown.text[:500],
        )
    world.story.notes["secrets"] = gone
    world.redactions.update(gone)


@then("neither the tool, nor the resource, nor the settings show that secret")
def secret_nowhere_else(world: World) -> None:
    places = {
        "the tool": describe_all(check(world)),
        "the resource": describe_all(read(world, approval(world).resource_uri)),
    }
    for label, page in settings(world).items():
        places[f"the tab {label}"] = page.text
        rows = [url for url in page.links.values() if approval(world).id in url]
        places |= {f"a row of {label}": person(world).get(url).text for url in rows}
    telling = [
        place
        for place, text in places.items()
        if any(secret in text for secret in world.story.notes["secrets"])
    ]
    if telling:
        raise broken(
            "a secret that is shown once is shown again",
            world.story.exchange,
            expected="masked",
            actual=", ".join(telling),
        )


def describe_all(exchange: Exchange) -> str:
    """Everything an answer holds, as text."""
    return "" if exchange.answer is None else exchange.answer.body.decode("utf-8", "replace")


@when("the link is fetched and prefetched with and without a session")
def fetched(world: World) -> None:
    url = waits(world).url
    who = person(world)
    who.get(url)
    who.open(url)
    who.get(url, (("sec-purpose", "prefetch"), ("purpose", "prefetch")))
    world.transport.send(HttpRequest("HEAD", url, who.headers()), timeout=world.settings.timeout)


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
    named_so = [name for name in world.story.notes["tools"] if COLLECTION.rstrip("s") in name]
    deciding = [name for name in named_so if not name.endswith(("_get", "_list"))]
    if deciding:
        raise broken(
            "a tool decides approvals",
            world.story.exchange,
            expected="reading tools alone",
            actual=", ".join(deciding),
        )


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


def _listed_ids(found: Any) -> list[str]:
    return [str(one["id"]) for one in records(found)]


@then("they are listed newest first, and no others")
def newest_first(world: World) -> None:
    wanted = list(reversed(world.story.notes["made"]))
    told = [_listed_ids(found) for found in documents(world.answer)]
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
    if told != wanted:
        raise broken(
            "the resource lists them otherwise", world.answer, expected=str(wanted), actual=str(told)[:500]
        )


@then("the colleague's approval is not among them")
def colleagues_not_listed(world: World) -> None:
    told = [one for found in documents(world.answer) for one in _listed_ids(found)]
    if world.story.notes["colleague's"].id in told or approval(world).id not in told:
        raise broken(
            "the list is not of one's own approvals",
            world.answer,
            expected=approval(world).id,
            actual=str(told)[:500],
        )


@when("the assistant asks for it with the reading tool")
def asks_for_colleagues(world: World) -> None:
    found: Approval = world.story.notes["colleague's"]
    send(world, world.client(), Call(f"{world.product.tool_prefix}{GET_TOOL}", {"id": found.id}))


@when("the assistant reads its resource")
def reads_colleagues(world: World) -> None:
    found: Approval = world.story.notes["colleague's"]
    read(world, f"{world.product.uri_prefix}{COLLECTION}/{found.id}")


# When it is impossible


@given("a token without a person")
def token_without_person(world: World) -> None:
    world.use_token("the assistant", world.tenant.token(None))


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


@given("the upstream cannot store approvals")
def cannot_store(world: World) -> None:
    world.story.notes.setdefault("faults", []).append(world.tenant.arm(STORE, "unavailable"))


@step("the upstream cannot register confirmations")
def cannot_register(world: World) -> None:
    world.story.notes.setdefault("faults", []).append(world.tenant.arm(REGISTER, "unavailable"))


@when("the upstream is well again")
def well_again(world: World) -> None:
    for fault in world.story.notes.pop("faults"):
        world.tenant.disarm(fault)
    world.mark()


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

"""The person at the console: opening a link, deciding, and what the screen shows."""

import sys
from collections.abc import Mapping
from typing import Any

from harness.actors.deputy import MANUAL, Ask, Deputy, by_command, by_hand
from harness.actors.person import CANCEL, CONTINUE, Page, Person
from harness.checks.questions import missing_arguments
from harness.checks.results import broken
from harness.exchanges import HttpRequest
from harness.expressions import then, when
from harness.steps.approvals import approval, waits
from harness.verdicts import NotTestable
from harness.world import World

DEPUTY_SECONDS = 60.0


def person(world: World, position: int = 0) -> Person | Deputy:
    """Somebody of the tenant at a browser of their own; the first is the one behind the assistant's token.

    Where the console is not ours, their deputy (`--person`, `--person-command`).
    """
    people: dict[int, Person | Deputy] = world.story.notes.setdefault("people", {})
    if position not in people:
        who = world.tenant.people[position]
        if world.settings.person:
            people[position] = Deputy(
                who["name"], who["email"], _deputy(world.settings.person), world.record, world.next_number
            )
            return people[position]
        people[position] = Person(
            email=who["email"],
            password=who["password"],
            origins=(world.settings.console_url,),
            transport=world.transport,
            record=world.record,
            number=world.next_number,
            timeout=world.settings.timeout,
            secrets=world.redactions,
        )
    return people[position]


def _deputy(how: str) -> Ask:
    if how == MANUAL:
        return by_hand(lambda text: print(text, file=sys.stderr, flush=True), sys.stdin.readline)  # noqa: T201
    return by_command(how, DEPUTY_SECONDS)


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
    _shows(world, [world.tenant.people[0]["name"], token.client])
    page: Page = world.story.notes["page"]
    missing = missing_arguments(page.text, world.call.arguments)
    if missing:
        raise broken(
            "the screen hides an argument",
            page.exchange,
            expected=f"every argument of {dict(world.call.arguments)}"[:500],
            actual=f"missing: {', '.join(missing)}"[:500],
        )


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
    """The collection and record whose id the story's call carries. Raises NotTestable where it carries none."""
    wanted = world.call.arguments.get("id")
    for collection, found in world.tenant.records.items():
        for one in found:
            if one.get("id") == wanted:
                return collection, one
    raise NotTestable(f"{world.call.tool} could not be called for a record: its schema asks for no id")


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
    world.story.notes["could continue"] = page.button(CONTINUE) is not None
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
        (world.settings.console_url,),
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


@when("the link is fetched and prefetched with and without a session")
def fetched(world: World) -> None:
    url = waits(world).url
    who = person(world)
    who.get(url)
    who.open(url)
    who.get(url, (("sec-purpose", "prefetch"), ("purpose", "prefetch")))
    world.transport.send(HttpRequest("HEAD", url, who.headers()), timeout=world.settings.timeout)

"""Settings of the console: the tabs of approvals, and where a secret shows."""

from harness.actors.person import CANCEL, CONTINUE, Page
from harness.checks.results import (
    broken,
)
from harness.exchanges import Exchange
from harness.expressions import then, when
from harness.steps.approvals import approval, waits
from harness.steps.console import person
from harness.steps.resources import read
from harness.steps.tracking import check
from harness.verdicts import NotTestable
from harness.world import World

SETTINGS = "/settings/approvals"


def settings(world: World, position: int = 0) -> dict[str, Page]:
    """The tabs of the approvals' settings, by their names, opened one after another."""
    who = person(world, position)
    first = who.open(world.settings.console_url + SETTINGS)
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

"""One headless Chromium for all tests here, a fresh profile for each visitor, and pictures of what they saw.

Chromium comes from the system: the program that the environment variable CHROMIUM names, else the first of the usual
names on the PATH. Pictures go into the folder that KADU_SCREENSHOTS names, else into a temporary one of pytest.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tests import programs
from tests.browser.desk import Desk, Mock, mock_api, session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 10_000
"""Milliseconds an element may take to appear."""
WIDE = {"viewport": {"width": 1100, "height": 900}}
PHONE = {"viewport": {"width": 380, "height": 780}, "is_mobile": True, "has_touch": True}
PICTURES = (
    "login",
    "login-refused",
    "approval",
    "approval-delete",
    "approval-hostile",
    "executed",
    "secret",
    "secret-gone",
    "declined",
    "expired",
    "subject-changed",
    "failed",
    "too-late",
    "not-there",
    "settings-pending",
    "settings-executed",
    "settings-row",
    "phone-login",
    "phone-approval",
    "phone-hostile",
    "phone-executed",
    "phone-settings",
    "dark-approval",
    "dark-executed",
    "dark-settings",
)
"""In the order in which somebody leafs through them."""

Visit = Callable[..., "Page"]


def missing(what: str) -> NoReturn:
    """Skip, and say why; in CI nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI has to see the console in a browser, but {what}.", pytrace=False)
    pytest.skip(f"The console was not seen in a browser: {what}.")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end why nothing here was run: a skip is not to be overlooked."""
    skipped = terminalreporter.stats.get("skipped", ())
    for reason in sorted({each.longrepr[2] for each in skipped if each.nodeid.startswith("tests/browser/")}):
        terminalreporter.write_line(reason.removeprefix("Skipped: "))


def chromium() -> str:
    """Where Chromium is; the test is skipped without it."""
    named = os.environ.get("CHROMIUM")
    found = next(filter(None, map(shutil.which, NAMES if named is None else (named,))), None)
    if found is None:
        where = (
            f"none of {', '.join(NAMES)} is on the PATH"
            if named is None
            else f"CHROMIUM={named} is no program"
        )
        missing(f"{where}; install Debian's package chromium")
    return found


@pytest.fixture(scope="package")
def browser() -> Iterator["Browser"]:
    """The one browser. It ends with this package: its event loop would be in the way of other tests."""
    program_path = chromium()
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=program_path,
            args=list(FLAGS),
            chromium_sandbox=False,
            # The driver forbids returning to a page kept in memory; people's browsers do return to it.
            ignore_default_args=["--disable-back-forward-cache"],
        )
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def mock(browser: "Browser") -> Iterator[Mock]:
    """The mock API and its console, for a browser that is there."""
    with mock_api() as running:
        yield running


@pytest.fixture(scope="package")
def reference_server(mock: Mock) -> Iterator[str]:
    """The URL of the reference server in front of the mock."""
    with programs.reference_server(mock.url) as ready:
        yield ready["url"]


@pytest.fixture
def desk(mock: Mock, request: pytest.FixtureRequest) -> Desk:
    """A fresh organization, the same for a test every time."""
    return Desk(mock, request.node.name)


@pytest.fixture
def complaints() -> list[str]:
    """What went wrong inside pages: errors of scripts, dialogs, whatever the security policy refused."""
    return []


@pytest.fixture
def visit(browser: "Browser", mock: Mock, complaints: list[str]) -> Iterator[Visit]:
    """Gives the first page of a visitor who was never here, with options of a browser context.

    With `person` it is that person, logged in already, at the address `at`.
    """
    contexts = []

    def begin(person: dict[str, Any] | None = None, at: str = "", **options: Any) -> "Page":
        context = browser.new_context(**{**WIDE, "locale": "pt-BR", **options})
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.on("weberror", lambda each: complaints.append(f"error: {each.error}"))
        context.on("dialog", lambda each: (complaints.append(f"dialog: {each.message}"), each.dismiss()))
        context.on("console", lambda each: _overhear(each.text, complaints))
        page = context.new_page()
        if person is not None:
            context.add_cookies([session(mock, person)])
            page.goto(at)
        return page

    yield begin
    for context in contexts:
        context.close()
    assert complaints == []


def log_in(page: "Page", person: dict[str, Any]) -> None:
    """Fill the login that the page shows, and send it."""
    page.get_by_label("E-mail").fill(person["email"])
    page.get_by_label("Senha").fill(person["password"])
    page.get_by_role("button", name="Entrar").click()


@pytest.fixture(scope="session")
def album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the pictures."""
    named = os.environ.get("KADU_SCREENSHOTS")
    folder = tmp_path_factory.mktemp("pictures") if named is None else Path(named)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def picture(album: Path) -> Callable[["Page", str], None]:
    """Takes a picture of a whole page under one of the names of PICTURES."""

    def take(page: "Page", name: str) -> None:
        number = PICTURES.index(name) + 1
        page.screenshot(path=album / f"{number:02}-{name}.png", full_page=True)

    return take


def _overhear(text: str, complaints: list[str]) -> None:
    # A page that is not there is also an "error" of the console of a browser; what the policy refused is one indeed.
    if "Content Security Policy" in text:
        complaints.append(f"policy: {text}")

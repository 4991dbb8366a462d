"""A person at a console that is not ours: somebody who is asked to look, or a command that drives that console.

The command gets one JSON object on standard input, `{"url", "decision": "look"|"continue"|"cancel", "who": {"name",
"email"}}`, and answers one on standard output: `{"seen": "the words of the page", "decidable": true|false}`. What only
a console of ours can show (tabs pressed at once, forms, settings) is not testable here.
"""

import json
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.actors.person import CANCEL, CONTINUE, Form, Page
from harness.clock import monotonic
from harness.exchanges import Exchange, HttpAnswer, HttpRequest
from harness.verdicts import HarnessFault, NotTestable

MANUAL = "manual"
OUTPUT_LIMIT = 256 * 1024
_DECISIONS = {CONTINUE: "continue", CANCEL: "cancel"}

Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""What is wanted of the person, and what they saw."""


@dataclass
class Deputy:
    """Somebody who decides where the harness cannot: has the acts of a person, as far as words carry."""

    name: str
    email: str
    ask: Ask
    record: Callable[[Exchange], None]
    number: Callable[[], int]

    def open(self, url: str) -> Page:
        """Have the address opened and the page told."""
        return self._page(url, "look")

    def get(self, url: str, headers: Sequence[tuple[str, str]] = ()) -> Page:  # noqa: ARG002
        """Not possible: a deputy has one browser, with a session."""
        raise NotTestable("what a browser without a session sees cannot be asked of a person's deputy")

    def log_in(self, page: Page) -> Page:  # noqa: ARG002
        """Not possible: the deputy's session is their own affair."""
        raise NotTestable("a login cannot be asked of a person's deputy")

    def press(self, page: Page, words: Sequence[str]) -> Page:
        """Have the button pressed and the page told. Raises NotTestable where the page had nothing to decide."""
        if not page.forms:
            raise NotTestable("the page that the person's deputy saw has nothing to decide")
        return self._page(page.url, _DECISIONS[tuple(words)])

    def prepared(self, page: Page, words: Sequence[str]) -> HttpRequest:  # noqa: ARG002
        """Not possible: nobody presses a button many times at one moment."""
        raise NotTestable("buttons pressed at one moment cannot be asked of a person's deputy")

    def headers(self, more: tuple[tuple[str, str], ...] = ()) -> tuple[tuple[str, str | bytes], ...]:  # noqa: ARG002
        """Not possible: the deputy's cookies are their own affair."""
        raise NotTestable("requests beside a browser cannot be asked of a person's deputy")

    def _page(self, url: str, decision: str) -> Page:
        began = monotonic()
        wanted = {"url": url, "decision": decision, "who": {"name": self.name, "email": self.email}}
        told = self.ask(wanted)
        seen = str(told.get("seen", ""))
        exchange = Exchange(
            number=self.number(),
            actor="person",
            label=f"{decision} (by deputy)",
            request=HttpRequest("GET" if decision == "look" else "POST", url, ()),
            answer=HttpAnswer(200, (("content-type", "text/plain"),), seen.encode()),
            problem=None,
            seconds=monotonic() - began,
        )
        self.record(exchange)
        decidable = decision == "look" and told.get("decidable", True) is True
        buttons: dict[str, Mapping[str, str]] = {CONTINUE[0]: {}, CANCEL[0]: {}}
        forms = [Form(url, "POST", {}, None, None, buttons)] if decidable else []
        return Page(url, 200, seen, forms, {}, exchange)


def by_command(command: str, timeout: float) -> Ask:
    """A deputy that is a program, started anew for each act, without a shell. Raises HarnessFault where it fails."""
    words = shlex.split(command)

    def ask(wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            done = subprocess.run(
                words, input=json.dumps(wanted), capture_output=True, text=True, timeout=timeout, check=False
            )
        except OSError as error:
            raise HarnessFault(f"The person's command cannot be started: {error.strerror}.") from error
        except subprocess.TimeoutExpired as error:
            raise HarnessFault(f"The person's command did not end within {timeout:g} s.") from error
        if done.returncode:
            raise HarnessFault(
                f"The person's command ended with {done.returncode}: {done.stderr.strip()[-300:]}"
            )
        return _told(done.stdout[:OUTPUT_LIMIT])

    return ask


def _told(text: str) -> Mapping[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise HarnessFault(f"The person's command answers no JSON: {text[:200]!r}") from error
    if not isinstance(told, dict) or not isinstance(told.get("seen"), str):
        raise HarnessFault("The person's command has to answer an object with `seen`, the words of the page.")
    return told


def by_hand(say: Callable[[str], None], hear: Callable[[], str]) -> Ask:
    """A deputy at this terminal: is shown the link and what to do, and tells what was seen in a line."""

    def ask(wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        who, act = (
            wanted["who"],
            {"look": "open", "continue": "press Continue on", "cancel": "press Cancel on"},
        )
        say(f"As {who['name']} ({who['email']}), {act[wanted['decision']]}: {wanted['url']}")
        say("Then type what the page says, in one line (nothing, if there was nothing to decide):")
        seen = hear()
        return {"seen": seen, "decidable": bool(seen.strip())}

    return ask

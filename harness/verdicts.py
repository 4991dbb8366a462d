"""Verdicts, findings and blame: what a scenario or a rule came to, and whose fault it is."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """What a scenario or a rule came to, worst first."""

    FAILED = "failed"
    ERRORED = "errored"
    NOT_TESTABLE = "not testable"
    WARNED = "warned"
    PASSED = "passed"
    NOT_APPLICABLE = "not applicable"


_ORDER = {verdict: position for position, verdict in enumerate(Verdict)}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of the given verdicts; `not testable` where there are none, for nothing was shown."""
    return min(verdicts, key=_ORDER.__getitem__, default=Verdict.NOT_TESTABLE)


@dataclass(frozen=True)
class Finding:
    """One thing that is not as a rule says.

    `rule` is None while a check does not know for which rule it was asked: the scenario's rule is meant.
    `exchange` is the number of the exchange that shows it, counted from 1 within the scenario.
    """

    message: str
    expected: str = ""
    actual: str = ""
    exchange: int | None = None
    rule: str | None = None
    advisory: bool = False

    def to_json(self) -> dict[str, Any]:
        """The finding as it stands in the run record."""
        return asdict(self)


class RuleBroken(Exception):
    """The server's fault: a rule is not kept. Carries the finding."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class NotTestable(Exception):
    """A control, a tool or a condition is missing; the reason is one sentence. Nobody's fault, never a pass."""


class NotApplicable(Exception):
    """The rule is not about this server, as it turned out; the reason is one sentence. No pass, and no gap."""


class HarnessFault(Exception):
    """Our fault: the mock died, a feature asks for what does not exist. Never blamed on the server."""


class ExitCode:
    """Exit codes of the commands that judge."""

    KEPT = 0
    BROKEN = 1
    WRONG_USAGE = 2
    UNTESTED = 3


def exit_code(rules: Iterable[Verdict]) -> int:
    """The exit code for the verdicts of all asked rules."""
    verdicts = set(rules)
    if Verdict.FAILED in verdicts:
        return ExitCode.BROKEN
    if Verdict.ERRORED in verdicts:
        return ExitCode.WRONG_USAGE
    if Verdict.NOT_TESTABLE in verdicts or not verdicts:
        return ExitCode.UNTESTED
    return ExitCode.KEPT

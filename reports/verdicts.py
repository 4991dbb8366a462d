"""The verdicts a run record speaks of, worst first, and what they mean in words."""

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """What a scenario or a rule came to, worst first."""

    FAILED = "failed"
    ERRORED = "errored"
    NOT_TESTABLE = "not testable"
    WARNED = "warned"
    PASSED = "passed"
    NOT_APPLICABLE = "not applicable"


MEANINGS = {
    Verdict.FAILED: "the server under test does not keep the rule",
    Verdict.ERRORED: "our fault, not the server's",
    Verdict.NOT_TESTABLE: "a means to test it is missing; nobody's fault, and no pass",
    Verdict.WARNED: "advice not followed; the rules allow it",
    Verdict.PASSED: "tested and kept",
    Verdict.NOT_APPLICABLE: "not for what was chosen, or not for this server",
}

_ORDER = {verdict: position for position, verdict in enumerate(Verdict)}


def severity(verdict: Verdict) -> int:
    """A sort key: 0 for the worst verdict."""
    return _ORDER[verdict]


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of the given verdicts; `not testable` where there are none, for nothing was shown."""
    return min(verdicts, key=severity, default=Verdict.NOT_TESTABLE)

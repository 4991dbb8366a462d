"""From what a scenario raised and found to its verdict."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from harness.catalogue import Rule
from harness.collection.cases import Case
from harness.verdicts import Finding, HarnessFault, NotApplicable, NotTestable, RuleBroken, Verdict, worst

TRACE_LIMIT: Final = 16_000


@dataclass(frozen=True)
class Judgement:
    """What a scenario came to, why it is not passed (one sentence), what was found, and our own traceback."""

    verdict: Verdict
    reason: str | None
    findings: tuple[Finding, ...]
    error: str | None


def judge(
    case: Case, found: Sequence[Finding], raised: Sequence[BaseException], rules: Mapping[str, Rule]
) -> Judgement:
    """The verdict of a case: the worst of what it raised and of the findings on its own rule.

    A broken rule is the server's fault, a missing control nobody's, anything else ours. A scenario that ended where
    another rule was broken could not be tested.
    """
    said = [*found, *(error.finding for error in raised if isinstance(error, RuleBroken))]
    placed_findings = [_placed(case, finding, rules) for finding in said]
    findings = tuple(one for at, one in enumerate(placed_findings) if one not in placed_findings[:at])
    reasons: list[tuple[Verdict, str]] = [
        (Verdict.WARNED if finding.advisory else Verdict.FAILED, finding.message)
        for finding in findings
        if finding.rule == case.rule
    ]
    faults: list[BaseException] = []
    for error in raised:
        if isinstance(error, RuleBroken):
            placed = _placed(case, error.finding, rules)
            if placed.rule != case.rule:
                reason = f"The scenario ended where {placed.rule} was broken: {placed.message}"
                reasons.append((Verdict.NOT_TESTABLE, reason))
        elif isinstance(error, NotTestable):
            reasons.append((Verdict.NOT_TESTABLE, str(error)))
        elif isinstance(error, NotApplicable):
            reasons.append((Verdict.NOT_APPLICABLE, str(error)))
        else:
            faults.append(error)
    faults += [
        HarnessFault(f"A finding names the rule {finding.rule!r}, which the catalogue does not know.")
        for finding in findings
        if finding.rule not in rules
    ]
    reasons += [(Verdict.ERRORED, _sentence(error)) for error in faults]
    verdict = worst(each for each, _ in reasons) if reasons else Verdict.PASSED
    why = next((text for each, text in reasons if each is verdict), None)
    return Judgement(verdict, why, findings, "\n".join(map(_trace, faults)) or None)


def _placed(case: Case, finding: Finding, rules: Mapping[str, Rule]) -> Finding:
    """The finding with its rule, advisory where the rule or (for its own rule) the scenario is."""
    rule = finding.rule or case.rule
    known = rules.get(rule)
    advisory = finding.advisory or (
        case.advisory if rule == case.rule else known is not None and known.level == "A"
    )
    return replace(finding, rule=rule, advisory=advisory)


def _sentence(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return (
        text if isinstance(error, HarnessFault) and text else f"{type(error).__name__}: {text}".rstrip(": ")
    )


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-TRACE_LIMIT:]

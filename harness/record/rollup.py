"""From the outcomes of scenarios to the verdicts of rules."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.verdicts import Verdict, worst


@dataclass(frozen=True)
class Outcome:
    """What one scenario came to. `others` are its findings for rules that are not its own: rule and advisory."""

    id: str
    rule: str
    era: str
    verdict: Verdict
    others: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True)
class RuleVerdict:
    """What a rule came to: overall, by era, and how many scenarios judged it."""

    verdict: Verdict
    eras: Mapping[str, Verdict]
    scenarios: int

    def to_json(self) -> dict[str, Any]:
        """The rule as it stands in the footer."""
        return {"verdict": self.verdict, "eras": dict(self.eras), "scenarios": self.scenarios}


def roll_up(outcomes: Sequence[Outcome], asked: Mapping[str, Iterable[str]]) -> dict[str, RuleVerdict]:
    """The verdict of every asked rule, and of every other rule that was found broken on the way.

    In each era a rule was asked for, its verdict is the worst of its scenarios and findings; an era in which no
    scenario judged it is not testable. A rule's verdict is the worst of its eras.
    """
    own: dict[str, dict[str, list[Verdict]]] = {
        rule: {era: [] for era in eras} for rule, eras in asked.items()
    }
    extra: dict[str, dict[str, list[Verdict]]] = {}
    scenarios: dict[str, int] = {}
    for outcome in outcomes:
        own.setdefault(outcome.rule, {}).setdefault(outcome.era, []).append(outcome.verdict)
        scenarios[outcome.rule] = scenarios.get(outcome.rule, 0) + 1
        for rule, advisory in outcome.others:
            found = Verdict.WARNED if advisory else Verdict.FAILED
            extra.setdefault(rule, {}).setdefault(outcome.era, []).append(found)
    return {
        rule: _verdict(own.get(rule, {}), extra.get(rule, {}), scenarios.get(rule, 0))
        for rule in {**own, **extra}
    }


def _verdict(
    own: Mapping[str, list[Verdict]], extra: Mapping[str, list[Verdict]], scenarios: int
) -> RuleVerdict:
    eras = {era: worst([worst(verdicts), *extra.get(era, [])]) for era, verdicts in own.items()}
    eras |= {era: worst(verdicts) for era, verdicts in extra.items() if era not in own}
    return RuleVerdict(worst(eras.values()), eras, scenarios)


def counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many scenarios came to each verdict."""
    found = [outcome.verdict for outcome in outcomes]
    return {verdict.value: found.count(verdict) for verdict in Verdict}

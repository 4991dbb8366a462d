"""Mutants: servers with exactly one rule broken, and whether the features catch each of them."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from harness import clock
from harness.catalogue import load
from harness.collection.loading import load_steps
from harness.collection.plugin import Orders, Plan
from harness.collection.selection import select
from harness.collection.suite import build_suite
from harness.record import Outcome, roll_up
from harness.runner.session import run_cases
from harness.verdicts import Verdict


@dataclass(frozen=True)
class Mutant:
    """A server with one rule broken: its name, the rule, its lie in a sentence, where it answers."""

    name: str
    rule: str
    lie: str
    url: str


@dataclass(frozen=True)
class Trial:
    """What came of judging one mutant.

    `failed` are all rules that failed for it (of those that were asked), `symptoms` what the findings of its own rule
    said, `errored` the scenarios that our own fault kept from a verdict.
    """

    mutant: Mutant
    failed: tuple[str, ...]
    symptoms: tuple[str, ...]
    errored: tuple[str, ...]
    scenarios: int
    seconds: float

    @property
    def caught(self) -> bool:
        """True when the rule that the mutant breaks failed for it."""
        return self.mutant.rule in self.failed

    def to_json(self) -> dict[str, Any]:
        """The trial as it stands in mutants.json; the address of the mutant is of no interest."""
        mutant = {key: value for key, value in asdict(self.mutant).items() if key != "url"}
        return {**mutant, "caught": self.caught, "failed": list(self.failed), "symptoms": list(self.symptoms)}


def try_mutants(
    orders: Orders,
    mutants: Iterable[Mutant],
    *,
    full: bool,
    told: Callable[[Trial], None] = lambda trial: None,
) -> list[Trial]:
    """Judge each mutant by the scenarios of its rule until one fails, or by all there are with `full`.

       `told` hears of each as it ends.
    Raises what collecting and running raise.
    """
    catalogue = load(orders.settings.product)
    suite = build_suite(orders.settings.features, catalogue, load_steps(orders.steps_package))
    trials = []
    for mutant in mutants:
        rules = () if full else (mutant.rule,)
        settings = replace(
            orders.settings, urls=(mutant.url,), rules=rules, time_proven=True, dates_proven=True
        )
        plan = Plan(catalogue, suite, select(suite, settings, catalogue))
        trials.append(_try(replace(orders, settings=settings, until_failed=not full), plan, mutant))
        told(trials[-1])
    return trials


def _try(orders: Orders, plan: Plan, mutant: Mutant) -> Trial:
    cases = {case.id: case for case in plan.selection.cases}
    outcomes: list[Outcome] = []
    symptoms: list[str] = []
    began = clock.monotonic()

    def ended(payload: dict[str, Any]) -> None:
        case, verdict = cases[payload["id"]], Verdict(payload["verdict"])
        others = tuple((rule, advisory) for rule, advisory in payload["others"])
        outcomes.append(Outcome(case.id, case.rule, case.era, verdict, others))
        if verdict is Verdict.FAILED and case.rule == mutant.rule:
            symptoms.extend(_messages(payload))

    run_cases(plan, orders, ended)
    rules = roll_up(outcomes, plan.selection.asked)
    return Trial(
        mutant=mutant,
        failed=tuple(sorted(rule for rule, judged in rules.items() if judged.verdict is Verdict.FAILED)),
        symptoms=tuple(dict.fromkeys(symptoms)),
        errored=tuple(outcome.id for outcome in outcomes if outcome.verdict is Verdict.ERRORED),
        scenarios=len(outcomes),
        seconds=round(clock.monotonic() - began, 3),
    )


def _messages(payload: dict[str, Any]) -> Sequence[str]:
    line = payload["line"]
    told = json.loads(line) if isinstance(line, str | bytes) else line
    return [str(finding["message"]) for finding in told["findings"]]

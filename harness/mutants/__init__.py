"""Mutants: servers, or mock APIs, with exactly one rule broken, and whether the features catch each of them."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from harness import clock
from harness.catalogue import load
from harness.collection.loading import load_steps
from harness.collection.plugin import Orders, Plan
from harness.collection.selection import select
from harness.collection.suite import build_suite
from harness.mutants.sameness import first_alike, seen_in
from harness.record import Outcome, roll_up
from harness.runner.session import run_cases
from harness.settings import Settings
from harness.verdicts import HarnessFault, Verdict


@dataclass(frozen=True)
class Mutant:
    """A server with one rule broken: its name, the rule, its lie in a sentence, where its replicas answer.

    With the seat "mock" the server at `urls` is the correct one, and the mock API beside it lies.
    """

    name: str
    rule: str
    lie: str
    urls: tuple[str, ...]
    seat: Literal["server", "mock"] = "server"


@dataclass(frozen=True)
class Trial:
    """What came of judging one mutant.

    `verdict` is that of the rule it breaks, `failed` are all rules that failed for it (of those that were asked),
    `symptoms` what kept its own rule from being passed, `errored` the scenarios that our own fault kept from a verdict,
    `shown` is a digest of everything that was found, by which mutants are told apart.
    """

    mutant: Mutant
    verdict: Verdict
    failed: tuple[str, ...]
    symptoms: tuple[str, ...]
    errored: tuple[str, ...]
    scenarios: int
    seconds: float
    shown: str = ""

    @property
    def caught(self) -> bool:
        """True when the rule that the mutant breaks failed for it.

        Where the mock lies the rule must not pass, and that is all: a scenario that asks the mock itself is right to
        say `errored`, one that cannot go on `not testable`. `failed` is what it would wrongly say of a server if a mock
        lied in a real run, so such rules are reported as judged with the mock.
        """
        if self.mutant.seat == "mock":
            return self.verdict in (Verdict.FAILED, Verdict.ERRORED, Verdict.NOT_TESTABLE)
        return self.verdict is Verdict.FAILED

    def to_json(self) -> dict[str, Any]:
        """The trial as it stands in mutants.json; the address of the mutant is of no interest."""
        mutant = {key: value for key, value in asdict(self.mutant).items() if key != "urls"}
        came = {"caught": self.caught, "verdict": self.verdict}
        cost = {"scenarios": self.scenarios, "seconds": self.seconds, "shown": self.shown}
        return {
            **mutant,
            **came,
            "failed": list(self.failed),
            "symptoms": list(self.symptoms),
            "errored": list(self.errored),
            **cost,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], mutant: Mutant) -> "Trial":
        """A trial of that mutant as it stood in mutants.json. Raises KeyError, TypeError and ValueError for what is none."""
        return cls(
            mutant=mutant,
            verdict=Verdict(data["verdict"]),
            failed=tuple(map(str, data["failed"])),
            symptoms=tuple(map(str, data["symptoms"])),
            errored=tuple(map(str, data["errored"])),
            scenarios=int(data["scenarios"]),
            seconds=float(data["seconds"]),
            shown=str(data["shown"]),
        )


def alike(trials: Iterable[Trial]) -> dict[str, str]:
    """For each caught mutant the first of which exactly the same was found: itself where it is the first.

    How many are told apart is how many are their own first. A mutant that is judged until it is caught is told apart by
    what was found till then, so with all scenarios there may be more.
    """
    return first_alike((trial.mutant.name, trial.shown) for trial in trials if trial.caught)


Beside = Callable[[Mutant], AbstractContextManager[Settings]]
"""What has to run while a mutant is judged, and the settings that lead there."""


def try_mutants(
    orders: Orders,
    mutants: Iterable[Mutant],
    beside: Beside,
    *,
    full: bool,
    told: Callable[[Trial], None] = lambda trial: None,
) -> list[Trial]:
    """Judge each mutant by the scenarios of its rule until one fails, or by all there are with `full`.

    `told` hears of each as it ends. Raises what collecting, running and `beside` raise.
    """
    catalogue = load(orders.settings.product)
    suite = build_suite(orders.settings.features, catalogue, load_steps(orders.steps_package))
    trials = []
    for mutant in mutants:
        rules = () if full else (mutant.rule,)
        with beside(mutant) as found:
            settings = replace(found, urls=mutant.urls, rules=rules, time_proven=True, dates_proven=True)
            plan = Plan(catalogue, suite, select(suite, settings, catalogue))
            trials.append(
                _try(replace(orders, settings=settings, until_failed=not full, evidence=False), plan, mutant)
            )
        told(trials[-1])
    return trials


def _try(orders: Orders, plan: Plan, mutant: Mutant) -> Trial:
    cases = {case.id: case for case in plan.selection.cases}
    outcomes: list[Outcome] = []
    symptoms: list[str] = []
    seen: set[str] = set()
    errored: list[str] = []
    began = clock.monotonic()

    def ended(payload: dict[str, Any]) -> None:
        case, verdict = cases[payload["id"]], Verdict(payload["verdict"])
        others = tuple((rule, advisory) for rule, advisory in payload["others"])
        outcomes.append(Outcome(case.id, case.rule, case.era, verdict, others))
        if verdict is Verdict.PASSED:
            return
        told = _told(payload)
        if case.rule == mutant.rule:
            symptoms.extend(_symptoms(told, verdict, mutant))
        seen.update(seen_in(told))
        if verdict is Verdict.ERRORED and not (mutant.seat == "mock" and _blames_the_mock(told)):
            errored.append(case.id)

    run_cases(plan, orders, ended)
    rules = roll_up(outcomes, plan.selection.asked)
    return Trial(
        mutant=mutant,
        verdict=rules[mutant.rule].verdict,
        failed=tuple(sorted(rule for rule, judged in rules.items() if judged.verdict is Verdict.FAILED)),
        symptoms=tuple(dict.fromkeys(symptoms)),
        errored=tuple(errored),
        scenarios=len(outcomes),
        seconds=round(clock.monotonic() - began, 3),
        shown=hashlib.sha256("\n".join(sorted(seen)).encode("utf-8", "surrogatepass")).hexdigest(),
    )


def _told(payload: Mapping[str, Any]) -> dict[str, Any]:
    line = payload["line"]
    told: dict[str, Any] = json.loads(line) if isinstance(line, str | bytes) else line
    return told


def _symptoms(told: Mapping[str, Any], verdict: Verdict, mutant: Mutant) -> Sequence[str]:
    if verdict is Verdict.FAILED:
        return [str(finding["message"]) for finding in told["findings"]]
    unpassed = verdict in (Verdict.ERRORED, Verdict.NOT_TESTABLE)
    return [str(told["reason"])] if mutant.seat == "mock" and unpassed else []


def _blames_the_mock(told: Mapping[str, Any]) -> bool:
    """Whether an error was said about the mock, and is not a mistake in a step."""
    name = f"{HarnessFault.__module__}.{HarnessFault.__qualname__}"
    return any(line.startswith(name) for line in str(told["error"]).splitlines())

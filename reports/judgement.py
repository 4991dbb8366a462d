"""What a run came to, rule by rule and as a whole: the one reading that every report shows."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from reports.headline import exit_meaning, headline
from reports.record import Exchange, Finding, Rule, RuleResult, Run, Scenario
from reports.verdicts import Verdict, severity, worst

NOT_REACHED = "the run ended before a scenario judged it"
NO_SCENARIO = "no scenario judged it"
# What a baseline can accept. An error of ours is nobody's to accept.
ACCEPTABLE = (Verdict.FAILED, Verdict.NOT_TESTABLE)


@dataclass(frozen=True)
class Sighting:
    """A finding on a rule, made by scenarios of another rule, and all the scenarios that saw the same.

    The finding names no exchange, for each scenario has its own.
    """

    finding: Finding
    scenarios: tuple[Scenario, ...]

    @property
    def first(self) -> Scenario:
        """The scenario whose evidence is shown."""
        return self.scenarios[0]

    @property
    def exchange(self) -> Exchange | None:
        """The exchange that shows it, of the first scenario."""
        own = (f for f in self.first.findings if replace(f, exchange=None) == self.finding)
        return self.first.exchange(next(own).exchange)


@dataclass(frozen=True)
class RuleJudgement:
    """A rule, its verdicts, and all that bears on it. Scenarios stand worst first, then as they ran.

    `accepted` is why a baseline accepts that the rule is broken or untested, None where it does not.
    """

    rule: Rule
    verdict: Verdict
    eras: dict[str, Verdict]
    scenarios: tuple[Scenario, ...]
    sightings: tuple[Sighting, ...]
    accepted: str | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not testable, each reason once; empty for another verdict."""
        if self.verdict is not Verdict.NOT_TESTABLE:
            return ()
        untested = [s for s in self.scenarios if s.verdict is Verdict.NOT_TESTABLE]
        return tuple(dict.fromkeys(s.reason or "no reason was recorded" for s in untested))


@dataclass(frozen=True)
class Judgement:
    """A whole run: the rules that were asked, those that were not, and what is to be said first."""

    run: Run
    rules: tuple[RuleJudgement, ...]
    unasked: tuple[Rule, ...]
    headline: str
    remark: str
    verdict: Verdict
    exit_meaning: str

    @property
    def rule_counts(self) -> dict[Verdict, int]:
        """Asked rules by verdict; every verdict is there."""
        return _counted(judged.verdict for judged in self.rules)

    @property
    def scenario_counts(self) -> dict[Verdict, int]:
        """Scenario runs by verdict; every verdict is there."""
        return _counted(scenario.verdict for scenario in self.run.scenarios)

    def of(self, verdict: Verdict) -> tuple[RuleJudgement, ...]:
        """The asked rules of that verdict."""
        return tuple(judged for judged in self.rules if judged.verdict is verdict)

    def new(self, verdict: Verdict) -> tuple[RuleJudgement, ...]:
        """The asked rules of that verdict that no baseline accepts."""
        return tuple(judged for judged in self.of(verdict) if judged.accepted is None)

    @property
    def accepted(self) -> tuple[RuleJudgement, ...]:
        """The rules that are broken or untested and that a baseline accepts so."""
        return tuple(judged for judged in self.rules if judged.accepted is not None)

    @property
    def untested(self) -> dict[str, list[RuleJudgement]]:
        """The rules that are not testable, by reason; those that a baseline accepts are left out."""
        groups: dict[str, list[RuleJudgement]] = defaultdict(list)
        for judged in self.new(Verdict.NOT_TESTABLE):
            for reason in judged.reasons or ((NOT_REACHED if self.run.incomplete else NO_SCENARIO),):
                groups[reason].append(judged)
        return dict(groups)


def judge(run: Run) -> Judgement:
    """Read a run. The footer's verdicts stand; a record that was cut off is judged by what it holds."""
    own: dict[str, list[Scenario]] = defaultdict(list)
    seen: dict[str, dict[Finding, list[Scenario]]] = defaultdict(lambda: defaultdict(list))
    for scenario in run.scenarios:
        own[scenario.rule].append(scenario)
        for finding in scenario.findings:
            if finding.rule != scenario.rule:
                # The same thing seen elsewhere is one sighting, whatever the exchange's number.
                seen[finding.rule][replace(finding, exchange=None)].append(scenario)
    known = {rule.id: rule for rule in run.header.rules}
    asked = dict.fromkeys([*run.header.asked, *own, *seen, *(run.footer.rules if run.footer else ())])
    order = {rule: position for position, rule in enumerate(known)}
    rules = []
    for rule_id in sorted(asked, key=lambda rule: order.get(rule, len(order))):
        scenarios = tuple(sorted(own[rule_id], key=lambda scenario: severity(scenario.verdict)))
        sightings = tuple(Sighting(f, tuple(who)) for f, who in seen[rule_id].items())
        rule = known.get(rule_id) or _uncatalogued(rule_id, scenarios)
        result = (run.footer and run.footer.rules.get(rule_id)) or _result(scenarios, sightings)
        accepted = run.footer.accepted.get(rule_id) if run.footer and result.verdict in ACCEPTABLE else None
        rules.append(RuleJudgement(rule, result.verdict, result.eras, scenarios, sightings, accepted))
    unasked = tuple(rule for rule in run.header.rules if rule.id not in asked)
    counts = _counted(judged.verdict for judged in rules)
    agreed = _counted(judged.verdict for judged in rules if judged.accepted is not None)
    said, remark, verdict = headline(run, counts, agreed)
    meaning = exit_meaning(run, counts, agreed)
    return Judgement(run, tuple(rules), unasked, said, remark, verdict, meaning)


def _uncatalogued(rule_id: str, scenarios: tuple[Scenario, ...]) -> Rule:
    statement = scenarios[0].rule_title if scenarios else "A rule the record's catalogue does not hold"
    eras = tuple(dict.fromkeys(scenario.era for scenario in scenarios))
    return Rule(rule_id, "not in the catalogue", "", eras, "", statement, "", "")


def _result(scenarios: tuple[Scenario, ...], sightings: tuple[Sighting, ...]) -> RuleResult:
    eras: dict[str, list[Verdict]] = defaultdict(list)
    for scenario in scenarios:
        eras[scenario.era].append(scenario.verdict)
    for sighting in sightings:
        for scenario in sighting.scenarios:
            eras[scenario.era].append(Verdict.WARNED if sighting.finding.advisory else Verdict.FAILED)
    verdicts = {era: worst(found) for era, found in sorted(eras.items())}
    return RuleResult(worst(verdicts.values()), verdicts, len(scenarios))


def _counted(verdicts: Iterable[Verdict]) -> dict[Verdict, int]:
    counted = Counter(verdicts)
    return {verdict: counted[verdict] for verdict in Verdict}

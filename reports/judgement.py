"""What a run came to, rule by rule and as a whole: the one reading that every report shows."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from reports.record import Exchange, Finding, Rule, RuleResult, Run, Scenario
from reports.verdicts import Verdict, severity, worst

NOT_REACHED = "the run ended before a scenario judged it"
NO_SCENARIO = "no scenario judged it"


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
    """A rule, its verdicts, and all that bears on it. Scenarios stand worst first, then as they ran."""

    rule: Rule
    verdict: Verdict
    eras: dict[str, Verdict]
    scenarios: tuple[Scenario, ...]
    sightings: tuple[Sighting, ...]

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

    @property
    def untested(self) -> dict[str, list[RuleJudgement]]:
        """The rules that are not testable, by reason."""
        groups: dict[str, list[RuleJudgement]] = defaultdict(list)
        for judged in self.of(Verdict.NOT_TESTABLE):
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
        rules.append(RuleJudgement(rule, result.verdict, result.eras, scenarios, sightings))
    unasked = tuple(rule for rule in run.header.rules if rule.id not in asked)
    counts = _counted(judged.verdict for judged in rules)
    headline, remark, verdict = _said(run, counts)
    return Judgement(run, tuple(rules), unasked, headline, remark, verdict, _exit(run, counts))


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


def number(count: int, noun: str) -> str:
    """ "1 rule", "2 rules"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _said(run: Run, counts: dict[Verdict, int]) -> tuple[str, str, Verdict]:
    """The headline, a remark below it ("" for none) and the verdict whose colour they wear."""
    failed, errored = counts[Verdict.FAILED], counts[Verdict.ERRORED]
    untested, total = counts[Verdict.NOT_TESTABLE], sum(counts.values())
    broken = f"{number(failed, 'rule')} {'is' if failed == 1 else 'are'} broken"
    complaint = (run.footer.complaint if run.footer else None) or ""
    if run.footer is None:
        sofar = f"{broken} so far" if failed else "No rule was found broken so far"
        remark = f"{sofar}, but the record ends before the run did: nothing can be said about the whole."
        return "The run was cut off", remark, Verdict.FAILED if failed else Verdict.ERRORED
    if failed:
        rest = [f"{number(errored, 'rule')} could not be judged by our own fault"] if errored else []
        rest += [f"{number(untested, 'rule')} untested"] if untested else []
        accepted = ["the baseline accepts what is broken"] if run.footer.exit_code == 0 else []
        return broken, _sentence(complaint, accepted + rest), Verdict.FAILED
    if errored:
        kept = f"nothing is broken, but {number(errored, 'rule')} could not be judged"
        return "Something went wrong on our side", _sentence(complaint, [kept]), Verdict.ERRORED
    if run.footer.exit_code == 2:
        return "The run could not be completed", _sentence(complaint, []), Verdict.ERRORED
    if run.footer.exit_code == 1:
        return "Nothing is broken, but the baseline does not fit", _sentence(complaint, []), Verdict.FAILED
    if not total:
        return "No rule was asked", _sentence(complaint, []), Verdict.NOT_TESTABLE
    if untested:
        accepted = ["the baseline accepts what is untested"] if run.footer.exit_code == 0 else []
        untested_words = f"{number(untested, 'rule')} untested"
        return f"Nothing is broken, {untested_words}", _sentence(complaint, accepted), Verdict.NOT_TESTABLE
    warned = counts[Verdict.WARNED]
    advice = [f"{number(warned, 'rule')} kept with advice not followed"] if warned else []
    return "Every asked rule was tested and kept", _sentence(complaint, advice), Verdict.PASSED


def _sentence(complaint: str, parts: list[str]) -> str:
    joined = "; ".join(parts)
    said = f"{joined[0].upper()}{joined[1:]}." if joined else ""
    return " ".join(part for part in (complaint, said) if part)


def _exit(run: Run, counts: dict[Verdict, int]) -> str:
    """What the exit code means, in one line."""
    if run.footer is None:
        return "no exit code: the run was cut off"
    failed, untested = counts[Verdict.FAILED], counts[Verdict.NOT_TESTABLE]
    meanings = {
        0: "every asked rule was tested and kept"
        if not failed and not untested
        else "what is broken or untested is accepted by the baseline",
        1: f"{number(failed, 'rule')} broken" if failed else "the baseline does not fit this run",
        2: "wrong usage or our own error; no rule was found broken",
        3: f"nothing is broken, {number(untested, 'rule')} untested",
    }
    code = run.footer.exit_code
    return f"exit {code}: {meanings.get(code, 'not a code this version knows')}"

"""Records of one product made one: the shards of a run, or the servers of a matrix."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reports.fields import named
from reports.headline import number
from reports.judgement import ACCEPTABLE
from reports.record import Footer, Header, Part, RuleResult, Run, Scenario
from reports.verdicts import Verdict, worst


class CannotMerge(ValueError):
    """The records do not belong together; one sentence says which and why."""


@dataclass(frozen=True)
class Source:
    """A record to be merged: what it is called, the run it holds, and its server's name where one was given."""

    name: str
    run: Run
    server: str | None = None

    @property
    def label(self) -> str:
        """The server's name: the given one, else the words of the record."""
        subject = self.run.header.subject
        if self.server is not None:
            return self.server
        if subject.reference:
            return "the bundled reference server"
        return subject.command or ", ".join(subject.urls) or "a server without an address"


def merge(sources: Sequence[Source]) -> Run:
    """One run of several, its rules judged anew by all scenarios and findings.

    Where the sources name different servers, each scenario run says which is its own. One source without a footer, or
    a shard that no source holds, leaves the whole without. Raises CannotMerge for another product, tool, catalogue or seed, and for a scenario run
    that two records of the same server hold.
    """
    first = sources[0].run.header
    for source in sources:
        _check(sources[0], source)
    servers = tuple(dict.fromkeys(source.label for source in sources))
    scenarios: list[Scenario] = []
    held: dict[str, str] = {}
    for source in sources:
        for scenario in source.run.scenarios:
            own = scenario if len(servers) == 1 else _on(scenario, source.label)
            if own.id in held:
                raise CannotMerge(
                    f"{held[own.id]} and {source.name} both hold the scenario run {_id(own.id)}; "
                    "records of one server must not overlap, and different servers need different names"
                )
            held[own.id] = source.name
            scenarios.append(own)
    header = _header(first, sources)
    return Run(header, tuple(scenarios), _footer(sources, header, scenarios))


def _id(text: str) -> str:
    """The id of a scenario run in a sentence, long enough to be found."""
    short = text if len(text) <= 240 else f"{text[:240]}…"
    return short if short.isprintable() else ascii(short)


def _check(first: Source, other: Source) -> None:
    one, two = first.run.header, other.run.header
    for what, left, right in (
        ("product", one.product, two.product),
        ("tool", f"{one.tool} {one.tool_version}", f"{two.tool} {two.tool_version}"),
        ("seed", str(one.seed), str(two.seed)),
    ):
        if left != right:
            raise CannotMerge(
                f"{first.name} and {other.name} do not belong together: {what} {named(left)} and {what} {named(right)}"
            )
    if one.rules != two.rules:
        raise CannotMerge(
            f"{first.name} and {other.name} do not belong together: their catalogues of rules differ"
        )
    if other.run.header.merged:
        raise CannotMerge(f"{other.name} is merged already; merge the records it was made of")


def _on(scenario: Scenario, server: str) -> Scenario:
    return replace(scenario, id=f"{scenario.id} on {server}", server=server)


def _header(first: Header, sources: Sequence[Source]) -> Header:
    headers = [source.run.header for source in sources]
    asked = {rule for header in headers for rule in header.asked}
    ordered = [rule.id for rule in first.rules if rule.id in asked]
    controls: dict[str, list[str]] = defaultdict(list)
    for header in headers:
        for control, value in header.controls.items():
            controls[control].append(value)
    return replace(
        first,
        started_at=min(header.started_at for header in headers),
        eras=tuple(sorted({era for header in headers for era in header.eras})),
        workers=max(header.workers for header in headers),
        controls={control: ", ".join(dict.fromkeys(values)) for control, values in controls.items()},
        asked=tuple(dict.fromkeys((*ordered, *sorted(asked)))),
        shard=None,
        merged=(
            *(
                Part(source.name, source.label, len(source.run.scenarios), not source.run.incomplete)
                for source in sources
            ),
            *(Part(f"shard {shard} (not given)", server, 0, False) for server, shard in _missing(sources)),
        ),
    )


def _missing(sources: Sequence[Source]) -> list[tuple[str, str]]:
    """The shards that no record holds, with their servers: of each server, of each number of parts that occurs."""
    held: dict[tuple[str, int], set[int]] = defaultdict(set)
    for source in sources:
        if source.run.header.shard is not None:
            number, _, of = source.run.header.shard.partition("/")
            held[source.label, int(of)].add(int(number))
    return [
        (server, f"{number}/{of}")
        for (server, of), numbers in held.items()
        for number in range(1, of + 1)
        if number not in numbers
    ]


def _footer(sources: Sequence[Source], header: Header, scenarios: Sequence[Scenario]) -> Footer | None:
    footers = [(source.name, source.run.footer) for source in sources]
    ended = [(name, footer) for name, footer in footers if footer is not None]
    if len(ended) < len(footers) or _missing(sources):
        return None
    rules = _rules(sources, header, scenarios)
    accepted = _accepted([footer for _, footer in ended])
    complaints = [f"{name}: {footer.complaint}" for name, footer in ended if footer.complaint]
    output = [f"{name}:\n{footer.subject_output}" for name, footer in ended if footer.subject_output]
    counts = Counter(scenario.verdict for scenario in scenarios)
    return Footer(
        finished_at=max(footer.finished_at for _, footer in ended),
        seconds=round(sum(footer.seconds for _, footer in ended), 3),
        exit_code=_exit_code(rules, accepted, [footer for _, footer in ended]),
        complaint=" ".join(complaints) or None,
        subject_output="\n".join(output) or None,
        counts={str(verdict): counts[verdict] for verdict in Verdict},
        rules=rules,
        accepted=accepted,
    )


def _rules(sources: Sequence[Source], header: Header, scenarios: Iterable[Scenario]) -> dict[str, RuleResult]:
    """Every asked rule, and any other that was found broken, by the rules of docs/run-record.md.

    An era counts as asked of a server when one of its records has it; a scenario of another record of that server
    judges it as well as one of the same record.
    """
    own: dict[tuple[str, str, str], list[Verdict]] = defaultdict(list)
    seen: dict[tuple[str, str, str], list[Verdict]] = defaultdict(list)
    runs: Counter[str] = Counter()
    for scenario in scenarios:
        server = scenario.server or ""
        runs[scenario.rule] += 1
        own[scenario.rule, scenario.era, server].append(scenario.verdict)
        for finding in scenario.findings:
            if finding.rule != scenario.rule:
                verdict = Verdict.WARNED if finding.advisory else Verdict.FAILED
                seen[finding.rule, scenario.era, server].append(verdict)
    several = len({source.label for source in sources}) > 1
    for source in sources:
        for rule, result in source.run.footer.rules.items() if source.run.footer else ():
            for era in result.eras if rule in source.run.header.asked else ():
                # In an era that was asked, a rule that nothing judged stays there, without a verdict.
                own[rule, era, source.label if several else ""] += ()
    verdicts: dict[str, dict[str, list[Verdict]]] = defaultdict(lambda: defaultdict(list))
    for rule, era, server in (*own, *seen):
        key = (rule, era, server)
        judged = [worst(own[key])] if key in own else []
        verdicts[rule][era] += [*judged, *seen.get(key, ())]
    order = list(dict.fromkeys((*header.asked, *verdicts)))
    return {
        rule: _result({era: worst(found) for era, found in sorted(verdicts[rule].items())}, runs[rule])
        for rule in order
    }


def _result(eras: Mapping[str, Verdict], runs: int) -> RuleResult:
    return RuleResult(worst(eras.values()), dict(eras), runs)


def _accepted(footers: Sequence[Footer]) -> dict[str, str]:
    """What every record that has to accept it accepts: no record's failure hides behind the baseline of another."""
    reasons: dict[str, list[str]] = defaultdict(list)
    refused: set[str] = set()
    for footer in footers:
        for rule, result in footer.rules.items():
            if result.verdict in ACCEPTABLE and rule not in footer.accepted:
                refused.add(rule)
        for rule, reason in footer.accepted.items():
            reasons[rule].append(reason)
    return {rule: "; ".join(dict.fromkeys(why)) for rule, why in reasons.items() if rule not in refused}


def _exit_code(
    rules: Mapping[str, RuleResult], accepted: Mapping[str, str], footers: Sequence[Footer]
) -> int:
    found = {result.verdict for rule, result in rules.items() if rule not in accepted}
    # What a record complained of holds for the whole: a stale baseline, a program that died.
    codes = {footer.exit_code for footer in footers if footer.complaint}
    if Verdict.FAILED in found:
        codes.add(1)
    if any(result.verdict is Verdict.ERRORED for result in rules.values()):
        codes.add(2)
    if (Verdict.NOT_TESTABLE in found and not _untested_allowed(footers)) or not rules:
        codes.add(3)
    return next((code for code in (1, 2, 3) if code in codes), 0)


def _untested_allowed(footers: Sequence[Footer]) -> bool:
    """Whether the runs were told to allow untested rules: one that had any ended well, and none ended for them."""
    untested = [
        footer
        for footer in footers
        if any(
            result.verdict is Verdict.NOT_TESTABLE and rule not in footer.accepted
            for rule, result in footer.rules.items()
        )
    ]
    return any(footer.exit_code == 0 for footer in untested) and all(f.exit_code != 3 for f in untested)


def told(sources: Sequence[Source]) -> list[str]:
    """What a user should know of a merge: which servers it holds, and which records are incomplete."""
    servers = Counter(source.label for source in sources)
    said = []
    if len(servers) > 1:
        said.append(f"{number(len(servers), 'server')}: {', '.join(servers)}.")
    said += [
        f"{source.name} ends before its run did, so the whole is incomplete."
        for source in sources
        if source.run.incomplete
    ]
    missing = [f"shard {shard} of {server}" for server, shard in _missing(sources)]
    if missing:
        said.append(f"{', '.join(missing[:20])}: no record of it was given, so the whole is incomplete.")
    return said

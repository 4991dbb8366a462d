"""What the page shows of a run, cut to a size that opens at once: plain data for the template."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from reports.curl import curl
from reports.evidence import failures, pointed
from reports.excerpts import Excerpt, excerpt
from reports.headline import number
from reports.judgement import Judgement, RuleJudgement
from reports.record import Exchange, Finding, Run, Scenario
from reports.verdicts import Verdict

# Bytes of exchanges that the page carries in all, roughly: first whole chains of exchanges, then only the one that shows
# the failure, then none. A server that answers nothing right breaks every scenario, and the page must still open.
CHAINS = 600_000
POINTED = 1_200_000
OPEN = 20
SIGHTINGS = 10

_BODY_POINTED = 6_000
_BODY = 1_500
_CURL = 4_000
_SIDE = 4_000
_SIDE_SHORT = 400
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]  # not strftime: it follows the locale of the machine


@dataclass(frozen=True)
class ExchangeCard:
    """An exchange as the page shows it.

    `mark` is "evidence" for one that a finding names, "last" for the last one of a scenario that broke without
    naming any; both stand open. It is "" for all others.
    """

    exchange: Exchange
    request: Excerpt
    answer: Excerpt
    curl: str | None
    mark: str


@dataclass(frozen=True)
class Evidence:
    """The exchanges shown, how many more the record holds, whether it stands open.

    `limit` is how many characters each text beside the exchanges may have.
    """

    cards: tuple[ExchangeCard, ...] = ()
    left_out: int = 0
    open: bool = False
    limit: int = 4_000


@dataclass(frozen=True)
class Shown:
    """Evidence by scenario id; of sightings by rule id and position."""

    scenarios: dict[str, Evidence]
    sightings: dict[tuple[str, int], Evidence]


@dataclass(frozen=True)
class Group:
    """A group of rules, in the order of the catalogue."""

    title: str
    rules: tuple[RuleJudgement, ...]

    @property
    def counts(self) -> dict[Verdict, int]:
        """Rules by verdict, only verdicts that occur, worst first."""
        found = [judged.verdict for judged in self.rules]
        return {verdict: found.count(verdict) for verdict in Verdict if verdict in found}

    @property
    def eras(self) -> tuple[str, ...]:
        """The eras that any of the rules was judged in."""
        return tuple(sorted({era for judged in self.rules for era in judged.eras}))


@dataclass(frozen=True)
class Segment:
    """A part of the bar of rules: where it begins and how wide it is, in percent; how many of it are accepted."""

    verdict: Verdict
    count: int
    start: float
    width: float
    accepted: int


def groups(judgement: Judgement) -> tuple[Group, ...]:
    """The asked rules by their group."""
    titles = dict.fromkeys(judged.rule.group for judged in judgement.rules)
    return tuple(
        Group(title, tuple(judged for judged in judgement.rules if judged.rule.group == title))
        for title in titles
    )


def segments(judgement: Judgement) -> tuple[Segment, ...]:
    """The bar: passed first, worst last, so that green begins at the left as progress does."""
    counts = judgement.rule_counts
    total = sum(counts.values())
    bar = []
    start = 0.0
    order = (Verdict.PASSED, Verdict.WARNED, Verdict.NOT_APPLICABLE, Verdict.NOT_TESTABLE, Verdict.ERRORED)
    for verdict in (*order, Verdict.FAILED):
        if counts[verdict]:
            accepted = counts[verdict] - len(judgement.new(verdict))
            width = 100 * counts[verdict] / total
            bar.append(Segment(verdict, counts[verdict], start, width, accepted))
            start += width
    return tuple(bar)


def evidence(judgement: Judgement) -> Shown:
    """What is shown of each scenario that failed, errored or warned, and of what scenarios of other rules saw.

    Rules go worst first, accepted ones last, so that what matters most is shown whole.
    """
    scenarios: dict[str, Evidence] = {}
    sightings: dict[tuple[str, int], Evidence] = {}
    spent = opened = 0
    worst_first = (judged for verdict in Verdict for judged in judgement.new(verdict))
    for judged in (*worst_first, *judgement.accepted):
        for position, sighting in enumerate(judged.sightings[:SIGHTINGS]):
            exchange = sighting.exchange
            proof = _evidence((exchange,) if exchange else (), (exchange,), "evidence", spent)
            spent += _weight(proof, (sighting.finding,))
            sightings[judged.rule.id, position] = proof
        for scenario in judged.scenarios:
            if scenario.verdict not in (Verdict.FAILED, Verdict.ERRORED, Verdict.WARNED):
                continue
            exchanges, mark = pointed(scenario)
            whole = scenario.verdict is not Verdict.WARNED and spent < CHAINS
            proof = _evidence(scenario.exchanges if whole else exchanges, exchanges, mark, spent)
            spent += _weight(proof, scenario.findings) + min(len(scenario.error or ""), proof.limit)
            is_open = scenario.verdict is not Verdict.WARNED and opened < OPEN
            opened += is_open
            left_out = len(scenario.exchanges) - len(proof.cards)
            scenarios[scenario.id] = replace(proof, left_out=left_out, open=is_open)
    return Shown(scenarios, sightings)


def _evidence(
    exchanges: Iterable[Exchange], pointed: Container[Exchange | None], mark: str, spent: int
) -> Evidence:
    if spent >= POINTED:
        return Evidence(limit=_SIDE_SHORT)
    cards = (_card(exchange, mark if exchange in pointed else "") for exchange in exchanges)
    return Evidence(tuple(cards), limit=_SIDE)


def _weight(proof: Evidence, findings: tuple[Finding, ...]) -> int:
    """About how many bytes this takes on the page: frames, and JSON with its parts marked."""
    sides = sum(min(len(f.expected), proof.limit) + min(len(f.actual), proof.limit) for f in findings)
    return 2 * sides + sum(_card_weight(card) for card in proof.cards)


def _card_weight(card: ExchangeCard) -> int:
    answer = card.exchange.answer
    headers = (*card.exchange.request.headers, *(answer.headers if answer else ()))
    bodies = 2 * (len(card.request.text) + len(card.answer.text))
    return 1_500 + bodies + len(card.curl or "") + sum(30 + len(name) + len(value) for name, value in headers)


def why(judged: RuleJudgement) -> tuple[str, ...]:
    """The first reason why a rule failed or errored and how many scenario runs say so; nothing for the others."""
    worst = [scenario for scenario in judged.scenarios if scenario.verdict is judged.verdict]
    if judged.verdict is Verdict.FAILED:
        first = failures(judged)[:1]
        reason = first[0].message if first else None
        runs = len(worst) + sum(len(s.scenarios) for s in judged.sightings if not s.finding.advisory)
    elif judged.verdict is Verdict.ERRORED:
        reason, runs = next((scenario.reason for scenario in worst if scenario.reason), None), len(worst)
    else:
        return ()
    return (f"{reason} · {number(runs, 'scenario run')}",) if reason else ()


def moment(text: str) -> str:
    """A time of the record in words, UTC; as it stands when it is no RFC 3339 time."""
    try:
        at = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return text
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}, {at:%H:%M} UTC"


def duration(seconds: float) -> str:
    """Seconds as people say them: 4 ms, 3.4 s, 2 min 5 s."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"


def quiet(scenarios: tuple[Scenario, ...]) -> tuple[Scenario, ...]:
    """The scenarios with nothing to explain: they passed, or were not asked of this product."""
    return tuple(s for s in scenarios if s.verdict in (Verdict.PASSED, Verdict.NOT_APPLICABLE))


def loud(scenarios: tuple[Scenario, ...]) -> tuple[Scenario, ...]:
    """All other scenarios."""
    return tuple(s for s in scenarios if s.verdict not in (Verdict.PASSED, Verdict.NOT_APPLICABLE))


def eras(run: Run) -> tuple[str, ...]:
    """The eras that have a column: those asked, and any other a scenario ran in."""
    return tuple(dict.fromkeys((*run.header.eras, *(scenario.era for scenario in run.scenarios))))


def _card(exchange: Exchange, mark: str) -> ExchangeCard:
    limit = _BODY_POINTED if mark else _BODY
    answer = exchange.answer
    command = curl(exchange.request)
    return ExchangeCard(
        exchange,
        excerpt(exchange.request.body, limit, cut=exchange.request.cut),
        excerpt(answer.body, limit, cut=answer.cut) if answer else Excerpt(""),
        command if command and len(command) <= _CURL else None,
        mark,
    )

"""A failure as plain text: what was expected, what came, and the exchange that shows it, in short."""

from collections.abc import Iterable
from dataclasses import dataclass

from reports.excerpts import excerpt, tail
from reports.judgement import RuleJudgement, Sighting
from reports.record import Exchange, Finding, Scenario
from reports.verdicts import Verdict
from reports.visible import one_line, visible

BODY = 1_500
SIDE = 2_000
TRACEBACK = 6_000


@dataclass(frozen=True)
class Failure:
    """One reason why a rule has failed: a finding, or where there is none the scenario's own reason.

    `also` are further scenarios that saw the very same.
    """

    scenario: Scenario
    message: str
    expected: str
    actual: str
    exchange: Exchange | None
    also: tuple[Scenario, ...] = ()


def failures(judged: RuleJudgement) -> list[Failure]:
    """All that makes the rule fail: in its own scenarios, then seen by those of other rules."""
    own = [failure for scenario in judged.scenarios for failure in of_scenario(scenario)]
    return own + of_sightings(judged.sightings)


def of_scenario(scenario: Scenario) -> list[Failure]:
    """All that makes the scenario fail; nothing for one that has not failed."""
    if scenario.verdict is not Verdict.FAILED:
        return []
    last = scenario.exchanges[-1] if scenario.exchanges else None
    return [
        Failure(
            scenario, f.message, f.expected, f.actual, scenario.exchange(f.exchange) if f.exchange else last
        )
        for f in broken(scenario)
    ] or [Failure(scenario, scenario.reason or "it failed, and no reason was recorded", "", "", last)]


def of_sightings(sightings: Iterable[Sighting]) -> list[Failure]:
    """The same for what scenarios of other rules saw; advice not followed is no failure."""
    return [
        Failure(
            sighting.first,
            sighting.finding.message,
            sighting.finding.expected,
            sighting.finding.actual,
            sighting.exchange,
            sighting.scenarios[1:],
        )
        for sighting in sightings
        if not sighting.finding.advisory
    ]


def broken(scenario: Scenario) -> tuple[Finding, ...]:
    """The findings that make the scenario fail: on its own rule, and no mere advice."""
    return tuple(f for f in scenario.findings if f.rule == scenario.rule and not f.advisory)


def pointed(scenario: Scenario) -> tuple[tuple[Exchange, ...], str]:
    """The exchanges that the findings name, or the last one of a scenario that broke without naming any; the mark."""
    named = {finding.exchange for finding in scenario.findings if finding.rule == scenario.rule}
    found = tuple(exchange for exchange in scenario.exchanges if exchange.number in named)
    if found or scenario.verdict is Verdict.WARNED:
        return found, "evidence"
    return scenario.exchanges[-1:], "last"


def title(scenario: Scenario) -> str:
    """The scenario's name, of an outline its example row, of several servers its server; on one line."""
    row = ", ".join(f"{key}: {value}" for key, value in scenario.example.items())
    name = f"{scenario.name} [{row}]" if row else scenario.name
    return one_line(f"{name} on {scenario.server}" if scenario.server else name)


def place(scenario: Scenario) -> str:
    """Where the scenario stands."""
    return one_line(f"{scenario.feature}:{scenario.line}")


def side(text: str, height: int | None = None) -> str:
    """What was expected or what came: laid out when it is JSON, cut to a readable size, nothing invisible in it."""
    return "\n".join(_body(text, False, SIDE, height))


def exchange_lines(exchange: Exchange, limit: int = BODY, height: int | None = None) -> list[str]:
    """Request line and body, answer status and body; each body of at most `limit` characters and `height` lines."""
    request, answer = exchange.request, exchange.answer
    lines = [one_line(f"{request.method} {request.url}"), *_body(request.body, request.cut, limit, height)]
    if answer is None:
        lines.append(f"→ no answer: {one_line(exchange.problem or 'no reason was recorded')}")
    else:
        kind = next((value for name, value in answer.headers if name.lower() == "content-type"), "")
        lines += [
            one_line(f"→ {answer.status} {kind}").rstrip(),
            *_body(answer.body, answer.cut, limit, height),
        ]
    return lines


def _body(text: str, cut: bool, limit: int, height: int | None) -> list[str]:
    short = excerpt(text, limit, cut=cut)
    lines = visible(short.text).split("\n") if short.text else []
    if height is not None and len(lines) > height:
        return [*lines[:height], f"… cut here; it has {len(text):,} characters"]
    return [*lines, f"… {short.note}"] if short.note else lines


def failure_text(failure: Failure) -> str:
    """The whole failure as text, for a report that has but one place for it."""
    lines = [visible(failure.message), ""]
    if failure.expected:
        lines += ["expected", side(failure.expected), ""]
    if failure.actual:
        lines += ["actual", side(failure.actual), ""]
    if failure.exchange is not None:
        exchange = failure.exchange
        lines += [one_line(f"exchange {exchange.number} · {exchange.actor} · {exchange.label}")]
        lines += exchange_lines(exchange)
    return "\n".join(lines).rstrip("\n")


def traceback_text(scenario: Scenario) -> str:
    """The end of our own traceback."""
    end = tail(scenario.error or "no traceback was recorded", TRACEBACK)
    return visible(f"({end.note})\n{end.text}" if end.note else end.text)

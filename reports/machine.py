"""`report.json`: a run for programs, in the shape that `schemas/report.schema.json` gives and keeps."""

from importlib.resources import files
from typing import Any

from reports.evidence import pointed
from reports.json_text import laid_out
from reports.judgement import NO_SCENARIO, NOT_REACHED, Judgement, RuleJudgement
from reports.record import Exchange, Finding, Header, Request, Run, Scenario
from reports.verdicts import Verdict

FORMAT = 1
SCHEMA_ID = f"urn:kadu-conformance:schema:report:{FORMAT}"


def schema() -> str:
    """The JSON Schema (2020-12) of what `render` gives."""
    return (files("reports") / "schemas" / "report.schema.json").read_text("utf-8")


def render(judgement: Judgement) -> bytes:
    """The report, UTF-8."""
    run = judgement.run
    unreached = NOT_REACHED if run.incomplete else NO_SCENARIO
    report = {
        "schema": SCHEMA_ID,
        "format": FORMAT,
        "outcome": _outcome(judgement),
        "headline": judgement.headline,
        "remark": judgement.remark,
        "run": _run(run),
        "counts": {
            "rules": dict(judgement.rule_counts),
            "scenarios": dict(judgement.scenario_counts),
            "accepted": {str(v): len(judgement.of(v)) - len(judgement.new(v)) for v in Verdict},
        },
        "rules": [_rule(judged, unreached) for judged in judgement.rules],
        "not_asked": [rule.id for rule in judgement.unasked],
        "scenarios": [_scenario(scenario) for scenario in run.scenarios],
    }
    return laid_out(report).encode("utf-8")


def _outcome(judgement: Judgement) -> str:
    """One word for the whole, by the exit code and nothing milder."""
    footer = judgement.run.footer
    if footer is None:
        return "incomplete"
    if judgement.new(Verdict.FAILED) or footer.exit_code == 1:
        return "broken"
    if judgement.of(Verdict.ERRORED) or footer.exit_code == 2:
        return "errored"
    if judgement.new(Verdict.NOT_TESTABLE) or footer.exit_code != 0:
        return "untested"
    return "accepted" if judgement.accepted else "kept"


def _run(run: Run) -> dict[str, Any]:
    header, footer = run.header, run.footer
    return {
        "tool": {"name": header.tool, "version": header.tool_version},
        "product": {"id": header.product, "title": header.title},
        "subject": _subject(header),
        "merged": [
            {
                "record": part.record,
                "server": part.server,
                "scenarios": part.scenarios,
                "complete": part.complete,
            }
            for part in header.merged
        ],
        "started_at": header.started_at,
        "finished_at": footer.finished_at if footer else None,
        "seconds": footer.seconds if footer else None,
        "complete": footer is not None,
        "exit_code": footer.exit_code if footer else None,
        "complaint": footer.complaint if footer else None,
        "eras": list(header.eras),
        "seed": header.seed,
        "workers": header.workers,
        "controls": header.controls,
    }


def _subject(header: Header) -> dict[str, Any]:
    subject = header.subject
    return {"urls": list(subject.urls), "command": subject.command, "reference": subject.reference}


def _rule(judged: RuleJudgement, unreached: str) -> dict[str, Any]:
    rule = judged.rule
    untested = judged.verdict is Verdict.NOT_TESTABLE
    return {
        "id": rule.id,
        "group": rule.group,
        "level": rule.level,
        "seat": rule.seat,
        "statement": rule.statement,
        "document": rule.document,
        "section": rule.section,
        "verdict": str(judged.verdict),
        "eras": {era: str(verdict) for era, verdict in judged.eras.items()},
        "accepted": judged.accepted,
        "untested_because": list(judged.reasons or ((unreached,) if untested else ())),
        "scenarios": [scenario.id for scenario in judged.scenarios],
        "seen_by": [
            {
                "finding": _finding(sighting.finding),
                "scenarios": [scenario.id for scenario in sighting.scenarios],
            }
            for sighting in judged.sightings
        ],
    }


def _scenario(scenario: Scenario) -> dict[str, Any]:
    broke = scenario.verdict in (Verdict.FAILED, Verdict.ERRORED)
    return {
        "id": scenario.id,
        "rule": scenario.rule,
        "feature": scenario.feature,
        "line": scenario.line,
        "name": scenario.name,
        "example": scenario.example,
        "tags": list(scenario.tags),
        "era": scenario.era,
        "server": scenario.server,
        "advisory": scenario.advisory,
        "verdict": str(scenario.verdict),
        "reason": scenario.reason,
        "seconds": scenario.seconds,
        "stopped_at": _stopped(scenario),
        "findings": [_finding(finding) for finding in scenario.findings],
        "error": scenario.error,
        "exchanges_recorded": len(scenario.exchanges),
        "exchanges": [_exchange(exchange) for exchange in pointed(scenario)[0]] if broke else [],
    }


def _stopped(scenario: Scenario) -> dict[str, Any] | None:
    """The step that was not done."""
    stopped = next((step for step in scenario.steps if step.status != "passed"), None)
    if stopped is None or scenario.verdict in (Verdict.PASSED, Verdict.NOT_APPLICABLE):
        return None
    return {"keyword": stopped.keyword, "text": stopped.text, "line": stopped.line}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "advisory": finding.advisory,
        "message": finding.message,
        "expected": finding.expected,
        "actual": finding.actual,
        "exchange": finding.exchange,
    }


def _exchange(exchange: Exchange) -> dict[str, Any]:
    answer = exchange.answer
    return {
        "number": exchange.number,
        "actor": exchange.actor,
        "label": exchange.label,
        "seconds": exchange.seconds,
        "request": _request(exchange.request),
        "answer": None
        if answer is None
        else {
            "status": answer.status,
            "headers": [list(pair) for pair in answer.headers],
            "body": answer.body,
            "cut": answer.cut,
        },
        "problem": exchange.problem,
    }


def _request(request: Request) -> dict[str, Any]:
    return {
        "method": request.method,
        "url": request.url,
        "headers": [list(pair) for pair in request.headers],
        "body": request.body,
        "cut": request.cut,
    }

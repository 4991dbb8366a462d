"""`messages.ndjson`: a run in Cucumber Messages, for the tools that render or collect those."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reports import gherkin
from reports.evidence import failure_text, of_scenario, of_sightings, title, traceback_text
from reports.gherkin import Document, Message
from reports.json_text import compact
from reports.judgement import NO_SCENARIO, NOT_REACHED, Judgement
from reports.record import Scenario, Step
from reports.verdicts import Verdict
from reports.visible import one_line, visible

# Of the messages' schema that tests hold this against.
PROTOCOL = "34.2.1"
_RUN = "run"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BEYOND = "the run as a whole"


@dataclass(frozen=True)
class _Outcome:
    """How the last step of a run that was begun ended: a Cucumber status, and why ("" for a pass)."""

    status: str
    why: str = ""
    kind: str = ""


def render(judgement: Judgement) -> bytes:
    """One message a line, UTF-8.

    Cucumber has no word for our verdicts: what is not testable, not applicable or accepted by a baseline is SKIPPED
    with its reason; what errored is FAILED with a message that says it is our fault. Times within the run are laid
    end to end from the durations, for the record has no others.
    """
    return ("\n".join(compact(message) for message in _messages(judgement)) + "\n").encode("utf-8")


def _messages(judgement: Judgement) -> Iterator[Message]:
    header, footer = judgement.run.header, judgement.run.footer
    clock = _Clock(header.started_at)
    runs = _features(judgement) + _beyond(judgement)
    unknown = {"name": "not recorded"}
    tool = {"name": one_line(header.tool), "version": one_line(header.tool_version)}
    meta = {"protocolVersion": PROTOCOL, "implementation": tool}
    yield {"meta": {**meta, "runtime": unknown, "os": unknown, "cpu": unknown}}
    for document, _ in runs:
        yield gherkin.document(document)
        yield from (gherkin.pickle(document, run) for run in document.runs)
    yield {"testRunStarted": {"id": _RUN, "timestamp": clock.now()}}
    for document, outcomes in runs:
        for run, outcome in zip(document.runs, outcomes, strict=True):
            yield from _case(run, outcome, clock)
    success = footer is not None and footer.exit_code == 0
    yield {"testRunFinished": {"testRunStartedId": _RUN, "success": success, "timestamp": clock.now()}}


class _Clock:
    """Time within the run, moved on by the durations of its steps."""

    def __init__(self, started_at: str) -> None:
        try:
            self._at = datetime.fromisoformat(started_at).astimezone(UTC) - _EPOCH
        except (ValueError, OverflowError):
            self._at = timedelta()

    def now(self) -> Message:
        """The time as the protocol wants it."""
        return _span(self._at)

    def pass_(self, seconds: float) -> Message:
        """Let time go by; how much it was."""
        # A record can say anything; what no duration can hold is none.
        took = timedelta(seconds=seconds if 0 <= seconds < 1e9 else 0)
        self._at += took
        return _span(took)


def _span(span: timedelta) -> Message:
    return {"seconds": span.days * 86_400 + span.seconds, "nanos": span.microseconds * 1000}


def _case(run: gherkin.Run, outcome: _Outcome, clock: _Clock) -> Iterator[Message]:
    key, started = run.key, f"{run.key}-started"
    steps = [
        {"id": f"{key}-test{number}", "pickleStepId": f"{key}-pickle{number}", "stepDefinitionIds": []}
        for number, _ in enumerate(run.steps)
    ]
    yield {
        "testCase": {
            "id": f"{key}-case",
            "testRunStartedId": _RUN,
            "pickleId": f"{key}-pickle",
            "testSteps": steps,
        }
    }
    yield {
        "testCaseStarted": {
            "id": started,
            "testCaseId": f"{key}-case",
            "attempt": 0,
            "timestamp": clock.now(),
        }
    }
    for number, (step, result) in enumerate(_results(run.steps, outcome)):
        where = {"testCaseStartedId": started, "testStepId": f"{key}-test{number}"}
        yield {"testStepStarted": {**where, "timestamp": clock.now()}}
        done: Message = {"status": result.status, "duration": clock.pass_(step.seconds)}
        if result.why:
            done["message"] = result.why
        if result.status == "FAILED":
            done["exception"] = {"type": result.kind, "message": result.why}
        yield {"testStepFinished": {**where, "testStepResult": done, "timestamp": clock.now()}}
    finished = {"testCaseStartedId": started, "timestamp": clock.now(), "willBeRetried": False}
    yield {"testCaseFinished": finished}


def _results(steps: tuple[Step, ...], outcome: _Outcome) -> Iterator[tuple[Step, _Outcome]]:
    """The result of each step: passed up to the one that stopped the run, the outcome there, then skipped."""
    stopped = next((number for number, step in enumerate(steps) if step.status != "passed"), len(steps) - 1)
    for number, step in enumerate(steps):
        if number == stopped:
            yield step, outcome
        else:
            passed = number < stopped or outcome.status == "PASSED"
            yield step, _Outcome("PASSED" if passed else "SKIPPED")


def _features(judgement: Judgement) -> list[tuple[Document, list[_Outcome]]]:
    accepted = {judged.rule.id: judged.accepted for judged in judgement.accepted}
    scenarios = judgement.run.scenarios
    outcomes = {
        f"r{position}": _outcome(scenario, accepted.get(scenario.rule))
        for position, scenario in enumerate(scenarios)
    }
    found = gherkin.documents(scenarios)
    return [(document, [outcomes[run.key] for run in document.runs]) for document in found]


def _outcome(scenario: Scenario, accepted: str | None) -> _Outcome:
    reason = visible(scenario.reason or "no reason was recorded")
    match scenario.verdict:
        case Verdict.FAILED:
            return _failed("\n\n".join(failure_text(failure) for failure in of_scenario(scenario)), accepted)
        case Verdict.ERRORED:
            return _Outcome(
                "FAILED", f"our fault, not the server's: {reason}\n{traceback_text(scenario)}", "errored"
            )
        case Verdict.NOT_TESTABLE:
            return _untested(reason, accepted)
        case Verdict.NOT_APPLICABLE:
            return _Outcome("SKIPPED", f"not applicable: {reason}")
        case Verdict.WARNED:
            advice = [f.message for f in scenario.findings if f.rule == scenario.rule] or [reason]
            return _Outcome("PASSED", visible("\n".join(f"warned: {text}" for text in advice)))
        case Verdict.PASSED:
            return _Outcome("PASSED")


def _failed(text: str, accepted: str | None) -> _Outcome:
    if accepted is None:
        return _Outcome("FAILED", text, "failed")
    return _Outcome("SKIPPED", f"accepted by the baseline: {visible(accepted)}\n\n{text}")


def _untested(reason: str, accepted: str | None) -> _Outcome:
    known = "" if accepted is None else f"accepted by the baseline: {visible(accepted)}\n\n"
    return _Outcome("SKIPPED", f"{known}not testable: {reason}")


def _beyond(judgement: Judgement) -> list[tuple[Document, list[_Outcome]]]:
    """What no scenario of its own shows: findings made elsewhere, rules nobody judged, a run that did not end well."""
    found: list[tuple[str, str, str, _Outcome]] = []
    for judged in judgement.rules:
        name = (one_line(judged.rule.id), one_line(judged.rule.statement))
        seen = of_sightings(judged.sightings)
        if seen:
            text = "\n\n".join(f"{title(f.scenario)}\n{failure_text(f)}" for f in seen[:20])
            found.append((*name, "no scenario of another rule saw it broken", _failed(text, judged.accepted)))
        elif not judged.scenarios and judged.verdict is Verdict.NOT_TESTABLE:
            reason = NOT_REACHED if judgement.run.incomplete else NO_SCENARIO
            found.append((*name, "a scenario judges it", _untested(reason, judged.accepted)))
    footer = judgement.run.footer
    if footer is None or (footer.complaint and footer.exit_code):
        text = visible(f"{judgement.headline}. {judgement.remark}")
        found.append(("run", "The run came to its end", "all is well", _Outcome("FAILED", text, "run")))
    if not found:
        return []
    runs = tuple(
        gherkin.Run(f"b{n}", statement, 1, rule, statement, (), (Step("*", step, 1, "failed", 0.0),))
        for n, (rule, statement, step, _) in enumerate(found)
    )
    return [(Document(_BEYOND, _BEYOND.capitalize(), runs), [outcome for *_, outcome in found])]

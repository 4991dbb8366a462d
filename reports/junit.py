"""JUnit XML of a run, in the shape that Jenkins, GitLab and GitHub actions read."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from reports.evidence import failure_text, of_scenario, of_sightings, place, title, traceback_text
from reports.judgement import NO_SCENARIO, NOT_REACHED, Judgement
from reports.record import Header, Scenario
from reports.verdicts import Verdict
from reports.visible import one_line, visible

_SHOWN = 20


@dataclass
class _Suite:
    name: str
    cases: list[Element] = field(default_factory=list)


def render(judgement: Judgement) -> bytes:
    """The XML document, UTF-8.

    A suite for each feature and era with a case for each scenario run; then, where there are any, a suite of the
    findings that scenarios of other rules made, one of the rules no scenario judged, and one of the run itself when
    it was cut off or ended with a complaint: nothing that makes the exit code other than 0 is missing here. What a
    baseline accepts is skipped, with its reason.
    """
    suites = [
        *_features(judgement),
        _elsewhere(judgement),
        _unjudged(judgement),
        _itself(judgement),
    ]
    root = Element("testsuites", name=one_line(f"{judgement.run.header.title} conformance"))
    for suite in suites:
        if suite.cases:
            root.append(_element(suite, judgement.run.header))
    _total(root)
    indent(root)
    return (
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        + tostring(root, encoding="unicode").encode("utf-8")
        + b"\n"
    )


def _features(judgement: Judgement) -> list[_Suite]:
    suites: dict[tuple[str, str], _Suite] = {}
    accepted = {judged.rule.id: judged.accepted for judged in judgement.accepted}
    for scenario in judgement.run.scenarios:
        name = one_line(f"{scenario.feature} [{scenario.era}]")
        suite = suites.setdefault((scenario.feature, scenario.era), _Suite(name))
        suite.cases.append(_scenario(scenario, accepted.get(scenario.rule)))
    return list(suites.values())


def _case(rule: str, name: str, seconds: float = 0.0) -> Element:
    return Element("testcase", classname=one_line(rule), name=name, time=f"{seconds:.3f}")


def _outcome(case: Element, tag: str, message: str, kind: str, text: str = "") -> None:
    SubElement(case, tag, message=one_line(message), type=kind).text = text or None


def _accepted(case: Element, why: str, what: str, text: str = "") -> None:
    _outcome(case, "skipped", f"accepted by the baseline: {why} ({what})", "accepted", text)


def _scenario(scenario: Scenario, accepted: str | None) -> Element:
    case = _case(scenario.rule, title(scenario), scenario.seconds)
    reason = scenario.reason or "no reason was recorded"
    match scenario.verdict:
        case Verdict.FAILED:
            found = of_scenario(scenario)
            text = "\n\n".join([f"{place(scenario)}, era {scenario.era}", *(failure_text(f) for f in found)])
            if accepted is None:
                _outcome(case, "failure", found[0].message, "failed", text)
            else:
                _accepted(case, accepted, f"failed: {found[0].message}", text)
        case Verdict.ERRORED:
            message = f"our fault, not the server's: {scenario.reason or 'see the traceback'}"
            _outcome(case, "error", message, "errored", traceback_text(scenario))
        case Verdict.NOT_TESTABLE if accepted is not None:
            _accepted(case, accepted, f"not testable: {reason}")
        case Verdict.NOT_TESTABLE:
            _outcome(case, "skipped", f"not testable: {reason}", "not testable")
        case Verdict.NOT_APPLICABLE:
            _outcome(case, "skipped", f"not applicable: {reason}", "not applicable")
        case Verdict.WARNED:
            advice = [f.message for f in scenario.findings if f.rule == scenario.rule] or [reason]
            SubElement(case, "system-out").text = visible("\n".join(f"warned: {text}" for text in advice))
        case Verdict.PASSED:
            pass
    return case


def _elsewhere(judgement: Judgement) -> _Suite:
    """Findings on a rule that were made by scenarios of another, whose own cases do not show them."""
    suite = _Suite("seen by scenarios of other rules")
    for judged in judgement.rules:
        found = of_sightings(judged.sightings)
        if not found:
            continue
        case = _case(judged.rule.id, one_line(judged.rule.statement))
        texts = []
        for failure in found[:_SHOWN]:
            more = f" and {len(failure.also)} more" if failure.also else ""
            texts.append(f"{title(failure.scenario)} ({failure.scenario.era}){more}\n{failure_text(failure)}")
        if len(found) > _SHOWN:
            texts.append(f"… and {len(found) - _SHOWN} further findings, in the run record")
        text = "\n\n".join(texts)
        if judged.accepted is None:
            _outcome(case, "failure", found[0].message, "failed", text)
        else:
            _accepted(case, judged.accepted, f"failed: {found[0].message}", text)
        suite.cases.append(case)
    return suite


def _unjudged(judgement: Judgement) -> _Suite:
    suite = _Suite("rules no scenario judged")
    reason = NOT_REACHED if judgement.run.incomplete else NO_SCENARIO
    for judged in judgement.rules:
        if not judged.scenarios and judged.verdict is Verdict.NOT_TESTABLE:
            case = _case(judged.rule.id, one_line(judged.rule.statement))
            if judged.accepted is None:
                _outcome(case, "skipped", f"not testable: {reason}", "not testable")
            else:
                _accepted(case, judged.accepted, f"not testable: {reason}")
            suite.cases.append(case)
    return suite


def _itself(judgement: Judgement) -> _Suite:
    suite = _Suite("the run itself")
    footer = judgement.run.footer
    case = _case("run", "The run came to its end")
    if footer is None:
        _outcome(case, "error", judgement.headline, "incomplete", visible(judgement.remark))
    elif footer.complaint and footer.exit_code:
        tag = "failure" if footer.exit_code == 1 else "error"
        _outcome(case, tag, footer.complaint, "complaint", visible(footer.complaint))
    else:
        return suite
    suite.cases.append(case)
    return suite


def _element(suite: _Suite, header: Header) -> Element:
    element = Element("testsuite", name=suite.name, timestamp=_timestamp(header.started_at))
    properties = SubElement(element, "properties")
    for name, value in _properties(header).items():
        SubElement(properties, "property", name=one_line(name), value=one_line(value))
    element.extend(suite.cases)
    _total(element)
    return element


def _properties(header: Header) -> dict[str, str]:
    subject = header.subject
    return {
        "tool": f"{header.tool} {header.tool_version}",
        "product": header.product,
        "subject": subject.command or ", ".join(subject.urls),
        "eras": ", ".join(header.eras),
        "seed": str(header.seed),
        "workers": str(header.workers),
        **{f"control.{name}": value for name, value in header.controls.items()},
    }


def _total(element: Element) -> None:
    """Count the cases below `element` into its attributes."""
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
    element.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")


def _timestamp(text: str) -> str:
    """The common schema wants a date and time without a zone; it is UTC here, as in the record."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    except (ValueError, OverflowError):
        return "1970-01-01T00:00:00"

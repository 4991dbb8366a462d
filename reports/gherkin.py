"""Scenario runs as Gherkin documents and pickles of the Cucumber Messages protocol.

The record has steps as they ran, not the text of a feature: an outline is given as the scenarios it came to, one for
each run, each at the line where its outline stands.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reports.evidence import title
from reports.record import Scenario, Step
from reports.visible import one_line

Message = dict[str, Any]
_KEYWORDS = {
    "Given": "Context",
    "When": "Action",
    "Then": "Outcome",
    "And": "Conjunction",
    "But": "Conjunction",
}
_TYPES = {"Context", "Action", "Outcome"}


@dataclass(frozen=True)
class Run:
    """One scenario run of a document: what it is called, its steps, where it stands. Ids begin with `key`."""

    key: str
    name: str
    line: int
    rule: str
    rule_title: str
    tags: tuple[str, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Document:
    """A feature and its runs, in order."""

    uri: str
    title: str
    runs: tuple[Run, ...]


def documents(scenarios: Iterable[Scenario]) -> list[Document]:
    """The features of the record, with their runs; the key of a run is its position in the record: r0, r1, …"""
    features: dict[str, list[tuple[int, Scenario]]] = {}
    for position, scenario in enumerate(scenarios):
        features.setdefault(scenario.feature, []).append((position, scenario))
    return [
        Document(
            one_line(feature),
            one_line(found[0][1].feature_title),
            tuple(_run(position, scenario) for position, scenario in found),
        )
        for feature, found in features.items()
    ]


def _run(position: int, scenario: Scenario) -> Run:
    tags = dict.fromkeys((*scenario.tags, f"era-{scenario.era}"))
    return Run(
        f"r{position}",
        one_line(f"{title(scenario)} · {scenario.era}", 400),
        scenario.line,
        one_line(scenario.rule),
        one_line(scenario.rule_title),
        # A tag with a space in it would be read as two.
        tuple(f"@{'-'.join(one_line(tag).split())}" for tag in tags),
        # A scenario without steps has no result at all.
        scenario.steps or (Step("*", "no step was recorded", scenario.line, "not run", 0.0),),
    )


def document(document: Document) -> Message:
    """The `gherkinDocument` message."""
    rules: dict[str, list[Run]] = {}
    for run in document.runs:
        rules.setdefault(run.rule, []).append(run)
    children = [{"rule": _rule(runs)} for runs in rules.values()]
    feature = {
        "location": _location(1),
        "tags": [],
        "language": "en",
        "keyword": "Feature",
        "name": document.title,
        "description": "",
        "children": children,
    }
    return {"gherkinDocument": {"uri": document.uri, "feature": feature, "comments": []}}


def _rule(runs: Sequence[Run]) -> Message:
    first = runs[0]
    return {
        "location": _location(first.line),
        "tags": [],
        "keyword": "Rule",
        "name": f"{first.rule}: {first.rule_title}",
        "description": "",
        "children": [{"scenario": _scenario(run)} for run in runs],
        "id": f"{first.key}-rule",
    }


def _scenario(run: Run) -> Message:
    return {
        "location": _location(run.line),
        "tags": [
            {"location": _location(run.line), "name": tag, "id": f"{run.key}-tag{number}"}
            for number, tag in enumerate(run.tags)
        ],
        "keyword": "Scenario",
        "name": run.name,
        "description": "",
        "steps": [
            {
                "location": _location(step.line),
                "keyword": f"{one_line(step.keyword, 40)} ",
                "keywordType": _KEYWORDS.get(step.keyword, "Unknown"),
                "text": one_line(step.text, 500),
                "id": f"{run.key}-step{number}",
            }
            for number, step in enumerate(run.steps)
        ],
        "examples": [],
        "id": f"{run.key}-scenario",
    }


def pickle(document: Document, run: Run) -> Message:
    """The `pickle` message of a run."""
    return {
        "pickle": {
            "id": f"{run.key}-pickle",
            "uri": document.uri,
            "location": _location(run.line),
            "name": run.name,
            "language": "en",
            "steps": list(_pickle_steps(run)),
            "tags": [
                {"name": tag, "astNodeId": f"{run.key}-tag{number}"} for number, tag in enumerate(run.tags)
            ],
            "astNodeIds": [f"{run.key}-scenario"],
        }
    }


def _pickle_steps(run: Run) -> Iterator[Message]:
    type_ = "Unknown"
    for number, step in enumerate(run.steps):
        own = _KEYWORDS.get(step.keyword, "Unknown")
        # "And" means what the step before it was.
        type_ = own if own in _TYPES else type_
        yield {
            "id": f"{run.key}-pickle{number}",
            "text": one_line(step.text, 500),
            "type": type_,
            "astNodeIds": [f"{run.key}-step{number}"],
        }


def _location(line: int) -> Message:
    return {"line": max(line, 1)}

"""One feature file: its raw lines, its Feature, its Rules and Scenarios."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from gherkin.errors import CompositeParserException
from gherkin.parser import Parser

from harness.wording import steps, titles

# The tag of a Rule is the id of a catalogued rule, such as @KADU-CNF-01; other tags are free.
_RULE_TAG = re.compile(r"@[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-\d+")
_POSITION = re.compile(r"^\(\d+:\d+\): ")

_Found = Iterator[tuple[int, str]]


@dataclass(frozen=True)
class Examined:
    """What one file came to: (line, what is wrong), and (line, "Scenario" or what else it is of, title) of every title."""

    faults: tuple[tuple[int, str], ...]
    titles: tuple[tuple[int, str, str], ...]


def examine(source: str) -> Examined:
    """The faults and the titles of the Gherkin text `source`, in any language Gherkin knows.

    A text that does not parse has its syntax errors as faults and no titles.
    """
    faults = list(_whitespace(source))
    try:
        feature = cast(dict[str, Any], Parser().parse(source)).get("feature")
    except CompositeParserException as failure:
        faults += [(error.location["line"], _POSITION.sub("", str(error))) for error in failure.errors]
        return Examined(tuple(sorted(faults)), ())
    if feature is None:
        return Examined((*faults, (1, "no Feature in this file")), ())
    faults += _feature(feature)
    return Examined(tuple(sorted(faults)), tuple(_titles("Feature", feature)))


def _whitespace(source: str) -> _Found:
    for number, line in enumerate(source.split("\n"), start=1):
        if "\t" in line:
            yield number, "a tab: spaces expected"
        if line != line.rstrip(" \t"):
            yield number, "spaces at the end of the line"


def _titles(kind: str, part: dict[str, Any]) -> Iterator[tuple[int, str, str]]:
    yield part["location"]["line"], kind, part["name"]
    for child in part.get("children", ()):
        for key, below in (("rule", "Rule"), ("scenario", "Scenario")):
            if key in child:
                yield from _titles(below, child[key])


def _feature(feature: dict[str, Any]) -> _Found:
    line, language = feature["location"]["line"], feature["language"]
    yield from ((line, fault) for fault in titles.faults("Feature", feature["name"], language))
    if not feature["description"].strip():
        yield line, "Feature without prose under it: say why these rules are"
    acted = False
    for child in feature["children"]:
        if "background" in child:
            yield from steps.faults(child["background"]["steps"], acted)
            acted = steps.acts(child["background"]["steps"])
        elif "scenario" in child:
            yield (
                child["scenario"]["location"]["line"],
                "Scenario outside every Rule: a verdict belongs to a rule",
            )
            yield from _scenario(child["scenario"], language, acted)
        elif "rule" in child:
            yield from _rule(child["rule"], language, acted)


def _rule(rule: dict[str, Any], language: str, acted: bool) -> _Found:
    line = rule["location"]["line"]
    yield from ((line, fault) for fault in titles.faults("Rule", rule["name"], language))
    yield from ((line, fault) for fault in titles.sentence_faults(rule["name"]))
    tags = [tag["name"] for tag in rule["tags"] if _RULE_TAG.fullmatch(tag["name"])]
    if not tags:
        yield line, "Rule without its tag: the id of the rule, such as @KADU-CNF-01, expected above it"
    elif len(tags) > 1:
        yield line, f"Rule with {len(tags)} rule ids, {' '.join(tags)}: a Rule is one rule"
    if not any("scenario" in child for child in rule["children"]):
        yield line, "Rule without a Scenario: nothing shows it"
    for child in rule["children"]:
        if "background" in child:
            yield from steps.faults(child["background"]["steps"], acted)
            acted = acted or steps.acts(child["background"]["steps"])
        elif "scenario" in child:
            yield from _scenario(child["scenario"], language, acted)


def _scenario(scenario: dict[str, Any], language: str, acted: bool) -> _Found:
    line = scenario["location"]["line"]
    yield from ((line, fault) for fault in titles.faults("Scenario", scenario["name"], language))
    for table in scenario["examples"]:
        if table["name"]:
            at = table["location"]["line"]
            yield from ((at, fault) for fault in titles.faults("Examples", table["name"], language))
    if not scenario["steps"]:
        yield line, "Scenario without steps: it would pass and show nothing"
    elif not steps.asserts(scenario["steps"]):
        yield line, "Scenario without a Then: it would pass and show nothing"
    yield from steps.faults(scenario["steps"], acted)

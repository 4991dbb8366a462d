"""Cases: one scenario, one example row, one era; and the suite they make."""

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_bdd.parser import Feature, Scenario, Step

from harness.expressions import Match, StepDefinition

TIME_PASSES = "{duration} pass"
"""The step that lets time pass."""


@dataclass(frozen=True)
class BoundStep:
    """A step of a rendered scenario with the one definition that fits it."""

    step: Step
    match: Match


@dataclass(frozen=True)
class Case:
    """One scenario with one example row (or none) in one era: what becomes one item and one line of the record.

    `path` is the file, `feature` its name in the record, `line` that of the scenario, `title` its name as it is written
    there, `name` what the row makes of it. `advisory` is true where a
    broken check only warns. `products` are those the scenario is about, None for all.
    """

    id: str
    path: str
    feature: str
    feature_title: str
    rule: str
    rule_title: str
    title: str
    name: str
    example: Mapping[str, str]
    line: int
    tags: tuple[str, ...]
    era: str
    advisory: bool
    products: frozenset[str] | None
    gherkin: Feature
    scenario: Scenario
    steps: tuple[BoundStep, ...]

    @property
    def alone(self) -> bool:
        """Whether nothing else may run at the same time."""
        return "alone" in self.tags

    @property
    def waits(self) -> bool:
        """Whether time passes in it: where time is real, it is waited for."""
        return any(bound.match.definition.text == TIME_PASSES for bound in self.steps)


@dataclass(frozen=True)
class Suite:
    """Every case of the features, in order of file, line, row and era; and the step definitions nothing uses."""

    cases: tuple[Case, ...]
    unused: tuple[StepDefinition, ...]

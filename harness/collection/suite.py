"""From feature files to a suite: every check that must hold before anything is judged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_bdd.gherkin_parser import Background, Rule, Scenario
from pytest_bdd.gherkin_parser import Step as GherkinStep
from pytest_bdd.parser import Background as BddBackground
from pytest_bdd.parser import Feature, FeatureParser, ScenarioTemplate
from pytest_bdd.parser import Rule as BddRule
from pytest_bdd.parser import Step as BddStep

from harness.catalogue import Catalogue
from harness.collection.cases import BoundStep, Case, Suite
from harness.collection.placeholders import check_background, check_outline
from harness.collection.problems import CollectionFailed, Problem
from harness.collection.sources import Source, read_sources
from harness.collection.tags import Level, eras, products
from harness.expressions import Match, StepRegistry

LABEL_LENGTH: Final = 60


def build_suite(directories: Sequence[str], catalogue: Catalogue, steps: StepRegistry) -> Suite:
    """Read the feature files below `directories` and bind them to rules and steps.

    Raises CollectionFailed with every problem found: nothing is run while one is left.
    """
    builder = _Builder(catalogue, steps)
    for source in read_sources(directories):
        builder.add(source)
    if builder.problems:
        raise CollectionFailed(builder.problems)
    used = {bound.match.definition for case in builder.cases for bound in case.steps}
    return Suite(tuple(builder.cases), tuple(definition for definition in steps if definition not in used))


@dataclass(frozen=True)
class _Place:
    """Where a scenario stands: its file, its feature and rule, the tags above it."""

    source: Source
    feature: Feature
    rule: BddRule
    rule_id: str
    levels: tuple[Level, ...]


class _Builder:
    """Collects the cases and the problems of all files; names must be unique among all of them."""

    def __init__(self, catalogue: Catalogue, steps: StepRegistry) -> None:
        self.cases: list[Case] = []
        self.problems: list[Problem] = []
        self._catalogue, self._steps = catalogue, steps
        self._names: dict[str, str] = {}
        self._ids: set[str] = set()
        self._told: set[tuple[str, int]] = set()

    def _complain(self, path: object, line: int, message: str) -> None:
        self.problems.append(Problem(str(path), line, message))

    def add(self, source: Source) -> None:
        data = source.document.feature
        parser = FeatureParser(str(source.path.parent), source.path.name)
        feature = _feature(source)
        level = Level.of(data.tags, data.location.line)
        self._check_level(source, level)
        if not data.name.strip():
            self._complain(source.path, data.location.line, "The Feature has no name.")
        if not any(child.rule for child in data.children):
            self._complain(
                source.path, data.location.line, "The Feature holds no Rule, so nothing of it is judged."
            )
        for child in data.children:
            if child.background:
                feature.background = self._background(source, parser, child.background)
            elif child.scenario:
                line, name = child.scenario.location.line, child.scenario.name
                self._complain(
                    source.path, line, f"The scenario {name!r} stands outside a Rule; move it into one."
                )
            elif child.rule:
                self._add_rule(source, parser, feature, child.rule, level)

    def _check_level(self, source: Source, level: Level, *, is_rule: bool = False) -> None:
        for tag in level.unknown:
            self._complain(source.path, level.line, f"The tag @{tag} is unknown.")
        if not is_rule:
            for tag in level.rule_ids:
                self._complain(
                    source.path, level.line, f"The tag @{tag} names a rule; it belongs above a Rule."
                )

    def _add_rule(
        self, source: Source, parser: FeatureParser, feature: Feature, data: Rule, above: Level
    ) -> None:
        path, line = source.path, data.location.line
        level = Level.of(data.tags, line)
        self._check_level(source, level, is_rule=True)
        if not data.name.strip():
            self._complain(path, line, "The Rule has no sentence.")
        rule = BddRule(data.keyword, data.name, data.description, set(level.tags))
        scenarios = [child.scenario for child in data.children if child.scenario]
        for child in data.children:
            if child.background:
                rule.background = self._background(source, parser, child.background)
        if not scenarios:
            self._complain(path, line, f"The Rule {data.name!r} holds no scenario.")
        if len(level.rule_ids) != 1:
            found = ", ".join(f"@{tag}" for tag in level.rule_ids) or "none"
            self._complain(
                path, line, f"A Rule carries exactly one tag with the id of a rule; this one has {found}."
            )
            return
        rule_id = level.rule_ids[0]
        if rule_id not in self._catalogue.rules:
            self._complain(path, level.line, f"The catalogue knows no rule {rule_id}.")
            return
        place = _Place(source, feature, rule, rule_id, (above, level))
        for scenario in scenarios:
            self._add_scenario(place, parser, scenario)

    def _background(self, source: Source, parser: FeatureParser, data: Background) -> BddBackground | None:
        self.problems.extend(check_background(str(source.path), data.steps))
        if not self._starts_well(source, data.steps):
            return None
        return parser.parse_background(data)

    def _starts_well(self, source: Source, steps: Sequence[GherkinStep]) -> bool:
        """Whether the first step says which kind it is: `And`, `But` and `*` only repeat the kind before."""
        if steps and steps[0].keyword_type not in ("Context", "Action", "Outcome"):
            line = steps[0].location.line
            self._complain(
                source.path,
                line,
                f"The first step starts with Given, When or Then, not {steps[0].keyword!r}.",
            )
            return False
        return True

    def _add_scenario(self, place: _Place, parser: FeatureParser, data: Scenario) -> None:
        path, line = place.source.path, data.location.line
        before = len(self.problems)
        level = Level.of(data.tags, line)
        self._check_level(place.source, level)
        if not data.name.strip():
            self._complain(path, line, "The scenario has no name.")
        elif data.name in self._names:
            self._complain(
                path, line, f"The name {data.name!r} is taken by the scenario at {self._names[data.name]}."
            )
        self._names.setdefault(data.name, f"{path}:{line}")
        if not data.steps:
            self._complain(
                path, line, f"The scenario {data.name!r} has no steps, so it would pass whatever happens."
            )
        self.problems.extend(check_outline(str(path), data, place.source.document.feature.language))
        if not self._starts_well(place.source, data.steps) or len(self.problems) > before:
            return
        template = parser.parse_scenario(data, place.feature, place.rule)
        tables = list(zip(template.examples, data.examples, strict=True))
        if not tables:
            self._add_row(place, template, {}, line, (*place.levels, level))
        for examples, table in tables:
            table_level = Level.of(table.tags, table.location.line)
            self._check_level(place.source, table_level)
            for row, context in zip(table.table_body or (), examples.as_contexts(), strict=True):
                self._add_row(
                    place, template, context, row.location.line, (*place.levels, level, table_level)
                )

    def _add_row(
        self,
        place: _Place,
        template: ScenarioTemplate,
        example: Mapping[str, str],
        line: int,
        levels: tuple[Level, ...],
    ) -> None:
        path = str(place.source.path)
        rule = self._catalogue.rules[place.rule_id]
        scenario = template.render(example)
        steps = tuple(self._bind(path, line if example else None, scenario.steps))
        named = eras(levels)
        if not named:
            self._complain(path, line, "The era tags above this contradict each other: no era is left.")
        elif not set(named) & set(rule.eras):
            self._complain(
                path,
                line,
                f"{place.rule_id} is a rule of {_listed(rule.eras)}, the tags say {_listed(named)}.",
            )
        tags = tuple(dict.fromkeys(tag for level in levels for tag in level.tags))
        label = _label(example)
        for era in (era for era in named if era in rule.eras):
            identity = f"{place.source.name}::{scenario.name}{label}@{era}"
            if identity in self._ids:
                self._complain(path, line, f"The row {label} stands twice below {scenario.name!r}.")
            self._ids.add(identity)
            self.cases.append(
                Case(
                    id=identity,
                    path=path,
                    feature=place.source.name,
                    feature_title=place.feature.name,
                    rule=place.rule_id,
                    rule_title=place.rule.name,
                    title=template.name,
                    name=scenario.name,
                    example=dict(example),
                    line=template.line_number,
                    tags=tags,
                    era=era,
                    advisory="advisory" in tags or rule.level == "A",
                    products=products(levels),
                    gherkin=place.feature,
                    scenario=scenario,
                    steps=steps,
                )
            )

    def _bind(self, path: str, row: int | None, steps: Iterable[BddStep]) -> Iterator[BoundStep]:
        """The steps with their definitions. What is wrong with a step is told for the first row that shows it."""
        for step in steps:
            problem, match = self._fit(step)
            if problem and (path, step.line_number) not in self._told:
                self._told.add((path, step.line_number))
                here = f" (with the row of line {row})" if row else ""
                self._complain(path, step.line_number, f"{problem}{here}.")
            if match:
                yield BoundStep(step, match)

    def _fit(self, step: BddStep) -> tuple[str | None, Match | None]:
        matches = self._steps.matches(step.type, step.name)
        if not matches:
            return f"No step is defined for `{step}`", None
        if len(matches) > 1:
            places = "; ".join(f"{match.definition.text!r} at {match.definition.place}" for match in matches)
            return f"`{step}` is ambiguous, it fits {places}", None
        definition = matches[0].definition
        for extra, present in (("datatable", step.datatable), ("docstring", step.docstring)):
            if (extra in definition.extras) != (present is not None):
                verb = "takes no" if present is not None else "wants a"
                return f"`{step}` {verb} {extra}, as {definition.place} says", None
        return None, matches[0]


def _feature(source: Source) -> Feature:
    data = source.document.feature
    return Feature(
        scenarios={},  # type: ignore[arg-type]
        filename=str(source.path),
        rel_filename=source.name,
        language=data.language,
        keyword=data.keyword,
        name=data.name,
        tags={tag.name.removeprefix("@") for tag in data.tags},
        background=None,
        line_number=data.location.line,
        description=data.description,
    )


def _label(example: Mapping[str, str]) -> str:
    """The row as part of an id: its values, printable and not too long."""
    if not example:
        return ""
    values = (value if value.isprintable() else ascii(value)[1:-1] for value in example.values())
    return "[" + ", ".join(v if len(v) <= LABEL_LENGTH else v[: LABEL_LENGTH - 1] + "…" for v in values) + "]"


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)

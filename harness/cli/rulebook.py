"""The rules with all that belongs to each: where it is written, what judges it, and the lies that show it judged."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, Final

from harness.catalogue import Catalogue, Exclusion, Rule
from harness.catalogue import load as load_catalogue
from harness.cli.products import bundled
from harness.collection.cases import Case
from harness.collection.loading import load_steps
from harness.collection.selection import rules_named
from harness.collection.suite import build_suite
from harness.product import Product
from harness.runner.reference import mutants_of_the_reference
from harness.runner.upstream import mutants_of_the_mock

FORMAT: Final = 1


@dataclass(frozen=True)
class Scenario:
    """A scenario that judges a rule: its title, where it stands, in how many runs (example rows and eras) it comes."""

    title: str
    feature: str
    line: int
    runs: int


@dataclass(frozen=True)
class Lie:
    """A mutant: its name, and what it gets wrong."""

    name: str
    lie: str


@dataclass(frozen=True)
class Row:
    """A rule, the scenarios that judge it, and the servers and mocks that break it."""

    rule: Rule
    scenarios: tuple[Scenario, ...]
    servers: tuple[Lie, ...]
    mocks: tuple[Lie, ...]

    @property
    def runs(self) -> int:
        """In how many scenario runs the rule is judged."""
        return sum(scenario.runs for scenario in self.scenarios)

    def to_json(self) -> dict[str, Any]:
        """The row for programs: the rule as in the run record, with how it is read, and all that belongs to it."""
        return {
            **self.rule.to_json(),
            "reading": self.rule.reading,
            "clauses": [asdict(clause) for clause in self.rule.clauses],
            "scenarios": [asdict(scenario) for scenario in self.scenarios],
            "runs": self.runs,
            "mutants": {
                "server": [asdict(lie) for lie in self.servers],
                "mock": [asdict(lie) for lie in self.mocks],
            },
        }


@dataclass(frozen=True)
class Rulebook:
    """Rules in the order of the catalogue, and what the documents say that is no rule here."""

    product: str
    title: str
    rows: tuple[Row, ...]
    excluded: tuple[Exclusion, ...]

    def to_json(self) -> dict[str, Any]:
        """All of it for programs."""
        return {
            "format": FORMAT,
            "product": {"id": self.product, "title": self.title},
            "rules": [row.to_json() for row in self.rows],
            "excluded": [asdict(exclusion) for exclusion in self.excluded],
        }


def read(product: Product, features: Sequence[str], wanted: Sequence[str]) -> Rulebook:
    """The rules of a product, judged by these features (none: the bundled ones); those that are wanted, or all.

    With some rules wanted nothing excluded is told. Raises CollectionFailed, NothingSelected for a rule that nobody knows,
    and CannotRun where the programs do not tell their mutants.
    """
    catalogue = load_catalogue(product.id)
    chosen = rules_named(wanted, catalogue)
    with ThreadPoolExecutor(2) as pool:
        # They take as long as reading the features does.
        servers = pool.submit(mutants_of_the_reference, product)
        mocks = pool.submit(mutants_of_the_mock)
        suite = build_suite(features or bundled(product), catalogue, load_steps())
        told = servers.result(), mocks.result()
    book = bind(catalogue, suite.cases, *told)
    if chosen is None:
        return book
    return Rulebook(
        book.product, book.title, tuple(row for row in book.rows if row.rule.id in chosen), excluded=()
    )


def bind(
    catalogue: Catalogue,
    cases: Sequence[Case],
    servers: Iterable[Mapping[str, Any]],
    mocks: Iterable[Mapping[str, Any]],
) -> Rulebook:
    """The catalogue with the cases and the mutants that are about each rule. Mutants are as their programs list them."""
    servers, mocks = list(servers), list(mocks)
    rows = tuple(
        Row(rule, _scenarios(rule.id, cases), _lies(rule.id, servers), _lies(rule.id, mocks))
        for rule in catalogue.rules.values()
    )
    return Rulebook(catalogue.product, catalogue.title, rows, catalogue.exclusions)


def _scenarios(rule: str, cases: Sequence[Case]) -> tuple[Scenario, ...]:
    # What an outline's rows make of its title is not what is written in the file.
    found: dict[tuple[str, int], list[Case]] = {}
    for case in cases:
        if case.rule == rule:
            found.setdefault((case.feature, case.line), []).append(case)
    return tuple(Scenario(runs[0].title, feature, line, len(runs)) for (feature, line), runs in found.items())


def _lies(rule: str, mutants: Iterable[Mapping[str, Any]]) -> tuple[Lie, ...]:
    return tuple(Lie(one["name"], one["lie"]) for one in mutants if one["rule"] == rule)

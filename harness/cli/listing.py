"""`rules` and `check`: what there is, without a server."""

from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.catalogue import Catalogue
from harness.catalogue import load as load_catalogue
from harness.cli.products import bundled, product_of
from harness.collection.cases import Suite
from harness.collection.loading import load_steps
from harness.collection.suite import build_suite


def list_rules(product: str, features: tuple[str, ...]) -> int:
    """Print every catalogued rule with the number of scenarios that judge it."""
    catalogue, suite = _read(product, features)
    scenarios: Counter[str] = Counter()
    for judged, _ in {(case.rule, (case.path, case.line)) for case in suite.cases}:
        scenarios[judged] += 1
    runs = Counter(case.rule for case in suite.cases)
    table = Table("rule", "level", "eras", "scenarios", "runs", "statement", box=None, pad_edge=False)
    for rule in catalogue.rules.values():
        cells = (
            rule.id,
            rule.level,
            ", ".join(rule.eras),
            str(scenarios[rule.id]),
            str(runs[rule.id]),
            rule.statement,
        )
        table.add_row(*map(Text, cells))
    console = Console(highlight=False)
    console.print(table)
    console.print(f"{len(runs)} of {len(catalogue.rules)} rules have scenarios.")
    return 0


def check_features(product: str, features: tuple[str, ...]) -> int:
    """Check features and steps; print what they come to, and each step definition that nothing uses."""
    _, suite = _read(product, features)
    console = Console(highlight=False, markup=False)
    for definition in suite.unused:
        console.print(
            Text(f"{definition.place}: warning: no scenario uses the step {definition.text!r}."),
            soft_wrap=True,
        )
    files = {case.path for case in suite.cases}
    console.print(
        f"{len(files)} feature file(s), {len(suite.cases)} scenario run(s), {len(suite.unused)} unused step(s)."
    )
    return 0


def _read(product: str, features: tuple[str, ...]) -> tuple[Catalogue, Suite]:
    loaded = product_of(product)
    catalogue = load_catalogue(loaded.id)
    directories = features or bundled(loaded)
    return catalogue, build_suite(directories, catalogue, load_steps())

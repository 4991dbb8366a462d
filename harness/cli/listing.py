"""`rules` and `check`: what there is, without a server."""

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from harness.catalogue import load as load_catalogue
from harness.cli import rulebook
from harness.cli.products import bundled, product_of
from harness.cli.rule_pages import details, markdown, table
from harness.cli.rulebook import Rulebook
from harness.collection.loading import load_steps
from harness.collection.suite import build_suite
from harness.runner.refusal import CannotRun

FORMATS: Final = ("text", "json", "markdown")


def list_rules(product: str, features: Sequence[str], wanted: Sequence[str], form: str) -> int:
    """Tell the rules: all in a table, or those that are wanted in detail; `form` is one of FORMATS.

    Raises what `harness.cli.refusals` puts into words.
    """
    if form not in FORMATS:
        raise CannotRun(f"There is no format {form!r}; the formats are {', '.join(FORMATS)}.")
    book = rulebook.read(product_of(product), features, wanted)
    sys.stdout.writelines(f"{line}\n" for line in _lines(book, form, in_detail=bool(wanted)))
    return 0


def _lines(book: Rulebook, form: str, *, in_detail: bool) -> Iterator[str]:
    if form == "json":
        yield json.dumps(book.to_json(), indent=1, ensure_ascii=False)
    elif form == "markdown":
        yield from markdown(book)
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        yield from (details if in_detail else table)(book, width)


def check_features(product: str, features: tuple[str, ...]) -> int:
    """Check features and steps; print what they come to, and each step definition that nothing uses."""
    loaded = product_of(product)
    suite = build_suite(features or bundled(loaded), load_catalogue(loaded.id), load_steps())
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

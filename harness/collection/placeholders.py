"""The `<x>` of outlines: what is used, what no column fills, what nothing uses."""

import re
from collections.abc import Iterable, Iterator, Sequence

from gherkin.dialect import DIALECTS
from pytest_bdd.gherkin_parser import ExamplesTable, Scenario, Step

from harness.collection.problems import Problem

PLACEHOLDER = re.compile(r"<([^<>]+)>")


def check_outline(path: str, scenario: Scenario, language: str) -> Iterator[Problem]:
    """Problems with the placeholders and the example tables of one scenario of a feature in that language."""
    is_outline = bool(scenario.examples) or scenario.keyword in DIALECTS[language]["scenarioOutline"]
    if is_outline and not scenario.examples:
        yield Problem(
            path, scenario.location.line, f"The outline {scenario.name!r} has no Examples; add rows."
        )
    for table in scenario.examples:
        yield from _check_table(path, scenario, table)
    columns = [_columns(table) for table in scenario.examples]
    for line, text in _texts(scenario, everything=is_outline):
        for name in PLACEHOLDER.findall(text):
            if not is_outline:
                yield Problem(
                    path, line, f"<{name}> is not resolved here: only an outline with Examples has columns."
                )
            elif not all(name in known for known in columns):
                yield Problem(
                    path, line, f"<{name}> is not resolved: not every Examples table has a column {name!r}."
                )


def check_background(path: str, steps: Iterable[Step]) -> Iterator[Problem]:
    """A background has no columns, so a placeholder in it is never resolved."""
    for step in steps:
        for name in PLACEHOLDER.findall(step.text):
            yield Problem(
                path, step.location.line, f"<{name}> is not resolved: a Background has no Examples."
            )


def _check_table(path: str, scenario: Scenario, table: ExamplesTable) -> Iterator[Problem]:
    line = table.location.line
    if not table.table_body:
        yield Problem(path, line, f"The Examples of {scenario.name!r} have no rows; add rows or remove them.")
    columns = _columns(table)
    if len(set(columns)) != len(columns) or "" in columns:
        yield Problem(path, line, "The Examples have columns with equal or empty names.")
    used = {name for _, text in _texts(scenario, everything=True) for name in PLACEHOLDER.findall(text)}
    for column in columns:
        if column and column not in used:
            yield Problem(path, line, f"The column {column!r} is used nowhere; use <{column}> or remove it.")


def _columns(table: ExamplesTable) -> Sequence[str]:
    return [cell.value for cell in table.table_header.cells] if table.table_header else []


def _texts(scenario: Scenario, *, everything: bool) -> Iterator[tuple[int, str]]:
    """The texts that may hold placeholders; tables and doc strings of a plain scenario are data, not templates."""
    yield scenario.location.line, scenario.name
    for step in scenario.steps:
        yield step.location.line, step.text
        if everything and step.docstring:
            yield step.docstring.location.line, step.docstring.content
        if everything and step.datatable:
            for row in step.datatable.rows:
                yield from ((row.location.line, cell.value) for cell in row.cells)

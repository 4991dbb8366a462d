"""A rulebook as text for a terminal and as Markdown for the documents."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from harness.catalogue import Exclusion, Rule
from harness.cli.rulebook import Row, Rulebook
from reports.visible import visible

HEADS: Final = ("rule", "level", "eras", "seat", "scen", "runs", "mutants", "statement")
SEATS: Final = {"server": "server", "with the mock": "with mock", "only the mock": "mock"}
LEVELS: Final = {
    "M": "the document says it",
    "D": "it follows from the document, or the MCP specification demands it",
    "A": "advisory: not kept, it warns",
}
GAP: Final = "  "
BREAK: Final = "<br>"
# At its beginning an underscore may open an emphasis; inside a word it is itself.
_MARKUP: Final = re.compile(r"([\\`*|\[\]])|(?<!\w)_")

MARKDOWN_HEAD: Final = """\
# The rules of {title}

Every rule the harness judges by, and what it leaves out. Made by `kadu-conformance rules --format markdown`, from the
catalogue, the bundled features and the mutants; `--format json` gives the same to programs, and the scenarios by name.

- **Level**: M, the document says it. D, it follows from the document, or the MCP specification demands it. A, advisory: not
  kept, it warns.
- **Seat**: *server*, the rule is the server's alone. *With the mock*, it has an upstream half, which the mock API keeps
  while a server is judged. *Only the mock*, it has no other half: a server can but fail to get that far.
- **Scenarios** are those that judge the rule, **runs** what they come to with their rows and eras. **Mutants** are bundled
  servers, and mock APIs, that break the rule and have to be caught.
"""


def table(book: Rulebook, width: int | None) -> Iterator[str]:
    """The rules, one a line, then what is left out, and why. `width` is that of the terminal, None where there is none.

    On a terminal a statement that does not fit is cut; elsewhere each stands in full on its line.
    """
    rows = [HEADS, *map(_cells, book.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS) - 1)]
    for row in rows:
        line = GAP.join([*(cell.ljust(size) for cell, size in zip(row[:-1], widths, strict=True)), row[-1]])
        yield line if width is None or len(line) <= width else f"{line[: width - 1]}…"
    yield ""
    yield totals(book)
    if book.excluded:
        yield ""
        yield "What the documents say and no rule judges, and why:"
        for place in dict.fromkeys(map(place_of, book.excluded)):
            yield ""
            yield place
            for one in (one for one in book.excluded if place_of(one) == place):
                yield from _wrapped(f"- {one.sentence}", "  ", width)
                yield from _wrapped(one.reason, "    ", width)


def totals(book: Rulebook) -> str:
    """The numbers of a rulebook in a sentence."""
    scenarios = sum(len(row.scenarios) for row in book.rows)
    covered = sum(bool(row.scenarios) for row in book.rows)
    runs = sum(row.runs for row in book.rows)
    servers = sum(len(row.servers) for row in book.rows)
    mocks = sum(len(row.mocks) for row in book.rows)
    return (
        f"{covered} of {len(book.rows)} rules have scenarios: {scenarios} scenarios, {runs} runs. "
        f"Mutants: {servers} servers, {mocks} mock APIs."
    )


def details(book: Rulebook, width: int | None) -> Iterator[str]:
    """Each rule with all that is known of it."""
    for number, row in enumerate(book.rows):
        if number:
            yield ""
        rule = row.rule
        yield f"{rule.id} · {rule.group}"
        yield from _wrapped(rule.statement, "  ", width)
        for clause in rule.clauses:
            yield from _wrapped(f"{clause.level}: {clause.text}", "  - ", width)
        about = {
            "level": f"{rule.level}, {LEVELS[rule.level]}",
            "eras": " and ".join(rule.eras),
            "seat": rule.seat,
            "stands in": place_of(rule),
            "how to read it": rule.reading or "as it stands",
        }
        for name, said in about.items():
            yield from _wrapped(f"{name}: {said}", "  ", width)
        yield f"  scenarios: {len(row.scenarios)}, runs: {row.runs}"
        for one in row.scenarios:
            yield f"    {visible(one.feature)}:{one.line}  {visible(one.title)} ({one.runs})"
        yield f"  mutants: {len(row.servers)} servers, {len(row.mocks)} mock APIs"
        for seat, lies in (("server", row.servers), ("mock", row.mocks)):
            for lie in lies:
                yield from _wrapped(f"{seat} {lie.name}: {lie.lie}", "    ", width)


def markdown(book: Rulebook) -> Iterator[str]:
    """The rulebook as a page: a table for each group of rules, and one for what is left out."""
    yield from MARKDOWN_HEAD.format(title=book.title).splitlines()
    yield ""
    yield totals(book)
    for group, rows in groupby(book.rows, key=lambda row: row.rule.group):
        yield from ("", f"## {group[0].upper()}{group[1:]}", "")
        yield from _table(
            ("rule", "level", "eras", "seat", "scenarios, runs", "mutants: servers, mocks", "what it says"),
            map(_markdown_cells, rows),
        )
    if book.excluded:
        yield from ("", "## What the documents say and no rule judges")
        for document in dict.fromkeys(one.document for one in book.excluded):
            yield from ("", f"### {_plain(document)}", "")
            yield from _table(
                ("section", "what", "why not"),
                (
                    (_plain(one.section), _plain(one.sentence), _plain(one.reason))
                    for one in book.excluded
                    if one.document == document
                ),
            )


def place_of(written: Rule | Exclusion) -> str:
    """Where a rule or an exclusion stands in the documents."""
    return f"{written.document} › {written.section}"


def _cells(row: Row) -> tuple[str, ...]:
    rule = row.rule
    return (
        rule.id,
        rule.level,
        " ".join(rule.eras),
        SEATS[rule.seat],
        str(len(row.scenarios)),
        str(row.runs),
        f"{len(row.servers)}+{len(row.mocks)}",
        rule.statement,
    )


def _markdown_cells(row: Row) -> tuple[str, ...]:
    rule = row.rule
    said = [_plain(rule.statement), *(f"{clause.level}: {_plain(clause.text)}" for clause in rule.clauses)]
    if rule.reading:
        said.append(f"*How it is read:* {_plain(rule.reading)}")
    said.append(f"*{_plain(place_of(rule))}*")
    return (
        rule.id,
        rule.level,
        ", ".join(rule.eras),
        rule.seat,
        f"{len(row.scenarios)}, {row.runs}",
        f"{len(row.servers)}, {len(row.mocks)}",
        BREAK.join(said),
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _line(heads)
    yield "|".join(["", *("---" for _ in heads), ""])
    yield from map(_line, rows)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\g<0>", escaped)


def _wrapped(text: str, indent: str, width: int | None) -> Iterator[str]:
    text = visible(text)
    if width is None:
        yield indent + text
        return
    further = indent + "  " if text.startswith("- ") else " " * len(indent)
    yield from textwrap.wrap(text, max(width, 40), initial_indent=indent, subsequent_indent=further)

"""What a catalogue of rules is made of: plain data, no reading of files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from harness.exchanges import Era

Level = Literal["M", "D", "A"]
Seat = Literal["server", "with the mock", "only the mock"]

LEVELS: tuple[Level, ...] = get_args(Level)
SEATS: tuple[Seat, ...] = get_args(Seat)


@dataclass(frozen=True)
class Clause:
    """A further part of a rule, with a level of its own: a broken `A` clause warns, it never fails."""

    level: Level
    text: str


@dataclass(frozen=True)
class Rule:
    """One rule of the documents.

    `level` is that of the statement: `M` the document says it, `D` it follows from the document or the MCP
    specification demands it, `A` advisory. `seat` is "with the mock" where the rule has an upstream half, and "only the mock" where it has no other:
    no server can break it but by never getting so far.
    `reading` says how to judge it fairly, or is None where the statement needs no explanation.
    """

    id: str
    group: str
    level: Level
    eras: tuple[Era, ...]
    seat: Seat
    statement: str
    reading: str | None
    document: str
    section: str
    clauses: tuple[Clause, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The rule as it stands in the header of the run record (docs/run-record.md)."""
        return {
            "id": self.id,
            "group": self.group,
            "level": self.level,
            "eras": list(self.eras),
            "seat": self.seat,
            "statement": self.statement,
            "document": self.document,
            "section": self.section,
        }


@dataclass(frozen=True)
class Exclusion:
    """Something a document says that is no rule here, in our own words, and the reason."""

    document: str
    section: str
    sentence: str
    reason: str


@dataclass(frozen=True)
class Catalogue:
    """Every rule of one product, by id and in the order of its documents, and what is left out on purpose."""

    product: str
    title: str
    rules: Mapping[str, Rule]
    exclusions: tuple[Exclusion, ...]

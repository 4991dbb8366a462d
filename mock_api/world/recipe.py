"""What a product says of its world: how records are built, and how a whole world is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mock_api.calls import Record, Records
from mock_api.world.draw import Draw

Build = Callable[[Draw, Records, Mapping[str, Any]], Record]
"""(draw, the records there are, the values given, `created_at` among them) → the fields of a record, but for its id
and its times of creation and change. What is given need not be looked at, but where other fields follow from it."""


@dataclass(frozen=True)
class World:
    """A tenant's world. A person is `{"id", "name", "email"}`; a field that starts with `_` is never shown."""

    organization: Record
    people: list[Record]
    records: Records


@dataclass(frozen=True)
class Recipe:
    """How the worlds of one product are made. `unchanging` are the collections whose records have no `updated_at`."""

    generate: Callable[[Draw, int], World]
    builders: Mapping[str, Build]
    unchanging: frozenset[str]


def record(recipe: Recipe, draw: Draw, collection: str, records: Records, given: Mapping[str, Any]) -> Record:
    """A whole record around the values given, which hold `created_at`."""
    made = {"id": draw.id(), **recipe.builders[collection](draw, records, given)}
    if collection not in recipe.unchanging:
        made["updated_at"] = given["created_at"]
    return {**made, **given}

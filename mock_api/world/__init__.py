"""The made-up world of a tenant: organization, people and records, from a seed and a moment alone."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import Any

from mock_api.calls import Record, Records
from mock_api.world import recipe
from mock_api.world.draw import Draw
from mock_api.world.recipe import Recipe, World

__all__ = ["World", "collections", "complete", "generate"]


@cache
def _recipe(product: str) -> Recipe:
    found: Recipe = import_module(f"mock_api.world.{product}").RECIPE
    return found


def collections(product: str) -> tuple[str, ...]:
    """The collections that `complete` can make a record of, sorted. Raises ModuleNotFoundError for no product."""
    return tuple(sorted(_recipe(product).builders))


def generate(product: str, seed: str, now: datetime, people: int) -> World:
    """The world for a seed at a moment: equal for equal arguments, in any process.

    Every record was created before `now`, no two of a collection at the same millisecond; each collection stands
    oldest first. Raises ModuleNotFoundError for a product that has no world.
    """
    return _recipe(product).generate(Draw(f"{product}\n{seed}", now), people)


def complete(
    product: str, collection: str, seed: str, now: datetime, records: Records, values: Mapping[str, Any]
) -> Record:
    """A whole record with `values` over it, hung on parents among `records`; it is not stored there.

    Unless `created_at` is given it is newer than every record of the collection, and past wherever there is room.
    Raises KeyError for a collection that the product does not have.
    """
    draw = Draw(f"{product}\n{collection}\n{seed}", now)
    created = values.get("created_at") or draw.newest(records.get(collection, {}).values())
    return recipe.record(_recipe(product), draw, collection, records, {**values, "created_at": created})

"""A product: its contract, its world and what its operations do, found by its id."""

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from mock_api.calls import Behaviour, Record, Records
from mock_api.contract import Contract, load
from mock_api.errors import Mistake


class World(Protocol):
    """What a tenant starts with; `people` have id, name and email."""

    @property
    def organization(self) -> Record: ...

    @property
    def people(self) -> Sequence[Record]: ...

    @property
    def records(self) -> Records: ...


Generate = Callable[[str, datetime, int], World]
"""(seed, now, number of people) → a world of its own."""

Complete = Callable[[str, str, datetime, Records, Mapping[str, Any]], Record]
"""(collection, seed, now, records, values) → a full record: generated fields overlaid with the values."""

Advance = Callable[[Records, datetime], None]
"""(records, now): moves along what moves by time alone."""

Download = Callable[[Records, str, datetime], bytes | None]
"""(records, path, now) → the bytes behind a presigned path, None where there are none."""

Upload = Callable[[Records, str, bytes, datetime], bool]
"""(records, path, content, now) → whether the content put to a presigned path was taken."""


@dataclass(frozen=True)
class Product:
    """Everything the engine knows of the product it serves; `collections` are those `complete` can make."""

    contract: Contract
    behaviours: Mapping[str, Behaviour]
    generate: Generate
    complete: Complete
    collections: frozenset[str]
    advance: Advance | None = None
    download: Download | None = None
    upload: Upload | None = None


def load_product(product: str) -> Product:
    """The product of that id, from this package. Raises Mistake, one sentence, where there is none."""
    path = Path(__file__).parent / "contracts" / f"{product}.yaml"
    name = f"mock_api.behaviours.{product}"
    if not product.isidentifier() or not path.is_file() or importlib.util.find_spec(name) is None:
        known = ", ".join(sorted(each.stem for each in path.parent.glob("*.yaml"))) or "none"
        raise Mistake(f"There is no product {product!r}; known are: {known}.")
    world, behaviours = importlib.import_module("mock_api.world"), importlib.import_module(name)
    return Product(
        contract=load(path, product),
        behaviours=behaviours.BEHAVIOURS,
        generate=partial(world.generate, product),
        complete=partial(world.complete, product),
        collections=frozenset(world.collections(product)),
        advance=getattr(behaviours, "advance", None),
        download=getattr(behaviours, "presigned", None),
        upload=getattr(behaviours, "uploaded", None),
    )

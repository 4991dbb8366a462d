"""The rules of each product: what is judged, at which level, and where it is written.

`load("kadu")` gives the catalogue of kadu.toml and of the files it includes; a new product is a new file.
"""

from functools import cache
from importlib.resources import files

from harness.catalogue.model import Catalogue, Clause, Exclusion, Rule
from harness.catalogue.parsing import Part, assemble, parse

__all__ = ["Catalogue", "Clause", "Exclusion", "Rule", "load", "products"]


@cache
def products() -> tuple[str, ...]:
    """The ids of the products that have a catalogue, sorted."""
    return tuple(sorted(name for name in _names() if _part(name).product is not None))


@cache
def load(product: str) -> Catalogue:
    """The rules of `product`, validated and read once.

    LookupError for a product without a catalogue, naming those that have one; ValueError for a broken file.
    """
    if product not in _names() or (part := _part(product)).product is None:
        raise LookupError(f"no catalogue for the product {product!r}; known: {', '.join(products())}")
    return assemble([part, *(_part(name) for name in part.include if name in _names())])


@cache
def _names() -> frozenset[str]:
    entries = (entry.name for entry in files(__name__).iterdir())
    return frozenset(name.removesuffix(".toml") for name in entries if name.endswith(".toml"))


@cache
def _part(name: str) -> Part:
    return parse(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"), name)

"""Mutants: the reference server with exactly one rule broken, each named by its lie. Run only when asked for.

A mutant is a subclass of one part of the engine, put in that part's place, or an edit of a product's tables.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from reference_server.engine.server import Parts
from reference_server.engine.tables import Product

from .confirmation import CONFIRMATION_MUTANTS


def _unchanged(product: Product) -> Product:
    return product


@dataclass(frozen=True)
class Mutant:
    """One lie.

    Its name, the rule it breaks, the lie in a sentence, and how it differs from the correct server.
    """

    name: str
    rule: str
    lie: str
    parts: Parts = field(default_factory=Parts)
    edit: Callable[[Product], Product] = _unchanged


def from_part(lie: type[Any]) -> Mutant:
    """The mutant that has the class `lie` in the place of the part it derives from.

    The class says in its docstring what it gets wrong, and in `rule` which rule that breaks. Raises TypeError
    where it derives from no part.
    """
    correct = Parts()
    for place in fields(Parts):
        part = getattr(correct, place.name)
        if isinstance(part, type) and issubclass(lie, part):
            name = re.sub(r"(?<!^)(?=[A-Z])", "_", lie.__name__).lower()
            change: dict[str, Any] = {place.name: lie}
            rule: str = vars(lie)["rule"]
            return Mutant(name, rule, str(lie.__doc__), replace(correct, **change))
    raise TypeError(f"{lie.__name__} derives from no part of the engine")


def mutants() -> tuple[Mutant, ...]:
    """All mutants, in the order of their rules' chapters."""
    return tuple(from_part(lie) for lie in CONFIRMATION_MUTANTS)

"""What a lie of the mock is made of, and how it is put in the place of the parts it lies about."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, TypeVar

Part = TypeVar("Part", bound=Callable[..., Any])
_PLACES = "_stands_in_for"


class Lie:
    """The mock with exactly one rule broken.

    Named by its lie, which its docstring says in a sentence. `rule` is the rule that it breaks, `values` are
    constants by their places; functions say their places by `instead_of`.
    """

    rule: ClassVar[str]
    values: ClassVar[Mapping[str, Any]] = {}


@dataclass(frozen=True)
class Mutant:
    """A lie as the program tells of it, and what stands in which place (`module:name`) while it is told."""

    name: str
    rule: str
    lie: str
    parts: tuple[tuple[str, Any], ...]


def instead_of(*places: str) -> Callable[[Part], Part]:
    """The function stands in these places (`module:name`, `module:Class.name`)."""

    def mark(part: Part) -> Part:
        setattr(part, _PLACES, places)
        return part

    return mark


def mutant(lie: type[Lie]) -> Mutant:
    """The mutant that a lie makes."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", lie.__name__).lower()
    return Mutant(name, lie.rule, str(lie.__doc__), tuple(_parts(lie)))


def _parts(lie: type[Lie]) -> Iterator[tuple[str, Any]]:
    yield from lie.values.items()
    for part in vars(lie).values():
        told = part.__func__ if isinstance(part, staticmethod) else part
        for place in getattr(told, _PLACES, ()):
            yield place, told


def put_in_place(told: Mutant) -> None:
    """Put the parts of a mutant where the correct ones stand, for as long as this process lives.

    Raises AttributeError where there is no such place, for then nothing would be told.
    """
    for place, part in told.parts:
        owner, name = _found(place)
        getattr(owner, name)
        setattr(owner, name, part)


def _found(place: str) -> tuple[Any, str]:
    module, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner: Any = import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    return owner, name

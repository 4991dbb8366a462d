"""Mutants: the reference server with exactly one rule broken, each named by its lie. Run only when asked for.

A mutant is a class: a subclass of one part of the engine, put in that part's place, of the HTTP shell around it, or
an edit of a product's tables. Its docstring says the lie in one sentence, its `rule` which rule that breaks.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from types import ModuleType
from typing import Any

from reference_server.engine.http import Shell
from reference_server.engine.server import Parts
from reference_server.engine.tables import Product

from . import (
    access,
    addresses,
    answers,
    approvals,
    approvals_impossible,
    approvals_stored,
    caching,
    completions,
    confirmation,
    destructive,
    documents,
    elsewhere,
    envelopes,
    formats,
    idempotency_calls,
    idempotency_keys,
    idempotency_replays,
    idempotency_shown,
    inside,
    listings,
    prompts,
    questions,
    refusals,
    requests,
    resources,
    sent_upstream,
    single_use,
    tools,
    typed,
)
from .tables import Table

_MODULES = (
    listings, documents, resources, refusals, tools, destructive, addresses, prompts, formats, completions, typed,
    questions, answers, confirmation, sent_upstream, single_use, approvals, approvals_stored, inside, approvals_impossible,
    idempotency_keys, idempotency_replays, idempotency_shown, idempotency_calls, requests, access, envelopes, caching,
    elsewhere,
)  # fmt: skip


def _unchanged(product: Product) -> Product:
    return product


@dataclass(frozen=True)
class Mutant:
    """One lie.

    Its name, the rule it breaks, the lie in a sentence, how it differs from the correct server, and how many
    replicas of it are served.
    """

    name: str
    rule: str
    lie: str
    parts: Parts = field(default_factory=Parts)
    edit: Callable[[Product], Product] = _unchanged
    shell: type[Shell] = Shell
    replicas: int = 1


def from_class(lie: type[Any]) -> Mutant:
    """The mutant that the class `lie` makes.

    The class says in its docstring what it gets wrong, and in `rule` which rule that breaks. Raises TypeError
    where it is neither a part of the engine, nor a shell, nor tables. A lie that shows between replicas says in
    `replicas` how many it takes.
    """
    change: dict[str, Any] | None = None
    if issubclass(lie, Table):
        change = {"edit": lie.edit}
    elif issubclass(lie, Shell):
        change = {"shell": lie}
    else:
        change = _in_its_place(lie)
    if change is None:
        raise TypeError(f"{lie.__name__} derives from no part of the server")
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", lie.__name__).lower()
    replicas = vars(lie).get("replicas", 1)
    return Mutant(name, vars(lie)["rule"], str(lie.__doc__), replicas=replicas, **change)


def _in_its_place(lie: type[Any]) -> dict[str, Any] | None:
    correct = Parts()
    for place in fields(Parts):
        part = getattr(correct, place.name)
        if isinstance(part, type) and issubclass(lie, part):
            changed: dict[str, Any] = {place.name: lie}
            return {"parts": replace(correct, **changed)}
    return None


def _lies(module: ModuleType) -> Iterator[type[Any]]:
    for one in vars(module).values():
        if isinstance(one, type) and one.__module__ == module.__name__ and "rule" in vars(one):
            yield one


def mutants() -> tuple[Mutant, ...]:
    """All mutants, in the order of their rules' chapters."""
    return tuple(from_class(lie) for module in _MODULES for lie in _lies(module))

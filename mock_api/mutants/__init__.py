"""Mutants of the mock API: the upstream with exactly one rule broken, each named by its lie.

They are told only by `python -m mock_api --mutant NAME`, one in a process, and show whether the features look at
the upstream's half of a rule. Where a server is judged the mock never lies, so what they find is never a server's.
"""

from types import ModuleType

from mock_api.errors import Mistake
from mock_api.mutants import approvals, console, deciding, idempotency
from mock_api.mutants.lie import Lie, Mutant, mutant, put_in_place

__all__ = ["Mutant", "mutants", "tell"]

_MODULES = (console, deciding, approvals, idempotency)


def mutants() -> tuple[Mutant, ...]:
    """All mutants, in the order of their chapters."""
    return tuple(mutant(lie) for module in _MODULES for lie in _lies(module))


def _lies(module: ModuleType) -> list[type[Lie]]:
    return [
        each
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__ and "rule" in vars(each)
    ]


def tell(name: str) -> None:
    """From now on this process tells that lie. Raises Mistake, one sentence, where there is none of that name."""
    found = next((each for each in mutants() if each.name == name), None)
    if found is None:
        raise Mistake(f"There is no mutant {name!r}; --list-mutants names all.")
    put_in_place(found)

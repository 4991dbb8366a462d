"""What the ledger shows: that nothing ran, or that exactly one operation ran, with exactly those arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.checks.results import broken
from harness.exchanges import Exchange
from harness.ledger import LedgerEntry
from harness.schemas import forms_of

KEY_ARGUMENT = "idempotency_key"


def expect_nothing_ran(effects: Sequence[LedgerEntry], changed: bool, exchange: Exchange | None) -> None:
    """No business effect, and every record reads back as it was."""
    if effects:
        raise broken(
            "something ran that was not to run",
            exchange,
            expected="no effect",
            actual=f"the ledger shows {_told(effects)}",
        )
    if changed:
        raise broken(
            "a record changed", exchange, expected="every record as it was", actual="the records differ"
        )


def expect_ran_once(
    effects: Sequence[LedgerEntry],
    tool: str,
    arguments: Mapping[str, Any],
    schema: Mapping[str, Any],
    exchange: Exchange | None,
) -> None:
    """Exactly one business effect: that operation with those arguments, nothing altered or dropped.

    What the server adds is taken only where its own inputSchema says it as a default.
    """
    wanted = {name: value for name, value in arguments.items() if name != KEY_ARGUMENT}
    expected = f"exactly one effect: {tool} with {wanted}"
    if len(effects) != 1:
        came = f"the ledger shows {_told(effects)}" if effects else "the ledger shows no effect"
        raise broken("it did not run exactly once", exchange, expected=expected, actual=came)
    [effect] = effects
    added = {name: value for name, value in effect.arguments.items() if name not in wanted}
    # A schema is looked at where something was added, which is seldom.
    forms = forms_of(schema) if added else {}
    invented = [name for name, value in added.items() if forms.get(name, {}).get("default", ...) != value]
    altered = [name for name, value in wanted.items() if not _same(effect.arguments.get(name, ...), value)]
    if effect.operation != tool or altered or invented:
        raise broken("what ran is not what was called", exchange, expected=expected, actual=_told(effects))


def _same(came: Any, sent: Any) -> bool:
    # True and 1 are equal to Python, and not to anybody else.
    return (
        type(came) is type(sent) and came == sent
        if isinstance(came, bool) or isinstance(sent, bool)
        else came == sent
    )


def _told(effects: Sequence[LedgerEntry]) -> str:
    told = [f"{entry.operation} with {dict(entry.arguments)}" for entry in effects[:5]]
    more = f" and {len(effects) - 5} more" if len(effects) > 5 else ""
    return f"{len(effects)} effects: " + "; ".join(told) + more if len(effects) > 1 else "; ".join(told)

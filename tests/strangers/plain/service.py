"""What a handler is given, and what it gives back."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta, timezone
from typing import Any, Literal

from plain.choices import Choices
from plain.contract import Contract
from plain.envelope import INVALID_PARAMS, Fault, Request
from plain.upstream import Me, Upstream

BRASILIA = timezone(timedelta(hours=-3))


@dataclass(frozen=True)
class Service:
    """What lives as long as the server: the contract, the way to the API, the secret that seals states, the choices."""

    contract: Contract
    upstream: Upstream
    secret: bytes
    choices: Choices


@dataclass(frozen=True)
class Caller:
    """Whose request this is."""

    token: str
    me: Me

    @property
    def today(self) -> date:
        """The day in Brasília, by the API's clock."""
        return self.me.now.astimezone(BRASILIA).date()


@dataclass(frozen=True)
class Reply:
    """A result. `cache` is how long, in milliseconds, and by whom it may be kept; None gives no hint."""

    result: Mapping[str, Any]
    kind: Literal["complete", "input_required"] = "complete"
    cache: tuple[int, Literal["public", "private"]] | None = None


Handler = Callable[[Service, Caller, Request], Awaitable[Reply]]


@dataclass(frozen=True)
class Feature:
    """A capability and the methods that belong to it."""

    capability: str
    handlers: Mapping[str, Handler]


def page(
    entries: list[dict[str, Any]], key: str, cursor: Any, size: int
) -> tuple[list[dict[str, Any]], str | None]:
    """The entries after the cursor, at most `size`, and the next cursor. A cursor names the last entry seen.

    Raises Fault on a cursor that never was given out (MCP-20).
    """
    start = 0
    if cursor is not None:
        seen = (
            cursor.removeprefix("after ") if isinstance(cursor, str) and cursor.startswith("after ") else None
        )
        start = next((at + 1 for at, entry in enumerate(entries) if entry[key] == seen), 0)
        if start == 0:
            raise Fault(INVALID_PARAMS, "This cursor is not one of ours.")
    shown = entries[start : start + size]
    return shown, f"after {shown[-1][key]}" if start + size < len(entries) else None


def json_text(value: Any) -> str:
    """JSON for people: indented, keys in order."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)

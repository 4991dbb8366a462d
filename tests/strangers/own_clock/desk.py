"""What a handler works with, and the shapes in which it hands things out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from plain.contract import Contract

from own_clock.memory import Memory
from own_clock.upstream import Upstream, Who
from own_clock.wire import ABOUT, BAD_PARAMS, PREFIX, Asked, Refused


@dataclass(frozen=True)
class Desk:
    """All that lives as long as the process."""

    contract: Contract
    upstream: Upstream
    memory: Memory


@dataclass(frozen=True)
class Handed:
    """A result. `fresh` is for how many milliseconds its caller, and nobody else, may keep it; None: not at all."""

    result: Mapping[str, Any]
    kind: str = "complete"
    fresh: int | None = None

    def dressed(self, asked: Asked) -> dict[str, Any]:
        """The members of the result, with those that only the stateless era knows."""
        found = dict(self.result)
        if asked.new and self.fresh is not None:
            found |= {"ttlMs": self.fresh, "cacheScope": "private"}
        if asked.new:
            found["_meta"] = {f"{PREFIX}serverInfo": ABOUT}
        return found


Handler = Callable[[Desk, Who, Asked], Handed]


def page(asked: Asked, key: str, entries: list[dict[str, Any]], size: int) -> Handed:
    """One page of a list; its cursor is the number of the next. Raises Refused where there is no such page."""
    pages = max(1, -(-len(entries) // size))
    names = {f"page-{number}": number for number in range(2, pages + 1)}
    cursor = asked.params.get("cursor")
    number = 1 if cursor is None else names.get(cursor, 0) if isinstance(cursor, str) else 0
    if number == 0:
        raise Refused(BAD_PARAMS, "There is no such page")
    shown: dict[str, Any] = {key: entries[(number - 1) * size : number * size]}
    if number < pages:
        shown["nextCursor"] = f"page-{number + 1}"
    return Handed(shown, fresh=1000)


def enveloped(body: Any) -> dict[str, Any]:
    """What the API answered, as it goes out: a list as `data.items` beside its `data.page`, all else as `data.item`."""
    if isinstance(body, dict) and isinstance(body.get("data"), list):
        more = {name: value for name, value in body.items() if name != "data"}
        return {"data": {"items": body["data"], "page": {"size": len(body["data"]), **more}}}
    return {"data": {"item": body}}

"""Pages of listings that a behaviour has filtered by itself."""

from collections.abc import Iterable
from typing import Any

from mock_api.calls import Call, Outcome, Record, Refusal

DEFAULT_LIMIT = 50
_SEPARATOR = "~"


def page(call: Call, found: Iterable[Record]) -> Outcome:
    """The page that `limit` and `cursor` of the query ask for of the records found, which stand oldest first.

    Newest first, of two of the same moment the later one. Raises Refusal 400 for a cursor that is none.
    """
    latest_first = list(found)[::-1]
    ordered = sorted(latest_first, key=_created_at, reverse=True)
    start = _start(ordered, call.query["cursor"]) if "cursor" in call.query else 0
    end = start + call.query.get("limit", DEFAULT_LIMIT)
    shown = ordered[start:end]
    cursor = f"{_created_at(shown[-1])}{_SEPARATOR}{shown[-1]['id']}" if end < len(ordered) else None
    return Outcome(200, {"data": shown, "next_cursor": cursor}, effect=False)


def _created_at(record: Record) -> Any:
    return record["created_at"]


def _start(ordered: list[Record], cursor: str) -> int:
    created, separator, last = cursor.partition(_SEPARATOR)
    if not separator:
        raise Refusal(400, "bad_request", "cursor: is none that this listing gave")
    for position, record in enumerate(ordered):
        if record["id"] == last:
            return position + 1
    # The record is gone: go on with what is older than it was.
    return next((at for at, record in enumerate(ordered) if record["created_at"] < created), len(ordered))

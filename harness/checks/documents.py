"""What documents hold: the contents of a resource, its records, and how two documents compare."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from harness.checks.results import broken, describe, parse_json
from harness.exchanges import Exchange

_DEPTH = 40

Fit = Callable[[Any, Any], bool]
_FILES = re.compile(r"files?|arquivos?|archivos?|fichiers?|datei(en)?", re.IGNORECASE)


def contents(exchange: Exchange) -> list[dict[str, Any]]:
    """The contents of a read. Raises RuleBroken when the read is not answered, or answered by nothing."""
    found = (exchange.result or {}).get("contents")
    if not isinstance(found, list) or not found or not all(isinstance(item, dict) for item in found):
        raise broken("the read is not answered", exchange, expected="contents", actual=describe(exchange))
    return found


def document(exchange: Exchange) -> Any:
    """The JSON document of a read. Raises RuleBroken where the contents are no JSON text."""
    texts = [item.get("text") for item in contents(exchange)]
    parsed = [parse_json(text) if isinstance(text, str) else None for text in texts]
    if any(one is None for one in parsed):
        raise broken(
            "the document is not JSON text", exchange, expected="JSON in text", actual=describe(exchange)
        )
    return parsed[0] if len(parsed) == 1 else parsed


def is_about_files(uri: str) -> bool:
    """True when a word of an address, or of a template's names, is that of files: a profile is none."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", uri)
    return any(_FILES.fullmatch(word) for word in words)


def walk(value: Any, depth: int = _DEPTH) -> Iterator[Any]:
    """Every value inside a document, the document first."""
    yield value
    if depth:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        for one in inner:
            yield from walk(one, depth - 1)


def records(value: Any, depth: int = _DEPTH) -> list[dict[str, Any]]:
    """The outermost objects with an `id`, wherever they stand: the records, without their envelopes."""
    if isinstance(value, dict) and "id" in value:
        return [value]
    if not depth:
        return []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [record for one in inner for record in records(one, depth - 1)]


def readings(value: Any) -> Iterator[list[dict[str, Any]]]:
    """The records of a document; and where each of them may be an envelope with an `id` of its own, what is in them.

    What is in an envelope stands in one of its members: a record that has others in several is none.
    """
    found = records(value)
    yield found
    inner = [_content(one) for one in found]
    if inner and None not in inner:
        yield [record for content in inner if content is not None for record in content]


def _content(envelope: dict[str, Any]) -> list[dict[str, Any]] | None:
    held = [found for found in map(records, envelope.values()) if found]
    return held[0] if len(held) == 1 else None


def record_of(value: Any, record_id: str) -> dict[str, Any] | None:
    """The object of that id in a document, None where there is none."""
    return next((one for one in walk(value) if isinstance(one, dict) and one.get("id") == record_id), None)


def same_records(held: Any, answered: Any) -> bool:
    """True when a document holds the records that are answered and no others, in any order and any envelope.

    What is answered without any record (a catalogue, a text) is compared as it is. An envelope with an `id` is looked
    into on the side of the document alone: else a document that holds a part of its record were the same.
    """
    theirs = records(answered)
    if not theirs and (held == answered or (isinstance(answered, dict | list) and _inside(held, answered))):
        return True
    if not theirs and _lists_nothing(answered):
        return _lists_nothing(held)
    if not theirs and not records(held):
        return _inside(answered, held)
    return any(len(ours) == len(theirs) and _paired(ours, theirs, tells) for ours in readings(held))


def holds_records(part: Any, whole: Any) -> bool:
    """True when each record of the one document, and there is one, is a record of the other."""
    theirs = records(whole)
    return any(ours and _paired(ours, theirs, tells) for ours in readings(part))


def _paired(some: list[dict[str, Any]], others: list[dict[str, Any]], fit: Fit) -> bool:
    """Each of some has one of the others that fits it, and no two the same."""
    free = list(others)
    for record in some:
        partner = next((one for one in free if fit(record, one)), None)
        if partner is None:
            return False
        free.remove(partner)
    return True


def tells(held: Any, answered: Any) -> bool:
    """True when all that is answered stands in what is held, with the same values; objects may have further fields."""
    if isinstance(answered, dict):
        return isinstance(held, dict) and all(
            name in held and tells(held[name], value) for name, value in answered.items()
        )
    if isinstance(answered, list):
        same = isinstance(held, list) and len(held) == len(answered)
        return same and all(tells(one, other) for one, other in zip(held, answered, strict=True))
    return type(held) is type(answered) and bool(held == answered)


def _lists_nothing(value: Any) -> bool:
    """True for an empty list, in whatever it is wrapped."""
    while isinstance(value, dict):
        inner = [one for one in value.values() if isinstance(one, dict | list)]
        value = inner[0] if len(inner) == 1 else None
    return bool(value == [])


def _inside(envelope: Any, value: Any) -> bool:
    return any(one == value for one in walk(envelope)) if value not in (None, [], {}, "") else False

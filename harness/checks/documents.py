"""What documents hold: the contents of a resource, its records, and how two documents compare."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness.checks.results import broken, describe, parse_json
from harness.exchanges import Exchange

_DEPTH = 40
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


def record_of(value: Any, record_id: str) -> dict[str, Any] | None:
    """The object of that id in a document, None where there is none."""
    return next((one for one in walk(value) if isinstance(one, dict) and one.get("id") == record_id), None)


def same_records(first: Any, second: Any) -> bool:
    """True when both documents hold the same records, in any order and any envelope.

    Documents without any record (a catalogue, a text) are compared as they are.
    """
    ours, theirs = records(first), records(second)
    if not ours and not theirs:
        return bool(first == second) or _inside(first, second) or _inside(second, first)
    return _counted(ours) == _counted(theirs)


def holds_records(part: Any, whole: Any) -> bool:
    """True when each record of the one document, and there is one, is a record of the other."""
    ours = _counted(records(part))
    return bool(ours) and ours <= _counted(records(whole))


def _inside(envelope: Any, value: Any) -> bool:
    return any(one == value for one in walk(envelope)) if value not in (None, [], {}, "") else False


def _counted(found: list[dict[str, Any]]) -> Counter[str]:
    return Counter(json.dumps(one, sort_keys=True, ensure_ascii=False) for one in found)

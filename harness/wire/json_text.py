"""JSON as it comes from strangers: parsed strictly, within limits, with everything odd about it noted."""

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

DEPTH_LIMIT = 128
"""Levels of nesting that are read; deeper text would cost whoever walks through it the stack."""

VALUE_LIMIT = 200_000
"""Values that are read of one text; tiny ones cost thirty times the bytes they came in."""

# Possessive: there is nothing to go back to, and long strings would make it remember a lot.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_INNERMOST = re.compile(rb"\[\]|\{\}")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Parsed:
    """What a text holds. `value` means nothing unless `readable`; `notes` say what is not as it should be."""

    value: Any
    readable: bool
    notes: tuple[str, ...] = ()


class _NotJson(ValueError):
    """The text is what Python's parser takes for JSON, and JSON's grammar does not."""


def parse(raw: bytes) -> Parsed:
    """Parse bytes as one JSON text. Never raises: what cannot be read is not `readable`, `notes` say why."""
    notes: list[str] = []
    if raw.startswith(b"\xef\xbb\xbf"):
        notes.append("the JSON begins with a byte order mark")
        raw = raw[3:]
    if depth_exceeds(raw, DEPTH_LIMIT):
        return _unreadable(notes, f"the JSON is nested deeper than {DEPTH_LIMIT} levels")
    if holds_more_than(raw, VALUE_LIMIT):
        return _unreadable(notes, f"the JSON holds more than {VALUE_LIMIT} values")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return _unreadable(notes, f"the bytes are not UTF-8 (byte {error.start})")

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        unique = dict(pairs)
        if len(unique) != len(pairs):
            notes.append(f"an object has the member {_first_repeated(pairs)[:80]!r} twice")
        return unique

    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_float=_finite, parse_constant=_refuse_constant
        )
    except (_NotJson, json.JSONDecodeError) as error:
        return _unreadable(notes, f"the text is not JSON: {error}")
    except (ValueError, RecursionError):
        # Thousands of digits in one number, or brackets that only look balanced.
        return _unreadable(notes, "the text is not JSON that can be read")
    if _SURROGATE.search(text):
        value, broken = _whole_text(value)
        if broken:
            notes.append("a string holds half of a surrogate pair")
    return Parsed(value, True, tuple(dict.fromkeys(notes)))


def depth_exceeds(raw: bytes, limit: int) -> bool:
    """Whether brackets are nested deeper than the limit, in linear time and without parsing."""
    if raw.count(b"[") + raw.count(b"{") <= limit:
        return False
    brackets = _STRING.sub(b"", raw).translate(None, _NO_BRACKETS)
    for _ in range(limit):
        inner = _INNERMOST.sub(b"", brackets)
        if not inner:
            return False
        if len(inner) == len(brackets):
            # Not balanced: no JSON, and the parser says so better, unless its stack is at risk.
            return brackets.count(b"[") + brackets.count(b"{") > limit
        brackets = inner
    return True


def holds_more_than(raw: bytes, limit: int) -> bool:
    """Whether a text holds more values than that, counted by what parts and opens them, without parsing."""
    marks = (b",", b":", b"[", b"{")
    if sum(map(raw.count, marks)) <= limit:
        return False
    bare = _STRING.sub(b"", raw)
    return sum(map(bare.count, marks)) > limit


def _first_repeated(pairs: list[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return name
        seen.add(name)
    return ""


def _unreadable(notes: list[str], reason: str) -> Parsed:
    return Parsed(None, False, (*dict.fromkeys(notes), reason))


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _NotJson(f"a number is out of range ({digits[:40]})")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise _NotJson(f"{name} is no JSON number")


def _whole_text(value: Any) -> tuple[Any, bool]:
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace")), True
    return value, False

"""JSON as the mock reads it (strictly, within limits) and writes it."""

import json
import math
import re
from typing import Any

import orjson

DEPTH = 64
"""How deep a body may be nested."""

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def read(text: bytes) -> Any:
    """Parse a JSON text. Raises ValueError with one sentence: not UTF-8, not JSON, too deep."""
    try:
        value = json.loads(text.decode(), parse_constant=_no_number, parse_float=_finite)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise ValueError(f"the body is not JSON: {error.msg} at {where}") from None
    except UnicodeDecodeError:
        raise ValueError("the body is not UTF-8") from None
    except RecursionError:
        raise ValueError(f"the body is nested deeper than {DEPTH} levels") from None
    if text.count(b"[") + text.count(b"{") > DEPTH and _too_deep(value):
        raise ValueError(f"the body is nested deeper than {DEPTH} levels")
    if _SURROGATE.search(text) and _has_lone_surrogate(value):
        raise ValueError("the body holds half of a surrogate pair")
    return value


def write(value: Any) -> bytes:
    """A JSON text, as short as it gets."""
    try:
        return orjson.dumps(value)
    except TypeError:  # a whole number of more than 64 bits
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def canonical(value: Any) -> bytes:
    """The one JSON text of a value: equal values give equal bytes."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def _no_number(name: str) -> Any:
    raise ValueError(f"the body is not JSON: {name} is no number")


def _has_lone_surrogate(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the body holds a number out of range: {text[:40]}")
    return value


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEPTH):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        if not inner:
            return False
        level = inner
    return any(isinstance(item, dict | list) for item in level)

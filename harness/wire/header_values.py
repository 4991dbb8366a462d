"""Text as a header value: as it is, or inside `=?base64?…?=` (MCP 2026-07-28, Value Encoding)."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

_PREFIX, _SUFFIX = "=?base64?", "?="
_VISIBLE = re.compile(r"[\x20-\x7e]*")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_SAFE_INTEGER = 2**53 - 1


def encode(text: str) -> str:
    """The text as a header value: as it is where it fits a header, wrapped where it does not.

    Wrapped are edge spaces, control characters, everything outside ASCII, and what would itself read as
    wrapped.
    """
    wrapped = text.startswith(_PREFIX) and text.endswith(_SUFFIX)
    if _VISIBLE.fullmatch(text) and text == text.strip() and not wrapped:
        return text
    return wrap(text)


def wrap(text: str) -> str:
    """The text inside `=?base64?…?=`, whatever it holds. Half surrogate pairs become question marks."""
    return f"{_PREFIX}{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}{_SUFFIX}"


def decode(value: str) -> str | None:
    """The text a header value stands for; None where the wrapping holds no canonical base64 of UTF-8."""
    if not (value.startswith(_PREFIX) and value.endswith(_SUFFIX) and len(value) >= len(_PREFIX + _SUFFIX)):
        return value
    payload = value[len(_PREFIX) : -len(_SUFFIX)]
    try:
        raw = base64.b64decode(payload, validate=True)
        text = raw.decode("utf-8")
    except (binascii.Error, ValueError):
        return None
    return text if base64.b64encode(raw).decode("ascii") == payload else None


def parameter_headers(
    input_schema: Mapping[str, Any], arguments: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    """The `Mcp-Param-*` headers a call carries for a tool that marks properties with `x-mcp-header`.

    Only what can be reached through `properties` alone counts; absent and null arguments, numbers that are no
    safe integer, and everything composed stay out, as the transport's specification wants it.
    """
    return tuple(
        (f"Mcp-Param-{name}", encode(text))
        for name, value in _marked(input_schema, arguments)
        if (text := _as_text(value)) is not None
    )


def _marked(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return
    for key, sub in properties.items():
        if not isinstance(sub, Mapping) or key not in arguments:
            continue
        name = sub.get("x-mcp-header")
        if isinstance(name, str) and _TOKEN.fullmatch(name):
            yield name, arguments[key]
        if isinstance(arguments[key], Mapping):
            yield from _marked(sub, arguments[key])


def _as_text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int) and abs(value) <= _SAFE_INTEGER:
        return str(value)
    return None

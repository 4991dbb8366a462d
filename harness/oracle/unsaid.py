"""What the specification says and a schema cannot: pure functions, each from a message's parts to violations.

Those that belong to rules of their own (MCP-08, MCP-11, MCP-14) are not part of `judge`; the scenarios ask
them.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.oracle.wording import Found, Path, shown
from harness.wire.eras import (
    ERA_TABLES,
    HEADER_MISMATCH,
    MISSING_CLIENT_CAPABILITY,
    RESOURCE_NOT_FOUND,
    UNSUPPORTED_VERSION,
    URL_ELICITATION_REQUIRED,
)

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\x00-\x1f\x7f]+")
_TEMPLATE = re.compile(r"(?:[^{}\s]|\{[^{}\s]+\})+")
_SCOPES = ("private", "public")
_COMPLETION_LIMIT = 100
_UNIQUE: Mapping[str, tuple[str, str]] = {
    "tools/list": ("tools", "name"),
    "prompts/list": ("prompts", "name"),
    "resources/list": ("resources", "uri"),
}


def listed_twice(method: str, result: Mapping[str, Any]) -> Iterator[Found]:
    """Names of tools and prompts, URIs of resources that stand twice in a page: each is a unique identifier."""
    if method not in _UNIQUE:
        return
    key, name = _UNIQUE[method]
    seen: set[str] = set()
    for position, item in enumerate(_items(result.get(key))):
        value = item.get(name) if isinstance(item, Mapping) else None
        if isinstance(value, str):
            if value in seen:
                yield (key, position, name), f"is {shown(value)}, which stands in the list before"
            seen.add(value)


def in_item(item: Mapping[str, Any]) -> Iterator[Found]:
    """An item of a list: its URI is absolute, its template balanced, its icons are found by absolute URIs."""
    yield from _absolute(item, "uri", ())
    template = item.get("uriTemplate")
    if isinstance(template, str) and not _TEMPLATE.fullmatch(template):
        yield ("uriTemplate",), "is no URI template"
    for position, icon in enumerate(_items(item.get("icons"))):
        if isinstance(icon, Mapping):
            yield from _absolute(icon, "src", ("icons", position))


def in_result(method: str, result: Mapping[str, Any]) -> Iterator[Found]:
    """A result that is no list: URIs are absolute, embedded bytes base64, completions a hundred at most."""
    for path, block in _blocks(method, result):
        yield from _absolute(block, "uri", path)
        for key in ("data", "blob"):
            if key in block and isinstance(block[key], str) and not is_base64(block[key]):
                yield (*path, key), "is no base64"
    completion = result.get("completion")
    values = _items(completion.get("values")) if isinstance(completion, Mapping) else ()
    if len(values) > _COMPLETION_LIMIT:
        yield ("completion", "values"), f"has {len(values)} items, more than {_COMPLETION_LIMIT}"


def in_question(result: Mapping[str, Any]) -> Iterator[Found]:
    """A result of type input_required asks for something or gives a state; a URL to open is absolute."""
    if "inputRequests" not in result and "requestState" not in result:
        yield (), "has neither inputRequests nor requestState"
    requests = result.get("inputRequests")
    for key, request in requests.items() if isinstance(requests, Mapping) else ():
        params = request.get("params") if isinstance(request, Mapping) else None
        if isinstance(params, Mapping) and params.get("mode") == "url":
            yield from _absolute(params, "url", ("inputRequests", key, "params"))


def caching_hints(result: Mapping[str, Any]) -> list[str]:
    """What is wrong with the caching hints of a result that has to have them (MCP-08)."""
    ttl: Any = result.get("ttlMs")
    scope = result.get("cacheScope")
    found = []
    whole = isinstance(ttl, int) or (isinstance(ttl, float) and ttl.is_integer())
    if isinstance(ttl, bool) or not whole or ttl < 0:
        found.append("ttlMs is no integer of zero or more" if "ttlMs" in result else "ttlMs is missing")
    if scope not in _SCOPES:
        found.append(
            "cacheScope is neither private nor public" if "cacheScope" in result else "cacheScope is missing"
        )
    return found


def reserved_code(code: object, version: str) -> str | None:
    """Why a server must not use this error code in that revision, None where it may (MCP-11)."""
    if not isinstance(code, int) or not ERA_TABLES["2026"].known(version):
        return None
    if code in (RESOURCE_NOT_FOUND, URL_ELICITATION_REQUIRED):
        return f"{code} belongs to earlier revisions"
    defined = (HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION)
    if -32099 <= code <= -32020 and code not in defined:
        return f"{code} is kept for the specification, which does not define it"
    return None


def is_base64(text: str) -> bool:
    """Whether text is base64 of the standard alphabet, padded, without line ends (RFC 4648, section 4)."""
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _blocks(method: str, result: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Every content block and every resource embedded in one, with its path."""
    found: list[tuple[Path, Any]] = []
    if method == "tools/call":
        found = [
            (("content", position), block) for position, block in enumerate(_items(result.get("content")))
        ]
    elif method == "prompts/get":
        for position, message in enumerate(_items(result.get("messages"))):
            if isinstance(message, Mapping):
                found.append((("messages", position, "content"), message.get("content")))
    elif method == "resources/read":
        found = [(("contents", position), one) for position, one in enumerate(_items(result.get("contents")))]
    for path, block in found:
        if isinstance(block, Mapping):
            yield path, block
            resource = block.get("resource")
            if block.get("type") == "resource" and isinstance(resource, Mapping):
                yield (*path, "resource"), resource


def _absolute(holder: Mapping[str, Any], key: str, path: Path) -> Iterator[Found]:
    value = holder.get(key)
    if isinstance(value, str) and not _ABSOLUTE.fullmatch(value):
        yield (*path, key), f"is {shown(value)}, which is no absolute URI"


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()

"""Requests and notifications of both eras, as HTTP requests that nobody has sent yet.

Every part can be broken on purpose through `Overrides`: what a conforming client never does, a scenario about
the protocol has to.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from harness.exchanges import Era, HttpRequest
from harness.wire.eras import ERA_TABLES, META_CAPABILITIES, META_CLIENT, META_VERSION, NAMED_BY, EraTable
from harness.wire.header_values import encode, parameter_headers

HeaderValue = str | bytes
RequestId = int | str

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_ACCEPT = "application/json, text/event-stream"
_INITIALIZE = "initialize"


@dataclass(frozen=True)
class Overrides:
    """What to do differently from a conforming client. Applied in the order of the fields.

    `version` is said instead of the era's own, in header, `_meta` and `initialize` alike. `set_meta` and
    `drop_meta` work on the keys of `params._meta`, `without_meta` takes all of it away. `set_params` replaces
    parameters, `set_members` members of the message itself (`id`, `jsonrpc`, …), `drop_members` takes such
    away. `body` is sent instead of any message, byte by byte. `set_headers` replaces a header of that name
    (any case) or adds it, `drop_headers` takes it away, `add_headers` adds lines without looking. Header
    values given as bytes go out as they are. `http_method` replaces POST.
    """

    version: str | None = None
    set_meta: Mapping[str, Any] = field(default_factory=dict)
    drop_meta: frozenset[str] = frozenset()
    without_meta: bool = False
    set_params: Mapping[str, Any] = field(default_factory=dict)
    set_members: Mapping[str, Any] = field(default_factory=dict)
    drop_members: frozenset[str] = frozenset()
    body: bytes | None = None
    set_headers: Mapping[str, HeaderValue] = field(default_factory=dict)
    drop_headers: frozenset[str] = frozenset()
    add_headers: tuple[tuple[str, HeaderValue], ...] = ()
    http_method: str | None = None


_CONFORMING = Overrides()


def request(
    era: Era,
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    id: RequestId,
    url: str,
    token: str | None = None,
    session_id: str | None = None,
    capabilities: Mapping[str, Any] = _NOTHING,
    client: Mapping[str, Any] = _NOTHING,
    version: str | None = None,
    input_schema: Mapping[str, Any] | None = None,
    overrides: Overrides | None = None,
) -> HttpRequest:
    """A request in that era.

    `version` is the revision agreed on where it is not the era's newest. `capabilities` and `client` (name
    and version; empty: not told) go into `_meta` where the era has one. `input_schema` is the called tool's:
    arguments it marks for a header are repeated there. `session_id` is what a server of the handshake era
    minted, if it did.
    """
    table, change = ERA_TABLES[era], overrides or _CONFORMING
    said = change.version or version or table.version
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
    filled = _params(table, params, said, capabilities, client, change)
    if filled is not None:
        message["params"] = filled
    headers = [*_content_headers(), ("MCP-Protocol-Version", said)]
    headers += _routing_headers(table, method, params, input_schema)
    headers += _caller_headers(token, session_id)
    return _http(url, message, headers, change)


def notification(
    era: Era,
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    url: str,
    token: str | None = None,
    session_id: str | None = None,
    version: str | None = None,
    overrides: Overrides | None = None,
) -> HttpRequest:
    """A notification in that era: a message without an id, which is acknowledged and never answered."""
    table, change = ERA_TABLES[era], overrides or _CONFORMING
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if params is not None or change.set_params:
        message["params"] = {**(params or {}), **change.set_params}
    headers = [*_content_headers(), ("MCP-Protocol-Version", change.version or version or table.version)]
    headers += _routing_headers(table, method, params, None)
    headers += _caller_headers(token, session_id)
    return _http(url, message, headers, change)


def initialize(
    *,
    id: RequestId,
    url: str,
    token: str | None = None,
    version: str | None = None,
    capabilities: Mapping[str, Any] = _NOTHING,
    client: Mapping[str, Any],
    overrides: Overrides | None = None,
) -> HttpRequest:
    """The first request of the handshake era, asking for a revision (the era's newest unless told).

    It carries no `MCP-Protocol-Version`: nothing is agreed on yet.
    """
    change = overrides or _CONFORMING
    asked = change.version or version or ERA_TABLES["2025"].version
    params = {"protocolVersion": asked, "capabilities": dict(capabilities), "clientInfo": dict(client)}
    message: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": id,
        "method": _INITIALIZE,
        "params": {**params, **change.set_params},
    }
    return _http(url, message, [*_content_headers(), *_caller_headers(token, None)], change)


def encoded(message: Any) -> bytes:
    """A message as JSON bytes. Half surrogate pairs, which UTF-8 cannot hold, stay escaped."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(message, separators=(",", ":")).encode("ascii")


def _params(
    table: EraTable,
    params: Mapping[str, Any] | None,
    version: str,
    capabilities: Mapping[str, Any],
    client: Mapping[str, Any],
    change: Overrides,
) -> dict[str, Any] | None:
    offered = {META_VERSION: version, META_CAPABILITIES: dict(capabilities)}
    if client:
        offered[META_CLIENT] = dict(client)
    meta = {key: offered[key] for key in table.meta_keys if key in offered}
    given = (params or {}).get("_meta")
    if isinstance(given, Mapping):
        meta.update(given)
    meta.update(change.set_meta)
    meta = {key: value for key, value in meta.items() if key not in change.drop_meta}
    filled = {key: value for key, value in (params or {}).items() if key != "_meta"}
    if (meta or table.meta_keys) and not change.without_meta:
        filled["_meta"] = meta
    filled.update(change.set_params)
    return filled if filled or params is not None else None


def _content_headers() -> list[tuple[str, HeaderValue]]:
    return [("Accept", _ACCEPT), ("Content-Type", "application/json")]


def _routing_headers(
    table: EraTable, method: str, params: Mapping[str, Any] | None, input_schema: Mapping[str, Any] | None
) -> list[tuple[str, HeaderValue]]:
    if not table.routing_headers:
        return []
    headers: list[tuple[str, HeaderValue]] = [("Mcp-Method", encode(method))]
    name = (params or {}).get(NAMED_BY.get(method, ""))
    if isinstance(name, str):
        headers.append(("Mcp-Name", encode(name)))
    arguments = (params or {}).get("arguments")
    if input_schema is not None and isinstance(arguments, Mapping):
        headers.extend(parameter_headers(input_schema, arguments))
    return headers


def _caller_headers(token: str | None, session_id: str | None) -> list[tuple[str, HeaderValue]]:
    headers: list[tuple[str, HeaderValue]] = []
    if token is not None:
        headers.append(("Authorization", f"Bearer {token}"))
    if session_id is not None:
        headers.append(("Mcp-Session-Id", session_id))
    return headers


def _http(
    url: str, message: dict[str, Any], headers: list[tuple[str, HeaderValue]], change: Overrides
) -> HttpRequest:
    if change is _CONFORMING:
        return HttpRequest("POST", url, tuple(headers), encoded(message))
    message.update(change.set_members)
    message = {key: value for key, value in message.items() if key not in change.drop_members}
    replaced = {name.lower() for name in change.set_headers}
    dropped = {name.lower() for name in change.drop_headers}
    kept = [(name, value) for name, value in headers if name.lower() not in replaced]
    kept += list(change.set_headers.items())
    kept = [(name, value) for name, value in kept if name.lower() not in dropped]
    body = encoded(message) if change.body is None else change.body
    return HttpRequest(change.http_method or "POST", url, (*kept, *change.add_headers), body)

"""Checks of the protocol: versions, headers, codes, caching hints, capabilities, schemas."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.checks.results import broken, describe, expect_rpc_error
from harness.exchanges import Era, Exchange
from harness.oracle.tool_schemas import judge_input_schema
from harness.oracle.unsaid import caching_hints
from harness.verdicts import NotTestable
from harness.wire.eras import (
    ERA_TABLES,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    UNSUPPORTED_VERSION,
)
from harness.wire.json_text import parse

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
CHANGES = ("/list_changed", "/resources/updated")
LIST_KEYS = ("tools", "resources", "resourceTemplates", "prompts", "contents")


def expect_result(exchange: Exchange) -> dict[str, Any]:
    """The request is answered by a result; returns it."""
    if exchange.result is None:
        raise broken("the request is not answered", exchange, expected="a result", actual=describe(exchange))
    return exchange.result


def expect_http(exchange: Exchange, status: int) -> None:
    """The answer has this HTTP status."""
    if exchange.status != status:
        raise broken(
            "the HTTP status is another",
            exchange,
            expected=f"HTTP {status}",
            actual=f"HTTP {exchange.status}; {describe(exchange)}",
        )


def expect_released(exchange: Exchange, era: Era) -> None:
    """MCP-01: the handshake answers with a revision of its era that somebody released."""
    version = expect_result(exchange).get("protocolVersion")
    known = ERA_TABLES[era].versions
    if version not in known:
        raise broken(
            "the handshake answers an unknown revision",
            exchange,
            expected=f"one of {', '.join(known)}",
            actual=repr(version),
        )


def expect_discovery(exchange: Exchange, version: str) -> None:
    """MCP-03: supportedVersions with this revision, and capabilities."""
    result = expect_result(exchange)
    versions, capabilities = result.get("supportedVersions"), result.get("capabilities")
    if not isinstance(versions, list) or version not in versions or not isinstance(capabilities, Mapping):
        raise broken(
            "the discovery is not complete",
            exchange,
            expected=f"supportedVersions with {version}, and capabilities",
            actual=describe(exchange),
        )


def expect_unsupported_version(exchange: Exchange, asked: str, version: str) -> None:
    """MCP-04: −32022 with HTTP 400, data.supported and data.requested."""
    error = expect_rpc_error(exchange, UNSUPPORTED_VERSION)
    expect_http(exchange, 400)
    data = error.get("data")
    supported = data.get("supported") if isinstance(data, Mapping) else None
    requested = data.get("requested") if isinstance(data, Mapping) else None
    if not isinstance(supported, list) or version not in supported or requested != asked:
        raise broken(
            "the refusal does not help to find a version",
            exchange,
            expected=f"data.supported with {version}, data.requested {asked}",
            actual=f"data {data!r}",
        )


def expect_invalid(exchange: Exchange, *, mismatch_allowed: bool) -> None:
    """−32602; or −32020 where the header holds what the body lacks (MCP-05)."""
    expect_rpc_error(exchange, INVALID_PARAMS, *((HEADER_MISMATCH,) if mismatch_allowed else ()))


def expect_header_refusal(exchange: Exchange, *, unknown_version: bool) -> None:
    """MCP-06: −32020 with HTTP 400; or −32022 where the version of the body is unknown too (MCP-04)."""
    expect_rpc_error(exchange, HEADER_MISMATCH, *((UNSUPPORTED_VERSION,) if unknown_version else ()))
    expect_http(exchange, 400)


def expect_complete(exchange: Exchange) -> None:
    """MCP-07: the result says that it is complete."""
    kind = expect_result(exchange).get("resultType")
    if kind != "complete":
        raise broken(
            "the result does not say what kind it is",
            exchange,
            expected="resultType complete",
            actual=f"resultType {kind!r}",
        )


def expect_cache_hints(exchange: Exchange) -> None:
    """MCP-08: ttlMs of zero or more, and a cacheScope."""
    result = expect_result(exchange)
    wrong = caching_hints(result)
    if wrong:
        raise broken(
            "the result does not say how it may be cached",
            exchange,
            expected="ttlMs ≥ 0 and cacheScope private or public",
            actual=", ".join(wrong),
        )


def expect_private(mine: Exchange, theirs: Exchange) -> None:
    """MCP-08: where two callers are answered differently, both answers are private; a refusal is no answer to share."""
    first, second = expect_result(mine), theirs.result or {}
    differs = any(first.get(key) != second.get(key) for key in LIST_KEYS)
    shared = [
        exchange
        for exchange in (mine, theirs)
        if exchange.result is not None and exchange.result.get("cacheScope") != "private"
    ]
    if differs and shared:
        raise broken(
            "what differs between two callers may be shared",
            shared[0],
            expected="cacheScope private",
            actual=f"cacheScope {(shared[0].result or {}).get('cacheScope')!r}",
        )


def expect_unauthorized(exchange: Exchange) -> None:
    """MCP-13: 401 with WWW-Authenticate."""
    expect_http(exchange, 401)
    if exchange.answer is None or not exchange.answer.header("www-authenticate"):
        raise broken(
            "the refusal does not say how to authenticate",
            exchange,
            expected="WWW-Authenticate",
            actual="no such header",
        )


def expect_no_message(exchange: Exchange) -> None:
    """MCP-16: what was no request is not answered by a message."""
    body = b"" if exchange.answer is None else exchange.answer.body
    if isinstance(parse(body).value, Mapping | list):
        raise broken(
            "a notification is answered",
            exchange,
            expected="no message",
            actual=body[:200].decode("utf-8", "replace"),
        )


def expect_declared(exchange: Exchange, names: Sequence[str]) -> None:
    """MCP-21: each of these is declared."""
    capabilities = expect_result(exchange).get("capabilities")
    declared = capabilities if isinstance(capabilities, Mapping) else {}
    missing = [name for name in names if not isinstance(declared.get(name), Mapping)]
    if missing:
        raise broken(
            "something that is offered is not declared",
            exchange,
            expected=", ".join(names),
            actual=f"missing: {', '.join(missing)}; declared: {dict(declared)!r}",
        )


def expect_no_changes_offered(exchange: Exchange) -> None:
    """No true `subscribe` or `listChanged` anywhere in the capabilities."""
    capabilities = expect_result(exchange).get("capabilities")
    declared = capabilities if isinstance(capabilities, Mapping) else {}
    offered = [
        f"{name}.{hint}"
        for name, value in declared.items()
        if isinstance(value, Mapping)
        for hint in ("subscribe", "listChanged")
        if value.get(hint) is True
    ]
    if offered:
        raise broken(
            "the server offers to tell of changes",
            exchange,
            expected="no subscribe, no listChanged",
            actual=", ".join(offered),
        )


def expect_schemas(tools: Sequence[tuple[Mapping[str, Any], Exchange]]) -> None:
    """MCP-14: each inputSchema is valid in its dialect (2020-12 unless it says another) and of the type object.

    Raises NotTestable where nothing is wrong but a dialect is none that is known here.
    """
    unjudged = []
    for tool, exchange in tools:
        reading = judge_input_schema(tool.get("inputSchema"))
        name = str(tool.get("name"))
        if reading.violations:
            raise broken(
                f"the inputSchema of {name} is not valid",
                exchange,
                expected="a valid JSON Schema of the type object",
                actual="; ".join(reading.violations)[:300],
            )
        if reading.unjudged is not None:
            unjudged.append(f"the inputSchema of {name}: {reading.unjudged}")
    if unjudged:
        raise NotTestable("; ".join(unjudged[:3]))


def expect_nothing_heard(exchange: Exchange) -> None:
    """RES-10: a stream of changes is refused, or acknowledged and then silent."""
    refused = exchange.error is not None or (exchange.status or 0) >= 400
    heard = [str(message.get("method")) for message in exchange.others]
    told = [method for method in heard if method != ACKNOWLEDGED]
    told += [f"honours {name}" for message in exchange.others for name in _honoured(message)]
    if told or not (refused or ACKNOWLEDGED in heard):
        raise broken(
            "a stream of changes is served",
            exchange,
            expected="a refusal, or an acknowledgement and silence",
            actual=f"{', '.join(heard)}; {describe(exchange)}",
        )


def expect_no_announcement(exchange: Exchange) -> None:
    """RES-10: beside an answer no message says that something changed."""
    heard = [str(message.get("method")) for message in exchange.others]
    announced = [method for method in heard if method.endswith(CHANGES)]
    if announced:
        raise broken(
            "a change is announced",
            exchange,
            expected="no message of changed lists or resources",
            actual=", ".join(announced),
        )


def _honoured(message: Mapping[str, Any]) -> list[str]:
    params = message.get("params")
    granted = params.get("notifications") if isinstance(params, Mapping) else None
    return [name for name, value in granted.items() if value] if isinstance(granted, Mapping) else []

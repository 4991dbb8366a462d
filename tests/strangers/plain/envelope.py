"""Reading one POST: which era it speaks, what it asks. No input or output here."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from plain.choices import USUAL, Choices

STATELESS = "2026-07-28"
HANDSHAKE = ("2025-11-25", "2025-06-18")
BEFORE_HEADERS = ("2025-03-26",)

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
RESOURCE_NOT_FOUND, HEADER_MISMATCH, UNKNOWN_VERSION = -32002, -32020, -32022

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

RequestId = str | int
BAD_REQUEST = 400


class HeaderLines(Protocol):
    """Headers, in which one name may stand on several lines."""

    def getlist(self, key: str) -> list[str]:
        """Every value of that name."""


def handshakes(choices: Choices) -> tuple[str, ...]:
    """The revisions of the handshake era that are spoken here, newest first."""
    return BEFORE_HEADERS if choices.stands("handshake") == "before_headers" else HANDSHAKE


def supported(choices: Choices) -> list[str]:
    """Every revision that is spoken here."""
    return [STATELESS, *handshakes(choices)]


class Fault(Exception):
    """A JSON-RPC error to answer with; `request_id` is None while no id could be read."""

    def __init__(
        self, code: int, message: str, data: Any = None, request_id: RequestId | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.data, self.request_id = code, message, data, request_id


class Bare(Exception):
    """A refusal by an HTTP status alone."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


@dataclass(frozen=True)
class Request:
    """A message that passed every check of its era. `id` is None for what wants no answer."""

    stateless: bool
    id: RequestId | None
    method: str
    params: Mapping[str, Any]
    meta: Mapping[str, Any]
    session: str | None

    @property
    def shows_forms(self) -> bool:
        """KADU-CNF-16: `{}` and `{"form": {}}` are forms, `{"url": {}}` alone is not; 2025 has none."""
        elicitation = self.meta.get(CAPABILITIES_KEY, {}).get("elicitation") if self.stateless else None
        return isinstance(elicitation, dict) and (
            not elicitation or isinstance(elicitation.get("form"), dict)
        )


def read_request(headers: HeaderLines, raw: bytes, choices: Choices = USUAL) -> Request:
    """Read one POST body under its headers. Raises Fault, Bare."""
    decoded = _decode(raw, choices)
    if not isinstance(decoded, dict):
        # MCP-16: neither a batch nor a bare value
        if choices.of("batch") == "http":
            raise Bare(BAD_REQUEST)
        raise Fault(INVALID_REQUEST, "Send one JSON-RPC message per POST.")
    request_id = _request_id(decoded)
    version = _only(headers, "mcp-protocol-version", request_id)
    method, params = decoded.get("method"), decoded.get("params", {})
    if decoded.get("jsonrpc") != "2.0":
        raise Fault(INVALID_REQUEST, 'Expected "jsonrpc": "2.0".', request_id=request_id)
    if method is None and version != STATELESS and ("result" in decoded or "error" in decoded):
        return Request(False, None, "", {}, {}, None)
    if not isinstance(method, str):
        raise Fault(INVALID_REQUEST, "Expected a method.", request_id=request_id)
    if not isinstance(params, dict):
        raise Fault(INVALID_PARAMS, "params must be an object.", request_id=request_id)
    given_meta = params.get("_meta", {})
    if not isinstance(given_meta, dict):
        raise Fault(INVALID_PARAMS, "params._meta must be an object.", request_id=request_id)
    meta: Mapping[str, Any] = given_meta
    stated = meta.get(VERSION_KEY)
    if version is not None and version not in supported(choices) and stated in (None, version):
        raise _unknown_version(version, request_id, choices)
    if version is None and stated is not None and choices.of("handshake") == "before_headers":
        # MCP-06: who sends no such header may be of a revision that had none
        stated = None
    if version != STATELESS:
        # MCP-06: a body of the stateless era under no header of it, or another
        if stated is not None and stated != version:
            raise Fault(
                HEADER_MISMATCH, "MCP-Protocol-Version does not match the body.", request_id=request_id
            )
        session = next(iter(headers.getlist("mcp-session-id")), None)
        return Request(False, request_id, method, params, meta, session)
    if request_id is None and "id" not in decoded:
        return Request(True, None, method, params, meta, None)
    _check_stateless(headers, request_id, method, params, meta, choices)
    return Request(True, request_id, method, params, meta, None)


def _check_stateless(
    headers: HeaderLines,
    request_id: RequestId | None,
    method: str,
    params: Mapping[str, Any],
    meta: Mapping[str, Any],
    choices: Choices,
) -> None:
    # MCP-05: what every request carries
    if VERSION_KEY not in meta and choices.of("missing_meta") == "mismatch":
        raise Fault(HEADER_MISMATCH, "The header names a version, the body none.", request_id=request_id)
    for key in (VERSION_KEY, CAPABILITIES_KEY):
        if key not in meta:
            raise Fault(INVALID_PARAMS, f"params._meta lacks {key}.", request_id=request_id)
    if not isinstance(meta[CAPABILITIES_KEY], dict):
        raise Fault(INVALID_PARAMS, f"{CAPABILITIES_KEY} must be an object.", request_id=request_id)
    if not isinstance(meta.get(CLIENT_KEY, {}), dict):
        raise Fault(INVALID_PARAMS, f"{CLIENT_KEY} must be an object.", request_id=request_id)
    # MCP-06: header and body say the same
    stated = meta[VERSION_KEY]
    if stated not in supported(choices) and choices.of("other_version") == "unknown":
        raise _unknown_version(str(stated), request_id, choices)
    if stated != STATELESS:
        raise Fault(HEADER_MISMATCH, "MCP-Protocol-Version does not match the body.", request_id=request_id)
    if _only(headers, "mcp-method", request_id) != method:
        raise Fault(HEADER_MISMATCH, "Mcp-Method does not match the body.", request_id=request_id)
    if method in NAMED_BY and NAMED_BY[method] in params:
        name = _only(headers, "mcp-name", request_id)
        if name is None or decoded_header(name) != params[NAMED_BY[method]]:
            raise Fault(HEADER_MISMATCH, "Mcp-Name does not match the body.", request_id=request_id)


def decoded_header(value: str) -> str | None:
    """The text behind `=?base64?…?=`, any other value as it is; None where that base64 is broken."""
    if not (value.startswith("=?base64?") and value.endswith("?=") and len(value) >= 11):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _decode(raw: bytes, choices: Choices) -> Any:
    try:
        decoded = json.loads(raw, parse_constant=_refuse_constant)
        if b"\\u" in raw:
            # half of a surrogate pair is no text and could not be passed on
            json.dumps(decoded, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as problem:
        if choices.of("no_json") == "http":
            raise Bare(BAD_REQUEST) from problem
        raise Fault(PARSE_ERROR, "The body is no JSON.") from problem
    return decoded


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _request_id(decoded: Mapping[str, Any]) -> RequestId | None:
    # MCP-17: text or a whole number, kept as it came
    request_id = decoded.get("id")
    if "id" in decoded and (not isinstance(request_id, str | int) or isinstance(request_id, bool)):
        raise Fault(INVALID_REQUEST, "An id is text or a whole number.")
    return request_id


def _only(headers: HeaderLines, name: str, request_id: RequestId | None) -> str | None:
    values = headers.getlist(name)
    if len(values) > 1:
        raise Fault(HEADER_MISMATCH, f"{name} came more than once.", request_id=request_id)
    return values[0] if values else None


def _unknown_version(version: str, request_id: RequestId | None, choices: Choices) -> Fault:
    # MCP-04
    data = {"requested": version, "supported": supported(choices)}
    return Fault(UNKNOWN_VERSION, "This protocol version is not spoken here.", data, request_id)

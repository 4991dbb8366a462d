"""One request as it came by HTTP, and the messages that answer it. No input or output here."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any

NEW, OLD = "2026-07-28", "2025-11-25"
PREFIX = "io.modelcontextprotocol/"
ABOUT = {"name": "kadu-own-clock", "version": "3.1.4"}

UNREADABLE, NO_REQUEST, NO_METHOD, BAD_PARAMS = -32700, -32600, -32601, -32602
INTERNAL, NOT_FOUND_OLD, OTHER_HEADER, OTHER_VERSION = -32603, -32002, -32020, -32022
NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

# KADU-CNF-11, KADU-RES-08: what is longer than this is no state and no address; HTTP says so.
LONGEST_BODY = 60_000
LONGEST_NAME = 2_000


class Refused(Exception):
    """A request that is answered by a JSON-RPC error, under `status` in the stateless era."""

    def __init__(self, code: int, message: str, data: Any = None, status: int = 400) -> None:
        super().__init__(message)
        self.code, self.data, self.status = code, data, status


class RefusedByHttp(Exception):
    """A request that is answered by a bare HTTP status, and headers."""

    def __init__(self, status: int, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"HTTP {status}")
        self.status, self.headers = status, headers or {}


@dataclass(frozen=True)
class Asked:
    """A request that may be served. `id` is absent from a notification: then `wants_answer` is false."""

    new: bool
    method: str
    params: Mapping[str, Any]
    id: Any = None
    wants_answer: bool = True
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def forms(self) -> bool:
        """KADU-CNF-16: whether this client can show a form."""
        capabilities = self.meta.get(f"{PREFIX}clientCapabilities")
        declared = capabilities.get("elicitation") if self.new and isinstance(capabilities, dict) else None
        return isinstance(declared, dict) and ("form" in declared or declared == {})


def parse(raw: bytes) -> dict[str, Any]:
    """The JSON-RPC message in a body. Raises Refused."""
    try:
        message = json.loads(raw)
    except (ValueError, RecursionError) as problem:
        raise Refused(UNREADABLE, "This is not JSON") from problem
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Refused(NO_REQUEST, "One JSON-RPC 2.0 message per request, please")
    return message


def id_of(message: Mapping[str, Any]) -> Any:
    """The id of a message where it has a good one, else None."""
    found = message.get("id")
    return found if isinstance(found, str) or type(found) is int else None


def read(headers: Message, message: Mapping[str, Any]) -> Asked:
    """What a message asks under its headers. Raises Refused, RefusedByHttp."""
    version = headers.get("MCP-Protocol-Version", OLD)
    if version not in (NEW, OLD):
        raise Refused(
            OTHER_VERSION, f"{version} is not spoken here", {"supported": [OLD, NEW], "requested": version}
        )
    new = version == NEW
    if "method" not in message and ("result" in message or "error" in message):
        return Asked(new, "", {}, wants_answer=False)
    method, params = message.get("method"), message.get("params", {})
    if not isinstance(method, str) or ("id" in message and id_of(message) is None):
        raise Refused(NO_REQUEST, "A request has a method, and an id that is text or a whole number")
    if not isinstance(params, dict) or not isinstance(params.get("_meta", {}), dict):
        raise Refused(BAD_PARAMS, "params and _meta are objects")
    asked = Asked(new, method, params, id_of(message), "id" in message, params.get("_meta", {}))
    if not new and asked.meta.get(f"{PREFIX}protocolVersion", OLD) != OLD:
        raise Refused(OTHER_HEADER, "The version of the header is not that of the body")
    if new and asked.wants_answer:
        _same(headers, asked)
    return asked


def _same(headers: Message, asked: Asked) -> None:
    """MCP-05, MCP-06: all that a stateless request carries, in header and body alike."""
    for key in ("protocolVersion", "clientCapabilities"):
        if PREFIX + key not in asked.meta:
            raise Refused(BAD_PARAMS, f"_meta has no {PREFIX}{key}")
    if not isinstance(asked.meta[f"{PREFIX}clientCapabilities"], dict):
        raise Refused(BAD_PARAMS, "clientCapabilities is an object")
    pairs = [
        ("MCP-Protocol-Version", asked.meta[f"{PREFIX}protocolVersion"]),
        ("Mcp-Method", asked.method),
    ]
    wanted = asked.params.get(NAMES.get(asked.method, ""))
    if wanted is not None:
        if isinstance(wanted, str) and len(wanted) > LONGEST_NAME:
            raise RefusedByHttp(414)
        pairs.append(("Mcp-Name", wanted))
    for name, value in pairs:
        lines = headers.get_all(name) or []
        if len(lines) != 1 or _plain(str(lines[0])) != value:
            raise Refused(OTHER_HEADER, f"{name} and the body differ")


def _plain(line: str) -> str | None:
    if line.startswith("=?base64?") and line.endswith("?="):
        try:
            return base64.b64decode(line[9:-2], validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            return None
    # Python reads header lines as Latin-1; what is sent as UTF-8 is that all the same.
    return line.encode("latin-1", "replace").decode("utf-8", "replace")


def succeeded(asked: Asked, result: Mapping[str, Any], kind: str = "complete") -> dict[str, Any]:
    """The message that carries a result, as its era wants it."""
    told = {**result, "resultType": kind} if asked.new else dict(result)
    return {"jsonrpc": "2.0", "id": asked.id, "result": told}


def failed(refused: Refused, request_id: Any) -> dict[str, Any]:
    """The message that carries an error."""
    error: dict[str, Any] = {"code": refused.code, "message": str(refused)}
    if refused.data is not None:
        error["data"] = refused.data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}

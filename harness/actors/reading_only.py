"""The guard of `--read-only`: what may be sent to a real system, decided on the very bytes that would go out.

A server's own `readOnlyHint` is not believed: a tool reads when its documented name says so.
"""

import json
import re
from typing import Any, Final

from harness.exchanges import HttpRequest
from harness.wire.header_values import decode

READING_TOOL: Final = re.compile(r"[A-Za-z0-9_]+_(get|list)")
CALL: Final = "tools/call"
READING_METHODS: Final = frozenset(
    {
        "completion/complete",
        "initialize",
        "notifications/initialized",
        "ping",
        "prompts/get",
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "server/discover",
        "tools/list",
    }
)


def refusal(request: HttpRequest) -> str | None:
    """Why this request must not be sent to a real system, in a few words; None where it only reads.

    One JSON-RPC message that reads, by POST, each key once, and headers that name nothing else: whichever of them a
    server goes by, nothing runs.
    """
    if request.method != "POST":
        return f"no HTTP {request.method}"
    try:
        message = json.loads(request.body, object_pairs_hook=_once)
    except ValueError:
        return "nothing but plain JSON"
    if not isinstance(message, dict):
        return "no batch"
    method, params = message.get("method"), message.get("params")
    named = params.get("name") if isinstance(params, dict) else None
    if method == CALL:
        if not isinstance(named, str) or not READING_TOOL.fullmatch(named):
            return f"no call of {str(named)[:80]!r}, only of tools named get or list"
    elif method not in READING_METHODS:
        return f"no {str(method)[:80]!r}"
    return _misleading(request, str(method), named)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _misleading(request: HttpRequest, method: str, named: object) -> str | None:
    # A server may go by the headers: they must not name what the body does not.
    for name, value in request.headers:
        told = decode(value if isinstance(value, str) else value.decode("latin-1"))
        if name.lower() == "mcp-method" and told != method:
            return "no header that names another method"
        if name.lower() == "mcp-name" and method == CALL and told != named:
            return "no header that names another tool"
    return None

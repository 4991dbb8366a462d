"""Messages to be judged, and the shortest way to have a result judged."""

from typing import Any

from harness.oracle import judge

OLD, NEW = "2025-11-25", "2026-07-28"
TEXT = {"type": "text", "text": "t"}
HINTS = {"ttlMs": 0, "cacheScope": "private"}
BASE64 = "Ynl0ZXM="


def response(result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": result}


def verdict(method: str, version: str, result: Any) -> list[str]:
    typed = {"resultType": "complete"} if version == NEW and isinstance(result, dict) else {}
    return judge(method, version, response({**typed, **result} if isinstance(result, dict) else result))


def tool(**more: Any) -> dict[str, Any]:
    return {"name": "t", "inputSchema": {"type": "object"}, **more}


def note(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}

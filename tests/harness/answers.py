"""Answers to a tool call, as checks are given them."""

from typing import Any

from harness.exchanges import Exchange, HttpAnswer, HttpRequest


def answered(result: dict[str, Any]) -> Exchange:
    """A call that was answered with that result."""
    return Exchange(
        1,
        "client",
        "tools/call",
        HttpRequest("POST", "http://127.0.0.1/mcp", ()),
        HttpAnswer(200, (), b""),
        None,
        0.0,
        "tools/call",
        "2026-07-28",
        {"jsonrpc": "2.0", "id": 1, "result": result},
    )

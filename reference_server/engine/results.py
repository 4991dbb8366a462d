"""Tool results: JSON in a text block, the same as structured content, errors by their documented code."""

import json
import re
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, TextContent

from .upstream import Answer

UPSTREAM_UNAVAILABLE = "upstream_unavailable"
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_MESSAGE_LIMIT = 500


def done(body: Any) -> CallToolResult:
    """The result of an operation that was done: its body and nothing else.

    IDM-09: no header of the upstream comes here, so no trace of a replay can.
    """
    content = {} if body is None else body
    return CallToolResult(
        content=[TextContent(text=json.dumps(content, ensure_ascii=False))],
        structured_content=content if isinstance(content, dict) else None,
    )


def refused(code: str, message: str) -> CallToolResult:
    """An error result with that code; nothing was done."""
    body = {"error": {"code": code, "message": message[:_MESSAGE_LIMIT]}}
    return CallToolResult(
        content=[TextContent(text=json.dumps(body, ensure_ascii=False))],
        structured_content=body,
        is_error=True,
    )


def failed(answer: Answer, codes: Mapping[str, str]) -> CallToolResult:
    """The error result of an operation the upstream refused, under the documented name of its code."""
    code = answer.code
    if answer.status >= 500 or code is None or _CODE.fullmatch(code) is None:
        return unavailable()
    return refused(codes.get(code, code), answer.detail or code)


def unavailable() -> CallToolResult:
    """The error result where the upstream does not answer, or not usefully."""
    return refused(UPSTREAM_UNAVAILABLE, "A API não respondeu como deveria. Tente de novo em instantes.")

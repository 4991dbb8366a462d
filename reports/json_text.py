"""Data as JSON text that is safe to look at: nothing in it steers a terminal, reorders or hides text."""

import json

from reports.visible import visible


def compact(value: object) -> str:
    """`value` as JSON on one line."""
    return _safe(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def laid_out(value: object) -> str:
    """`value` as JSON for people too, with a new line at its end."""
    return _safe(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)) + "\n"


def _safe(text: str) -> str:
    # Whatever is not ASCII stands within strings, and there an escape means the same character.
    return visible(text, _escape)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xD800 <= code < 0xE000:
        # A lone surrogate is no character, and many readers refuse one.
        return "\\ufffd"
    return json.dumps(character)[1:-1] if code != 0x7F else "\\u007f"

"""Text from outside made harmless to look at: what steers a terminal, reorders or hides text becomes an escape."""

import re
from collections.abc import Callable

# C0 but tab and newline, DEL, C1, soft hyphen, bidi marks and overrides, zero-width and invisible operators, line
# and paragraph separators, BOM, interlinear marks, tag characters, surrogates, noncharacters.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    "\ufffe\uffff\ufdd0-\ufdef\ud800-\udfff\U000e0000-\U000e0fff"
    + "".join(f"{chr(plane | 0xFFFE)}{chr(plane | 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
    + "]"
)


def escape_of(character: str) -> str:
    r"""The character as an escape: \x1b, \u202e, \U000e0041."""
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str, escape: Callable[[str], str] = escape_of) -> str:
    """`text` with every unseen character replaced by `escape` of it; tabs and newlines stay.

    The result is encodable in UTF-8 and holds only characters that XML 1.0 allows.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda match: escape(match[0]), text.replace("\r\n", "\n"))


def one_line(text: str, limit: int = 300) -> str:
    """`text` visible, on one line, of at most `limit` characters and an ellipsis."""
    short = text if len(text) <= limit else f"{text[:limit]}…"
    return visible(short.replace("\r\n", "\n").replace("\n", "⏎").replace("\t", " "))

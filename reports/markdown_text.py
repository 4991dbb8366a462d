"""Text from outside as Markdown that shows it and does nothing else, in whatever renders Markdown on a CI page."""

import re

from reports.visible import one_line, visible

_BREAK = "&#8203;"
# What CommonMark and its tables read as markup.
_MARKUP = re.compile(r"([\\`*_{}\[\]()|^$~])")
# A sign that a forge makes a mention, an issue, a link or a picture of, when something follows it at once. The text
# that is shown is what is searched for these, so an escape is not enough: the sign and what follows are kept apart.
_REFERENCE = re.compile(r"([@#!$%~:])(?=\S)|(?<=\b[wW]{3})(?=\.)")
# A list, a heading or a quotation begins so.
_START = re.compile(r"^(\s*)([-+=#]|\d+(?=[.)]))")


def inline(text: str, limit: int = 300) -> str:
    """`text` as one line of plain words, for a paragraph, a list item or the cell of a table."""
    # Cut once more, for what cannot be seen has grown to an escape.
    short = one_line(text.strip(), limit)[: limit + 1].strip()
    short = short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    pieces = re.split(r"(&(?:amp|lt|gt);)", short)
    plain = "".join(piece if index % 2 else _plain(piece) for index, piece in enumerate(pieces))
    return _START.sub(lambda found: f"{found[1]}{_BREAK}{found[2]}", plain)


def _plain(text: str) -> str:
    kept_apart = _REFERENCE.sub(lambda found: f"{found[1] or ''}\0", text)
    return _MARKUP.sub(r"\\\1", kept_apart).replace("\0", _BREAK)


def block(text: str, limit: int, height: int, indent: str = "") -> str:
    """`text` as a code block of at most `limit` characters and `height` lines, each line behind `indent`."""
    shown = visible(text[:limit])
    lines = shown[:limit].split("\n")
    if len(text) > limit or len(shown) > limit or len(lines) > height:
        lines = [*lines[:height], "… cut here"]
    longest = max((len(run) for run in re.findall("`+", "\n".join(lines))), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join(indent + line for line in (f"{fence}text", *lines, fence))

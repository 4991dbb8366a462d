"""Untrusted text on a page: escaped, apart from what stands around it, and with nothing hidden in it."""

import re

from markupsafe import Markup, escape

# Controls, joiners, marks of direction, tags: what would not be seen, or would turn around what is seen.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


def visible(text: str) -> Markup:
    """The text within its own direction; what cannot be seen is named by its code point."""
    return Markup("<bdi>{}</bdi>").format(Markup(_HIDDEN.sub(_named, str(escape(text)))))


def _named(match: re.Match[str]) -> str:
    return f'<span class="hidden-mark">U+{ord(match[0]):04X}</span>'

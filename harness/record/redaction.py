"""Secrets taken out by value, in every form in which they may have travelled, before anything is written."""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote, quote_plus

MARK: Final = "«secret»"
# Shorter values would be found in ordinary words, and nothing so short protects anything.
SHORTEST: Final = 6
UNGUESSABLE: Final = 20
# Longer ones are taken out piece by piece, as far as any text of a record goes: what a server calls a secret may have
# any length. Pieces of a multiple of three bytes are found in base64 too.
PIECE: Final = 3072
PIECES: Final = 64
# Characters that stand for none; no text holds them afterwards. One goes between texts that are searched together, one
# holds the place of the mark until the end, so that a secret like a word of the mark is not found in it again.
_BETWEEN: Final = "\ufdd0"
_PLACE: Final = "\ufdd1"
_UNKNOWN: Final = "\ufffd"
_REMEMBERED: Final = 256
# What looks the same in a URL, in JSON and in HTML.
_SAME_EVERYWHERE: Final = re.compile(r"[A-Za-z0-9_.~-]+")
_HEX: Final = re.compile(r"%[0-9A-F]{2}")


def pieces(secret: str) -> list[str]:
    """The secret itself, or a long one cut into pieces."""
    return [secret[at : at + PIECE] for at in range(0, min(len(secret), PIECE * PIECES), PIECE)]


def opened_by(secret: str) -> list[str]:
    """What of a secret is enough to open its door: of an address also what is unguessable at its end, else its path."""
    if not secret.startswith(("http://", "https://")):
        return [secret]
    path = "/" + secret.partition("://")[2].partition("/")[2]
    last = path.rpartition("/")[2]
    return [secret, last if len(last) >= UNGUESSABLE else path]


def forms(secret: str) -> tuple[str, ...]:
    """The secret as it is, and encoded for URLs, JSON, HTML and in base64."""
    return _known_forms(secret) if len(secret) <= _REMEMBERED else _forms(secret)


@lru_cache(maxsize=8192)
def _known_forms(secret: str) -> tuple[str, ...]:
    return _forms(secret)


def _forms(secret: str) -> tuple[str, ...]:
    raw = secret.encode("utf-8", "surrogatepass")
    clean = raw.decode("utf-8", "replace")
    encoded = [base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()]
    encoded += [text.rstrip("=") for text in encoded]
    encoded += [quote(text, safe="") for text in encoded]
    if _SAME_EVERYWHERE.fullmatch(clean):
        return tuple(dict.fromkeys([clean, *encoded]))
    escaped = [json.dumps(clean)[1:-1], json.dumps(clean, ensure_ascii=False)[1:-1]]
    escaped += [text.replace("/", "\\/") for text in escaped]
    escaped += [json.dumps(text)[1:-1] for text in escaped]
    quoted = [quote(raw, safe=safe) for safe in ("", "/", "!*'()", "/:", "/!*'()~:@,;=&+$")] + [
        quote_plus(raw)
    ]
    quoted += [_HEX.sub(lambda found: found[0].lower(), text) for text in quoted]
    quoted += [quote(text, safe="") for text in quoted]
    marked = [html.escape(clean), html.escape(clean, quote=False)]
    marked += [text.replace("&#x27;", "&#39;").replace("&quot;", "&#34;") for text in marked]
    return tuple(dict.fromkeys([clean, *escaped, *quoted, *marked, *encoded]))


class Redactor:
    """Takes a set of secrets out of texts and of whatever holds texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        opening = {one for secret in secrets for one in opened_by(secret)}
        parts = {part for one in opening for part in pieces(one) if len(part) >= SHORTEST}
        found = {form for part in parts for form in forms(part)}
        # The longest first: a secret may contain another, and no remainder of it may stay.
        self._forms = sorted(found, key=lambda form: (-len(form), form))

    @property
    def longest(self) -> int:
        """The length of the longest text that is taken out in one."""
        return len(self._forms[0]) if self._forms else 0

    def text(self, text: str) -> str:
        """The text without any secret; what cannot be written as UTF-8 is replaced too."""
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode("utf-8").replace(_PLACE, _UNKNOWN)
        for form in self._forms:
            text = text.replace(form, _PLACE)
        return text.replace(_PLACE, MARK)

    def ending(self, text: str) -> str:
        """The text, where it was cut within a secret, without what is left of that: what shows half of one or more.

        An ellipsis or quotes may stand behind the cut.
        """
        bare = text.rstrip("…'\"")
        for form in self._forms:
            half = (len(form) + 1) // 2
            at = bare.rfind(form[:half])
            if at >= 0 and form.startswith(bare[at:]):
                return bare[:at] + MARK + text[len(bare) :]
        return text

    def data(self, value: Any) -> Any:
        """The same JSON data, every text in it without any secret; the keys of objects are left."""
        texts = [text.replace(_BETWEEN, _UNKNOWN) for text in _texts(value)]
        clean = iter(self.text(_BETWEEN.join(texts)).split(_BETWEEN))
        return _rebuilt(value, clean)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _rebuilt(value: Any, texts: Iterator[str]) -> Any:
    if isinstance(value, str):
        return next(texts)
    if isinstance(value, dict):
        return {key: _rebuilt(inner, texts) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rebuilt(inner, texts) for inner in value]
    return value

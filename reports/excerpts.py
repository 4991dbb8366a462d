"""Bodies cut to a readable size, JSON laid out without changing a single token of it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_DEEPEST = 40


@dataclass(frozen=True)
class Excerpt:
    """The beginning of a text, and a sentence about what is left out ("" when nothing is)."""

    text: str
    note: str = ""
    json: bool = False


def excerpt(text: str, limit: int, *, cut: bool = False) -> Excerpt:
    """At most `limit` characters of `text`, laid out when it is JSON or an event stream of JSON.

    `cut` says that the record itself holds the beginning only.
    """
    is_json = _is_json(text, cut)
    whole = _laid_out(text, limit) if is_json else _events(text, limit)
    shown = whole[:limit]
    if len(whole) > limit:
        more = "or more " if cut else ""
        return Excerpt(shown, f"cut here; it has {len(text):,} {more}characters", is_json)
    return Excerpt(shown, "cut here; the record holds no more of it" if cut else "", is_json)


def tail(text: str, limit: int) -> Excerpt:
    """At most the last `limit` characters of `text`: of a traceback or a log the end matters."""
    if len(text) <= limit:
        return Excerpt(text)
    return Excerpt(text[-limit:], f"the last {limit:,} of {len(text):,} characters")


def _is_json(text: str, cut: bool) -> bool:
    if text.lstrip()[:1] not in ("{", "["):
        return False
    if cut:
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _events(text: str, limit: int) -> str:
    """An event stream with the JSON of its data lines laid out; any other text as it is."""
    if "data:" not in text[:limit]:
        return text
    lines = []
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        laid_out = line.startswith("data:") and _is_json(data, cut=False)
        lines.append(f"data: {_laid_out(data, limit)}" if laid_out else line)
    return "\n".join(lines)


def _laid_out(text: str, limit: int) -> str:
    """`text` indented by its own tokens: order, doubled keys, escapes and numbers stay as they came."""
    pieces: list[str] = []
    length = 0
    for piece in _pieces(text):
        pieces.append(piece)
        length += len(piece)
        # Brackets can nest a hundred thousand deep: stop as soon as there is more than is shown.
        if length > limit:
            break
    return "".join(pieces)


def _pieces(text: str) -> Iterator[str]:
    depth = 0
    opened = False
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in ("}", "]"):
            depth = max(0, depth - 1)
            yield token if opened else _new_line(depth) + token
            opened = False
            continue
        if opened:
            yield _new_line(depth)
        opened = token in ("{", "[")
        depth += opened
        yield {",": f",{_new_line(depth)}", ":": ": "}.get(token, token)


def _new_line(depth: int) -> str:
    return "\n" + "  " * min(depth, _DEEPEST)

"""The page: one HTML file that needs no network, runs nothing but its own script and interprets nothing it quotes."""

import base64
import hashlib
import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from reports import page
from reports.evidence import broken
from reports.excerpts import Excerpt, excerpt, tail
from reports.headline import number
from reports.judgement import NO_SCENARIO, NOT_REACHED, Judgement
from reports.verdicts import MEANINGS, Verdict
from reports.visible import one_line, visible

if TYPE_CHECKING:
    from jinja2 import Environment

LEVELS = {"M": "must", "D": "derived", "A": "advice"}
LEVEL_MEANINGS = {
    "M": "the document says it",
    "D": "it follows from the document, or the protocol demands it",
    "A": "not followed, it warns and never fails",
}
_TOKENS = re.compile(r'("(?:[^"\\]|\\.)*"?)(\s*:)?|\b(true|false|null|-?\d[\d.eE+-]*)\b', re.DOTALL)
_ANCHOR = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,80}")


def render(judgement: Judgement) -> bytes:
    """The page of a judged run, UTF-8."""
    evidence = page.evidence(judgement)
    style, script = _part("report.css"), _part("report.js")
    csp = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    text = (
        _environment()
        .get_template("report.html.j2")
        .render(
            csp=csp,
            style=Markup(style),
            script=Markup(script),
            judgement=judgement,
            run=judgement.run,
            header=judgement.run.header,
            footer=judgement.run.footer,
            eras=page.eras(judgement.run),
            groups=page.groups(judgement),
            segments=page.segments(judgement),
            evidence=evidence.scenarios,
            sightings=evidence.sightings,
            few=page.SIGHTINGS,
            unjudged=NOT_REACHED if judgement.run.incomplete else NO_SCENARIO,
            verdicts=Verdict,
            meanings=MEANINGS,
            levels=LEVELS,
            level_meanings=LEVEL_MEANINGS,
        )
    )
    return text.encode("utf-8")


def _part(name: str) -> str:
    return (files("reports") / "templates" / name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": shown,
        "line": line,
        "code": code,
        "excerpt": excerpt,
        "tail": tail,
        "anchor": anchor,
        "slug": lambda verdict: str(verdict).replace(" ", "-"),
        "moment": page.moment,
        "duration": page.duration,
        "number": number,
        "broken": broken,
        "quiet": page.quiet,
        "loud": page.loud,
        "why": page.why,
    }
    return environment


def _badge(character: str) -> str:
    """A character that cannot be seen, as a badge with its code point."""
    name = unicodedata.name(character, "control character" if ord(character) < 0xA0 else "no character")
    return f'<span class="u" title="{escape(name.lower())}">U+{ord(character):04X}</span>'


def shown(text: str) -> Markup:
    """Escaped text with badges for what cannot be seen, for element content."""
    return Markup(visible(str(escape(text)), _badge))


def line(text: str, limit: int = 300) -> str:
    """One line of plain text, for element content and attributes; the template escapes it."""
    return one_line(text, limit)


def code(short: Excerpt) -> Markup:
    """A body for element content, and nowhere else: badges for what cannot be seen, keys and values of JSON marked.

    Quotes stay as they are, for they mean nothing in element content and JSON is full of them.
    """
    # Escaping comes first: no token of JSON begins or ends within one of the three escapes.
    text = short.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if short.json:
        text = _TOKENS.sub(_marked, text)
    return Markup(visible(text, _badge))


def _marked(match: re.Match[str]) -> str:
    string, colon, word = match.groups()
    if word:
        return f'<span class="n">{word}</span>'
    return f'<span class="k">{string}</span>{colon}' if colon else string


def anchor(text: str) -> str:
    """An id for an element: the text itself where it can be one, so that links to a rule last."""
    if _ANCHOR.fullmatch(text):
        return text
    return f"x{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"

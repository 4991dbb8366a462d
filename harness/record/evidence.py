"""Exchanges and findings as they stand in the record."""

from collections.abc import Iterable
from typing import Any, Final

from harness.exchanges import Exchange
from harness.record.redaction import Redactor
from harness.verdicts import Finding

BODY_LIMIT: Final = 64 * 1024
URL_LIMIT: Final = 8 * 1024
WORDS_LIMIT: Final = 2000


def exchange_lines(exchanges: Iterable[Exchange], redactor: Redactor) -> list[dict[str, Any]]:
    """The exchanges as JSON data: secrets taken out first, then bodies cut, so that no half of a secret is left."""
    given = list(exchanges)
    margin = redactor.longest
    lines: list[dict[str, Any]] = redactor.data([_exchange(exchange, margin) for exchange in given])
    for line in lines:
        for side in (line["request"], line["answer"]):
            if side is not None:
                side["body"], over = _cut(side["body"], BODY_LIMIT, margin, tail=side.pop("tail"))
                if side["cut"]:
                    side["body"] = redactor.ending(side["body"])
                side["cut"] = side["cut"] or over
        url, request = line["request"]["url"], line["request"]
        request["url"] = _cut(url, URL_LIMIT, margin, tail=request.pop("url_tail"))[0]
    return lines


def _cut(text: str, limit: int, margin: int, *, tail: bool) -> tuple[str, bool]:
    """A text without secrets, cut. What was cut before, a margin behind the limit, may end in half of a secret."""
    whole = text[: max(len(text) - margin, 0)] if tail else text
    return whole[:limit], tail or len(whole) > limit


def finding_lines(findings: Iterable[Finding], redactor: Redactor) -> list[dict[str, Any]]:
    """The findings as JSON data, their rules and numbers as they are, their words cut and without secrets."""
    return [
        {
            **finding.to_json(),
            **{name: words(getattr(finding, name), redactor) for name in ("message", "expected", "actual")},
        }
        for finding in findings
    ]


def words(text: str, redactor: Redactor) -> str:
    """A sentence or two for the record: cut, without secrets, without half of one where it was cut before."""
    margin = redactor.longest
    beginning = text[: WORDS_LIMIT + margin]
    clean, over = _cut(redactor.text(beginning), WORDS_LIMIT, margin, tail=len(beginning) < len(text))
    return f"{clean}…" if over else redactor.ending(clean)


def _exchange(exchange: Exchange, margin: int) -> dict[str, Any]:
    """An exchange with a margin behind each limit, so that secrets that reach over it are found."""
    request, answer = exchange.request, exchange.answer
    asked, asked_tail = _beginning(request.body, BODY_LIMIT + margin)
    told, told_tail = _beginning(b"" if answer is None else answer.body, BODY_LIMIT + margin)
    url, url_tail = request.url[: URL_LIMIT + margin], len(request.url) > URL_LIMIT + margin
    return {
        "number": exchange.number,
        "actor": exchange.actor,
        "label": exchange.label,
        "seconds": round(exchange.seconds, 6),
        "request": {
            "method": request.method,
            "url": url,
            "url_tail": url_tail,
            "headers": [[name, _text(value)] for name, value in request.headers],
            "body": asked,
            "cut": False,
            "tail": asked_tail,
        },
        "answer": None
        if answer is None
        else {
            "status": answer.status,
            "headers": [[name, value] for name, value in answer.headers],
            "body": told,
            "cut": answer.cut,
            "tail": told_tail,
        },
        "problem": exchange.problem,
    }


def _beginning(body: bytes, limit: int) -> tuple[str, bool]:
    """The first characters of a body, and whether it goes on behind them."""
    text = _text(body[: 4 * limit])
    return text[:limit], len(text) > limit or len(body) > 4 * limit


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

"""Exchanges and findings as they stand in the record."""

from collections.abc import Iterable
from typing import Any, Final

from harness.exchanges import Exchange
from harness.record.redaction import Redactor
from harness.verdicts import Finding

BODY_LIMIT: Final = 64 * 1024


def exchange_lines(exchanges: Iterable[Exchange], redactor: Redactor) -> list[dict[str, Any]]:
    """The exchanges as JSON data: secrets taken out first, then bodies cut, so that no half of a secret is left."""
    lines: list[dict[str, Any]] = redactor.data([_exchange(exchange) for exchange in exchanges])
    for line in lines:
        for side in (line["request"], line["answer"]):
            if side is not None and len(side["body"]) > BODY_LIMIT:
                side["body"], side["cut"] = side["body"][:BODY_LIMIT], True
    return lines


def finding_lines(findings: Iterable[Finding], redactor: Redactor) -> list[dict[str, Any]]:
    """The findings as JSON data, their rules and numbers as they are, their words without secrets."""
    return [
        {
            **finding.to_json(),
            **redactor.data({k: getattr(finding, k) for k in ("message", "expected", "actual")}),
        }
        for finding in findings
    ]


def _exchange(exchange: Exchange) -> dict[str, Any]:
    request, answer = exchange.request, exchange.answer
    return {
        "number": exchange.number,
        "actor": exchange.actor,
        "label": exchange.label,
        "seconds": round(exchange.seconds, 6),
        "request": {
            "method": request.method,
            "url": request.url,
            "headers": [[name, _text(value)] for name, value in request.headers],
            "body": _text(request.body),
            "cut": False,
        },
        "answer": None
        if answer is None
        else {
            "status": answer.status,
            "headers": [[name, value] for name, value in answer.headers],
            "body": _text(answer.body),
            "cut": answer.cut,
        },
        "problem": exchange.problem,
    }


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

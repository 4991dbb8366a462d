"""What a tool call came to: a success, an error result, a protocol error, a refusal by HTTP; and the code it carries."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from harness.exchanges import Exchange
from harness.verdicts import Finding, RuleBroken
from harness.wire.json_text import parse

_DEPTH = 12


def broken(message: str, exchange: Exchange | None, *, expected: str, actual: str) -> RuleBroken:
    """The one constructor of a broken rule from an exchange."""
    number = None if exchange is None else exchange.number
    return RuleBroken(Finding(message, expected=expected, actual=actual, exchange=number))


def describe(exchange: Exchange) -> str:
    """What came back, in a few words."""
    if exchange.answer is None:
        return exchange.problem or "no answer"
    if exchange.message is None:
        why = [*filter(None, [exchange.problem]), *exchange.malformed[:3]]
        return f"HTTP {exchange.status}; " + ("; ".join(why) or "no message")
    if exchange.error is not None:
        data = exchange.error.get("data")
        return (
            f"error {exchange.error.get('code')}: {str(exchange.error.get('message'))[:300]} data={data!r}"[
                :700
            ]
        )
    return f"result {json.dumps(exchange.message.get('result'), ensure_ascii=False, default=str)}"[:700]


def is_question(exchange: Exchange) -> bool:
    """True when the answer asks for input (`resultType: input_required`)."""
    return exchange.result is not None and exchange.result.get("resultType") == "input_required"


def is_error_result(exchange: Exchange) -> bool:
    """True when the answer is a tool result marked `isError`."""
    return exchange.result is not None and exchange.result.get("isError") is True


def is_success(exchange: Exchange) -> bool:
    """True when the answer is a complete tool result that is no error."""
    return (
        exchange.result is not None
        and not is_question(exchange)
        and exchange.result.get("isError") is not True
    )


def is_refusal(exchange: Exchange) -> bool:
    """True when the answer is a clear no: an error result, a JSON-RPC error or an HTTP error."""
    if exchange.answer is None:
        return False
    return is_error_result(exchange) or exchange.error is not None or exchange.answer.status >= 400


def texts(exchange: Exchange) -> list[str]:
    """The text blocks of a tool result."""
    content = (exchange.result or {}).get("content")
    blocks = content if isinstance(content, list) else []
    return [
        block["text"]
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]


def documents(exchange: Exchange) -> Iterator[Any]:
    """Every JSON document a tool result holds: structuredContent first, then text blocks that are JSON."""
    structured = (exchange.result or {}).get("structuredContent")
    if structured is not None:
        yield structured
    for text in texts(exchange):
        parsed = parse_json(text)
        if parsed is not None:
            yield parsed


def parse_json(text: str) -> Any:
    """The JSON document in a text, None where the text is none."""
    return parse(text.encode("utf-8", "replace")).value


def codes_of(exchange: Exchange, known: Sequence[str]) -> set[str]:
    """The documented codes that a tool result carries: by an exact field, else as whole words of its text.

    Fields looked at: `code`, `error.code`, `errors[].code`, in structuredContent or in a JSON text block.
    """
    exact = {code for document in documents(exchange) for code in _exact_codes(document) if code in known}
    if exact:
        return exact
    words = {word for text in texts(exchange) for word in re.findall(r"\w+", text)}
    return words & set(known)


def _exact_codes(document: Any) -> Iterator[str]:
    if not isinstance(document, dict):
        return
    candidates = [document.get("code"), document.get("error")]
    error = document.get("error")
    if isinstance(error, dict):
        candidates.append(error.get("code"))
    errors = document.get("errors")
    listed = errors if isinstance(errors, list) else []
    candidates += [item.get("code") if isinstance(item, dict) else item for item in listed]
    yield from (candidate for candidate in candidates if isinstance(candidate, str))


def expect_code(exchange: Exchange, code: str, known: Sequence[str]) -> None:
    """The answer is an error result that carries this documented code and no other."""
    wanted = f"a tool result with isError and the code {code}"
    if not is_error_result(exchange):
        raise broken(
            "the call is not refused as documented", exchange, expected=wanted, actual=describe(exchange)
        )
    found = codes_of(exchange, known)
    if found != {code}:
        named = ", ".join(sorted(found)) or "no documented code"
        raise broken(
            "the error result does not carry the documented code",
            exchange,
            expected=wanted,
            actual=f"{named}: {describe(exchange)}",
        )


def expect_success(exchange: Exchange) -> None:
    """The answer is a complete result without an error."""
    if not is_success(exchange):
        raise broken(
            "the call does not succeed",
            exchange,
            expected="a complete result, no error",
            actual=describe(exchange),
        )


def expect_refusal(exchange: Exchange) -> None:
    """The answer is a clear no of any kind; a question or a silence is none."""
    if not is_refusal(exchange):
        raise broken(
            "the call is not refused",
            exchange,
            expected="an error result, a JSON-RPC error or an HTTP error",
            actual=describe(exchange),
        )


def expect_rpc_error(exchange: Exchange, *allowed: int) -> dict[str, Any]:
    """The answer is a JSON-RPC error with one of these codes; returns the error."""
    error = exchange.error
    wanted = " or ".join(str(code) for code in allowed)
    if error is None or error.get("code") not in allowed:
        raise broken(
            "the request is not answered by the right error",
            exchange,
            expected=f"a JSON-RPC error with code {wanted}",
            actual=describe(exchange),
        )
    return error

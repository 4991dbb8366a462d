"""Two answers of one operation: whether the second is the first again."""

import json
from collections.abc import Iterator
from typing import Any

from harness.checks.results import broken, describe, documents, is_success, parse_json, texts
from harness.exchanges import Exchange


def body(exchange: Exchange) -> Any:
    """The body that a tool result carries: its JSON document, else its text."""
    return next(documents(exchange), None) or texts(exchange)


def expect_same(first: Exchange, second: Exchange) -> None:
    """The second call answers as the first did: the same documents and texts, success or error alike."""
    for exchange in (first, second):
        if exchange.result is None:
            raise broken(
                "a call is not answered", exchange, expected="a tool result", actual=describe(exchange)
            )
    alike = is_success(first) == is_success(second)
    if not alike or list(documents(first)) != list(documents(second)) or body(first) != body(second):
        raise broken(
            "the repetition is not answered as the first call",
            second,
            expected=describe(first),
            actual=describe(second),
        )


def expect_same_but_secret(first: Exchange, second: Exchange, *, gone: bool = True) -> None:
    """The second answer is the first, but for texts of it that became null.

    With `gone`, at least one did, and shows nowhere in the second answer.
    """
    parted = list(differences(body(first), body(second)))
    nulled = {path: one for path, one, other in parted if isinstance(one, str) and other is None}
    others = [path for path, _, _ in parted if path not in nulled]
    shown = [path for path, one in nulled.items() if any(one in text for text in texts(second))]
    if not is_success(second) or others or (gone and (shown or not nulled)):
        raise broken(
            "the secret is not null in the replay"
            if gone
            else "the repetition is not answered as the first call",
            second,
            expected="the first answer with its secret null",
            actual=f"null: {[*nulled] or 'nothing'}; different otherwise: {others or 'nothing'}; "
            f"shown in a text all the same: {shown or 'nothing'}",
        )


def differences(first: Any, second: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two documents differ: the path, and what stands there in each (`...` where nothing does)."""
    if isinstance(first, dict) and isinstance(second, dict):
        for key in {**first, **second}:
            yield from differences(first.get(key, ...), second.get(key, ...), f"{path}.{key}")
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for index, (one, other) in enumerate(zip(first, second, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif _text_document(first) is not None and _text_document(second) is not None:
        yield from differences(_text_document(first), _text_document(second), path)
    elif ... in (first, second) or json.dumps(first, sort_keys=True) != json.dumps(second, sort_keys=True):
        yield path, first, second


def _text_document(value: Any) -> Any:
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return None
    return parse_json(value)

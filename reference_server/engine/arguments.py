"""Arguments of a tool: checked against its schema, digested, and put where the contract wants them."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator

from .contract import IDEMPOTENCY_ARGUMENT, IDEMPOTENCY_HEADER, Operation

INVALID_ARGUMENTS = "invalid_arguments"
INVALID_KEY = "invalid_idempotency_key"
_HEADER_SAFE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
ID_LIMIT = 512


class BadArguments(Exception):
    """The arguments cannot be sent; carries the code of the error result."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class UnknownRecord(Exception):
    """No record can have this id: it cannot stand in a path."""


@dataclass(frozen=True)
class Request:
    """A tool call as an upstream request, the path percent-encoded."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    body: dict[str, Any] | None
    headers: tuple[tuple[bytes, bytes], ...]


class Checks:
    """The validators of all tools, compiled once."""

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        checker = Draft202012Validator.FORMAT_CHECKER
        self._validators: dict[str, Validator] = {
            name: Draft202012Validator(operation.input_schema, format_checker=checker)
            for name, operation in operations.items()
        }

    def check(self, operation: Operation, arguments: Mapping[str, Any]) -> None:
        """Raises BadArguments where the arguments are not as the tool's schema says.

        Nothing has run by then.
        """
        try:
            canonical(arguments)
        except (ValueError, RecursionError):
            raise BadArguments(INVALID_ARGUMENTS, "the arguments hold what JSON cannot") from None
        error = best_match(self._validators[operation.name].iter_errors(arguments))
        if error is not None:
            where = ".".join(str(step) for step in error.absolute_path) or "arguments"
            raise BadArguments(INVALID_ARGUMENTS, f"{where}: {error.message[:300]}")
        key = arguments.get(IDEMPOTENCY_ARGUMENT)
        # IDM-03: what a header cannot carry as it is, is refused; nothing is trimmed, nothing injected.
        if operation.takes_key and key is not None and _HEADER_SAFE.fullmatch(key) is None:
            raise BadArguments(
                INVALID_KEY,
                "idempotency_key: visible ASCII only, with no space at either end, for it goes in a header",
            )


def canonical(arguments: Mapping[str, Any]) -> bytes:
    """The arguments as bytes that do not depend on the order of keys.

    Raises ValueError for what JSON cannot hold.
    """
    text = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def digest(arguments: Mapping[str, Any]) -> str:
    """A digest of the arguments: equal for equal arguments, whatever the order of their keys (CNF-07)."""
    return hashlib.sha256(canonical(arguments)).hexdigest()


def segment(value: Any) -> str:
    """A path parameter as one segment of a path.

    Raises UnknownRecord for what would lead to another route.
    """
    text = str(value)
    if text in ("", ".", "..") or "/" in text or "\\" in text or len(text) > ID_LIMIT:
        raise UnknownRecord
    return quote(text, safe="")


def request(operation: Operation, arguments: Mapping[str, Any]) -> Request:
    """The upstream request of a call with checked arguments.

    Raises UnknownRecord for an id no path can hold.
    """
    path = operation.path
    for name in operation.path_parameters:
        path = path.replace("{" + name + "}", segment(arguments.get(name, "")))
    query = tuple(
        (name, _query_text(item))
        for name, value in arguments.items()
        if name in operation.query_parameters
        for item in (value if isinstance(value, list) else [value])
    )
    body = {name: value for name, value in arguments.items() if name in operation.body_properties}
    key = arguments.get(IDEMPOTENCY_ARGUMENT)
    headers: tuple[tuple[bytes, bytes], ...] = ()
    if operation.takes_key and key is not None:
        # IDM-02: as a header, as given, and nowhere else.
        headers = ((IDEMPOTENCY_HEADER.encode("ascii"), key.encode("ascii")),)
    return Request(operation.method, path, query, body if operation.has_body else None, headers)


def _query_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)

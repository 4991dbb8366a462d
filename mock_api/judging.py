"""Judges a call before it runs: may the caller do it, and do the arguments keep the contract."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mock_api.calls import Refusal
from mock_api.contract import FrozenOperation
from mock_api.errors import Invalid
from mock_api.generic import not_found
from mock_api.idempotency import HEADER
from mock_api.tenants import Caller
from mock_api.validation import flaws

KEY_ARGUMENT = "idempotency_key"
"""The name under which a tool takes what the API takes as a header."""


@dataclass(frozen=True)
class Arguments:
    """The arguments of an operation, typed but not yet judged.

    `headers` are lower-case. `flaw` is what kept the request from being read whole; it is told only to a caller
    who may do what was asked.
    """

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    flaw: Refusal | None = None

    @property
    def flat(self) -> dict[str, Any]:
        """Body, query and path in one object: the arguments of the tool."""
        body = self.body if isinstance(self.body, dict) else {}
        return {**body, **self.query, **self.path}


def permit(caller: Caller, operation: FrozenOperation) -> None:
    """Raise Refusal 403 when the caller lacks the scope or the permission of the operation."""
    if operation.scope is not None and operation.scope not in caller.scopes:
        raise Refusal(403, "forbidden", f"The token lacks the scope {operation.scope}.")
    if operation.permission is not None and operation.permission not in caller.permissions:
        raise Refusal(403, "forbidden", f"The role lacks the permission {operation.permission}.")


def keep_contract(operation: FrozenOperation, arguments: Arguments) -> None:
    """Raise Refusal when the arguments break the contract: 400 for query and headers, 404 path, 422 body."""
    if arguments.flaw is not None:
        raise arguments.flaw
    if operation.path.kinds and operation.path.flaws(arguments.path, "path"):
        # An id that no record can have is the id of no record.
        raise not_found()
    if arguments.query or operation.query.kinds:
        _refuse(400, "bad_request", operation.query.flaws(arguments.query, "query"))
    if operation.headers is not None:
        _refuse(400, "bad_request", operation.headers.flaws(arguments.headers, "headers"))
    body = arguments.body
    if operation.body is None:
        if body not in (None, {}):
            raise Refusal(400, "bad_request", "This operation takes no body.")
        return
    if body is None:
        if operation.body_required:
            raise Refusal(400, "bad_request", "The body is missing.")
        body = {}
    if not isinstance(body, dict):
        raise Refusal(422, "unprocessable_entity", "The body must be a JSON object.")
    _refuse(422, "unprocessable_entity", flaws(operation.body, body))
    internal = [name for name in body if name.startswith("_")]
    _refuse(422, "unprocessable_entity", [f"{name}: is no field of the contract" for name in internal])


def _refuse(status: int, code: str, details: list[str]) -> None:
    if details:
        raise Invalid(status, code, details)


def spread(operation: FrozenOperation, flat: Mapping[str, Any]) -> Arguments:
    """The flat arguments of a tool, each in its place: path, query, headers or body. Judges nothing.

    An operation whose contract knows the header takes `idempotency_key` there and nowhere else (KADU-IDM-02).
    """
    places: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "headers": {}, "body": {}}
    for name, value in flat.items():
        if name in operation.path.kinds:
            places["path"][name] = value
        elif name in operation.query.kinds:
            places["query"][name] = value
        elif name == KEY_ARGUMENT and operation.headers is not None and HEADER in operation.headers.kinds:
            places["headers"][HEADER] = value
        else:
            places["body"][name] = value
    body = places["body"] if places["body"] or operation.body is not None else None
    return Arguments(places["path"], places["query"], places["headers"], body)

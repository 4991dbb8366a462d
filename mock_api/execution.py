"""Executes an operation for a caller: may it, does it keep the contract, what does it come to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any

from mock_api.calls import Call, Outcome, Refusal
from mock_api.contract import FrozenOperation
from mock_api.errors import Invalid, Mistake
from mock_api.generic import GENERIC, not_found
from mock_api.own_operations import OWN
from mock_api.product import Product
from mock_api.tenants import Caller, Tenant
from mock_api.validation import flaws


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


async def execute(
    tenant: Tenant, caller: Caller, operation: FrozenOperation, arguments: Arguments
) -> Outcome:
    """Run one operation at the tenant's time. Raises Refusal.

    In this order: the fault `unavailable`, scope, permission, contract, the fault `hold`, the operation itself.
    From the end of a hold on nothing awaits, so an operation is atomic within its tenant.
    """
    if tenant.faults.strike(operation.id, "unavailable"):
        raise Refusal(503, "unavailable", "The service is not available now; try again later.")
    permit(caller, operation)
    keep_contract(operation, arguments)
    await tenant.faults.hold(operation.id)
    if tenant.closed:
        raise Refusal(401, "unauthorized", "The organization is gone.")
    return _run(tenant, caller, operation, arguments)


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


def check_product(product: Product) -> None:
    """Raise Mistake when the contract asks for what nobody does."""
    contract = product.contract
    for operation in contract.operations.values():
        of = f"the contract of {contract.product}"
        if operation.does in GENERIC and operation.collection is None:
            raise Mistake(f"{operation.id} has no collection in {of}.")
        below = operation.parent is not None or operation.does in ("get", "update", "delete")
        wanted = 1 if below else 0 if operation.does in GENERIC else len(operation.path.kinds)
        if len(operation.path.kinds) != wanted:
            raise Mistake(
                f"{operation.id} has not the {wanted} path parameters that what it does needs in {of}."
            )
        if not any(operation.does in table for table in (GENERIC, OWN, product.behaviours)):
            raise Mistake(f"{operation.id} is to do what nobody does in {of}: {operation.does}.")


def _run(tenant: Tenant, caller: Caller, operation: FrozenOperation, arguments: Arguments) -> Outcome:
    call = Call(
        operation=operation.id,
        extension=operation.extension,
        path=arguments.path,
        query=arguments.query,
        body=arguments.body if arguments.body is not None else {},
        person=caller.person,
        organization=tenant.organization,
        records=tenant.records,
        now=tenant.catch_up(),
        new_id=tenant.new_id,
        new_secret=token_urlsafe,
        public_url=tenant.public_url,
    )
    if operation.parent is not None:
        (above,) = call.path.values()
        if above not in tenant.records.get(operation.parent.collection, {}):
            raise not_found()
    own = OWN.get(operation.does)
    if own is not None:
        return own(tenant, caller, call)
    generic = GENERIC.get(operation.does)
    if generic is not None:
        return generic(operation, call, tenant.completed)
    return tenant.product.behaviours[operation.does](call)

"""Executes an operation for a caller: may it, does it keep the contract, what does it come to."""

from functools import partial
from secrets import token_urlsafe

from mock_api.calls import Call, Outcome, Refusal
from mock_api.contract import FrozenOperation
from mock_api.errors import Mistake
from mock_api.generic import GENERIC, not_found
from mock_api.idempotency import fingerprint, key_of
from mock_api.judging import Arguments, keep_contract, permit
from mock_api.own_operations import OWN
from mock_api.product import Product
from mock_api.tenants import Caller, Tenant


async def execute(
    tenant: Tenant, caller: Caller, operation: FrozenOperation, arguments: Arguments
) -> Outcome:
    """Run one operation at the tenant's time. Raises Refusal; Replayed where a key's first call was refused.

    In this order: the faults `gather` and `unavailable`, scope, permission, contract, the idempotency key of the headers, the
    fault `hold`, the operation itself. From the end of a hold on nothing awaits, so an operation is atomic within
    its tenant.
    """
    await tenant.faults.gather()
    _there(tenant)
    if tenant.faults.strike(operation.id, "unavailable"):
        raise Refusal(503, "unavailable", "The service is not available now; try again later.")
    permit(caller, operation)
    keep_contract(operation, arguments)
    run = partial(_run, tenant, caller, operation, arguments)
    key = key_of(operation, arguments.headers)
    if key is None:
        await _hold(tenant, operation)
        return run()
    asked = fingerprint(operation.id, arguments.path, arguments.query, arguments.body or {})
    replay = tenant.idempotency.begin(key, asked, tenant.clock.now())
    if replay is not None:
        return replay
    try:
        await _hold(tenant, operation)
        return tenant.idempotency.run(key, run)
    finally:
        tenant.idempotency.end(key)


async def _hold(tenant: Tenant, operation: FrozenOperation) -> None:
    """Wait for as long as a fault holds the operation. Raises Refusal 401 when the tenant went meanwhile."""
    await tenant.faults.hold(operation.id)
    _there(tenant)


def _there(tenant: Tenant) -> None:
    """Whoever waited, the tenant may have gone meanwhile. Raises Refusal 401 then."""
    if tenant.closed:
        raise Refusal(401, "unauthorized", "The organization is gone.")


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

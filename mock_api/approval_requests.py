"""Registers approvals by link: an operation is judged as if it were called now, and stored instead of run."""

from mock_api import approvals
from mock_api.approval_subjects import affected, is_destructive
from mock_api.calls import Call, Outcome, Refusal
from mock_api.contract import FrozenOperation
from mock_api.errors import Invalid
from mock_api.idempotency import HEADER
from mock_api.judging import Arguments, keep_contract, permit, spread
from mock_api.tenants import Caller, Tenant


def operation_approvals_create(tenant: Tenant, caller: Caller, call: Call) -> Outcome:
    """A pending approval and its link. Each call makes another (KADU-APR-04).

    The body is the operation and its flat arguments; words, subject and screen are derived from the contract.
    Raises Refusal, in this order: 422 for what is no tool; 403 as a direct call would; 403 `confirmation_required`
    without a person; what breaks the contract as a direct call would; 404 where a record it names is not there;
    422 where it is not destructive.
    """
    contract, flat = tenant.product.contract, call.body["arguments"]
    operation = contract.operations.get(call.body["operation"])
    if operation is None or not operation.tool:
        raise _invalid("operation: is no tool of the contract")
    permit(caller, operation)
    # KADU-UNA-01: nobody could open the link.
    if caller.person is None:
        raise Refusal(403, "confirmation_required", "Behind this token there is no person who could confirm.")
    arguments = spread(operation, flat)
    _check(operation, arguments)
    if not all(each.exists for each in affected(contract, tenant.records, operation, flat)):
        raise Refusal(404, "not_found", "A record that the arguments name is not here.")
    if not is_destructive(tenant.records, operation, flat):
        raise _invalid("operation: is not destructive with these arguments, so it needs no approval")
    client = caller.token.client
    record, link = approvals.pending(
        operation.id,
        str(operation.extension.get("title", operation.id)),
        flat,
        caller.person,
        {"id": client.id, "name": client.name},
        caller.token.id,
        call.now,
    )
    approvals.store(tenant.records, record)
    return Outcome(201, {**record, "url": f"{call.public_url}/approvals/{link}"}, effect=True)


def _check(operation: FrozenOperation, arguments: Arguments) -> None:
    missing = [f"{name}: is missing" for name in operation.path.kinds if name not in arguments.path]
    if missing:
        raise Invalid(422, "unprocessable_entity", missing)
    key = arguments.headers.get(HEADER)
    # No header could carry it.
    if isinstance(key, str) and not key.isprintable():
        raise Refusal(400, "bad_request", "idempotency_key: holds a character that no header can carry")
    keep_contract(operation, arguments)


def _invalid(detail: str) -> Refusal:
    return Refusal(422, "unprocessable_entity", detail)

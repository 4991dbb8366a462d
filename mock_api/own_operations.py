"""The operations the engine does itself, for they need more of a tenant than a behaviour sees."""

from collections.abc import Callable, Mapping

from mock_api import clock
from mock_api.approval_requests import operation_approvals_create
from mock_api.calls import Call, Outcome
from mock_api.tenants import Caller, Tenant

Own = Callable[[Tenant, Caller, Call], Outcome]


def me(tenant: Tenant, caller: Caller, call: Call) -> Outcome:
    """Who is calling: person, organization, scopes, permissions, client and token."""
    contract, token = tenant.product.contract, caller.token
    person = caller.person
    body = {
        "person": None if person is None else {name: person[name] for name in ("id", "name", "email")},
        "organization": {name: call.organization[name] for name in ("id", "name")},
        "scopes": [scope for scope in contract.scopes if scope in caller.scopes],
        "permissions": [each for each in contract.permissions if each in caller.permissions],
        "client": {"id": token.client.id, "name": token.client.name},
        "token": {"id": token.id, "expires_at": clock.text(token.expires_at)},
    }
    return Outcome(200, body, effect=False)


def confirmations_create(tenant: Tenant, caller: Caller, call: Call) -> Outcome:
    """Records that a confirmation was used, once."""
    operations = tenant.product.contract.operations
    record = tenant.confirmations.use(call.body, caller.token.person, operations, call.now)
    return Outcome(201, record, effect=True)


OWN: Mapping[str, Own] = {
    "me": me,
    "confirmations_create": confirmations_create,
    "operation_approvals_create": operation_approvals_create,
}

"""Decides approvals by link: once, atomically, with the authority that the person has at that moment."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from mock_api import approvals, clock, jsons
from mock_api.approval_subjects import affected, digest
from mock_api.calls import Outcome, Record, Refusal
from mock_api.contract import FrozenOperation
from mock_api.errors import details_of, problem
from mock_api.execution import execute
from mock_api.generic import public
from mock_api.idempotency import Replayed
from mock_api.judging import Arguments, spread
from mock_api.ledger import Entry
from mock_api.tenants import Tenant

SUBJECT_CHANGED = "subject_changed"


@dataclass(frozen=True)
class Decision:
    """What pressing a button came to. `decided` is false where somebody else had decided, or time had.

    `secrets` are fields of the result in clear, for this one screen; they are kept nowhere.
    """

    approval: Record
    decided: bool
    secrets: Mapping[str, Any] = field(default_factory=dict)


async def proceed(tenant: Tenant, approval: Record, shown: str) -> Decision:
    """Continue: run the stored operation now. `shown` is the digest of what the person's own page showed.

    Raises nothing of the operation: what it is refused for is the error of a `failed` approval.
    """
    now = tenant.catch_up()
    if not await _is_free(tenant, approval):
        return Decision(approval, decided=False)
    contract = tenant.product.contract
    operation, flat = contract.operations[approval["operation"]], approval["arguments"]
    # KADU-APR-14: what counts is what this very page showed.
    if digest(affected(contract, tenant.records, operation, flat)) != shown:
        error = {
            "code": SUBJECT_CHANGED,
            "detail": "What the operation affects changed after the page opened.",
        }
        approvals.decide(approval, approvals.FAILED, now, error=error)
        return Decision(approval, decided=True)
    done = tenant.deciding[approval["id"]] = asyncio.Event()
    try:
        return await _run(tenant, approval, operation, spread(operation, flat))
    finally:
        del tenant.deciding[approval["id"]]
        done.set()


async def decline(tenant: Tenant, approval: Record) -> Decision:
    """Cancel: the approval is over and nothing runs."""
    now = tenant.catch_up()
    if not await _is_free(tenant, approval):
        return Decision(approval, decided=False)
    # KADU-APR-09
    approvals.decide(approval, approvals.DECLINED, now)
    return Decision(approval, decided=True)


async def _is_free(tenant: Tenant, approval: Record) -> bool:
    """Whether an approval is still to be decided; waits for who is deciding on it now.

    KADU-APR-10: nothing awaits between this answer and the decision, so it is decided once.
    """
    deciding = tenant.deciding.get(approval["id"])
    while deciding is not None:
        await deciding.wait()
        deciding = tenant.deciding.get(approval["id"])
    return bool(approval["status"] == approvals.PENDING)


async def _run(
    tenant: Tenant, approval: Record, operation: FrozenOperation, arguments: Arguments
) -> Decision:
    code = None
    try:
        # KADU-APR-12: the token must still be good, and the person still a member who may do this.
        token = tenant.tokens.get(approval["_token"])
        if token is None:
            raise Refusal(401, "unauthorized", "The asking token is gone.")
        outcome = await execute(tenant, tenant.caller(token), operation, arguments)
    except Refusal as refusal:
        code = refusal.code
        outcome = Outcome(
            refusal.status, problem(refusal), effect=False, replay=isinstance(refusal, Replayed)
        )
        # KADU-APR-19
        error = {"code": code, "detail": "; ".join(details_of(refusal))}
        approvals.decide(approval, approvals.FAILED, tenant.clock.now(), error=error)
        secrets: dict[str, Any] = {}
    else:
        result, secrets = _parted(outcome)
        approvals.decide(approval, approvals.EXECUTED, tenant.clock.now(), result=result)
    tenant.ledger.record(_entry(tenant, approval, operation, arguments, outcome, code))
    return Decision(approval, decided=True, secrets=secrets)


def _parted(outcome: Outcome) -> tuple[Any, dict[str, Any]]:
    """The result as it is kept, cut loose from the records, and the secrets it had in clear (KADU-APR-16)."""
    result = jsons.read(jsons.write(public(outcome.body)))
    secrets = {name: result[name] for name in outcome.secrets if result.get(name) is not None}
    return ({**result, **dict.fromkeys(secrets, approvals.MASK)} if secrets else result), secrets


def _entry(
    tenant: Tenant,
    approval: Record,
    operation: FrozenOperation,
    arguments: Arguments,
    outcome: Outcome,
    code: str | None,
) -> Entry:
    path = operation.template
    for name, value in arguments.path.items():
        path = path.replace("{" + name + "}", quote(str(value), safe=""))
    return Entry(
        at=clock.text(tenant.clock.now()),
        klass=operation.ledger_class,
        effect=outcome.effect,
        replay=outcome.replay,
        operation=operation.id,
        method=operation.method,
        path=path,
        query=arguments.query,
        headers=arguments.headers,
        body=arguments.body,
        arguments=arguments.flat,
        status=outcome.status,
        code=code,
        token=approval["_token"],
        person=approval["person"]["id"],
        client=approval["client"]["name"],
        approval=approval["id"],
    )

"""Lies about deciding an approval: how often, until when, with whose rights, on which data, to what end."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, ClassVar

from mock_api import approval_decisions, approvals, tenant_clock
from mock_api.approval_decisions import Decision
from mock_api.approval_subjects import affected, digest
from mock_api.calls import Outcome, Record, Records
from mock_api.contract import FrozenOperation
from mock_api.execution import execute as correctly_execute
from mock_api.judging import Arguments
from mock_api.mutants.lie import Lie, instead_of
from mock_api.tenants import Caller, Tenant

_proceed, _decline, _run = approval_decisions.proceed, approval_decisions.decline, approval_decisions._run
_decide, _is_past, _expire = approvals.decide, approvals._is_past, approvals.expire
PROCEED, DECLINE = "mock_api.console.screens:proceed", "mock_api.console.screens:decline"
IS_FREE, IS_PAST = "mock_api.approval_decisions:_is_free", "mock_api.approvals:_is_past"


def digest_now(tenant: Tenant, approval: Record) -> str:
    """The digest of what an approval affects, as it is at this moment."""
    contract = tenant.product.contract
    operation = contract.operations[approval["operation"]]
    return digest(affected(contract, tenant.records, operation, approval["arguments"]))


class ContinueRunsNothing(Lie):
    """Continue marks an approval executed and runs nothing."""

    rule = "KADU-APR-08"

    @staticmethod
    @instead_of("mock_api.approval_decisions:_run")
    async def run(tenant: Tenant, approval: Record, _operation: FrozenOperation, _: Arguments) -> Decision:
        approvals.decide(approval, approvals.EXECUTED, tenant.clock.now(), result={"status": "queued"})
        return Decision(approval, decided=True)


class ContinueRunsTwice(Lie):
    """Continue runs the operation twice."""

    rule = "KADU-APR-08"

    @staticmethod
    @instead_of("mock_api.approval_decisions:_run")
    async def run(
        tenant: Tenant, approval: Record, operation: FrozenOperation, arguments: Arguments
    ) -> Decision:
        await _run(tenant, dict(approval), operation, arguments)
        return await _run(tenant, approval, operation, arguments)


class ResultNotKept(Lie):
    """What an operation returned is not kept."""

    rule = "KADU-APR-08"

    @staticmethod
    @instead_of("mock_api.approval_decisions:_parted")
    def parted(_outcome: Outcome) -> tuple[Any, dict[str, Any]]:
        return None, {}


class CancelRuns(Lie):
    """Cancel runs the operation."""

    rule = "KADU-APR-09"

    @staticmethod
    @instead_of(DECLINE)
    async def decline(tenant: Tenant, approval: Record) -> Decision:
        decision = await _proceed(tenant, approval, digest_now(tenant, approval))
        approval.update(status=approvals.DECLINED)
        return decision


class CancelForgets(Lie):
    """Cancel leaves an approval pending."""

    rule = "KADU-APR-09"

    @staticmethod
    @instead_of(DECLINE)
    async def decline(tenant: Tenant, approval: Record) -> Decision:  # noqa: ARG004
        return Decision(approval, decided=True)


class ContinuesAgain(Lie):
    """Continue runs again what it ran before."""

    rule = "KADU-APR-10"

    @staticmethod
    @instead_of(IS_FREE)
    async def is_free(_tenant: Tenant, approval: Record) -> bool:
        return approval["status"] in (approvals.PENDING, approvals.EXECUTED)


class ContinuesAfterCancel(Lie):
    """Continue runs what was cancelled."""

    rule = "KADU-APR-10"

    @staticmethod
    @instead_of(IS_FREE)
    async def is_free(_tenant: Tenant, approval: Record) -> bool:
        return approval["status"] in (approvals.PENDING, approvals.DECLINED)


class CancelsAfterContinue(Lie):
    """Cancel marks as cancelled what ran already."""

    rule = "KADU-APR-10"

    @staticmethod
    @instead_of(DECLINE)
    async def decline(tenant: Tenant, approval: Record) -> Decision:
        approvals.decide(approval, approvals.DECLINED, tenant.clock.now())
        return Decision(approval, decided=True)


class LooksAndThenDecides(Lie):
    """Between looking whether an approval is free and deciding on it others look too."""

    rule = "KADU-APR-10"

    @staticmethod
    @instead_of(IS_FREE)
    async def is_free(_tenant: Tenant, approval: Record) -> bool:
        free = bool(approval["status"] == approvals.PENDING)
        await asyncio.sleep(0.05)
        return free


class LinkNeverExpires(Lie):
    """A link counts for ever."""

    rule = "KADU-APR-11"

    @staticmethod
    @instead_of(IS_PAST)
    def is_past(_approval: Record, _now: datetime) -> bool:
        return False


class LinkExpiresAfterFiveMinutes(Lie):
    """A link counts for five minutes, as a question does, and says fifteen."""

    rule = "KADU-APR-11"

    @staticmethod
    @instead_of(IS_PAST)
    def is_past(approval: Record, now: datetime) -> bool:
        return now >= tenant_clock.parse(approval["expires_at"]) - timedelta(minutes=10)


class LinkExpiresTooLate(Lie):
    """A link counts for two seconds more than fifteen minutes."""

    rule = "KADU-APR-11"

    @staticmethod
    @instead_of(IS_PAST)
    def is_past(approval: Record, now: datetime) -> bool:
        return _is_past(approval, now - timedelta(seconds=2))


class LinkExpiresTooSoon(Lie):
    """A link counts for two seconds less than fifteen minutes."""

    rule = "KADU-APR-11"

    @staticmethod
    @instead_of(IS_PAST)
    def is_past(approval: Record, now: datetime) -> bool:
        return _is_past(approval, now + timedelta(seconds=2))


class OpenPageOutlivesTheLink(Lie):
    """A page that was open in time continues after the link has expired."""

    rule = "KADU-APR-11"

    @staticmethod
    @instead_of(IS_FREE)
    async def is_free(_tenant: Tenant, approval: Record) -> bool:
        return approval["status"] in (approvals.PENDING, approvals.EXPIRED)


class ExpiredCalledDeclined(Lie):
    """An expired approval is called cancelled."""

    rule = "KADU-APR-11"

    @staticmethod
    @instead_of("mock_api.approvals:expire")
    def expire(records: Records, now: datetime, deciding: Any) -> None:
        _expire(records, now, deciding)
        for approval in approvals.held(records).values():
            if approval["status"] == approvals.EXPIRED:
                approval["status"] = approvals.DECLINED


class LostPermissionRuns(Lie):
    """Continue runs with the permissions of the moment of asking."""

    rule = "KADU-APR-12"

    @staticmethod
    @instead_of("mock_api.approval_decisions:execute")
    async def execute(
        tenant: Tenant, caller: Caller, operation: FrozenOperation, arguments: Arguments
    ) -> Outcome:
        every = frozenset(tenant.product.contract.permissions)
        return await correctly_execute(tenant, replace(caller, permissions=every), operation, arguments)


class RevokedTokenRuns(Lie):
    """Continue runs, though the asking token was revoked."""

    rule = "KADU-APR-12"

    @staticmethod
    @instead_of(PROCEED)
    async def proceed(tenant: Tenant, approval: Record, shown: str) -> Decision:
        tenant.tokens[approval["_token"]].revoked = False
        return await _proceed(tenant, approval, shown)


class FormerMemberRuns(Lie):
    """Continue runs for who is a member no more."""

    rule = "KADU-APR-12"

    @staticmethod
    @instead_of(PROCEED)
    async def proceed(tenant: Tenant, approval: Record, shown: str) -> Decision:
        tenant.people[approval["person"]["id"]].member = True
        return await _proceed(tenant, approval, shown)


class LossLeavesItPending(Lie):
    """An approval that was not permitted any more stays pending."""

    rule = "KADU-APR-12"

    @staticmethod
    @instead_of("mock_api.approvals:decide")
    def decide(approval: Record, status: str, now: datetime, **more: Any) -> None:
        code = (more.get("error") or {}).get("code")
        if code not in ("forbidden", "unauthorized"):
            _decide(approval, status, now, **more)


class SubjectIgnored(Lie):
    """Continue runs, whatever became of what it affects."""

    rule = "KADU-APR-14"

    @staticmethod
    @instead_of(PROCEED)
    async def proceed(tenant: Tenant, approval: Record, shown: str) -> Decision:  # noqa: ARG004
        return await _proceed(tenant, approval, digest_now(tenant, approval))


class SubjectOfTheAsking(Lie):
    """What counts is the subject as it was when the call was made."""

    rule = "KADU-APR-14"

    @staticmethod
    @instead_of("mock_api.approval_requests:affected")
    def affected(*of: Any) -> Any:
        found = affected(*of)
        of[3]["_asked"] = digest(found)
        return found

    @staticmethod
    @instead_of(PROCEED)
    async def proceed(tenant: Tenant, approval: Record, shown: str) -> Decision:
        same = approval["arguments"].pop("_asked", None) == digest_now(tenant, approval)
        return await _proceed(tenant, approval, shown if same else "")


class AnythingIsTheSubject(Lie):
    """Any change of anything in the organization kills a link."""

    rule = "KADU-APR-14"

    @staticmethod
    @instead_of("mock_api.approval_decisions:affected", "mock_api.console.screens:affected")
    def affected(contract: Any, records: Records, operation: FrozenOperation, flat: Mapping[str, Any]) -> Any:
        found = affected(contract, records, operation, flat)
        state = digest_of({name: held for name, held in records.items() if name != approvals.COLLECTION})
        return tuple(replace(each, argument=f"{each.argument} {state}") for each in found)


def digest_of(records: Records) -> str:
    """Anything that changes with anything in these records."""
    return str(hash(repr(records)))


class ChangeLeavesTheLinkAlive(Lie):
    """A subject that changed runs nothing, and the approval stays pending."""

    rule = "KADU-APR-14"

    @staticmethod
    @instead_of("mock_api.approvals:decide")
    def decide(approval: Record, status: str, now: datetime, **more: Any) -> None:
        if (more.get("error") or {}).get("code") != approval_decisions.SUBJECT_CHANGED:
            _decide(approval, status, now, **more)


class ChangeHasAnotherCode(Lie):
    """A subject that changed has the code of a conflict."""

    rule = "KADU-APR-14"
    values: ClassVar[Mapping[str, Any]] = {"mock_api.approval_decisions:SUBJECT_CHANGED": "conflict"}


class FailureCalledExecuted(Lie):
    """An operation that failed is marked executed."""

    rule = "KADU-APR-19"

    @staticmethod
    @instead_of("mock_api.approvals:decide")
    def decide(approval: Record, status: str, now: datetime, **more: Any) -> None:
        done = approvals.EXECUTED if status == approvals.FAILED else status
        _decide(approval, done, now, **more)


class ErrorNotKept(Lie):
    """Why an operation failed is not kept."""

    rule = "KADU-APR-19"

    @staticmethod
    @instead_of("mock_api.approvals:decide")
    def decide(approval: Record, status: str, now: datetime, **more: Any) -> None:
        _decide(approval, status, now, **{**more, "error": None})

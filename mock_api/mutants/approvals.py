"""Lies about approvals as the API shows them, and about what of them may be read and changed there."""

from collections.abc import Mapping
from typing import Any

from mock_api import api, approvals, jsons
from mock_api.approval_decisions import proceed
from mock_api.behaviours.found import subject as _subject
from mock_api.behaviours.pages import page as _page
from mock_api.calls import Call, Outcome, Record, Refusal
from mock_api.contract import FrozenOperation
from mock_api.generic import public
from mock_api.judging import Arguments
from mock_api.mutants.deciding import digest_now
from mock_api.mutants.lie import Lie, instead_of
from mock_api.routing import Match
from mock_api.tenants import Token

_answer = api.Api._answer


class PatchDecides(Lie):
    """The API takes a decision on an approval by PATCH."""

    rule = "KADU-APR-17"

    @staticmethod
    @instead_of("mock_api.api:Api._answer")
    async def answer(
        of: api.Api,
        token: Token,
        match: Match[FrozenOperation],
        arguments: Arguments,
        method: str,
        raw_path: bytes,
    ) -> tuple[int, bytes, api.Fields, bool]:
        approval = approvals.held(token.tenant.records).get(raw_path.decode("latin-1").rpartition("/")[2])
        if method != "PATCH" or approval is None:
            return await _answer(of, token, match, arguments, method, raw_path)
        await proceed(token.tenant, approval, digest_now(token.tenant, approval))
        return 200, jsons.write(public(approval)), (), False


class ReadingRuns(Lie):
    """Reading a pending approval by the API runs it."""

    rule = "KADU-TRK-01"

    @staticmethod
    @instead_of("mock_api.behaviours.kadu_approvals:subject")
    def subject(call: Call) -> Record:
        approval = _subject(call)
        if approval["status"] == approvals.PENDING:
            approvals.decide(approval, approvals.EXECUTED, call.now, result={"status": "queued"})
        return approval


class StatusToldLate(Lie):
    """An approval that was decided is still told to be pending."""

    rule = "KADU-TRK-01"

    @staticmethod
    @instead_of("mock_api.behaviours.kadu_approvals:subject")
    def subject(call: Call) -> Record:
        return {**_subject(call), "status": approvals.PENDING}


class ResultNotTold(Lie):
    """What an approval returned is not told."""

    rule = "KADU-TRK-01"

    @staticmethod
    @instead_of("mock_api.behaviours.kadu_approvals:subject")
    def subject(call: Call) -> Record:
        return {**_subject(call), "result": None}


class OldestFirst(Lie):
    """Approvals are listed oldest first."""

    rule = "KADU-TRK-02"

    @staticmethod
    @instead_of("mock_api.behaviours.kadu_approvals:page")
    def page(call: Call, found: Any) -> Outcome:
        outcome = _page(call, found)
        return Outcome(200, {**outcome.body, "data": outcome.body["data"][::-1]}, effect=False)


class EverybodysListed(Lie):
    """The list holds the approvals of everybody in the organization."""

    rule = "KADU-TRK-02"

    @staticmethod
    @instead_of("mock_api.behaviours.kadu_approvals:operation_approvals_list")
    def listed(call: Call) -> Outcome:
        return _page(call, call.records[approvals.COLLECTION].values())

    @staticmethod
    @instead_of("mock_api.behaviours.kadu_approvals:_is_own")
    def is_own(call: Call, approval: Mapping[str, Any]) -> bool:
        alone = "id" in call.path
        owner = approval["person"]
        return not alone or (call.person is not None and owner["id"] == call.person["id"])


class OthersApprovalRead(Lie):
    """Another person's approval can be read by its id."""

    rule = "KADU-TRK-03"

    @staticmethod
    @instead_of("mock_api.behaviours.kadu_approvals:_is_own")
    def is_own(call: Call, approval: Mapping[str, Any]) -> bool:
        return "id" in call.path or (
            call.person is not None and approval["person"]["id"] == call.person["id"]
        )


class OthersApprovalForbidden(Lie):
    """Another person's approval is refused as forbidden."""

    rule = "KADU-TRK-03"

    @staticmethod
    @instead_of("mock_api.behaviours.kadu_approvals:subject")
    def subject(call: Call) -> Record:
        approval = _subject(call)
        if call.person is None or approval["person"]["id"] != call.person["id"]:
            raise Refusal(403, "forbidden", "It is somebody else's.")
        return approval

"""Kadu: approvals by link, as their own person reads them. Reading never decides."""

from collections.abc import Mapping

from mock_api.behaviours.found import subject
from mock_api.behaviours.pages import page
from mock_api.calls import Behaviour, Call, Outcome, Record, Refusal


def operation_approvals_list(call: Call) -> Outcome:
    """A page of the caller's own approvals, newest first (KADU-TRK-02)."""
    return page(call, (each for each in call.records["operation_approvals"].values() if _is_own(call, each)))


def operation_approvals_get(call: Call) -> Outcome:
    """One approval of the caller's own."""
    approval = subject(call)
    # KADU-TRK-03: another person's is not found.
    if not _is_own(call, approval):
        raise Refusal(404, "not_found", "No such record in operation_approvals.")
    return Outcome(200, approval, effect=False)


def _is_own(call: Call, approval: Record) -> bool:
    owner = approval["person"]
    return call.person is not None and owner is not None and owner["id"] == call.person["id"]


BEHAVIOURS: Mapping[str, Behaviour] = {
    "operation_approvals_list": operation_approvals_list,
    "operation_approvals_get": operation_approvals_get,
}

"""Approval by link: the register, the console and the decision are the upstream's."""

import json
from collections.abc import Mapping
from typing import Any

from plain.contract import Operation

from own_clock.desk import Desk, Handed
from own_clock.results import refused
from own_clock.upstream import Away, Who

READER = "kadu_operation_approvals_get"
OVERLOADED = 429


def by_link(desk: Desk, who: Who, operation: Operation, arguments: Mapping[str, Any]) -> Handed:
    """KADU-APR-01: store the call upstream, and say where it is decided."""
    order = {"operation": operation.name, "arguments": dict(arguments)}
    try:
        said = desk.upstream.ask(who.token, "POST", "/v1/operation_approvals", order)
    except Away:
        said = None
    if said is not None and 400 <= said.status < 500 and said.status != OVERLOADED:
        code, detail = said.problem
        return refused(code if code.startswith("confirmation_") else code.upper(), detail)
    if said is None or not said.fine or not isinstance(said.body, dict):
        # KADU-UNA-02
        return refused("confirmation_unavailable", "The approval could not be kept. Nothing was done")
    record = said.body
    approval = {name: record[name] for name in ("id", "status", "url", "expires_at")}
    approval["resource_uri"] = f"kobana://kadu/operation_approvals/{record['id']}"
    reader = desk.contract.operations.get(READER)
    if reader is not None and who.may(reader):
        # KADU-APR-05
        approval["check_with"] = {"tool": READER, "arguments": {"id": record["id"]}}
    told = {
        "status": "approval_required",
        "approval": approval,
        "message": "Show the user the url and let them decide there. Do not call this tool again for it.",
    }
    return Handed({"content": [{"type": "text", "text": json.dumps(told)}], "isError": False})

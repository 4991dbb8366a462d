"""Approval by link: the policy of a product whose upstream stores a call until a person decides it elsewhere.

The server keeps nothing: the upstream stores operation and arguments, derives all that a person is shown, and hands
out the link.
"""

import json
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, TextContent

from .caller import Visibility
from .confirmation import CONFIRMATION_UNAVAILABLE, Call
from .contract import Contract
from .results import failed, refused
from .tables import Link, Product
from .upstream import Answer, Upstream, UpstreamUnavailable


class ApprovalByLink:
    """Stores the call upstream and answers where it is decided. Runs nothing."""

    def __init__(
        self, product: Product, link: Link, contract: Contract, upstream: Upstream, visibility: Visibility
    ) -> None:
        self.product = product
        self.link = link
        self.upstream = upstream
        self.visibility = visibility
        self.register = contract.operation(link.register_operation)
        self.check = contract.operation(link.check_operation)

    async def answer(self, call: Call) -> CallToolResult:
        """APR-01: a success that says where the person decides; UNA-02 where the call cannot be stored now."""
        stored = {"operation": call.operation.name, "arguments": dict(call.arguments)}
        try:
            answer = await self.upstream.ask(
                self.register.method, self.register.path, token=call.caller.token, body=stored
            )
        except UpstreamUnavailable:
            return self.unavailable()
        if answer.status >= 500 or answer.status == 429:
            return self.unavailable()
        if answer.code == self.product.personless.code:
            # UNA-01, where the upstream knows better who could open the link.
            return refused(self.product.personless.code, self.product.personless.message)
        if not answer.ok:
            return failed(answer, self.product.error_codes)
        return self.waiting(call, answer)

    def unavailable(self) -> CallToolResult:
        """UNA-02: nothing was stored, nothing runs."""
        return refused(
            CONFIRMATION_UNAVAILABLE,
            "Não foi possível guardar a aprovação agora. Nada foi executado; tente de novo depois.",
        )

    def waiting(self, call: Call, answer: Answer) -> CallToolResult:
        """One text block of JSON, and nothing beside it."""
        told = {
            "status": "approval_required",
            "approval": self.approval(call, answer.body),
            "message": self.link.message,
        }
        return CallToolResult(content=[TextContent(type="text", text=json.dumps(told, ensure_ascii=False))])

    def approval(self, call: Call, stored: Mapping[str, Any]) -> dict[str, Any]:
        """APR-02: the approval as the caller needs it."""
        approval = {
            "id": stored["id"],
            "status": stored["status"],
            "url": stored["url"],
            "expires_at": stored["expires_at"],
            "resource_uri": f"{self.product.uri_prefix}{self.link.resource}/{stored['id']}",
        }
        # APR-05: only to a caller who may run that read.
        if self.visibility.may_run(call.caller, self.check):
            approval["check_with"] = {"tool": self.check.name, "arguments": {"id": stored["id"]}}
        return approval

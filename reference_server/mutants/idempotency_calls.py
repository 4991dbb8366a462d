"""Servers that lie about calls that come again: deletions, confirmed calls with one key, calls without any."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_types import CallToolResult, InputRequiredResult, Tool, ToolAnnotations

from reference_server.engine import arguments as args
from reference_server.engine.arguments import Request
from reference_server.engine.caller import Caller
from reference_server.engine.confirmation import Call
from reference_server.engine.contract import IDEMPOTENCY_ARGUMENT, Operation
from reference_server.engine.link import ApprovalByLink
from reference_server.engine.tables import Product
from reference_server.engine.tools import Tools, Turn
from reference_server.engine.upstream import Answer

from .idempotency_keys import KeyedSends, Outcome
from .tables import Table


class DeletingAgainLooksDone(Tools):
    """Deleting what is gone answers as if it had been deleted."""

    rule = "KADU-IDM-11"

    async def send(self, caller: Caller, request: Request) -> Answer:
        answer = await super().send(caller, request)
        gone = request.method == "DELETE" and answer.status == 404
        return Answer(204, None, "") if gone else answer


class DeletingAgainHasAnotherCode(Table):
    """Deleting what is gone is refused under another code."""

    rule = "KADU-IDM-11"

    @staticmethod
    def edit(product: Product) -> Product:
        return replace(product, error_codes={**product.error_codes, "not_found": "GONE"})


class ConfirmedCallLosesItsKey(KeyedSends):
    """A call confirmed in the chat is sent without its key."""

    rule = "KADU-IDM-12"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        return await self.sent(caller, request, None if request.path.endswith("/run") else key)


class StoredCallLosesItsKey(ApprovalByLink):
    """A call is stored for its link without its key."""

    rule = "KADU-IDM-12"

    async def answer(self, call: Call) -> CallToolResult:
        others = {name: value for name, value in call.arguments.items() if name != IDEMPOTENCY_ARGUMENT}
        return await super().answer(replace(call, arguments=others))


class StoredReplayLosesItsKey(ApprovalByLink):
    """One of the tools is stored for its link without its key."""

    rule = "KADU-IDM-12"

    async def answer(self, call: Call) -> CallToolResult:
        if call.operation.name != "kadu_webhook_deliveries_replay":
            return await super().answer(call)
        others = {name: value for name, value in call.arguments.items() if name != IDEMPOTENCY_ARGUMENT}
        return await super().answer(replace(call, arguments=others))


class LinksHaveKeysOfTheirOwn(ApprovalByLink):
    """The key of a link is another than the same key in the chat."""

    rule = "KADU-IDM-12"

    async def answer(self, call: Call) -> CallToolResult:
        key = call.arguments.get(IDEMPOTENCY_ARGUMENT)
        own = {} if key is None else {IDEMPOTENCY_ARGUMENT: f"link-{key}"}
        return await super().answer(replace(call, arguments={**call.arguments, **own}))


class KeyStandsForTheYes(Tools):
    """A call with a key runs unasked, since it can be repeated safely."""

    rule = "KADU-IDM-12"

    async def gate(
        self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]
    ) -> CallToolResult | InputRequiredResult | None:
        if IDEMPOTENCY_ARGUMENT in arguments:
            return None
        return await super().gate(turn, operation, arguments)


class UsedKeyStandsForTheYes(Tools):
    """A call whose key was confirmed once is not asked about again."""

    rule = "KADU-IDM-12"

    async def gate(
        self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]
    ) -> CallToolResult | InputRequiredResult | None:
        confirmed: set[tuple[str, str]] = self.__dict__.setdefault("confirmed", set())
        place = (turn.caller.organization, str(arguments.get(IDEMPOTENCY_ARGUMENT)))
        if place in confirmed:
            return None
        instead = await super().gate(turn, operation, arguments)
        if instead is None and operation.destructive and IDEMPOTENCY_ARGUMENT in arguments:
            confirmed.add(place)
        return instead


class SameKeySameLink(ApprovalByLink):
    """A call with a key that has a link already is answered with that link."""

    rule = "KADU-IDM-12"

    async def answer(self, call: Call) -> CallToolResult:
        links: dict[tuple[str, str], CallToolResult] = self.__dict__.setdefault("links", {})
        key = call.arguments.get(IDEMPOTENCY_ARGUMENT)
        if key is None:
            return await super().answer(call)
        place = (call.caller.organization, str(key))
        if place not in links:
            links[place] = await super().answer(call)
        return links[place]


class KeyMadeUp(Tools):
    """A call without a key gets one made from its arguments, so that it never runs twice."""

    rule = "KADU-IDM-13"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        operation = self.operations.get(name)
        if operation is None or not operation.takes_key or operation.destructive:
            return await super().call(turn, name, arguments)
        return await super().call(turn, name, {IDEMPOTENCY_ARGUMENT: args.digest(arguments), **arguments})


class StoredCallGetsAKey(ApprovalByLink):
    """A call without a key is stored with one made from its arguments, so that two links run it once."""

    rule = "KADU-IDM-13"

    async def answer(self, call: Call) -> CallToolResult:
        made = {IDEMPOTENCY_ARGUMENT: args.digest(call.arguments)} if call.operation.takes_key else {}
        return await super().answer(replace(call, arguments={**made, **call.arguments}))


class FurtherToolTakesNoKey(Tools):
    """A writing tool beyond the documented ones takes no key."""

    rule = "KADU-IDM-15"

    def listed(self, caller: Caller) -> list[Tool]:
        schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
        hints = ToolAnnotations(destructive_hint=False)
        archive = Tool(name="kadu_workspaces_archive", input_schema=schema, annotations=hints)
        return [*super().listed(caller), archive]

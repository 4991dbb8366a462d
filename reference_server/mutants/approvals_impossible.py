"""Servers that lie where nobody can confirm, or where a confirmation cannot be put on record."""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp_types import CallToolResult, InputRequiredResult, ReadResourceResult

from reference_server.engine import arguments as args
from reference_server.engine.caller import Caller
from reference_server.engine.clock import rfc3339
from reference_server.engine.confirmation import Call, Confirmation, Seal
from reference_server.engine.contract import Operation
from reference_server.engine.link import ApprovalByLink
from reference_server.engine.resources import Resources
from reference_server.engine.results import done, refused, unavailable
from reference_server.engine.tables import Product
from reference_server.engine.tools import Tools, Turn
from reference_server.engine.upstream import UpstreamUnavailable

from .approvals import made_up
from .tables import Table

Outcome = CallToolResult | InputRequiredResult | None


class PersonlessRuns(Tools):
    """For a token without a person a destructive call runs, since nobody could be asked."""

    rule = "KADU-UNA-01"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        return None if turn.caller.person is None else await super().gate(turn, operation, arguments)


class PersonlessDeletes(Tools):
    """For a token without a person a deletion runs."""

    rule = "KADU-UNA-01"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        lets = turn.caller.person is None and operation.access == "delete"
        return None if lets else await super().gate(turn, operation, arguments)


class PersonlessRedirects(Tools):
    """For a token without a person a webhook gets a new address."""

    rule = "KADU-UNA-01"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        lets = turn.caller.person is None and operation.when_changes is not None
        return None if lets else await super().gate(turn, operation, arguments)


class PersonlessRunsInTheChat(Tools):
    """For a token without a person a destructive call runs unasked where the client shows forms."""

    rule = "KADU-UNA-01"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        lets = turn.caller.person is None and turn.forms
        return None if lets else await super().gate(turn, operation, arguments)


class PersonlessGetsALink(Tools):
    """A token without a person gets a link that nobody can open."""

    rule = "KADU-UNA-01"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        if turn.caller.person is None and isinstance(self.without_forms, ApprovalByLink):
            call = Call(turn.caller, operation, arguments, None, {})
            return self.without_forms.waiting(call, made_up(turn.caller))
        return await super().gate(turn, operation, arguments)


class PersonlessHasAnotherCode(Table):
    """A token without a person is refused under another code."""

    rule = "KADU-UNA-01"

    @staticmethod
    def edit(product: Product) -> Product:
        return replace(product, personless=replace(product.personless, code="confirmation_unavailable"))


class PersonlessLooksQueued(Tools):
    """For a token without a person a destructive call answers that it was queued, and does not run."""

    rule = "KADU-UNA-01"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        if turn.caller.person is None and operation.destructive:
            return done({"status": "queued"})
        return await super().gate(turn, operation, arguments)


class UnstoredRuns(ApprovalByLink):
    """A call that cannot be stored runs."""

    rule = "KADU-UNA-02"

    async def answer(self, call: Call) -> CallToolResult:
        result = await super().answer(call)
        if "confirmation_unavailable" not in str(result.structured_content):
            return result
        request = args.request(call.operation, call.arguments)
        answer = await self.upstream.ask(
            request.method, request.path, token=call.caller.token, body=request.body
        )
        return done(answer.body)


class UnstoredGetsALink(ApprovalByLink):
    """A call that cannot be stored is answered with a link to nothing."""

    rule = "KADU-UNA-02"

    async def answer(self, call: Call) -> CallToolResult:
        result = await super().answer(call)
        stored = "confirmation_unavailable" not in str(result.structured_content)
        return result if stored else self.waiting(call, made_up(call.caller))


class UnstoredHasAnotherCode(ApprovalByLink):
    """A call that cannot be stored is refused as when the upstream is away."""

    rule = "KADU-UNA-02"

    def unavailable(self) -> CallToolResult:
        return unavailable()


class UnansweredHasAnotherCode(ApprovalByLink):
    """A call whose storing is not answered is refused as when the upstream is away."""

    rule = "KADU-UNA-02"

    async def answer(self, call: Call) -> CallToolResult:
        stored = {"operation": call.operation.name, "arguments": dict(call.arguments)}
        answer = await self.upstream.ask(
            self.register.method, self.register.path, token=call.caller.token, body=stored
        )
        return self.waiting(call, answer) if answer.ok else self.unavailable()


class UnstoredNeedsForms(ApprovalByLink):
    """A call that cannot be stored is refused as if nobody stood behind the token."""

    rule = "KADU-UNA-02"

    def unavailable(self) -> CallToolResult:
        return refused("confirmation_required", "Confirme num cliente que mostra formulários.")


class OutageOfLinksRemembered(ApprovalByLink):
    """Once a call could not be stored, none of that organization is any more."""

    rule = "KADU-UNA-02"

    async def answer(self, call: Call) -> CallToolResult:
        out: set[str] = self.__dict__.setdefault("out", set())
        if call.caller.organization in out:
            return self.unavailable()
        result = await super().answer(call)
        if "confirmation_unavailable" in str(result.structured_content):
            out.add(call.caller.organization)
        return result


class Registering(Confirmation):
    """Confirmations that do something else where a yes cannot be put on record."""

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        refusal = await super().register(seal, call)
        out = refusal is not None and "confirmation_unavailable" in str(refusal.structured_content)
        return self.unregistered(call) if out else refusal

    def unregistered(self, call: Call) -> CallToolResult | None:
        """What comes of the call; None where it runs."""
        raise NotImplementedError


class UnregisteredRuns(Registering):
    """A yes that cannot be put on record runs the call."""

    rule = "KADU-UNA-03"

    def unregistered(self, call: Call) -> CallToolResult | None:  # noqa: ARG002
        return None


class UnregisteredHasAnotherCode(Registering):
    """A yes that cannot be put on record is refused as when the upstream is away."""

    rule = "KADU-UNA-03"

    def unregistered(self, call: Call) -> CallToolResult | None:  # noqa: ARG002
        return unavailable()


class UnregisteredTakenForAReplay(Registering):
    """A yes that cannot be put on record is refused as one that was used."""

    rule = "KADU-UNA-03"

    def unregistered(self, call: Call) -> CallToolResult | None:  # noqa: ARG002
        return refused("confirmation_replayed", "Esta confirmação já foi usada.")


class UnregisteredLooksDone(Registering):
    """A yes that cannot be put on record answers as if the call had run."""

    rule = "KADU-UNA-03"

    def unregistered(self, call: Call) -> CallToolResult | None:  # noqa: ARG002
        return done({"status": "queued"})


class OutageOfTheChatRemembered(Registering):
    """Once a yes could not be put on record, no yes of that organization runs any more."""

    rule = "KADU-UNA-03"

    def unregistered(self, call: Call) -> CallToolResult | None:
        self.__dict__.setdefault("out", set()).add(call.caller.organization)
        return self.unavailable()

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        if call.caller.organization in self.__dict__.get("out", ()):
            return self.unavailable()
        return await super().register(seal, call)


async def _can_register(confirmation: Confirmation, caller: Caller) -> bool:
    """Whether the upstream records a use of nothing now."""
    register = confirmation.register_operation
    used = {
        "nonce": secrets.token_urlsafe(24),
        "operation": confirmation.product.me_operation,
        "expires_at": rfc3339(int(caller.now.timestamp()) + 300),
    }
    answer = await confirmation.upstream.ask(register.method, register.path, token=caller.token, body=used)
    return answer.status < 500


class UnansweredRegistrationRuns(Confirmation):
    """A yes whose registering is not answered counts as registered."""

    rule = "KADU-UNA-03"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        refusal = await super().register(seal, call)
        if refusal is None or "confirmation_unavailable" not in str(refusal.structured_content):
            return refusal
        try:
            await _can_register(self, call.caller)
        except UpstreamUnavailable:
            return None
        return refusal


class UnregisteredQuestionRuns(Confirmation):
    """Where a yes could not be put on record, the call runs unasked."""

    rule = "KADU-UNA-03"

    async def settle(self, call: Call) -> Outcome:
        return await super().settle(call) if await _can_register(self, call.caller) else None


class UnregisteredQuestionHasAnotherCode(Confirmation):
    """Where a yes could not be put on record, the question is refused under another code."""

    rule = "KADU-UNA-03"

    async def settle(self, call: Call) -> Outcome:
        able = call.state is not None or await _can_register(self, call.caller)
        return await super().settle(call) if able else unavailable()


class WritesNeedTheRegister(Tools):
    """Ordinary writes are refused while no confirmation can be put on record."""

    rule = "KADU-UNA-04"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        ordinary = operation.access == "write" and not operation.destructive and turn.caller.person
        if ordinary and not await _can_register(self.confirmation, turn.caller):
            return self.confirmation.unavailable()
        return await super().gate(turn, operation, arguments)


class WritesNeedAPerson(Tools):
    """Ordinary writes are refused to a token without a person."""

    rule = "KADU-UNA-04"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        if operation.access == "write" and turn.caller.person is None:
            return refused(self.product.personless.code, self.product.personless.message)
        return await super().gate(turn, operation, arguments)


class WebhooksNeedAPerson(Tools):
    """A token without a person changes nothing of a webhook, for another change would be destructive."""

    rule = "KADU-UNA-04"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        if operation.destructive and turn.caller.person is None:
            return refused(self.product.personless.code, self.product.personless.message)
        return await super().gate(turn, operation, arguments)


class WebhooksNeedTheRegister(Tools):
    """Nothing of a webhook is changed while no confirmation can be put on record."""

    rule = "KADU-UNA-04"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        perhaps = operation.when_changes is not None and turn.caller.person is not None
        if perhaps and not await _can_register(self.confirmation, turn.caller):
            return self.confirmation.unavailable()
        return await super().gate(turn, operation, arguments)


class ReadsNeedAPerson(Resources):
    """Reads are refused to a token without a person."""

    rule = "KADU-UNA-04"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        if caller.person is None:
            raise self.not_allowed(uri)
        return await super().read(caller, uri, modern)

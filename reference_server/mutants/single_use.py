"""Servers that lie about a yes being good for one run."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from mcp_types import CallToolResult, InputRequiredResult

from reference_server.engine import arguments as args
from reference_server.engine.confirmation import Call, Confirmation, Seal
from reference_server.engine.contract import Operation
from reference_server.engine.results import done, refused
from reference_server.engine.tools import Tools, Turn

Outcome = CallToolResult | InputRequiredResult | None


class ConfirmationReplays(Confirmation):
    """The confirmed call, sent again, runs again."""

    rule = "KADU-CNF-12"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:  # noqa: ARG002
        return None


class ReplayForgottenAfterAMinute(Confirmation):
    """A use is remembered for one minute, and the confirmed call runs again after it."""

    rule = "KADU-CNF-12"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        used: dict[str, datetime] = self.__dict__.setdefault("used", {})
        if call.caller.now - used.setdefault(seal.nonce, call.caller.now) > timedelta(minutes=1):
            return None
        return await super().register(seal, call)


class ReplayRememberedByTheProcess(Confirmation):
    """A use is remembered in the memory of one process, and another replica runs the call again."""

    rule = "KADU-CNF-12"
    replicas = 2

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:  # noqa: ARG002
        used: set[str] = self.__dict__.setdefault("used", set())
        if seal.nonce in used:
            return refused("confirmation_replayed", "Esta confirmação já foi usada.")
        used.add(seal.nonce)
        return None


class UseKnownBySomethingElse(Confirmation):
    """Confirmations that remember a use by more than the yes itself."""

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        return await super().register(replace(seal, nonce=args.digest(self.known_by(seal, call))), call)

    def known_by(self, seal: Seal, call: Call) -> dict[str, Any]:
        """What a use is remembered by."""
        raise NotImplementedError


class UseKnownByTheStateAsSpelt(UseKnownBySomethingElse):
    """A use is remembered by the text of the state, and the state spelt otherwise runs the call again."""

    rule = "KADU-CNF-12"

    def known_by(self, seal: Seal, call: Call) -> dict[str, Any]:  # noqa: ARG002
        return {"state": call.state}

    def opened(self, state: str | None) -> Seal | None:
        return super().opened(state and state.rstrip("="))


class UseKnownByTheOrder(UseKnownBySomethingElse):
    """A use is remembered by the call as it was written, and another order of arguments runs it again."""

    rule = "KADU-CNF-12"

    def known_by(self, seal: Seal, call: Call) -> dict[str, Any]:
        return {"yes": seal.nonce, "arguments": list(call.arguments.items())}


class UseKnownByTheAnswers(UseKnownBySomethingElse):
    """A use is remembered by the whole answer map, and one more answer in it runs the call again."""

    rule = "KADU-CNF-12"

    def known_by(self, seal: Seal, call: Call) -> dict[str, Any]:
        return {"yes": seal.nonce, "answers": dict(call.answers)}


class UseKnownByTheToken(UseKnownBySomethingElse):
    """A use is remembered for a token, and another assistant of the same person runs the call again."""

    rule = "KADU-CNF-12"

    def known_by(self, seal: Seal, call: Call) -> dict[str, Any]:
        return {"yes": seal.nonce, "token": call.caller.token}


class UsedYesRunsWhenTooOld(Confirmation):
    """A yes that was used is good again once it is too old to be asked after."""

    rule = "KADU-CNF-12"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        used: set[str] = self.__dict__.setdefault("used", set())
        if super().expired(seal, call):
            return None
        used.add(seal.nonce)
        return await super().register(seal, call)

    def expired(self, seal: Seal, call: Call) -> bool:
        return seal.nonce not in self.__dict__.get("used", ()) and super().expired(seal, call)


class ReplayAskedAgain(Confirmation):
    """The confirmed call, sent again, is asked about again."""

    rule = "KADU-CNF-12"

    async def settle(self, call: Call) -> Outcome:
        outcome = await super().settle(call)
        replayed = isinstance(outcome, CallToolResult) and "replayed" in str(outcome.structured_content)
        return self.question(call) if replayed else outcome


class ReplayIsASuccess(Confirmation):
    """The confirmed call, sent again, answers as if it had run, and does not."""

    rule = "KADU-CNF-12"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        refusal = await super().register(seal, call)
        return None if refusal is None else done({"status": "queued"})


class ReplayHasAnotherCode(Confirmation):
    """The confirmed call, sent again, is refused by another code."""

    rule = "KADU-CNF-12"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        refusal = await super().register(seal, call)
        return None if refusal is None else refused("CONFLICT", "Já foi executado.")


class RegistersAfterRunning(Confirmation):
    """The use is recorded when the call has run, so a replay runs and is refused afterwards."""

    rule = "KADU-CNF-12"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        request = args.request(call.operation, call.arguments)
        answer = await self.upstream.ask(
            request.method, request.path, token=call.caller.token, body=request.body
        )
        return await super().register(seal, call) or done(answer.body)


class ReplayOfAChangeOfAddressRuns(Tools):
    """A confirmed change of an address, sent again when the address is the same already, runs at once."""

    rule = "KADU-CNF-12"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        changes = operation.always_destructive or (await self.changes(turn.caller, operation, arguments))[1]
        return await super().gate(turn, operation, arguments) if changes else None


class OnlyRunsAreUsedOnce(Confirmation):
    """A yes to something else than running a task is good for any number of calls."""

    rule = "KADU-CNF-12"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        return await super().register(seal, call) if call.operation.name == "kadu_tasks_run" else None


class UseCheckedAndThenRecorded(Confirmation):
    """Whether a yes was used is looked up first and recorded a moment later."""

    rule = "KADU-CNF-13"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        used: set[str] = self.__dict__.setdefault("used", set())
        if seal.nonce in used:
            return refused("confirmation_replayed", "Esta confirmação já foi usada.")
        for _ in range(20):
            await self.upstream.ask("GET", "/v1/me", token=call.caller.token)
        used.add(seal.nonce)
        return None


class UseRecordedAnAnswerLater(Confirmation):
    """Between the look whether a yes was used and the record of it lies one answer of the upstream."""

    rule = "KADU-CNF-13"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        used: set[str] = self.__dict__.setdefault("used", set())
        if seal.nonce in used:
            return refused("confirmation_replayed", "Esta confirmação já foi usada.")
        await self.upstream.ask("GET", "/v1/me", token=call.caller.token)
        used.add(seal.nonce)
        return None


class NoneOfManyRuns(Confirmation):
    """Where a yes comes many times at once, none of them runs."""

    rule = "KADU-CNF-13"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        seen: dict[str, int] = self.__dict__.setdefault("seen", {})
        seen[seal.nonce] = seen.get(seal.nonce, 0) + 1
        for _ in range(20):
            await self.upstream.ask("GET", "/v1/me", token=call.caller.token)
        if seen[seal.nonce] > 1:
            return refused("confirmation_replayed", "Esta confirmação chegou mais de uma vez.")
        return await super().register(seal, call)


class YesRemembered(Tools):
    """Who said yes to a call once is not asked about the same call again."""

    rule = "KADU-CNF-14"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        said: set[tuple[str | None, str, str]] = self.__dict__.setdefault("said", set())
        place = (turn.caller.person, operation.name, args.digest(arguments))
        if operation.destructive and turn.state is None and place in said:
            return None
        instead = await super().gate(turn, operation, arguments)
        if operation.destructive and instead is None:
            said.add(place)
        return instead


class RepeatTakenForAReplay(Tools):
    """Who said yes to a call once is refused the same call as a replay."""

    rule = "KADU-CNF-14"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        said: set[tuple[str | None, str, str]] = self.__dict__.setdefault("said", set())
        place = (turn.caller.person, operation.name, args.digest(arguments))
        if operation.destructive and place in said:
            return refused("confirmation_replayed", "Esta ação já foi confirmada.")
        instead = await super().gate(turn, operation, arguments)
        if operation.destructive and instead is None:
            said.add(place)
        return instead


class SameCallSameNonce(Confirmation):
    """A yes is known by the call it is for, so the yes to the same call, asked anew, counts as used."""

    rule = "KADU-CNF-14"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        return await super().register(replace(seal, nonce=f"{call.operation.name}/{seal.arguments}"), call)

"""Servers that lie about what a yes is bound to: tool, arguments, person, organization, time, and its state."""

import base64
import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, InputRequiredResult

from reference_server.engine import arguments as args
from reference_server.engine.confirmation import Call, Confirmation, Seal
from reference_server.engine.contract import Operation
from reference_server.engine.results import refused
from reference_server.engine.tables import Product
from reference_server.engine.tools import Tools, Turn

from .tables import Table

Outcome = CallToolResult | InputRequiredResult | None


class ToolNotBound(Confirmation):
    """A yes to one tool runs another with the same arguments."""

    rule = "KADU-CNF-06"

    def fits_tool(self, seal: Seal, call: Call) -> bool:  # noqa: ARG002
        return True


class MismatchesRefused(Confirmation):
    """Confirmations that refuse what does not fit, where they had to ask again."""

    async def settle(self, call: Call) -> Outcome:
        """What to answer instead of running the call."""
        seal = self.opened(call.state)
        if seal is not None and not self.tolerates(seal, call):
            return refused("confirmation_mismatch", "Esta confirmação não é para esta chamada.")
        return await super().settle(call)

    def tolerates(self, seal: Seal, call: Call) -> bool:
        """Whether it fits as far as this lie goes."""
        raise NotImplementedError


class OtherToolRefused(MismatchesRefused):
    """A yes to another tool is refused, and no new question comes."""

    rule = "KADU-CNF-06"

    def tolerates(self, seal: Seal, call: Call) -> bool:
        return self.fits_tool(seal, call)


class AsksInTheWordsOfTheOldCall(Confirmation):
    """Where a yes does not fit, the new question is about the old call."""

    rule = "KADU-CNF-06"

    def message(self, call: Call) -> str:
        asked: dict[tuple[str, str], str] = self.__dict__.setdefault("asked", {})
        old = self.opened(call.state)
        place = (call.operation.name, self.bound(call)) if old is None else (old.tool, old.arguments)
        return asked.setdefault(place, super().message(call))


class ArgumentsNotBound(Confirmation):
    """A yes to one call runs the same tool with other arguments."""

    rule = "KADU-CNF-07"

    def fits_arguments(self, seal: Seal, call: Call) -> bool:  # noqa: ARG002
        return True


class ArgumentNamesAloneBound(Confirmation):
    """A yes is bound to which arguments there are and not to what they say."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        return super().bound(replace(call, arguments=dict.fromkeys(call.arguments)))


class OptionalValuesNotBound(Confirmation):
    """A yes is bound to what the needed arguments say, and of the others only to their names."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        needed = call.operation.input_schema.get("required", ())
        known = {name: value if name in needed else None for name, value in call.arguments.items()}
        return super().bound(replace(call, arguments=known))


class ListsNotBound(Confirmation):
    """A yes is not bound to what the lists and objects among the arguments hold."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        known = {name: value for name, value in call.arguments.items() if not isinstance(value, list | dict)}
        return super().bound(replace(call, arguments=known))


class FalseNotBound(Confirmation):
    """A yes is not bound to arguments that are false, zero or empty."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        known = {name: value for name, value in call.arguments.items() if value}
        return super().bound(replace(call, arguments=known))


class BeginningsBound(Confirmation):
    """A yes is bound to the first two hundred characters of each argument."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        known = {name: str(value)[:200] for name, value in call.arguments.items()}
        return super().bound(replace(call, arguments=known))


class CaseNotBound(Confirmation):
    """A yes is bound to what the arguments say in letters of any case."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        known = {name: str(value).casefold() for name, value in call.arguments.items()}
        return super().bound(replace(call, arguments=known))


class AddedArgumentsNotBound(Confirmation):
    """A yes runs the call with arguments added to it."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        return json.dumps(dict(call.arguments))

    def fits_arguments(self, seal: Seal, call: Call) -> bool:
        return all(call.arguments.get(name) == value for name, value in json.loads(seal.arguments).items())


class RemovedArgumentsNotBound(Confirmation):
    """A yes runs the call with arguments taken from it."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        return json.dumps(dict(call.arguments))

    def fits_arguments(self, seal: Seal, call: Call) -> bool:
        asked: dict[str, Any] = json.loads(seal.arguments)
        return all(asked.get(name) == value for name, value in call.arguments.items())


class IdempotencyKeyNotBound(Confirmation):
    """A yes runs the call with an idempotency key that nobody was asked about."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        known = {name: value for name, value in call.arguments.items() if name != "idempotency_key"}
        return super().bound(replace(call, arguments=known))


class OrderOfArgumentsBound(Confirmation):
    """A yes is lost where the arguments come in another order."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        return json.dumps(list(call.arguments.items()))


class OtherArgumentsRefused(MismatchesRefused):
    """A yes to other arguments is refused, and no new question comes."""

    rule = "KADU-CNF-07"

    def tolerates(self, seal: Seal, call: Call) -> bool:
        return self.fits_arguments(seal, call)


class NewQuestionKeepsTheOldState(Confirmation):
    """Where a yes does not fit, the new question comes with the old state, and its yes never fits."""

    rule = "KADU-CNF-07"

    def sealed(self, call: Call) -> str:
        return call.state if call.state and self.opened(call.state) else super().sealed(call)


class PersonNotBound(Confirmation):
    """A yes that one person was asked for runs the call of another."""

    rule = "KADU-CNF-08"

    def fits_person(self, seal: Seal, call: Call) -> bool:  # noqa: ARG002
        return True


class OtherPersonRefused(MismatchesRefused):
    """A yes that another person was asked for is refused, and no new question comes."""

    rule = "KADU-CNF-08"

    def tolerates(self, seal: Seal, call: Call) -> bool:
        return self.fits_person(seal, call)


class OrganizationNotBound(Confirmation):
    """A yes given in one organization runs the call in another of the same person."""

    rule = "KADU-CNF-09"

    def fits_organization(self, seal: Seal, call: Call) -> bool:  # noqa: ARG002
        return True


class OtherOrganizationRefused(MismatchesRefused):
    """A yes given in another organization is refused, and no new question comes."""

    rule = "KADU-CNF-09"

    def tolerates(self, seal: Seal, call: Call) -> bool:
        return self.fits_organization(seal, call)


class ConfirmationNeverExpires(Confirmation):
    """A yes to a question asked long ago still runs the call."""

    rule = "KADU-CNF-10"

    def expired(self, seal: Seal, call: Call) -> bool:  # noqa: ARG002
        return False


class ExpiresASecondLate(Confirmation):
    """A yes still runs one second past the five minutes."""

    rule = "KADU-CNF-10"

    def expired(self, seal: Seal, call: Call) -> bool:
        return call.caller.now.timestamp() > seal.expires + 1


class ExpiresASecondEarly(Table):
    """A yes is too late one second before the five minutes are over."""

    rule = "KADU-CNF-10"

    @staticmethod
    def edit(product: Product) -> Product:
        return replace(product, confirmation_seconds=299)


class MinutesTakenForSeconds(Table):
    """A yes is worth five seconds."""

    rule = "KADU-CNF-10"

    @staticmethod
    def edit(product: Product) -> Product:
        return replace(product, confirmation_seconds=5)


class DaysNotCounted(Confirmation):
    """A yes is too late by the time of day alone, and good again a day later."""

    rule = "KADU-CNF-10"

    def expired(self, seal: Seal, call: Call) -> bool:
        worth = self.product.confirmation_seconds
        return (int(call.caller.now.timestamp()) - (seal.expires - worth)) % 86400 >= worth


class LateYesRefused(MismatchesRefused):
    """A yes that comes too late is refused, and no new question comes."""

    rule = "KADU-CNF-10"

    def tolerates(self, seal: Seal, call: Call) -> bool:
        return not self.expired(seal, call)


class Unfit(Confirmation):
    """Confirmations that take a yes for this call whose state they cannot open."""

    async def settle(self, call: Call) -> Outcome:
        """What to answer instead of running the call."""
        answer = call.answers.get(self.product.question.key)
        said_yes = isinstance(answer, Mapping) and self.said_yes(answer)
        if said_yes and self.opened(call.state) is None and self.takes(call.state):
            return None
        return await super().settle(call)

    def takes(self, state: str | None) -> bool:
        """Whether a yes is taken with such a state."""
        raise NotImplementedError


class MissingStateTaken(Unfit):
    """A yes without any state runs the call."""

    rule = "KADU-CNF-11"

    def takes(self, state: str | None) -> bool:
        return state is None


class EmptyStateTaken(Unfit):
    """A yes with an empty state runs the call."""

    rule = "KADU-CNF-11"

    def takes(self, state: str | None) -> bool:
        return state == ""


class UnreadableStateTaken(Unfit):
    """A yes with a state that nobody can read runs the call."""

    rule = "KADU-CNF-11"

    def takes(self, state: str | None) -> bool:
        return bool(state)


class OversizedStateTaken(Unfit):
    """A yes with a state too long to be read runs the call."""

    rule = "KADU-CNF-11"

    def takes(self, state: str | None) -> bool:
        return state is not None and len(state) > 8192


class TextAfterTheStateIgnored(Confirmation):
    """Whatever follows a good state is ignored."""

    rule = "KADU-CNF-11"

    def opened(self, state: str | None) -> Seal | None:
        first = "v1." + state.split("v1.")[1] if state and state.startswith("v1.") else state
        return super().opened(first)


class BadStateIsAProtocolError(Confirmation):
    """A state that cannot be opened is refused by a protocol error."""

    rule = "KADU-CNF-11"

    async def settle(self, call: Call) -> Outcome:
        if call.state is not None and self.opened(call.state) is None:
            raise MCPError(INVALID_PARAMS, "Invalid or expired requestState")
        return await super().settle(call)


class AsksAgainAndRuns(Tools):
    """A yes without its state is asked about again, and has run all the same."""

    rule = "KADU-CNF-11"

    async def gate(self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]) -> Outcome:
        instead = await super().gate(turn, operation, arguments)
        if isinstance(instead, InputRequiredResult) and turn.answers and not turn.state:
            await self.send(turn.caller, args.request(operation, arguments))
        return instead


class StateNotSealed(Confirmation):
    """The state is plain base64, and changed bytes in it are taken."""

    rule = "KADU-CNF-11"

    def sealed(self, call: Call) -> str:
        seal = self.opened_by_codec(super().sealed(call))
        return base64.urlsafe_b64encode(json.dumps(asdict(seal)).encode("latin-1")).decode()

    def opened(self, state: str | None) -> Seal | None:
        try:
            return Seal(**json.loads(base64.urlsafe_b64decode(state or "").decode("latin-1")))
        except (ValueError, TypeError):
            return None

    def opened_by_codec(self, state: str) -> Seal:
        """The seal behind a good state."""
        return Seal(**json.loads(self.codec.unseal(state)))


class ExpiryOutsideTheSeal(Confirmation):
    """The state says in plain digits, beside the seal, until when it is good."""

    rule = "KADU-CNF-11"

    def sealed(self, call: Call) -> str:
        good = super().sealed(call)
        return f"{good}.{json.loads(self.codec.unseal(good))['expires']}"

    def opened(self, state: str | None) -> Seal | None:
        sealed, _, expires = (state or "").rpartition(".")
        seal = super().opened(sealed)
        return replace(seal, expires=int(expires)) if seal and expires.isdecimal() else None


class NonceOutsideTheSeal(Confirmation):
    """The state carries beside the seal, unprotected, what makes it good for one use."""

    rule = "KADU-CNF-11"

    def sealed(self, call: Call) -> str:
        return f"{super().sealed(call)}.{secrets.token_urlsafe(120)}"

    def opened(self, state: str | None) -> Seal | None:
        sealed, _, nonce = (state or "").rpartition(".")
        seal = super().opened(sealed)
        return replace(seal, nonce=nonce) if seal and len(nonce) == 160 else None

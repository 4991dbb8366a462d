"""Confirmation in the chat: ask, seal what was asked, and take a yes for that call alone, once.

The seal is the SDK's AES-GCM codec, used directly: the SDK's own boundary answers an error to a state that
does not fit, where the products' documents say that the server asks again.
"""

import json
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mcp.server.request_state import AESGCMRequestStateCodec, InvalidRequestState
from mcp_types import CallToolResult, ElicitRequest, ElicitRequestFormParams, InputRequiredResult

from .arguments import digest
from .caller import Caller
from .clock import rfc3339
from .contract import Operation
from .results import refused
from .tables import Product
from .upstream import Upstream, UpstreamUnavailable

USER_DECLINED = "USER_DECLINED"
CONFIRMATION_REPLAYED = "confirmation_replayed"
CONFIRMATION_UNAVAILABLE = "confirmation_unavailable"
_STATE_LIMIT = 8192


@dataclass(frozen=True)
class Call:
    """A tool call that needs a confirmation, with what came back from an earlier question (raw, hostile)."""

    caller: Caller
    operation: Operation
    arguments: Mapping[str, Any]
    state: str | None
    answers: Mapping[str, Any]


@dataclass(frozen=True)
class Seal:
    """What a state binds. `expires` is seconds since the epoch, by the upstream's time."""

    purpose: str
    tool: str
    arguments: str
    person: str
    organization: str
    expires: int
    nonce: str


class Confirmation:
    """Confirmations of one product.

    Keeps nothing: the state is the client's, the use is recorded upstream.
    """

    def __init__(
        self, product: Product, codec: AESGCMRequestStateCodec, upstream: Upstream, register: Operation
    ) -> None:
        self.product = product
        self.codec = codec
        self.upstream = upstream
        self.register_operation = register
        self.purpose = f"{product.name}/confirmation/1"

    async def settle(self, call: Call) -> CallToolResult | InputRequiredResult | None:
        """What to answer instead of running the call; None where it was confirmed and may run now."""
        seal = self.opened(call.state)
        # CNF-06…11: whatever is missing, expired or does not fit, the server asks again, about this call.
        if seal is None or not self.fits(seal, call):
            return self.question(call)
        answer = call.answers.get(self.product.question.key)
        answer = answer if isinstance(answer, Mapping) else {}
        if self.said_yes(answer):
            return await self.register(seal, call)
        # CNF-04, CNF-05: a refusal, or a form sent with no.
        if self.said_no(answer):
            return refused(USER_DECLINED, "A pessoa não confirmou a ação. Nada foi executado.")
        return self.question(call)

    def opened(self, state: str | None) -> Seal | None:
        """What the state binds; None for anything this server did not seal (CNF-11)."""
        if not state or len(state) > _STATE_LIMIT:
            return None
        try:
            values = json.loads(self.codec.unseal(state))
        except (InvalidRequestState, ValueError):
            return None
        return Seal(**values) if values.get("purpose") == self.purpose else None

    def asked(self, call: Call) -> bool:
        """Whether the state is one that was handed out for this very call, and is still valid."""
        seal = self.opened(call.state)
        return seal is not None and self.fits(seal, call)

    def fits(self, seal: Seal, call: Call) -> bool:
        """Whether the seal is for this very call and still valid."""
        return (
            self.fits_tool(seal, call)
            and self.fits_arguments(seal, call)
            and self.fits_person(seal, call)
            and self.fits_organization(seal, call)
            and not self.expired(seal, call)
        )

    def fits_tool(self, seal: Seal, call: Call) -> bool:
        """CNF-06: the same tool."""
        return seal.tool == call.operation.name

    def fits_arguments(self, seal: Seal, call: Call) -> bool:
        """CNF-07: the same arguments, in any order."""
        return seal.arguments == self.bound(call)

    def bound(self, call: Call) -> str:
        """What of the arguments a yes is bound to."""
        return digest(call.arguments)

    def fits_person(self, seal: Seal, call: Call) -> bool:
        """CNF-08: the same person."""
        return seal.person == call.caller.person

    def fits_organization(self, seal: Seal, call: Call) -> bool:
        """CNF-09: the same organization."""
        return seal.organization == call.caller.organization

    def expired(self, seal: Seal, call: Call) -> bool:
        """CNF-10: five minutes, by the upstream's time in this request."""
        return int(call.caller.now.timestamp()) >= seal.expires

    def said_yes(self, answer: Mapping[str, Any]) -> bool:
        """CNF-05: only a form that was sent, with the true of JSON under the key that was asked."""
        content = answer.get("content")
        given = content.get(self.product.question.property) if isinstance(content, Mapping) else None
        return answer.get("action") == "accept" and given is True

    def said_no(self, answer: Mapping[str, Any]) -> bool:
        """CNF-04: declined, cancelled, or sent with an explicit no."""
        content = answer.get("content")
        given = content.get(self.product.question.property) if isinstance(content, Mapping) else None
        return answer.get("action") in ("decline", "cancel") or (
            answer.get("action") == "accept" and given is False
        )

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:
        """CNF-12, CNF-13: record upstream, once and atomically, that this yes was used; then it may run."""
        used = {"nonce": seal.nonce, "operation": seal.tool, "expires_at": rfc3339(seal.expires)}
        register = self.register_operation
        try:
            answer = await self.upstream.ask(
                register.method, register.path, token=call.caller.token, body=used
            )
        except UpstreamUnavailable:
            return self.unavailable()
        if answer.ok:
            return None
        if answer.status == 409 and answer.code == CONFIRMATION_REPLAYED:
            return refused(
                CONFIRMATION_REPLAYED,
                "Esta confirmação já foi usada: nada foi executado. Para repetir, chame a tool de novo.",
            )
        return self.unavailable()

    def unavailable(self) -> CallToolResult:
        """UNA-03: the use cannot be recorded now, so nothing runs."""
        return refused(
            CONFIRMATION_UNAVAILABLE,
            "Não foi possível registrar a confirmação agora. Nada foi executado; tente de novo depois.",
        )

    def question(self, call: Call) -> InputRequiredResult:
        """CNF-01, CNF-02: one form, one yes or no, about this action with these arguments."""
        wording = self.product.question
        form = ElicitRequestFormParams(
            message=self.message(call),
            requested_schema={
                "type": "object",
                "properties": {wording.property: {"type": "boolean", "title": wording.property_title}},
                "required": [wording.property],
            },
        )
        return InputRequiredResult(
            input_requests={wording.key: ElicitRequest(method="elicitation/create", params=form)},
            request_state=self.sealed(call),
        )

    def sealed(self, call: Call) -> str:
        """A state that binds this call, for five minutes from now."""
        assert call.caller.person is not None
        seal = Seal(
            purpose=self.purpose,
            tool=call.operation.name,
            arguments=self.bound(call),
            person=call.caller.person,
            organization=call.caller.organization,
            expires=int(call.caller.now.timestamp()) + self.product.confirmation_seconds,
            nonce=secrets.token_urlsafe(24),
        )
        return self.codec.seal(json.dumps(asdict(seal)).encode())

    def message(self, call: Call) -> str:
        """The action in words, the tool's name, and every argument on a line of its own."""
        wording = self.product.question
        opening = wording.opening.format(title=call.operation.title, tool=call.operation.name)
        if not call.arguments:
            return f"{opening}\n{wording.no_arguments}"
        lines = [f"- {name}: {plain(value)}" for name, value in call.arguments.items()]
        return "\n".join([opening, wording.arguments, *lines])


def plain(value: Any) -> str:
    """A value as one visible line of JSON: no character in it can break the line or hide from the person."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return character
    return json.dumps(character)[1:-1]

"""Servers that lie about what is shown of a replay, and about what a key remembers."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from mcp_types import CallToolResult, InputRequiredResult, TextContent

from reference_server.engine.arguments import Request, canonical
from reference_server.engine.caller import Caller
from reference_server.engine.contract import IDEMPOTENCY_ARGUMENT
from reference_server.engine.results import refused
from reference_server.engine.tools import Turn
from reference_server.engine.upstream import Answer

from .idempotency_keys import KeyedSends, Outcome
from .idempotency_replays import Remembering, Repeating
from .wire import Line, Wire

SECRET = "signing_secret"


@dataclass(frozen=True)
class Replay(Answer):
    """An answer that is known to be a replay."""


def replayed(answer: Answer) -> Replay:
    """The answer, known to be a replay."""
    return Replay(answer.status, answer.body, answer.text, answer.date)


class Telling(Repeating):
    """Tools that tell of a replay in its result."""

    async def again(self, caller: Caller, request: Request, key: bytes, first: datetime) -> Answer:  # noqa: ARG002
        return replayed(await self.sent(caller, request, key))

    def result(self, answer: Answer) -> CallToolResult:
        result = super().result(answer)
        return self.telling(result) if isinstance(answer, Replay) else result

    def telling(self, result: CallToolResult) -> CallToolResult:
        """The result of a replay, as this lie tells of it."""
        raise NotImplementedError


class ReplayToldInMeta(Telling):
    """The `_meta` of a replay holds the upstream's header."""

    rule = "KADU-IDM-09"

    def telling(self, result: CallToolResult) -> CallToolResult:
        return result.model_copy(update={"meta": {"com.kobana/x-idempotent-replay": "true"}})


class ReplayToldInText(Telling):
    """A second text block of a replay holds the upstream's header."""

    rule = "KADU-IDM-09"

    def telling(self, result: CallToolResult) -> CallToolResult:
        told = TextContent(type="text", text="X-Idempotent-Replay: true")
        return result.model_copy(update={"content": [*result.content, told]})


class ReplayToldInWords(Telling):
    """A second text block of a replay says that the call had been made before."""

    rule = "KADU-IDM-09"

    def telling(self, result: CallToolResult) -> CallToolResult:
        told = TextContent(type="text", text="Esta chamada já tinha sido feita; nada rodou de novo.")
        return result.model_copy(update={"content": [*result.content, told]})


class ReplayToldInTheBody(Telling):
    """The body of a replay has one more field, for the upstream's header."""

    rule = "KADU-IDM-09"

    def telling(self, result: CallToolResult) -> CallToolResult:
        body = {**(result.structured_content or {}), "idempotent_replay": True}
        return result.model_copy(update={"structured_content": body})


class ReplayToldByHttp(Wire):
    """The HTTP answer of a replay carries the upstream's header on."""

    rule = "KADU-IDM-09"

    async def say(self, line: Line) -> None:
        seen: set[tuple[str | None, Any]] = self.__dict__.setdefault("seen", set())
        place = (line.token, (line.params.get("arguments") or {}).get(IDEMPOTENCY_ARGUMENT))
        if place[1] is not None and place in seen:
            line.told_headers["x-idempotent-replay"] = "true"
        seen.add(place)


class SecretRemembered(Remembering):
    """The server remembers answers, and shows a secret again."""

    rule = "KADU-IDM-10"

    def place(self, caller: Caller, request: Request, key: bytes) -> Hashable:
        return caller.organization, key, request.path, canonical(request.body or {})


class SecretMaskedInTheReplay(Repeating):
    """A replay shows dots in the place of its secret."""

    rule = "KADU-IDM-10"

    async def again(self, caller: Caller, request: Request, key: bytes, first: datetime) -> Answer:  # noqa: ARG002
        answer = await self.sent(caller, request, key)
        secret = {SECRET: "••••••••"} if isinstance(answer.body, dict) and SECRET in answer.body else {}
        return replace(answer, body={**answer.body, **secret})


class SecretLeftInTheText(Repeating):
    """The structured content of a replay has its secret null, and the text beside it still holds one."""

    rule = "KADU-IDM-10"

    async def again(self, caller: Caller, request: Request, key: bytes, first: datetime) -> Answer:  # noqa: ARG002
        return replayed(await self.sent(caller, request, key))

    def result(self, answer: Answer) -> CallToolResult:
        result = super().result(answer)
        body = result.structured_content or {}
        if not isinstance(answer, Replay) or SECRET not in body:
            self.__dict__.setdefault("shown", {})[str(body.get("id"))] = result.content
            return result
        return result.model_copy(update={"content": self.__dict__["shown"][str(body["id"])]})


class SecretNeverShown(KeyedSends):
    """A call with a key does not show its secret even once."""

    rule = "KADU-IDM-10"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        answer = await self.sent(caller, request, key)
        body = answer.body
        return replace(answer, body={**body, SECRET: None}) if answer.ok and SECRET in body else answer


class AnswersRemembered(KeyedSends):
    """Tools that remember what a call with a key was answered, as far as this lie goes."""

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        known: dict[Hashable, Outcome] = self.__dict__.setdefault("known", {})
        place = (turn.caller.organization, arguments.get(IDEMPOTENCY_ARGUMENT))
        if place[1] is not None and place in known:
            return known[place]
        outcome = await super().call(turn, name, arguments)
        if self.remembers(outcome):
            known[place] = outcome
        return outcome

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        return await self.sent(caller, request, key)

    def remembers(self, outcome: Outcome) -> bool:
        """Whether this is remembered."""
        raise NotImplementedError


class QuestionRemembered(AnswersRemembered):
    """A question is what a key remembers, and a yes is answered by it again."""

    rule = "KADU-IDM-12"

    def remembers(self, outcome: Outcome) -> bool:
        return isinstance(outcome, InputRequiredResult)


class RefusalRemembered(AnswersRemembered):
    """A call that was not permitted is what a key remembers."""

    rule = "KADU-IDM-14"

    def remembers(self, outcome: Outcome) -> bool:
        return "FORBIDDEN" in str(getattr(outcome, "structured_content", None))


class RefusedArgumentsTakeTheKey(KeyedSends):
    """A key is taken before the arguments are looked at: once they are put right, it counts as reused."""

    rule = "KADU-IDM-14"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        taken: dict[Hashable, bytes] = self.__dict__.setdefault("taken", {})
        key = arguments.get(IDEMPOTENCY_ARGUMENT)
        if key is not None and name == "kadu_workspaces_create":
            first = taken.setdefault((turn.caller.organization, key), canonical(arguments))
            if first != canonical(arguments):
                return refused("IDEMPOTENCY_KEY_REUSED", "A chave já foi usada com outros argumentos.")
        return await super().call(turn, name, arguments)

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        return await self.sent(caller, request, key)


class NoRemembered(AnswersRemembered):
    """A no is what a key remembers, and the call is never asked about again."""

    rule = "KADU-IDM-12"

    def remembers(self, outcome: Outcome) -> bool:
        return "USER_DECLINED" in str(getattr(outcome, "structured_content", None))


class ErrorNotRemembered(KeyedSends):
    """A key whose call came to an error may be used for another."""

    rule = "KADU-IDM-14"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        errors: dict[Hashable, int] = self.__dict__.setdefault("errors", {})
        place = (caller.organization, key)
        answer = await self.sent(caller, request, key + b"+" * errors.get(place, 0))
        if answer.status == 404:
            errors[place] = errors.get(place, 0) + 1
        return answer

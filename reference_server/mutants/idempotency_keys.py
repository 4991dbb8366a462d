"""Servers that lie about which tools take an idempotency key, what a key may be, and how it travels."""

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, CallToolResult, InputRequiredResult, Tool

from reference_server.engine.arguments import Request
from reference_server.engine.caller import Caller
from reference_server.engine.contract import IDEMPOTENCY_ARGUMENT, IDEMPOTENCY_HEADER, Operation
from reference_server.engine.results import refused
from reference_server.engine.tools import Tools, Turn
from reference_server.engine.upstream import Answer

Outcome = CallToolResult | InputRequiredResult
HEADER = IDEMPOTENCY_HEADER.encode("ascii")


class KeyedSends(Tools):
    """Tools with a hand on what is sent with a key."""

    async def send(self, caller: Caller, request: Request) -> Answer:
        """Ask the upstream, by the way of this lie where there is a key."""
        key = dict(request.headers).get(HEADER)
        return await (super().send(caller, request) if key is None else self.keyed(caller, request, key))

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        """What is asked with a key comes to this."""
        raise NotImplementedError

    async def sent(self, caller: Caller, request: Request, key: bytes | None) -> Answer:
        """Ask the upstream with this key, or with none."""
        headers = () if key is None else ((HEADER, key),)
        return await super().send(caller, replace(request, headers=headers))


class KeyedCalls(Tools):
    """Tools that take a call's key for another before they look at the call."""

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        key = arguments.get(IDEMPOTENCY_ARGUMENT)
        if not isinstance(key, str):
            return await super().call(turn, name, arguments)
        others = {given: value for given, value in arguments.items() if given != IDEMPOTENCY_ARGUMENT}
        taken = self.taken(key)
        return await super().call(
            turn, name, others if taken is None else {**others, IDEMPOTENCY_ARGUMENT: taken}
        )

    def taken(self, key: str) -> str | None:
        """What the key is taken for; None for no key at all."""
        raise NotImplementedError


class OtherSchema(Tools):
    """Tools that list one schema otherwise than it is."""

    def describe(self, operation: Operation) -> Tool:
        tool = super().describe(operation)
        schema = {**tool.input_schema, "properties": dict(tool.input_schema["properties"])}
        self.change(operation, schema, schema["properties"])
        return tool.model_copy(update={"input_schema": schema})

    def change(self, operation: Operation, schema: dict[str, Any], properties: dict[str, Any]) -> None:
        """Change the schema that is listed, and its properties."""
        raise NotImplementedError


class OneToolTakesNoKey(OtherSchema):
    """One of the twenty-eight tools is listed without the key."""

    rule = "KADU-IDM-01"

    def change(self, operation: Operation, schema: dict[str, Any], properties: dict[str, Any]) -> None:  # noqa: ARG002
        if operation.name == "kadu_webhook_deliveries_replay":
            del properties[IDEMPOTENCY_ARGUMENT]


class KeyMustBeGiven(OtherSchema):
    """A tool wants a key with every call."""

    rule = "KADU-IDM-01"

    def change(self, operation: Operation, schema: dict[str, Any], properties: dict[str, Any]) -> None:  # noqa: ARG002
        if operation.name == "kadu_tasks_run":
            schema["required"] = [*schema.get("required", ()), IDEMPOTENCY_ARGUMENT]


class KeyIsANumber(OtherSchema):
    """A tool takes a number for its key."""

    rule = "KADU-IDM-01"

    def change(self, operation: Operation, schema: dict[str, Any], properties: dict[str, Any]) -> None:  # noqa: ARG002
        if operation.name == "kadu_secrets_update":
            properties[IDEMPOTENCY_ARGUMENT] = {"type": "integer"}


class ReadingToolTakesAKey(OtherSchema):
    """A tool that only reads takes a key."""

    rule = "KADU-IDM-01"

    def change(self, operation: Operation, schema: dict[str, Any], properties: dict[str, Any]) -> None:  # noqa: ARG002
        if operation.name == "kadu_usage_get":
            properties[IDEMPOTENCY_ARGUMENT] = {"type": "string"}


class DeletingToolTakesAKey(OtherSchema):
    """A tool that deletes takes a key."""

    rule = "KADU-IDM-01"

    def change(self, operation: Operation, schema: dict[str, Any], properties: dict[str, Any]) -> None:  # noqa: ARG002
        if operation.name == "kadu_secrets_delete":
            properties[IDEMPOTENCY_ARGUMENT] = {"type": "string"}


class KeyNeverSent(KeyedSends):
    """The key is taken and never sent."""

    rule = "KADU-IDM-02"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:  # noqa: ARG002
        return await self.sent(caller, request, None)


class KeyOfOneToolNeverSent(KeyedSends):
    """One tool of the twenty-eight takes the key and never sends it."""

    rule = "KADU-IDM-02"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        ignored = request.path == "/v1/repository/sync"
        return await self.sent(caller, request, None if ignored else key)


class KeyInTheBody(KeyedSends):
    """The key travels in the body."""

    rule = "KADU-IDM-02"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        body = {**(request.body or {}), IDEMPOTENCY_ARGUMENT: key.decode("ascii")}
        return await self.sent(caller, replace(request, body=body), None)


class KeyInTheQuery(KeyedSends):
    """The key travels as the header, and in the query besides."""

    rule = "KADU-IDM-02"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        query = (*request.query, (IDEMPOTENCY_ARGUMENT, key.decode("ascii")))
        return await self.sent(caller, replace(request, query=query), key)


class KeyUnderAnotherHeader(KeyedSends):
    """The key travels as the header Idempotency-Key."""

    rule = "KADU-IDM-02"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        return await Tools.send(self, caller, replace(request, headers=((b"Idempotency-Key", key),)))


class KeyOfCapitalsLowered(KeyedSends):
    """The key is sent in small letters."""

    rule = "KADU-IDM-02"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        return await self.sent(caller, request, key.lower())


class DigestOfTheKeySent(KeyedSends):
    """A digest of the key is sent in its place."""

    rule = "KADU-IDM-02"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        return await self.sent(caller, request, hashlib.sha256(key).hexdigest().encode("ascii"))


class KeyPrefixedByTheRoute(KeyedSends):
    """The key is sent behind the name of its route, as if each tool had keys of its own."""

    rule = "KADU-IDM-02"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        return await self.sent(caller, request, request.path.split("/")[2].encode("ascii") + b":" + key)


class EmptyKeyTakenForNone(KeyedCalls):
    """An empty key is taken for no key, and the call runs."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return key or None


class LongKeyCut(KeyedCalls):
    """A key too long is cut to 255 characters, and the call runs."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return key[:255]


class LongKeyTakenForNone(KeyedCalls):
    """A key too long is left out, and the call runs."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return key if len(key) <= 255 else None


class KeyOfFiguresReadAsANumber(KeyedCalls):
    """A key of figures alone is read as a number, and loses the zeros before it."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return str(int(key)) if key.isdecimal() and key.isascii() else key


class ZeroTakenForNone(KeyedCalls):
    """The key 0 is false to its language, and taken for no key."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return None if key == "0" else key


class KeyOfAConfirmedCallUnchecked(KeyedCalls):
    """Where a call is asked about, a key that is none is left out, and the call runs after the yes."""

    rule = "KADU-IDM-03"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        operation = self.operations.get(name)
        if operation is None or not operation.destructive:
            return await Tools.call(self, turn, name, arguments)
        return await super().call(turn, name, arguments)

    def taken(self, key: str) -> str | None:
        return key if 0 < len(key) <= 255 else None


class KeyOfOneToolSaidToBeShort(OtherSchema):
    """A tool says that its key may have 64 characters at most."""

    rule = "KADU-IDM-03"

    def change(self, operation: Operation, schema: dict[str, Any], properties: dict[str, Any]) -> None:  # noqa: ARG002
        if operation.name == "kadu_memories_create":
            properties[IDEMPOTENCY_ARGUMENT] = {"type": "string", "minLength": 1, "maxLength": 64}


class LongestKeyRefused(KeyedCalls):
    """A key of 255 characters is refused as too long."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return key if len(key) < 255 else key * 2


class ShortestKeyRefused(KeyedCalls):
    """A key of one character is refused as too short."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return key if len(key) > 1 else ""


class KeyMustBeAWord(Tools):
    """Keys of anything but letters, digits and dashes are refused."""

    rule = "KADU-IDM-03"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        key = arguments.get(IDEMPOTENCY_ARGUMENT, "k")
        if isinstance(key, str) and not key.replace("-", "").isalnum():
            return refused("invalid_idempotency_key", "A chave aceita letras, números e hífens.")
        return await super().call(turn, name, arguments)


class KeyPercentEncoded(KeyedCalls):
    """What is no letter or digit in a key is percent-encoded."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return quote(key)


class KeyBeginsWithAWord(KeyedSends):
    """A key is sent without the signs before its first word."""

    rule = "KADU-IDM-03"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        return await self.sent(caller, request, key.lstrip(b"-_."))


class KeyEndsWithAWord(KeyedSends):
    """A key is sent without the signs behind its last word."""

    rule = "KADU-IDM-03"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        return await self.sent(caller, request, key.rstrip(b"-_."))


class KeyTakenForAnEncodedWord(KeyedCalls):
    """A key that looks like an encoded word is decoded."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return "decoded" if key.startswith("=?base64?") else key


class AccentsCrash(Tools):
    """A key outside of ASCII ends in an internal error."""

    rule = "KADU-IDM-03"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        if not str(arguments.get(IDEMPOTENCY_ARGUMENT, "")).isascii():
            raise MCPError(INTERNAL_ERROR, "Internal error")
        return await super().call(turn, name, arguments)


class AccentedKeyTakenForNone(KeyedCalls):
    """A key outside of ASCII is left out, and the call runs as often as it is made."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return key if key.isascii() else None


class KeysOutsideAsciiFolded(KeyedCalls):
    """What of a key is not ASCII becomes a question mark, so that two keys may become one."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return key.encode("ascii", "replace").decode()


class AccentsTakenFromKeys(KeyedCalls):
    """Keys lose their accents, and emoji altogether, so that two keys may become one."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return unicodedata.normalize("NFKD", key).encode("ascii", "ignore").decode()


class KeyWithSpacesTakenForNone(KeyedCalls):
    """A key with a space at an edge is left out, and the call runs as often as it is made."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return key if key == key.strip() else None


class KeyCutAtTheLineEnd(KeyedCalls):
    """A key ends where its first line ends, and the call runs."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return key.splitlines()[0] if key else key


class ZeroBytesTakenAway(KeyedCalls):
    """Zero bytes are taken out of a key, and the call runs."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        return key.replace("\0", "")


class KeySmugglesAHeader(KeyedCalls):
    """What follows a line end in a key becomes a header of its own."""

    rule = "KADU-IDM-03"

    def taken(self, key: str) -> str | None:
        first, *more = key.splitlines() or [""]
        self.__dict__["smuggled"] = tuple(
            (name.encode(), value.strip().encode())
            for name, _, value in (line.partition(":") for line in more)
        )
        return first

    async def send(self, caller: Caller, request: Request) -> Answer:
        more = self.__dict__.pop("smuggled", ()) if request.method != "GET" else ()
        return await super().send(caller, replace(request, headers=(*request.headers, *more)))

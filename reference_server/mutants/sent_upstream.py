"""Servers that send upstream something else than was asked about: a text that was altered, or the same a second time."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, InputRequiredResult

from reference_server.engine import arguments as args
from reference_server.engine.caller import Caller
from reference_server.engine.tools import Tools, Turn
from reference_server.engine.upstream import Answer, UpstreamUnavailable


class LostAnswerAskedForAgain(Tools):
    """What got no answer is sent again, after a yes too."""

    rule = "KADU-CNF-03"

    async def send(self, caller: Caller, request: args.Request) -> Answer:
        try:
            return await super().send(caller, request)
        except UpstreamUnavailable:
            return await super().send(caller, request)


class LostAnswerToAnOrdinaryWriteAskedForAgain(Tools):
    """What needs no yes is sent again where it got no answer."""

    rule = "KADU-DST-06"

    async def send(self, caller: Caller, request: args.Request) -> Answer:
        try:
            return await super().send(caller, request)
        except UpstreamUnavailable:
            ordinary = {one.path for one in self.operations.values() if not one.destructive}
            if request.path not in ordinary:
                raise
            return await super().send(caller, request)


class Altering(Tools):
    """Tools that run a call with other texts than it was made with."""

    async def call(
        self, turn: Turn, name: str, arguments: Mapping[str, Any]
    ) -> CallToolResult | InputRequiredResult:
        given = {
            key: self.altered(value) if isinstance(value, str) else value for key, value in arguments.items()
        }
        return await super().call(
            turn, name, {key: value for key, value in given.items() if value is not None}
        )

    def altered(self, text: str) -> str | None:
        """The text that is sent; None for one that is left out."""
        raise NotImplementedError


class TextsTrimmed(Altering):
    """Spaces at the ends of a text are dropped."""

    rule = "KADU-CNF-03"

    def altered(self, text: str) -> str | None:
        return text.strip(" ")


class TextsMadeCompatible(Altering):
    """The letters of a text are replaced by those that they are compatible with."""

    rule = "KADU-CNF-03"

    def altered(self, text: str) -> str | None:
        return unicodedata.normalize("NFKC", text)


class TextsLoseWhatTakesFourBytes(Altering):
    """An emoji in a text is dropped."""

    rule = "KADU-CNF-03"

    def altered(self, text: str) -> str | None:
        return "".join(letter for letter in text if ord(letter) < 0x10000)


class EmptyTextsLeftOut(Altering):
    """An empty text is left out as if it had not been given."""

    rule = "KADU-DST-06"

    def altered(self, text: str) -> str | None:
        return text or None

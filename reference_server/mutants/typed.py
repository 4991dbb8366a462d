"""Servers that lie about what fits what is typed."""

from mcp_types import Completion

from reference_server.engine.caller import Caller
from reference_server.engine.completions import Completions
from reference_server.engine.contract import Operation


class TypedTextIgnored(Completions):
    """Whatever is typed, the same ids are suggested."""

    rule = "KADU-CMP-01"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:  # noqa: ARG002
        return await super().ids(caller, listing, "")


class NothingThatFitsIsEverything(Completions):
    """Where nothing fits what is typed, everything is suggested."""

    rule = "KADU-CMP-01"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        found = await super().ids(caller, listing, typed)
        return found if found.values else await super().ids(caller, listing, "")


class WholeIdHasToBeTyped(Completions):
    """An id is suggested once it is typed to the end."""

    rule = "KADU-CMP-01"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        found = await super().ids(caller, listing, typed)
        return Completion(values=[value for value in found.values if typed in ("", value)])


class BeginningOfAnIdCompared(Completions):
    """Of what is typed of an id the first letters alone are compared."""

    rule = "KADU-CMP-01"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        return await super().ids(caller, listing, typed[:8])


class LongTypedTextFitsNothing(Completions):
    """Where more is typed of an id than its beginning, nothing is suggested."""

    rule = "KADU-CMP-01"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        found = await super().ids(caller, listing, typed)
        return found if len(typed) <= 8 else Completion(values=[])

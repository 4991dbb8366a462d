"""Servers that refuse to read a resource in the wrong words, or do not refuse."""

from dataclasses import replace
from posixpath import normpath
from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, ReadResourceResult, TextResourceContents

from reference_server.engine.caller import Caller
from reference_server.engine.contract import Operation
from reference_server.engine.resources import MIME_TYPE, NOT_FOUND_BEFORE_2026, Match, Resources
from reference_server.engine.upstream import Answer

LONG = 5000
MADE_UP = "00000000-"


class DeniedReadAnswersNothing(Resources):
    """Reading what the caller may not run answers no contents and no error."""

    rule = "KADU-RES-06"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        match = self.matched(uri)
        if match is not None and not self.visibility.may_run(caller, self.operations[match.row]):
            return ReadResourceResult(contents=[])
        return await super().read(caller, uri, modern)


class DeniedReadAnswersAnEmptyDocument(Resources):
    """Reading what the caller may not run answers a document that holds nothing."""

    rule = "KADU-RES-06"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        match = self.matched(uri)
        if match is not None and not self.visibility.may_run(caller, self.operations[match.row]):
            return empty(uri)
        return await super().read(caller, uri, modern)


class DeniedReadWithoutCode(Resources):
    """Reading what the caller may not run is refused without data.code."""

    rule = "KADU-RES-06"

    def not_allowed(self, uri: str) -> MCPError:
        return MCPError(INVALID_PARAMS, "Not allowed: insufficient_permission", {"uri": uri})


class DeniedReadByAnotherCode(Resources):
    """Reading what the caller may not run is refused with another word in data.code."""

    rule = "KADU-RES-06"

    def not_allowed(self, uri: str) -> MCPError:
        return MCPError(INVALID_PARAMS, "Not allowed for this caller", {"code": "forbidden", "uri": uri})


class DeniedReadIsNotFound(Resources):
    """Reading what the caller may not run is refused as not found."""

    rule = "KADU-RES-06"

    def not_allowed(self, uri: str) -> MCPError:
        return self.not_found(uri, modern=True)


class DeniedReadIsAnInternalError(Resources):
    """Reading what the caller may not run is refused as an internal error."""

    rule = "KADU-RES-06"

    def not_allowed(self, uri: str) -> MCPError:  # noqa: ARG002
        return MCPError(INTERNAL_ERROR, "Forbidden", {"code": "insufficient_permission"})


class DeniedReadHasTheOldCode(Resources):
    """Reading what the caller may not run is refused by −32002 in the handshake era."""

    rule = "KADU-RES-06"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        try:
            return await super().read(caller, uri, modern)
        except MCPError as error:
            if modern or error.error.data is None or "code" not in error.error.data:
                raise
            raise MCPError(NOT_FOUND_BEFORE_2026, "Not allowed", error.error.data) from None


class PermissionLeftToTheUpstream(Resources):
    """Only the scope is looked at before a read; the upstream's refusal for the role is an internal error."""

    rule = "KADU-RES-06"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        match = self.matched(uri)
        operation = None if match is None else self.operations[match.row]
        scoped = operation is not None and self.visibility.has_scope(caller, operation)
        if operation is not None and scoped and not self.visibility.may_run(caller, operation):
            raise self.unreadable()
        return await super().read(caller, uri, modern)


class SubDocumentsReadWithTheExecution(Resources):
    """Whoever may read executions asks for their events, logs and todos, and is told that there are none."""

    rule = "KADU-RES-06"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        match = self.matched(uri)
        if match is not None and match.row.path.startswith("executions/{id}/"):
            operation = self.operations[match.row]
            scoped = self.visibility.has_scope(caller, operation)
            if scoped and not self.visibility.has_permission(caller, operation):
                raise self.not_found(uri, modern)
        return await super().read(caller, uri, modern)


class DeniedApprovalsAreNone(Resources):
    """Who may not list approvals reads that there are none."""

    rule = "KADU-RES-06"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        match = self.matched(uri)
        listing = match is not None and match.row.path == "operation_approvals"
        if match is not None and listing and not self.visibility.may_run(caller, self.operations[match.row]):
            return empty(uri)
        return await super().read(caller, uri, modern)


class DeniedReadOfSomeRowsIsNotFound(Resources):
    """Activities, memories, environments and schedules that the caller may not read are not found."""

    rule = "KADU-RES-06"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        match = self.matched(uri)
        some = match is not None and match.row.path.startswith(("activ", "memor", "env", "sched"))
        if match is not None and some and not self.visibility.may_run(caller, self.operations[match.row]):
            raise self.not_found(uri, modern)
        return await super().read(caller, uri, modern)


class UnknownApprovalIsNotFoundFirst(Resources):
    """An approval that is not the caller's is not found before anybody asks whether the caller may read."""

    rule = "KADU-RES-06"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        if f"operation_approvals/{MADE_UP}" in uri:
            raise self.not_found(uri, modern)
        return await super().read(caller, uri, modern)


class MadeUpIdIsNotFoundFirst(Resources):
    """An id that no record has is not found before anybody asks whether the caller may read."""

    rule = "KADU-RES-06"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        if f"/{MADE_UP}" in uri:
            raise self.not_found(uri, modern)
        return await super().read(caller, uri, modern)


class UnknownAddressAnswersNothing(Resources):
    """Reading an unknown address answers no contents and no error."""

    rule = "KADU-RES-08"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        if self.matched(uri) is None:
            return ReadResourceResult(contents=[])
        return await super().read(caller, uri, modern)


class UnknownAddressIsDenied(Resources):
    """Reading an unknown address is refused for want of permission."""

    rule = "KADU-RES-08"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        if self.matched(uri) is None:
            raise self.not_allowed(uri)
        return await super().read(caller, uri, modern)


class NotFoundHasTheOldCode(Resources):
    """What is not found has the code −32002 in the stateless era too."""

    rule = "KADU-RES-08"

    def not_found(self, uri: str, modern: bool) -> MCPError:  # noqa: ARG002
        return super().not_found(uri, modern=False)


class NotFoundHasTheNewCode(Resources):
    """What is not found has the code −32602 in the handshake era too."""

    rule = "KADU-RES-08"

    def not_found(self, uri: str, modern: bool) -> MCPError:  # noqa: ARG002
        return super().not_found(uri, modern=True)


class OtherProductServed(Resources):
    """The address of another product is served as this one's."""

    rule = "KADU-RES-08"

    def matched(self, uri: str) -> Match | None:
        return super().matched(uri.replace("kobana://dunning/", self.product.uri_prefix))


class EveryPlaceServed(Resources):
    """The address of another place altogether is served by its last step."""

    rule = "KADU-RES-08"

    def matched(self, uri: str) -> Match | None:
        return super().matched(uri.replace("https://example.com/", self.product.uri_prefix))


class UnknownCollectionIsEmpty(Resources):
    """A collection that nobody knows is served as an empty document."""

    rule = "KADU-RES-08"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        known = {row.path.partition("/")[0] for row in self.operations}
        path = uri.removeprefix(self.product.uri_prefix)
        if uri != path and path.partition("/")[0] not in known:
            return empty(uri)
        return await super().read(caller, uri, modern)


class EmptyIdServesTheCollection(Resources):
    """An address with an empty id is served as an empty list."""

    rule = "KADU-RES-08"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        return empty(uri) if uri.endswith("tasks/") else await super().read(caller, uri, modern)


class CollectionServed(Resources):
    """The address of a collection, which is none, serves its records."""

    rule = "KADU-RES-08"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        return empty(uri) if uri.endswith("/tasks") else await super().read(caller, uri, modern)


class FurtherStepsOfARecordIgnored(Resources):
    """Whatever follows the address of a task is ignored."""

    rule = "KADU-RES-08"

    def matched(self, uri: str) -> Match | None:
        prefix = f"{self.product.uri_prefix}tasks/"
        rest = uri.removeprefix(prefix)
        return super().matched(prefix + rest.partition("/")[0] if rest != uri else uri)


class DotsLeadToAnotherRoute(Resources):
    """An id is put into the path as it is decoded, and its dots lead to another route."""

    rule = "KADU-RES-08"

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        if match.id is None or "/" not in match.id:
            return await super().fetched(caller, operation, match, uri, modern)
        path = normpath(operation.path.replace("{id}", match.id))
        return await self.upstream.ask("GET", path, token=caller.token)


class UndecodableIdIsAnInternalError(Resources):
    """An id of bytes that are no text is an internal error."""

    rule = "KADU-RES-08"

    def matched(self, uri: str) -> Match | None:
        try:
            unquote(uri, errors="strict")
        except UnicodeDecodeError:
            raise MCPError(INTERNAL_ERROR, "Internal error") from None
        return super().matched(uri)


class FurtherStepsIgnored(Resources):
    """Whatever follows a known address is ignored."""

    rule = "KADU-RES-08"

    def matched(self, uri: str) -> Match | None:
        prefix = f"{self.product.uri_prefix}me/"
        return super().matched(prefix[:-1] if uri.startswith(prefix) else uri)


class LongIdIsAnInternalError(Resources):
    """A very long id is an internal error."""

    rule = "KADU-RES-08"

    def matched(self, uri: str) -> Match | None:
        if len(uri) > LONG:
            raise MCPError(INTERNAL_ERROR, "Internal error")
        return super().matched(uri)


class LongIdSpoilsTheNextRead(Resources):
    """After a very long id the next read fails."""

    rule = "KADU-RES-08"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        spoilt: set[str] = self.__dict__.setdefault("spoilt", set())
        if caller.token in spoilt:
            spoilt.remove(caller.token)
            raise self.unreadable()
        if len(uri) > LONG:
            spoilt.add(caller.token)
        return await super().read(caller, uri, modern)


class NoRecordIsAnEmptyDocument(Resources):
    """Reading a record that does not exist answers a document that holds nothing."""

    rule = "KADU-RES-09"

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        answer = await super().fetched(caller, operation, match, uri, modern)
        return replace(answer, status=200, text="{}") if answer.status == 404 else answer


class NoRecordIsAnInternalError(Resources):
    """Reading a record that does not exist is an internal error."""

    rule = "KADU-RES-09"

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        answer = await super().fetched(caller, operation, match, uri, modern)
        return replace(answer, status=500) if answer.status == 404 else answer


class NoRecordIsDenied(Resources):
    """Reading a record that does not exist is refused for want of permission."""

    rule = "KADU-RES-09"

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        answer = await super().fetched(caller, operation, match, uri, modern)
        return replace(answer, status=403) if answer.status == 404 else answer


class LogsOfNoExecutionAreEmpty(Resources):
    """The logs of an execution that does not exist are an empty list."""

    rule = "KADU-RES-09"

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        answer = await super().fetched(caller, operation, match, uri, modern)
        lacking = answer.status == 404 and match.row.path == "executions/{id}/logs"
        return replace(answer, status=200, text='{"data": [], "next_cursor": null}') if lacking else answer


class ForeignRecordToldByItsMessage(Resources):
    """A record of another organization is refused in other words than one that does not exist."""

    rule = "KADU-RES-09"

    def not_found(self, uri: str, modern: bool) -> MCPError:
        error = super().not_found(uri, modern)
        if f"/{MADE_UP}" in uri:
            return error
        return MCPError(error.error.code, "Resource not found in this organization", error.error.data)


class ForeignRecordToldByItsData(Resources):
    """A record of another organization is refused with more data than one that does not exist."""

    rule = "KADU-RES-09"

    def not_found(self, uri: str, modern: bool) -> MCPError:
        error = super().not_found(uri, modern)
        exists = f"/{MADE_UP}" not in uri
        return MCPError(error.error.code, error.error.message, {**error.error.data, "exists": exists})


def empty(uri: str) -> ReadResourceResult:
    """A document that holds nothing."""
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MIME_TYPE, text="{}")])

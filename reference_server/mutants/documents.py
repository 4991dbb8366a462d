"""Servers that lie about what a document holds."""

import base64
import json
from dataclasses import replace
from typing import Any

from mcp_types import (
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ReadResourceResult,
    TextResourceContents,
)

from reference_server.engine.caller import Caller
from reference_server.engine.contract import Operation
from reference_server.engine.resources import MIME_TYPE, Match, Resources
from reference_server.engine.results import done
from reference_server.engine.tables import Product
from reference_server.engine.tools import Tools
from reference_server.engine.upstream import Answer

from .tables import Table, resource
from .wire import Line, Wire


class Edited(Resources):
    """Resources whose documents are edited on their way."""

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        """The upstream's answer, edited."""
        answer = await super().fetched(caller, operation, match, uri, modern)
        if not answer.ok or not isinstance(answer.body, dict):
            return answer
        body = self.document(match.row.path, dict(answer.body))
        return replace(answer, body=body, text=json.dumps(body))

    def document(self, path: str, body: dict[str, Any]) -> Any:
        """The document of a row, edited."""
        raise NotImplementedError


class Redirected(Resources):
    """Resources that read for another id than the one in the URI."""

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        """The answer for another id, where the row is meant."""
        if match.id is not None and match.row.path.startswith("executions/"):
            listed = await self.upstream.ask("GET", "/v1/executions", token=caller.token)
            others = [record["id"] for record in listed.body["data"] if record["id"] != match.id]
            match = replace(match, id=self.chosen(match, others))
        return await super().fetched(caller, operation, match, uri, modern)

    def chosen(self, match: Match, others: list[str]) -> str | None:
        """The id that is read."""
        raise NotImplementedError


class DocumentLacksAField(Edited):
    """A document leaves out the last field that its tool answers."""

    rule = "KADU-RES-03"

    def document(self, path: str, body: dict[str, Any]) -> Any:  # noqa: ARG002
        if "data" in body:
            return {**body, "data": [dict(list(record.items())[:-1]) for record in body["data"]]}
        return dict(list(body.items())[:-1])


class DocumentOfAnotherRecord(Redirected):
    """Reading one execution gives another."""

    rule = "KADU-RES-03"

    def chosen(self, match: Match, others: list[str]) -> str | None:
        return others[0] if match.row.path == "executions/{id}" else match.id


class DocumentInProse(Edited):
    """A document is prose and no JSON."""

    rule = "KADU-RES-03"

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        answer = await Resources.fetched(self, caller, operation, match, uri, modern)
        return replace(answer, text=f"O documento {match.row.title} tem {len(answer.text)} caracteres.")


class LogsDocumentHoldsEvents(Table):
    """The document of an execution's logs is read by the tool of its events."""

    rule = "KADU-RES-03"

    @staticmethod
    def edit(product: Product) -> Product:
        return resource(product, "executions/{id}/logs", operation="kadu_executions_events_list")


class ApprovalsDocumentIsEmpty(Edited):
    """The document of the approvals never holds any."""

    rule = "KADU-RES-03"

    def document(self, path: str, body: dict[str, Any]) -> Any:
        return {**body, "data": []} if path == "operation_approvals" else body


class ApprovalDocumentLacksItsDecision(Edited):
    """The document of an approval leaves out what was decided and what came of it."""

    rule = "KADU-RES-04"

    def document(self, path: str, body: dict[str, Any]) -> Any:
        hidden = ("status", "decided_at", "result", "error")
        kept = {name: value for name, value in body.items() if name not in hidden}
        return kept if path == "operation_approvals/{id}" else body


class ApprovalDocumentLacksItsResult(Edited):
    """The document of an approval leaves out what the operation returned."""

    rule = "KADU-RES-04"

    def document(self, path: str, body: dict[str, Any]) -> Any:
        return {**body, "result": None} if path == "operation_approvals/{id}" else body


class ApprovalWithoutWhatWasAsked(Wire):
    """Neither the tool nor the resource tells what an approval was asked for."""

    rule = "KADU-RES-04"

    async def say(self, line: Line) -> None:
        for held in (*line.result.get("contents", ()), *line.result.get("content", ())):
            told = json.loads(held["text"])
            if "decided_at" in told:
                held["text"] = json.dumps(self.left(told))
                line.result.pop("structuredContent", None)

    def left(self, told: dict[str, Any]) -> dict[str, Any]:
        """What is left of an approval."""
        return {name: told[name] for name in told if name not in ("operation", "title", "arguments")}


class DocumentRemembered(Resources):
    """A document is kept as it was read first, whatever happens to the record."""

    rule = "KADU-RES-03"

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        kept: dict[Any, Answer] = self.__dict__.setdefault("kept", {})
        if (caller.token, uri) not in kept:
            kept[caller.token, uri] = await super().fetched(caller, operation, match, uri, modern)
        return kept[caller.token, uri]


class MeWithoutScopes(Edited):
    """Who is calling comes without the scopes of the connection."""

    rule = "KADU-RES-04"

    def document(self, path: str, body: dict[str, Any]) -> Any:
        return {**body, "scopes": []} if path == "me" else body


class MeWithoutOrganization(Edited):
    """Who is calling comes without the organization."""

    rule = "KADU-RES-04"

    def document(self, path: str, body: dict[str, Any]) -> Any:
        return {**body, "organization": None} if path == "me" else body


class RepositoryWithoutSkills(Edited):
    """The repository comes without its catalogue of skills."""

    rule = "KADU-RES-04"

    def document(self, path: str, body: dict[str, Any]) -> Any:
        return {**body, "skills": []} if path == "repository" else body


class ApprovalsDocumentOldestFirst(Edited):
    """The approvals come oldest first."""

    rule = "KADU-RES-04"

    def document(self, path: str, body: dict[str, Any]) -> Any:
        return {**body, "data": body["data"][::-1]} if path == "operation_approvals" else body


class TaskWithoutParameterSchema(Edited):
    """A task comes without the schema of its parameters."""

    rule = "KADU-RES-04"

    def document(self, path: str, body: dict[str, Any]) -> Any:
        return {**body, "parameters_schema": {}} if path == "tasks/{id}" else body


class EventsOfAnotherExecution(Redirected):
    """The document of an execution's events holds those of another one."""

    rule = "KADU-RES-04"

    def chosen(self, match: Match, others: list[str]) -> str | None:
        return others[0] if match.row.path == "executions/{id}/events" else match.id


class TodosOfEveryExecution(Table):
    """The document of an execution's todos holds all of the organization."""

    rule = "KADU-RES-04"

    @staticmethod
    def edit(product: Product) -> Product:
        return resource(product, "executions/{id}/todos", operation="kadu_todos_list")


class LogsCutToTheFirst(Edited):
    """The document of an execution's logs holds one line alone."""

    rule = "KADU-RES-04"

    def document(self, path: str, body: dict[str, Any]) -> Any:
        return {**body, "data": body["data"][:1]} if path == "executions/{id}/logs" else body


class DocumentAsBlob(Resources):
    """A document comes as base64 of its bytes."""

    rule = "KADU-RES-07"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        [text] = (await super().read(caller, uri, modern)).contents
        assert isinstance(text, TextResourceContents)
        blob = base64.b64encode(text.text.encode()).decode()
        return ReadResourceResult(contents=[BlobResourceContents(uri=uri, mime_type=MIME_TYPE, blob=blob)])


class Downloads(Tools):
    """Tools whose result of a download is edited."""

    def result(self, answer: Answer) -> CallToolResult:
        """The tool's result for the upstream's answer."""
        body = answer.body
        presigned = isinstance(body, dict) and set(body) == {"id", "name", "url", "expires_at"}
        return self.download(body) if presigned else super().result(answer)

    def download(self, body: dict[str, Any]) -> CallToolResult:
        """The result of a download."""
        raise NotImplementedError


class DownloadEmbedsTheFile(Downloads):
    """A download has the bytes embedded beside the address."""

    rule = "KADU-RES-07"

    def download(self, body: dict[str, Any]) -> CallToolResult:
        result = done(body)
        held = BlobResourceContents(uri=body["url"], blob=base64.b64encode(b"%PDF-1.7").decode())
        return result.model_copy(update={"content": [*result.content, EmbeddedResource(resource=held)]})


class DownloadWithoutAddress(Downloads):
    """A download describes the file and gives no address of it."""

    rule = "KADU-RES-07"

    def download(self, body: dict[str, Any]) -> CallToolResult:
        return done({name: value for name, value in body.items() if name != "url"})


class DownloadAddressNeedsTheToken(Downloads):
    """A download gives an address that only serves who holds a token."""

    rule = "KADU-RES-07"

    def download(self, body: dict[str, Any]) -> CallToolResult:
        origin = "/".join(body["url"].split("/")[:3])
        return done({**body, "url": f"{origin}/v1/files"})

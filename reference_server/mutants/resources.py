"""Servers that lie while a resource is read: whom they serve, what they do on the way, whether they remember."""

import json
from typing import Any

from mcp_types import ReadResourceResult, TextResourceContents

from reference_server.engine.caller import Caller
from reference_server.engine.contract import Operation
from reference_server.engine.resources import Match, Resources
from reference_server.engine.upstream import Answer

from .wire import Line, Wire

CHANGED = {"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


class ReadServedFromMemory(Resources):
    """A document that anybody of the organization read is served to colleagues who may not read it."""

    rule = "KADU-RES-06"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        kept: dict[Any, ReadResourceResult] = self.__dict__.setdefault("kept", {})
        if uri.count("/") < 4 or (caller.organization, uri) not in kept:
            kept[caller.organization, uri] = await super().read(caller, uri, modern)
        return kept[caller.organization, uri]


class UnlistedRecordsServed(Resources):
    """A record that the API holds is served, though no row is about such records."""

    rule = "KADU-RES-08"
    served: tuple[str, ...] = ("webhooks", "secrets")

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        path = uri.removeprefix(self.product.uri_prefix)
        if path.partition("/")[0] in self.served and self.matched(uri) is None:
            answer = await self.upstream.ask("GET", f"/v1/{path}", token=caller.token)
            if answer.ok:
                return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=answer.text)])
        return await super().read(caller, uri, modern)


class UnlistedFilesServed(UnlistedRecordsServed):
    """What the API tells of a file is served, though no row is about files."""

    rule = "KADU-RES-08"
    served = ("files",)


class ReadSharedBetweenOrganizations(Resources):
    """A document that any organization read is served to every other by its URI."""

    rule = "KADU-RES-09"

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        kept: dict[str, ReadResourceResult] = self.__dict__.setdefault("kept", {})
        if uri.count("/") < 4 or uri not in kept:
            kept[uri] = await super().read(caller, uri, modern)
        return kept[uri]


class SubscriptionsDeclared(Wire):
    """The server says that resources can be subscribed to."""

    rule = "KADU-RES-10"

    async def say(self, line: Line) -> None:
        line.result.get("capabilities", {}).get("resources", {})["subscribe"] = True


class ChangedListsDeclared(Wire):
    """The server says that it tells of changed lists of tools."""

    rule = "KADU-RES-10"

    async def say(self, line: Line) -> None:
        line.result.get("capabilities", {}).get("tools", {})["listChanged"] = True


class SubscriptionTaken(Wire):
    """A subscription of the handshake era is answered as if it were kept."""

    rule = "KADU-RES-10"

    async def heard(self, line: Line) -> None:
        if line.method == "resources/subscribe" and not line.modern:
            line.answer(200, result={})


class ChangeAnnouncedBesideAnAnswer(Wire):
    """The answer of a call that wrote comes on a stream, after word that the resources changed."""

    rule = "KADU-RES-10"

    async def say(self, line: Line) -> None:
        if line.method == "tools/call" and str(line.params.get("name")).endswith("_create") and line.result:
            line.told_headers["content-type"] = "text/event-stream"
            line.raw = "".join(f"data: {json.dumps(told)}\n\n" for told in (CHANGED, line.told)).encode()


class Listening(Wire):
    """A shell that answers who listens for changes by a stream of these messages."""

    async def heard(self, line: Line) -> None:
        """Answer who listens."""
        if line.method == "subscriptions/listen":
            line.status, line.told_headers = 200, {"content-type": "text/event-stream"}
            events = (f"data: {json.dumps(message)}\n\n" for message in self.stream(line))
            line.raw = "".join(events).encode()

    def stream(self, line: Line) -> list[dict[str, Any]]:
        """The messages of the stream."""
        raise NotImplementedError

    def acknowledged(self, line: Line, granted: dict[str, Any]) -> dict[str, Any]:
        """The acknowledgement of what is granted."""
        meta = {SUBSCRIPTION: line.asked["id"]}
        return {"jsonrpc": "2.0", "method": ACKNOWLEDGED, "params": {"_meta": meta, "notifications": granted}}


class ListeningGranted(Listening):
    """Whoever listens is promised to be told of changed lists."""

    rule = "KADU-RES-10"

    def stream(self, line: Line) -> list[dict[str, Any]]:
        return [self.acknowledged(line, {"resourcesListChanged": True})]


class ListeningBringsChanges(Listening):
    """Whoever listens is promised nothing and told of a changed list all the same."""

    rule = "KADU-RES-10"

    def stream(self, line: Line) -> list[dict[str, Any]]:
        return [self.acknowledged(line, {}), CHANGED]


class SessionRequired(Wire):
    """A handshake mints a session, and no later request is served without it."""

    rule = "KADU-RES-11"

    async def heard(self, line: Line) -> None:
        if not line.modern and line.method != "initialize" and "mcp-session-id" not in line.headers:
            line.answer(400, error=(-32600, "Missing session id"))

    async def say(self, line: Line) -> None:
        if line.method == "initialize":
            line.told_headers["mcp-session-id"] = "one-session-for-everybody"


class SessionCarriesTheCaller(Wire):
    """A request without the session that the handshake minted is told of an empty connection."""

    rule = "KADU-RES-11"

    async def say(self, line: Line) -> None:
        if line.method == "initialize":
            line.told_headers["mcp-session-id"] = "one-session-for-everybody"
        elif not line.modern and "contents" in line.result and "mcp-session-id" not in line.headers:
            line.result["contents"][0]["text"] = '{"person": null, "organization": null, "scopes": []}'


class HandshakeRequired(Wire):
    """A request of the handshake era is served only where this very process saw its caller's handshake."""

    rule = "KADU-RES-11"
    replicas = 2

    async def heard(self, line: Line) -> None:
        known: set[str | None] = self.__dict__.setdefault("known", set())
        if line.method == "initialize":
            known.add(line.token)
        elif not line.modern and line.token not in known:
            line.answer(400, error=(-32600, "Not initialized"))


class ReadingSynchronizes(Resources):
    """Reading any record of the organization has the repository synchronized."""

    rule = "KADU-RES-12"

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        if match.row.path != "me":
            await self.upstream.ask("POST", "/v1/repository/sync", token=caller.token, body={})
        return await super().fetched(caller, operation, match, uri, modern)


class ReadingAnApprovalSynchronizes(Resources):
    """Reading one approval has the repository synchronized."""

    rule = "KADU-RES-12"

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        if match.row.path == "operation_approvals/{id}":
            await self.upstream.ask("POST", "/v1/repository/sync", token=caller.token, body={})
        return await super().fetched(caller, operation, match, uri, modern)

"""Servers that lie about whom they let in, and about what is no request."""

from typing import Any

from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.responses import Response

from reference_server.engine.caller import Caller, Callers
from reference_server.engine.http import HttpSettings, Shell
from reference_server.engine.server import Engine

from .wire import VERSION_HEADER, Line, Wire

CURRENT = MODERN_PROTOCOL_VERSIONS[-1]


class OriginIgnored(Wire):
    """A page of any other site is served."""

    rule = "MCP-12"

    async def heard(self, line: Line) -> None:
        line.headers.pop("origin", None)


class ForeignOriginIsHttp400(Wire):
    """A page of another site is refused by HTTP 400."""

    rule = "MCP-12"

    async def say(self, line: Line) -> None:
        line.status = 400 if line.status == 403 else line.status


class OriginComparedByItsBeginning(Wire):
    """An origin is allowed that begins as an allowed one does."""

    rule = "MCP-12"

    async def heard(self, line: Line) -> None:
        if line.headers.get("origin", "").startswith("http://localhost"):
            del line.headers["origin"]


class OriginInFiguresComparedByItsBeginning(Wire):
    """An origin is allowed that begins with the figures of an allowed one."""

    rule = "MCP-12"

    async def heard(self, line: Line) -> None:
        if line.headers.get("origin", "").startswith("http://127.0.0.1"):
            del line.headers["origin"]


class ChallengeMissing(Shell):
    """Who comes without a good token is not told how to authenticate."""

    rule = "MCP-13"

    def _unauthorized(self, error: str | None) -> Response:
        refusal = super()._unauthorized(error)
        del refusal.headers["WWW-Authenticate"]
        return refusal


class BadTokenIsForbidden(Wire):
    """Who comes with a bad token is forbidden and not asked to authenticate."""

    rule = "MCP-13"

    async def say(self, line: Line) -> None:
        line.status = 403 if line.status == 401 and line.token else line.status


class NoTokenIsAProtocolError(Wire):
    """Who comes without a token is answered a protocol error with HTTP 200."""

    rule = "MCP-13"

    async def say(self, line: Line) -> None:
        if line.status == 401 and line.token is None:
            line.answer(200, error=(-32600, "Unauthorized"))


class OpeningServedToAnybody(Wire):
    """The handshake and the discovery are answered without a token."""

    rule = "MCP-13"

    async def say(self, line: Line) -> None:
        if line.status == 401 and line.method in ("initialize", "server/discover"):
            offer = {"capabilities": {}, "serverInfo": {"name": "kadu", "version": "1"}}
            line.answer(
                200, result={"protocolVersion": "2025-11-25", "supportedVersions": [CURRENT], **offer}
            )


class ListsServedToAnybody(Wire):
    """The lists are answered without a token, with nothing in them."""

    rule = "MCP-13"

    async def say(self, line: Line) -> None:
        if line.status == 401 and line.method == "tools/list":
            line.answer(
                200, result={"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            )


class NotificationsTaken(Wire):
    """A shell that takes notifications of some who have no good token."""

    async def say(self, line: Line) -> None:
        """Take the notification."""
        notifies = isinstance(line.asked, dict) and "id" not in line.asked
        if line.status == 401 and notifies and self.takes(line.token):
            line.status, line.told = 202, None

    def takes(self, token: str | None) -> bool:
        """Whether a notification under this token, which is not good, is taken."""
        raise NotImplementedError


class NotificationsTakenFromAnybody(NotificationsTaken):
    """A notification is taken without a token."""

    rule = "MCP-13"

    def takes(self, token: str | None) -> bool:
        return token is None


class NotificationsTakenByAnyToken(NotificationsTaken):
    """A notification is taken under a token that has ended."""

    rule = "MCP-13"

    def takes(self, token: str | None) -> bool:
        return token is not None


class Remembering(Callers):
    """Callers known by their token for ever."""

    async def identify(self, token: str) -> Caller:
        """The caller behind the token, as it was known first."""
        known: dict[str, Caller] = self.__dict__.setdefault("known", {})
        if token not in known:
            known[token] = await super().identify(token)
        return known[token]


class TokensRememberedForEver(Shell):
    """A token that was good once is good for ever."""

    rule = "MCP-13"

    def __init__(self, engine: Engine, settings: HttpSettings) -> None:
        correct = engine.callers
        engine.callers = Remembering(engine.upstream, correct._me)
        super().__init__(engine, settings)


class NoJsonIsNoRequest(Wire):
    """What is not JSON is refused as no request."""

    rule = "MCP-16"

    async def heard(self, line: Line) -> None:
        if line.asked is None:
            line.answer(400, error=(-32600, "Invalid Request"))


class NoJsonIsAnInternalError(Wire):
    """What is not JSON is refused as an internal error."""

    rule = "MCP-16"

    async def heard(self, line: Line) -> None:
        if line.asked is None:
            line.answer(500, error=(-32603, "JSONDecodeError: line 1 column 43"))


class BatchServed(Wire):
    """A batch is served as the first of its requests."""

    rule = "MCP-16"

    async def heard(self, line: Line) -> None:
        if isinstance(line.asked, list):
            first: Any = line.asked[0]
            line.asked = first
            line.headers.update({"mcp-method": first["method"], VERSION_HEADER: "2025-11-25"})


class EmptyBatchTaken(Wire):
    """A batch of nothing is taken."""

    rule = "MCP-16"

    async def heard(self, line: Line) -> None:
        if line.asked == []:
            line.status = 202


class BatchOfNotificationsTaken(Wire):
    """A batch of notifications is taken."""

    rule = "MCP-16"

    async def heard(self, line: Line) -> None:
        if isinstance(line.asked, list) and line.asked and not any("id" in one for one in line.asked):
            line.status = 202


class NotificationAnswered(Wire):
    """A notification is answered by a result."""

    rule = "MCP-16"

    async def say(self, line: Line) -> None:
        if isinstance(line.asked, dict) and "id" not in line.asked and line.status == 202:
            line.answer(200, result={})


class NotificationIsHttp204(Wire):
    """A notification is taken with HTTP 204."""

    rule = "MCP-16"

    async def say(self, line: Line) -> None:
        line.status = 204 if line.status == 202 else line.status

"""The HTTP shell around the SDK.

Method, host, origin, size, token; what passes reaches the SDK with its caller.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INTERNAL_ERROR
from starlette.responses import Response
from starlette.routing import Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .caller import NotRecognized
from .server import CALLER, Engine
from .upstream import UpstreamUnavailable

_LOOPBACK = r"(?:localhost|127\.0\.0\.1|\[::1\])"
_LOOPBACK_HOST = re.compile(rf"{_LOOPBACK}(?::[0-9]{{1,5}})?")
_LOOPBACK_ORIGIN = re.compile(rf"https?://{_LOOPBACK}(?::[0-9]{{1,5}})?")
_BEARER = re.compile(r"bearer +([A-Za-z0-9\-._~+/]+=*)", re.IGNORECASE)
_TOKEN_LIMIT = 4096


@dataclass(frozen=True)
class HttpSettings:
    """What the shell lets in, beyond loopback; the size of a body in bytes; how long one may take to arrive."""

    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    body_limit: int = 1024 * 1024
    body_seconds: float = 30.0


class Shell:
    """One engine behind HTTP, as an ASGI application. `run` must be entered around all requests."""

    def __init__(self, engine: Engine, settings: HttpSettings) -> None:
        self._engine = engine
        self._settings = settings
        self._sdk = StreamableHTTPSessionManager(
            engine.server,
            json_response=True,
            stateless=True,
            # Hosts and origins are judged here, before the token.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=settings.body_limit,
        )
        self.run = self._sdk.run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        # RFC 9110, 5.5: white space around a value is no part of it; the parser leaves what stands behind.
        stripped = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        scope = {**scope, "headers": stripped}
        headers = dict(reversed(stripped))  # the first of a name, as those who look one up have it
        refusal = self._refusal(scope["method"], headers)
        if refusal is not None:
            return await refusal(scope, receive, send)
        # MCP-13: a token is needed for everything, and nothing is remembered of it.
        token = bearer_token(stripped)
        if token is None:
            return await self._unauthorized(None)(scope, receive, send)
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                body = await _body(receive, self._settings.body_limit)
        except TimeoutError:
            return await _problem(408, "The body did not arrive in time")(scope, receive, send)
        if body is None:
            return await _problem(413, "The body is too large")(scope, receive, send)
        try:
            caller = await self._engine.callers.identify(token)
        except NotRecognized:
            return await self._unauthorized("invalid_token")(scope, receive, send)
        except UpstreamUnavailable:
            answer = _problem(
                503, "The upstream does not say who is calling; try again", {"Retry-After": "1"}
            )
            return await answer(scope, receive, send)
        await self._sdk.asgi_app({**scope, CALLER: caller}, _replayed(body, receive), send)
        return None

    def _refusal(self, method: str, headers: Mapping[bytes, bytes]) -> Response | None:
        # MCP-09: no streams to open, no sessions to end.
        if method != "POST":
            return _problem(405, "Only POST is served here", {"Allow": "POST"})
        host = headers.get(b"host", b"").decode("latin-1")
        origin = headers[b"origin"].decode("latin-1") if b"origin" in headers else None
        if _LOOPBACK_HOST.fullmatch(host) is None and host not in self._settings.hosts:
            return _problem(421, "This host is not served here")
        # MCP-12: a page of another site must not reach a server on this machine.
        if origin is None or origin in self._settings.origins or _LOOPBACK_ORIGIN.fullmatch(origin):
            return None
        return _problem(403, "This origin is not allowed")

    def _unauthorized(self, error: str | None) -> Response:
        challenge = f'Bearer realm="{self._engine.product.name}"' + (f', error="{error}"' if error else "")
        return _problem(401, "A valid bearer token is needed", {"WWW-Authenticate": challenge})


def application(shells: Mapping[str, Shell]) -> ASGIApp:
    """All shells by their path, as one ASGI application with a lifespan."""

    @asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for shell in shells.values():
                await stack.enter_async_context(shell.run())
            yield

    rest = Router(lifespan=lifespan)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        shell = shells.get(scope["path"]) if scope["type"] == "http" else None
        await (shell or rest)(scope, receive, send)

    return serve


def bearer_token(headers: Sequence[tuple[bytes, bytes]]) -> str | None:
    """The bearer token of a request; None where there is none, or none that could be one."""
    given = [value.decode("latin-1") for name, value in headers if name == b"authorization"]
    if len(given) != 1 or len(given[0]) > _TOKEN_LIMIT:
        return None
    match = _BEARER.fullmatch(given[0].strip())
    return None if match is None else match.group(1)


async def _body(receive: Receive, limit: int) -> bytes | None:
    """The whole body; None where it is longer than the limit."""
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        body += message.get("body", b"")
        if len(body) > limit:
            return None
        more = message.get("more_body", False)
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _problem(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": INTERNAL_ERROR, "message": message}}
    return Response(json.dumps(body), status, headers, "application/json")

"""The HTTP side: one endpoint, both eras."""

import asyncio
import json
import os
import re
import secrets
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from plain.choices import USUAL, Choices
from plain.contract import read_contract
from plain.envelope import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    STATELESS,
    Bare,
    Fault,
    Request,
    read_request,
)
from plain.methods import answer, remarks
from plain.service import Caller, Service
from plain.upstream import TokenRefused, Unreachable, Upstream

BODY_LIMIT = 4_000_000
LONG = 60_000
SESSIONS_KEPT = 1000
AT_ONCE = 8
OTHER_VERBS = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]
BEARER = re.compile(r"(?i:bearer) +([\x21-\x7e]+)")
LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class LogLevels:
    """Which session wanted which log level; forgets the oldest. No replica needs it to serve."""

    def __init__(self) -> None:
        self._levels: OrderedDict[str, str] = OrderedDict()

    def set(self, session: str | None, level: str) -> None:
        """Remember a session's wish."""
        if session is not None:
            self._levels[session[:100]] = level
            if len(self._levels) > SESSIONS_KEPT:
                self._levels.popitem(last=False)

    def of(self, session: str | None) -> str:
        """The level a session asked for, else `info`."""
        return self._levels.get(session[:100], "info") if session is not None else "info"


def build(api_url: str, state_secret: str | None = None, choices: Choices = USUAL) -> Starlette:
    """The application. `state_secret` is shared by replicas; without one, states die with the process."""
    secret = state_secret.encode() if state_secret else secrets.token_bytes(32)
    routes = [Route("/mcp", _endpoint, methods=["POST"]), Route("/mcp", _other_verb, methods=OTHER_VERBS)]
    return Starlette(routes=routes, lifespan=_lifespan(api_url, secret, choices))


def build_from_environment() -> Starlette:
    """The application as KADU_API_URL, STATE_SECRET, CHOICES and CHOICES_LOG want it.

    Raises KeyError without the first, ValueError for a choice that there is none of.
    """
    log = os.environ.get("CHOICES_LOG")
    choices = Choices(os.environ.get("CHOICES", ""), Path(log) if log else None)
    return build(os.environ["KADU_API_URL"], os.environ.get("STATE_SECRET"), choices)


def _lifespan(
    api_url: str, secret: bytes, choices: Choices
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        # Idle connections are dropped before the far side drops them: no request is ever sent twice.
        limits = httpx.Limits(max_connections=200, max_keepalive_connections=50, keepalive_expiry=2)
        timeout = httpx.Timeout(60, connect=5)
        async with httpx.AsyncClient(
            base_url=api_url, limits=limits, timeout=timeout, trust_env=False
        ) as client:
            upstream = Upstream(client)
            contract = read_contract(await upstream.document())
            app.state.service = Service(contract, upstream, secret, choices)
            app.state.levels = LogLevels()
            app.state.crowd = Counter()
            yield

    return lifespan


async def _other_verb(http: HttpRequest) -> Response:
    service: Service = http.app.state.service
    if service.choices.of("other_verbs") == "not_found":
        return Response(status_code=404)
    return Response(status_code=405, headers={"allow": "POST"})


async def _endpoint(http: HttpRequest) -> Response:
    service: Service = http.app.state.service
    if service.choices.stands("crowd") == "served":
        return await _taken(http)
    crowd: Counter[str] = http.app.state.crowd
    token = http.headers.get("authorization", "")
    crowd[token] += 1
    try:
        if crowd[token] > AT_ONCE and service.choices.of("crowd"):
            return Response(status_code=429, headers={"retry-after": "1"})
        return await _taken(http)
    finally:
        crowd[token] -= 1


async def _taken(http: HttpRequest) -> Response:
    refusal = _refused_at_the_door(http)
    if refusal is not None:
        return refusal
    bearer = BEARER.fullmatch(http.headers.get("authorization", ""))
    if bearer is None:
        return _unauthorized("invalid_request")
    raw = bytearray()
    async for chunk in http.stream():
        raw += chunk
        if len(raw) > BODY_LIMIT:
            return Response(status_code=413)
    service: Service = http.app.state.service
    if len(raw) > LONG and service.choices.of("long_state") == "http":
        return Response(status_code=413)
    try:
        request = read_request(http.headers, bytes(raw), service.choices)
    except Fault as fault:
        return _error(http, fault, http.headers.get("mcp-protocol-version") == STATELESS, fault.request_id)
    except Bare as bare:
        return Response(status_code=bare.status)
    try:
        caller = Caller(bearer.group(1), await service.upstream.me(bearer.group(1)))
        if request.id is None:
            return Response(status_code=202)
        if request.stateless and request.method == "subscriptions/listen" and _listens(service):
            return StreamingResponse(_silence(request.id), 200, media_type="text/event-stream")
        return await _answered(http, service, caller, request)
    except TokenRefused:
        # MCP-13
        return _unauthorized("invalid_token")
    except Unreachable:
        return Response(status_code=503, headers={"retry-after": "5"})
    except Bare as bare:
        return Response(status_code=bare.status)
    except Fault as fault:
        plainly = request.stateless and fault.code == INVALID_PARAMS
        if plainly and service.choices.of("error_status") == "ok":
            return _error(http, fault, False, request.id)
        return _error(http, fault, request.stateless, request.id)


async def _answered(http: HttpRequest, service: Service, caller: Caller, request: Request) -> Response:
    levels: LogLevels = http.app.state.levels
    result = await answer(service, caller, request)
    headers = {}
    if request.method == "initialize":
        # KADU-RES-11: minted, never asked for again
        headers["Mcp-Session-Id"] = secrets.token_urlsafe(18)
    if request.method == "logging/setLevel":
        levels.set(request.session, request.params["level"])
    message = {"result": result, "id": request.id, "jsonrpc": "2.0"}
    told = remarks(request, levels.of(request.session), service.choices)
    return _written(http, [*told, message], headers)


def _listens(service: Service) -> bool:
    return service.choices.of("listen") == "acknowledged"


async def _silence(request_id: str | int) -> AsyncIterator[bytes]:
    """KADU-RES-10: an acknowledgement that honours nothing, and then no word until the caller has gone."""
    about = {"io.modelcontextprotocol/subscriptionId": request_id}
    told = {
        "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": {}, "_meta": about},
    }
    async for piece in _events([{"jsonrpc": "2.0", **told}]):
        yield piece
    await asyncio.Event().wait()


def _refused_at_the_door(http: HttpRequest) -> Response | None:
    origin = http.headers.get("origin")
    if origin is not None and not _is_ours(origin):
        # MCP-12
        return Response(status_code=403)
    if http.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return Response(status_code=415)
    return None


def _is_ours(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.hostname in LOOPBACK and parts.username is None
    except ValueError:
        return False


def _unauthorized(error: str) -> Response:
    challenge = f'Bearer realm="kadu", error="{error}"'
    body = json.dumps({"error": error})
    return Response(body, 401, {"WWW-Authenticate": challenge}, media_type="application/json")


def _error(http: HttpRequest, fault: Fault, stateless: bool, request_id: str | int | None) -> Response:
    error: dict[str, Any] = {"message": fault.message, "code": fault.code}
    if fault.data is not None:
        error["data"] = fault.data
    message = {"error": error, "id": request_id, "jsonrpc": "2.0"}
    status = 200
    if fault.code in (PARSE_ERROR, INVALID_REQUEST) or -32099 <= fault.code <= -32020:
        status = 400
    elif stateless and fault.code == METHOD_NOT_FOUND:
        status = 404
    elif stateless and fault.code == -32602:
        status = 400
    if status == 200:
        return _written(http, [message], {})
    return Response(json.dumps(message), status, media_type="application/json")


def _written(http: HttpRequest, messages: list[dict[str, Any]], headers: dict[str, str]) -> Response:
    if "text/event-stream" not in http.headers.get("accept", "").lower():
        return Response(json.dumps(messages[-1]), 200, headers, media_type="application/json")
    headers = {"cache-control": "no-store", **headers}
    return StreamingResponse(_events(messages), 200, headers, media_type="text/event-stream")


async def _events(messages: list[dict[str, Any]]) -> AsyncIterator[bytes]:
    """Server-sent events as few write them: a comment first, CRLF cut in two, JSON over several lines."""
    yield b": kadu-plain\r\n\r"
    for message in messages:
        members = ",\r\ndata: ".join(
            f"{json.dumps(key)}: {json.dumps(value)}" for key, value in message.items()
        )
        yield f"\ndata: {{\r\ndata: {members}\r\ndata: }}\r\n\r".encode()
    yield b"\n"

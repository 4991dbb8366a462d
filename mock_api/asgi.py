"""Reads requests and sends answers, in plain ASGI."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import quote

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]

DRAIN = 16
"""A body too large is still read, up to this many times the limit, so that its sender sees the answer."""

ABORT = "mock_api.abort"
"""The extension of the ASGI scope that cuts the connection."""


class Disconnected(Exception):
    """The client went away, or was cut off on purpose."""


def raw_path(scope: Scope) -> bytes:
    """The path as it came, still percent-encoded."""
    path: bytes | None = scope.get("raw_path")
    return path if path is not None else quote(scope["path"]).encode("ascii")


def headers_of(scope: Scope) -> dict[str, str]:
    """The headers by lower-case name; a repeated one is joined with commas. Text is UTF-8 or else Latin-1."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1")
        try:
            value = raw_value.decode()
        except UnicodeDecodeError:
            value = raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def bearer(headers: dict[str, str]) -> str:
    """The bearer token of a request, empty where there is none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def read_body(receive: Receive, limit: int) -> bytes | None:
    """The whole body; None when it is longer than `limit` bytes. Raises Disconnected."""
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body", False):
        body: bytes = message.get("body", b"")
        return body if len(body) <= limit else None
    parts, size = list[bytes](), 0
    while True:
        if message["type"] == "http.disconnect":
            raise Disconnected
        part = message.get("body", b"")
        size += len(part)
        if size <= limit:
            parts.append(part)
        else:
            parts.clear()
        if size > limit * DRAIN:
            return None
        if not message.get("more_body", False):
            return b"".join(parts) if size <= limit else None
        message = await receive()


def again(body: bytes) -> Receive:
    """What gives a body that was read already once more."""

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def answer(send: Send, status: int, body: bytes, headers: Headers) -> None:
    """Send one whole answer."""
    fields = [*headers]
    if status != 204:
        fields.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


async def drop(scope: Scope, receive: Receive) -> None:
    """Close the connection without an answer. Raises Disconnected, always."""
    abort = scope.get("extensions", {}).get(ABORT)
    if abort is not None:
        abort()
        while (await receive())["type"] != "http.disconnect":
            pass
    raise Disconnected

"""Connections to the upstream: HTTP/1.1 over asyncio, kept alive, with limits on what may come back.

A general client costs several times what serving a request costs. This one knows a single upstream: no redirects
that would carry a token elsewhere, no cookies that callers would share, no proxy from the environment, no retries.
"""

import asyncio
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast
from urllib.parse import urlsplit

import httptools

CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 30.0
# Shorter than the keep-alive of common servers: a connection is given up before the other side closes it.
IDLE_SECONDS = 4.0
CONNECTIONS_LIMIT = 200
HEAD_LIMIT = 64 * 1024
BODY_LIMIT = 8 * 1024 * 1024
_REQUEST_LINE = re.compile(rb"[\x21-\x7e]* [\x21-\x7e]*")
_LINE_END = re.compile(rb"[\r\n\0]")
Headers = Sequence[tuple[bytes, bytes]]


class ConnectionFailed(Exception):
    """No usable HTTP answer came; the message says why and holds nothing secret."""


@dataclass(frozen=True)
class RawAnswer:
    """An HTTP answer; header names are lower-case."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


class Transport(Protocol):
    """Sends one request to the upstream and brings the answer."""

    async def send(self, method: str, target: str, headers: Headers, body: bytes | None) -> RawAnswer:
        """The answer. Raises ConnectionFailed."""
        ...

    async def close(self) -> None:
        """Give everything back."""
        ...


class Connections:
    """A pool of connections to one base URL (`http` or `https`). Use from one event loop; `close` at the end.

    `seconds` is how long an answer may take.
    """

    def __init__(self, base_url: str, seconds: float = ANSWER_SECONDS) -> None:
        self._seconds = seconds
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"not the base URL of an API: {base_url}")
        self._host = parts.hostname
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._ssl = ssl.create_default_context() if parts.scheme == "https" else None
        self._prefix = parts.path.rstrip("/").encode("ascii")
        self._authority = parts.netloc.rpartition("@")[2].encode("ascii")
        self._idle: list[_Connection] = []
        self._places = asyncio.Semaphore(CONNECTIONS_LIMIT)

    async def send(self, method: str, target: str, headers: Headers, body: bytes | None) -> RawAnswer:
        """The answer to one request, `target` being path and query. Raises ConnectionFailed.

        Raises ValueError for a part that would break out of its line.
        """
        message = self._message(method, target, headers, body)
        await self._place()
        try:
            connection = self._rested() or await self._opened()
            try:
                answer = await connection.exchange(message, self._seconds)
            finally:
                # Also where the wait was cancelled: what comes late must not answer another request.
                if connection.reusable:
                    self._idle.append(connection)
                else:
                    connection.abort()
        finally:
            self._places.release()
        return answer

    async def close(self) -> None:
        """Close all connections."""
        for connection in self._idle:
            connection.abort()
        self._idle.clear()

    def _message(self, method: str, target: str, headers: Headers, body: bytes | None) -> bytes:
        line = method.encode("ascii") + b" " + self._prefix + target.encode("ascii")
        if _REQUEST_LINE.fullmatch(line) is None:
            raise ValueError("a request line that is not one line")
        lines = [line + b" HTTP/1.1", b"host: " + self._authority]
        for name, value in headers:
            if _LINE_END.search(value) is not None:
                raise ValueError("a header value that is not one line")
            lines.append(name + b": " + value)
        if body is not None:
            lines.append(b"content-length: %d" % len(body))
        return b"\r\n".join([*lines, b"", body or b""])

    async def _place(self) -> None:
        if not self._places.locked():
            await self._places.acquire()
            return
        try:
            async with asyncio.timeout(self._seconds):
                await self._places.acquire()
        except TimeoutError:
            raise ConnectionFailed("all connections were busy") from None

    def _rested(self) -> "_Connection | None":
        oldest = asyncio.get_running_loop().time() - IDLE_SECONDS
        while self._idle:
            connection = self._idle.pop()
            if connection.reusable and connection.rested_at > oldest:
                return connection
            connection.abort()
        return None

    async def _opened(self) -> "_Connection":
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _, connection = await loop.create_connection(
                    lambda: _Connection(loop), self._host, self._port, ssl=self._ssl
                )
        except (OSError, TimeoutError) as problem:
            raise ConnectionFailed(f"no connection: {type(problem).__name__}") from problem
        return connection


class _Connection(asyncio.Protocol):
    """One connection, one exchange at a time. The `on_…` methods are what the parser calls."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[RawAnswer] | None = None
        self._lost = False
        self._may_stay = True
        self.rested_at = 0.0
        self._start_over()

    @property
    def reusable(self) -> bool:
        """Whether another exchange may follow on it."""
        return self._waiter is None and self._may_stay and not self._lost

    async def exchange(self, message: bytes, seconds: float) -> RawAnswer:
        """Write a request, wait for its answer. Raises ConnectionFailed; if cancelled, it is not reusable."""
        assert self._transport is not None
        self._start_over()
        self._parser = httptools.HttpResponseParser(self)
        self._waiter = self._loop.create_future()
        # A timer of its own costs a fifth of a timeout around it.
        timer = self._loop.call_later(seconds, self._fail, "no answer in time")
        self._transport.write(message)
        try:
            answer = await self._waiter
        finally:
            timer.cancel()
        self._waiter = None
        self.rested_at = self._loop.time()
        return answer

    def abort(self) -> None:
        """Close at once."""
        self._may_stay = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._waiter is None or self._waiter.done():
            # Nobody asked for this: the connection is out of step.
            return self.abort()
        self._size += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            return self._fail("an answer that is not HTTP")
        if (self._size > HEAD_LIMIT and not self._in_body) or self._size > HEAD_LIMIT + BODY_LIMIT:
            return self._fail("an answer that is too large")
        return None

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        if exc is None and self._in_body and not self._framed:
            # HTTP/1.1 without a length: the end of the connection is the end of the body.
            return self._finish()
        return self._fail("the connection ended before the answer did")

    def on_header(self, name: bytes, value: bytes) -> None:
        lower = name.lower()
        self._head_size += len(name) + len(value)
        self._headers.append((lower, value))
        if lower in (b"content-length", b"transfer-encoding"):
            self._framed = True

    def on_headers_complete(self) -> None:
        self._in_body = True
        if self._head_size > HEAD_LIMIT:
            self._fail("an answer with a head that is too large")

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() < 200:
            # An interim answer; the one that counts is still to come.
            return self._start_over()
        self._may_stay = self._may_stay and self._parser.should_keep_alive()
        return self._finish()

    def _start_over(self) -> None:
        self._headers: list[tuple[bytes, bytes]] = []
        self._body = bytearray()
        self._size = 0
        self._head_size = 0
        self._in_body = False
        self._framed = False

    def _finish(self) -> None:
        if self._waiter is None or self._waiter.done():
            # A second answer to one question.
            return self.abort()
        answer = RawAnswer(self._parser.get_status_code(), tuple(self._headers), bytes(self._body))
        self._waiter.set_result(answer)
        return None

    def _fail(self, why: str) -> None:
        self._may_stay = False
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(ConnectionFailed(why))
        if not self._lost:
            self.abort()

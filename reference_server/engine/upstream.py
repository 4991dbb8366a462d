"""The upstream by HTTP: one pool of connections, one way to ask, limits on all that comes back.

Requests go straight to the transport: no cookie jar that callers would share, no redirects that would carry a
token elsewhere, no proxy from the environment.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import httpx

from .clock import from_date_header

CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 30.0
ANSWER_LIMIT = 8 * 1024 * 1024
# Shorter than the keep-alive of common servers: a connection is given up before the other side closes it.
_IDLE_SECONDS = 4.0


class UpstreamUnavailable(Exception):
    """Nothing usable came from the upstream; the message says why and holds nothing secret."""


@dataclass(frozen=True)
class Answer:
    """What the upstream answered: status, JSON (None where the body is empty), its text, and its time."""

    status: int
    body: Any
    text: str
    now: datetime

    @property
    def ok(self) -> bool:
        """Whether the operation was done."""
        return 200 <= self.status < 300

    @property
    def code(self) -> str | None:
        """The code of the first error in the body."""
        return self._first("code")

    @property
    def detail(self) -> str | None:
        """What the first error in the body says."""
        return self._first("detail") or self._first("title")

    def _first(self, name: str) -> str | None:
        errors = self.body.get("errors") if isinstance(self.body, dict) else None
        first = errors[0] if isinstance(errors, list) and errors else None
        value = first.get(name) if isinstance(first, dict) else None
        return value if isinstance(value, str) else None


class Upstream:
    """Asks the upstream. Holds the connections; `close` gives them back."""

    def __init__(self, base_url: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._base = base_url.rstrip("/")
        limits = httpx.Limits(
            max_connections=200, max_keepalive_connections=100, keepalive_expiry=_IDLE_SECONDS
        )
        self._transport = transport or httpx.AsyncHTTPTransport(limits=limits, trust_env=False)
        self._timeout = {
            "connect": CONNECT_SECONDS,
            "read": ANSWER_SECONDS,
            "write": ANSWER_SECONDS,
            "pool": ANSWER_SECONDS,
        }

    async def ask(
        self,
        method: str,
        path: str,
        *,
        token: str | None,
        query: Sequence[tuple[str, str]] = (),
        body: Mapping[str, Any] | None = None,
        headers: Sequence[tuple[bytes, bytes]] = (),
    ) -> Answer:
        """One request, `path` already percent-encoded.

        Raises UpstreamUnavailable where no usable answer came.
        """
        url = self._base + path + (f"?{urlencode(query)}" if query else "")
        sent = [(b"accept", b"application/json"), (b"accept-encoding", b"identity"), *headers]
        if token is not None:
            sent.append((b"authorization", b"Bearer " + token.encode("ascii")))
        content = None
        if body is not None:
            content = json.dumps(body, allow_nan=False, separators=(",", ":")).encode()
            sent.append((b"content-type", b"application/json"))
        request = httpx.Request(
            method, url, headers=sent, content=content, extensions={"timeout": self._timeout}
        )
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                response = await self._transport.handle_async_request(request)
                try:
                    raw = await _limited(response)
                finally:
                    await response.aclose()
        except (httpx.TransportError, TimeoutError) as problem:
            raise UpstreamUnavailable(f"{method} {path}: {type(problem).__name__}") from problem
        return _answer(response, raw)

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.aclose()


async def _limited(response: httpx.Response) -> bytes:
    received = bytearray()
    assert isinstance(response.stream, httpx.AsyncByteStream)
    async for chunk in response.stream:
        received += chunk
        if len(received) > ANSWER_LIMIT:
            raise UpstreamUnavailable(f"an answer of more than {ANSWER_LIMIT} bytes")
    return bytes(received)


def _answer(response: httpx.Response, raw: bytes) -> Answer:
    dates = response.headers.get_list("date")
    now = from_date_header(dates[0] if dates else None)
    try:
        text = raw.decode()
        body = json.loads(text) if text.strip() else None
    except (ValueError, RecursionError) as problem:
        if response.status_code < 500:
            raise UpstreamUnavailable(
                f"status {response.status_code} with a body that is not JSON"
            ) from problem
        text, body = "", None
    return Answer(status=response.status_code, body=body, text=text, now=now)

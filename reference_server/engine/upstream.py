"""The upstream: one way to ask it, under a caller's token, and what it answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from .clock import from_date_header
from .connections import ConnectionFailed, RawAnswer, Transport


class UpstreamUnavailable(Exception):
    """Nothing usable came from the upstream; the message says why and holds nothing secret."""


@dataclass(frozen=True)
class Answer:
    """What the upstream answered: status, JSON (None where the body is empty), its text, its `Date` header."""

    status: int
    body: Any
    text: str
    date: str | None = None

    @property
    def now(self) -> datetime:
        """The upstream's time when it answered."""
        return from_date_header(self.date)

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
    """Asks the upstream through a transport; `close` gives that back."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

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
        """One request, `path` already percent-encoded. Raises UpstreamUnavailable where no usable answer came."""
        sent = [(b"accept", b"application/json"), (b"accept-encoding", b"identity"), *headers]
        if token is not None:
            sent.append((b"authorization", b"Bearer " + token.encode("ascii")))
        content = None
        if body is not None:
            content = json.dumps(body, allow_nan=False, separators=(",", ":")).encode()
            sent.append((b"content-type", b"application/json"))
        target = f"{path}?{urlencode(query)}" if query else path
        try:
            raw = await self._transport.send(method, target, sent, content)
        except ConnectionFailed as problem:
            raise UpstreamUnavailable(f"{method} {path}: {problem}") from problem
        return _answer(raw)

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.close()


def _answer(raw: RawAnswer) -> Answer:
    date = next((value for name, value in raw.headers if name == b"date"), None)
    try:
        text = raw.body.decode()
        body = json.loads(text) if text.strip() else None
    except (ValueError, RecursionError) as problem:
        if raw.status < 500:
            raise UpstreamUnavailable(f"status {raw.status} with a body that is not JSON") from problem
        text, body = "", None
    return Answer(raw.status, body, text, None if date is None else date.decode("latin-1"))

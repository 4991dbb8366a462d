"""Exchanges: one request and what came back, as evidence."""

from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

Era = Literal["2025", "2026"]
ERAS: tuple[Era, ...] = ("2025", "2026")


def origin_of(address: str) -> str | None:
    """Scheme, host and port of an address as it is written; None for what is no URL."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return f"{parts.scheme}://{parts.netloc}"


@dataclass(frozen=True)
class HttpRequest:
    """A request before it is sent. Header values are bytes where they must go out as they are."""

    method: str
    url: str
    headers: tuple[tuple[str, str | bytes], ...]
    body: bytes = b""


@dataclass(frozen=True)
class HttpAnswer:
    """An answer as it came. `cut` is true when the body was longer than the limit; header names are lower-case."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    cut: bool = False

    def header(self, name: str) -> str | None:
        """The first header of that lower-case name."""
        return next((value for key, value in self.headers if key == name), None)


@dataclass(frozen=True)
class Exchange:
    """One request and what came back.

    `answer` is None when nothing usable came; `problem` says why in one sentence (refused, timed out, reset, …).
    For MCP, `message` is the JSON-RPC message that answered the request (None where none did) and `others` holds
    the notifications and further messages that came with it, in order; `malformed` lists what could not be read
    as the protocol wants it.
    """

    number: int
    actor: Literal["client", "person", "upstream"]
    label: str
    request: HttpRequest
    answer: HttpAnswer | None
    problem: str | None
    seconds: float
    method: str | None = None
    version: str | None = None
    message: dict[str, Any] | None = None
    others: tuple[dict[str, Any], ...] = ()
    malformed: tuple[str, ...] = field(default=())

    @property
    def status(self) -> int | None:
        """The HTTP status, None when no answer came."""
        return None if self.answer is None else self.answer.status

    @property
    def result(self) -> dict[str, Any] | None:
        """The JSON-RPC result, when there is one and it is an object."""
        result = None if self.message is None else self.message.get("result")
        return result if isinstance(result, dict) else None

    @property
    def error(self) -> dict[str, Any] | None:
        """The JSON-RPC error, when there is one and it is an object."""
        error = None if self.message is None else self.message.get("error")
        return error if isinstance(error, dict) else None

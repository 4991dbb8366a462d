"""The HTTP shell with a hand on the line: what a mutant needs that lies about messages rather than about its parts."""

import json
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any

from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from reference_server.engine.http import Shell, bearer_token

VERSION_HEADER = "mcp-protocol-version"
META = "io.modelcontextprotocol/"


@dataclass
class Line:
    """One request and its answer as they pass.

    `asked` and `told` are the messages, None where the bytes are no JSON; `headers` and `told_headers` by lower-case
    name. Whoever sets `status` before the server is asked has answered in its place. `raw` stands in the place of
    `told` where it is set.
    """

    headers: MutableMapping[str, str]
    asked: Any
    token: str | None
    status: int = 0
    told_headers: MutableMapping[str, str] = field(
        default_factory=lambda: {"content-type": "application/json"}
    )
    told: Any = None
    raw: bytes | None = None

    @property
    def method(self) -> str | None:
        """The method of the request, None where it has none."""
        return self.asked.get("method") if isinstance(self.asked, dict) else None

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the request; a new object where it has none."""
        params = self.asked.get("params") if isinstance(self.asked, dict) else None
        return params if isinstance(params, dict) else {}

    @property
    def modern(self) -> bool:
        """Whether the request is of the stateless era."""
        return self.headers.get(VERSION_HEADER) in MODERN_PROTOCOL_VERSIONS

    @property
    def result(self) -> dict[str, Any]:
        """The result of the answer; a new object where it has none."""
        result = self.told.get("result") if isinstance(self.told, dict) else None
        return result if isinstance(result, dict) else {}

    @property
    def error(self) -> dict[str, Any]:
        """The error of the answer; a new object where it has none."""
        error = self.told.get("error") if isinstance(self.told, dict) else None
        return error if isinstance(error, dict) else {}

    def answer(self, status: int, *, result: Any = None, error: tuple[int, str] | None = None) -> None:
        """Answer in the place of the server, with a result or an error of code and message."""
        body = {"result": result} if error is None else {"error": {"code": error[0], "message": error[1]}}
        request_id = self.asked.get("id") if isinstance(self.asked, dict) else None
        self.status, self.told = status, {"jsonrpc": "2.0", "id": request_id, **body}


class Wire(Shell):
    """A shell whose requests pass `heard` before the server sees them, and whose answers pass `say` after it."""

    async def heard(self, line: Line) -> None:
        """Change the request, or answer it."""

    async def say(self, line: Line) -> None:
        """Change the answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, as altered."""
        body = await _whole(receive)
        headers = Headers(scope=scope)
        line = Line(dict(headers), _parsed(body), bearer_token(scope["headers"]))
        await self.heard(line)
        if not line.status:
            sent = body if line.asked is None else json.dumps(line.asked).encode()
            line.headers["content-length"] = str(len(sent))
            altered = {**scope, "headers": _encoded(line.headers)}
            await super().__call__(altered, _replay(sent, receive), _into(line))
        await self.say(line)
        content = line.raw
        if content is None:
            content = b"" if line.told is None else json.dumps(line.told, ensure_ascii=False).encode()
        line.told_headers["content-length"] = str(len(content))
        start = {"type": "http.response.start", "status": line.status, "headers": _encoded(line.told_headers)}
        await send(start)
        await send({"type": "http.response.body", "body": content})


async def _whole(receive: Receive) -> bytes:
    body, more = bytearray(), True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _into(line: Line) -> Send:
    body = bytearray()

    async def catch(message: Message) -> None:
        if message["type"] == "http.response.start":
            line.status = message["status"]
            line.told_headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            body.extend(message.get("body", b""))
        if not message.get("more_body", False) and message["type"] == "http.response.body":
            line.told = _parsed(bytes(body))
            line.raw = bytes(body) if line.told is None and body else None

    return catch


def _encoded(headers: MutableMapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None

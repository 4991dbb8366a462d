"""An MCP peer in front of the reference server, in process, over the stub upstream."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from mcp.server.request_state import AESGCMRequestStateCodec

from reference_server.engine.contract import read_contract
from reference_server.engine.http import HttpSettings, Shell, application
from reference_server.engine.server import Engine, Parts
from reference_server.engine.upstream import Upstream
from reference_server.products.kadu import KADU

from .stub import CONTRACT, StubTransport, StubUpstream

NAMED = ("tools/call", "prompts/get", "resources/read")
META = "io.modelcontextprotocol/"


@dataclass
class Peer:
    """Speaks one era with one token."""

    http: httpx.AsyncClient
    shell: Shell
    modern: bool
    token: str | None = "token-1"
    elicitation: Any = None
    number: int = 0

    async def post(self, message: Any, headers: dict[str, str] | None = None) -> httpx.Response:
        """Send a message as it is."""
        sent = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        if self.token is not None:
            sent["authorization"] = f"Bearer {self.token}"
        if self.modern:
            sent["mcp-protocol-version"] = "2026-07-28"
            if isinstance(message, dict) and "method" in message:
                sent["mcp-method"] = message["method"]
                params = message.get("params") or {}
                name = params.get("uri") if message["method"] == "resources/read" else params.get("name")
                if message["method"] in NAMED and isinstance(name, str):
                    sent["mcp-name"] = name
        else:
            sent["mcp-protocol-version"] = "2025-11-25"
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        return await self.http.post("/mcp", content=content, headers=sent | (headers or {}))

    async def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request; the whole JSON-RPC answer."""
        self.number += 1
        asked = dict(params or {})
        if self.modern:
            capabilities = {} if self.elicitation is None else {"elicitation": self.elicitation}
            asked["_meta"] = {
                META + "protocolVersion": "2026-07-28",
                META + "clientCapabilities": capabilities,
            }
        response = await self.post({"jsonrpc": "2.0", "id": self.number, "method": method, "params": asked})
        answer: dict[str, Any] = response.json()
        assert answer["id"] == self.number
        return answer

    async def result(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request; its result."""
        answer = await self.ask(method, params)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def error(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request; its error."""
        answer = await self.ask(method, params)
        assert "error" in answer, answer
        error: dict[str, Any] = answer["error"]
        return error

    async def call(self, name: str, arguments: dict[str, Any], **rest: Any) -> dict[str, Any]:
        """Call a tool; its result."""
        return await self.result("tools/call", {"name": name, "arguments": arguments, **rest})


def code(result: dict[str, Any]) -> str | None:
    """The code of an error result, None where it is none."""
    return result["structuredContent"]["error"]["code"] if result.get("isError") else None


MakePeer = Callable[..., Awaitable[Peer]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def upstream() -> StubUpstream:
    return StubUpstream()


@pytest.fixture
async def connect(upstream: StubUpstream) -> AsyncIterator[MakePeer]:
    """Makes a peer: `await connect(modern=True, elicitation={}, parts=Parts(), token="token-1")`."""
    key = b"k" * 32
    opened: list[Any] = []

    async def make(
        modern: bool = True,
        token: str | None = "token-1",
        elicitation: Any = None,
        parts: Parts | None = None,
        settings: HttpSettings | None = None,
    ) -> Peer:
        engine = Engine(
            KADU,
            read_contract(CONTRACT, "x-kadu"),
            Upstream(StubTransport(upstream)),
            AESGCMRequestStateCodec([key]),
            parts or Parts(),
        )
        shell = Shell(engine, settings or HttpSettings())
        running = shell.run()
        await running.__aenter__()
        opened.append(running)
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(application({"/mcp": shell})), base_url="http://127.0.0.1:4100"
        )
        return Peer(client, shell, modern, token, elicitation)

    yield make
    for running in reversed(opened):
        await running.__aexit__(None, None, None)


@pytest.fixture(params=[True, False], ids=["2026", "2025"])
def modern(request: pytest.FixtureRequest) -> bool:
    """Each era."""
    return bool(request.param)

"""The HTTP shell and the basics of both eras on the wire."""

import asyncio
from typing import Any

import pytest

from reference_server.engine.http import HttpSettings
from reference_server.engine.server import Parts
from reference_server.engine.tools import Tools

from .conftest import META, MakePeer
from .stub import StubUpstream, error

pytestmark = pytest.mark.anyio
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ENVELOPE = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
async def test_only_post(connect: MakePeer, upstream: StubUpstream, method: str) -> None:
    response = await (await connect()).http.request(method, "/mcp")
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert upstream.asked == []


async def test_other_paths(connect: MakePeer) -> None:
    assert (await (await connect()).http.post("/other")).status_code == 404


@pytest.mark.parametrize("token", [None, "unknown"])
async def test_no_or_bad_token(connect: MakePeer, modern: bool, token: str | None) -> None:
    response = await (await connect(modern=modern, token=token)).post(PING)
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer ")


@pytest.mark.parametrize(
    "header", ["Basic abc", "Bearer", "Bearer a b", "Bearer a\tb", "token-1", "Bearer " + "x" * 5000]
)
async def test_no_bearer_token_at_all(connect: MakePeer, upstream: StubUpstream, header: str) -> None:
    response = await (await connect(token=None)).post(PING, {"authorization": header})
    assert response.status_code == 401
    assert upstream.asked == []


async def test_token_is_asked_for_each_request(
    connect: MakePeer, upstream: StubUpstream, modern: bool
) -> None:
    peer = await connect(modern=modern)
    assert "result" in await peer.ask("tools/list")
    assert [a.path for a in upstream.asked] == ["/v1/me"]
    del upstream.holders["token-1"]
    assert (await peer.post(LIST)).status_code == 401


@pytest.mark.parametrize(
    "fault", [(0, None), error(500, "x"), (200, b"<html>"), (200, b"{}"), error(403, "forbidden")]
)
async def test_nobody_says_who_is_calling(
    connect: MakePeer, upstream: StubUpstream, modern: bool, fault: tuple[int, Any]
) -> None:
    upstream.faults["/v1/me"] = fault
    response = await (await connect(modern=modern)).post(LIST)
    assert response.status_code == 503
    assert response.json()["error"]["code"] == -32603


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:3000", 200),
        ("https://127.0.0.1", 200),
        ("http://[::1]:1", 200),
        ("https://allowed.example", 200),
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://127.0.0.1:80@evil.example", 403),
        ("null", 403),
    ],
)
async def test_origin(connect: MakePeer, modern: bool, origin: str, status: int) -> None:
    settings = HttpSettings(origins=("https://allowed.example",))
    response = await (await connect(modern=modern, settings=settings)).post(LIST, {"origin": origin})
    assert response.status_code == status


@pytest.mark.parametrize(
    ("host", "status"), [("localhost", 200), ("api.example:1", 200), ("evil.example", 421)]
)
async def test_host(connect: MakePeer, host: str, status: int) -> None:
    settings = HttpSettings(hosts=("api.example:1",))
    assert (await (await connect(settings=settings)).post(LIST, {"host": host})).status_code == status


async def test_body_limit(connect: MakePeer, upstream: StubUpstream, modern: bool) -> None:
    peer = await connect(modern=modern, settings=HttpSettings(body_limit=1000))
    assert (await peer.post(b" " * 1001)).status_code == 413
    assert upstream.asked == []
    assert (await peer.post(LIST)).status_code == 200


@pytest.mark.parametrize("body", [b"{nope", b"\xff", b"[" * 100_000])
async def test_not_json(connect: MakePeer, modern: bool, body: bytes) -> None:
    response = await (await connect(modern=modern)).post(body, {"mcp-method": "ping"})
    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32700


async def test_batch_is_refused(connect: MakePeer, modern: bool) -> None:
    assert (await (await connect(modern=modern)).post([LIST])).status_code == 400


async def test_notification_is_accepted(connect: MakePeer, modern: bool) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await (await connect(modern=modern)).post(note)).status_code == 202


@pytest.mark.parametrize("asked", ["2025-11-25", "2025-06-18", "2099-01-01"])
async def test_initialize(connect: MakePeer, asked: str) -> None:
    peer = await connect(modern=False)
    client = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    result = await peer.result("initialize", client)
    assert result["protocolVersion"] == (asked if asked != "2099-01-01" else "2025-11-25")
    assert result["capabilities"] == {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
    assert result["serverInfo"]["name"] == "kadu"


async def test_initialize_mints_no_session(connect: MakePeer) -> None:
    client = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    response = await (await connect(modern=False)).post(message)
    assert "mcp-session-id" not in response.headers


async def test_discover(connect: MakePeer) -> None:
    result = await (await connect()).result("server/discover")
    assert "2026-07-28" in result["supportedVersions"]
    assert result["capabilities"] == {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
    assert result["cacheScope"] == "private"


async def test_unknown_version(connect: MakePeer) -> None:
    response = await (await connect()).post(LIST, {"mcp-protocol-version": "2099-01-01"})
    assert response.status_code == 400


async def test_unknown_method(connect: MakePeer, modern: bool) -> None:
    assert (await (await connect(modern=modern)).error("nothing/here"))["code"] == -32601


@pytest.mark.parametrize("number", ["text", 0, -7, 2**53 - 1])
async def test_ids_come_back(connect: MakePeer, modern: bool, number: Any) -> None:
    response = await (await connect(modern=modern)).post({**LIST, "id": number})
    assert response.json()["id"] == number


class BrokenTools(Tools):
    """Fails with a secret in the text."""

    def listed(self, caller: Any) -> Any:
        raise RuntimeError("the secret is swordfish")


async def test_nothing_of_a_failure_reaches_the_wire(
    connect: MakePeer, modern: bool, caplog: pytest.LogCaptureFixture
) -> None:
    peer = await connect(modern=modern, parts=Parts(tools=BrokenTools))
    response = await peer.post(LIST)
    assert response.json()["error"] == {"code": -32603, "message": "Internal error"}
    assert "swordfish" in caplog.text
    assert "token-1" not in caplog.text


async def test_a_body_that_never_ends_is_given_up(connect: MakePeer) -> None:
    shell = (await connect(settings=HttpSettings(body_seconds=0.01))).shell
    sent: list[Any] = []

    async def receive() -> Any:
        return await asyncio.get_running_loop().create_future()

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer token-1")]
    await shell({"type": "http", "method": "POST", "path": "/mcp", "headers": headers}, receive, send)
    assert sent[0]["status"] == 408

"""Connections to the upstream, over real sockets: what is read, what is kept, what is refused."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from reference_server.engine import connections
from reference_server.engine.connections import ConnectionFailed, Connections
from reference_server.engine.upstream import Upstream, UpstreamUnavailable

pytestmark = pytest.mark.anyio
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(serve: Serve, seconds: float = 30.0) -> AsyncIterator[Connections]:
    """A pool whose upstream is `serve`, and may take this long."""

    async def closing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(closing, "127.0.0.1", 0)
    pool = Connections(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/base/", seconds)
    try:
        yield pool
    finally:
        await pool.close()
        server.close()
        await server.wait_closed()


def answering(*answers: bytes) -> tuple[Serve, list[bytes]]:
    """A server that gives these answers, each to one request, on as many connections as it is asked on.

    The list holds the head of each request, and `b"connection"` for each connection.
    """
    seen: list[bytes] = []
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(b"connection")
        while left:
            try:
                seen.append(await reader.readuntil(b"\r\n\r\n"))
            except asyncio.IncompleteReadError:
                return
            answer = left.pop(0)
            writer.write(answer)
            await writer.drain()
            if b"content-length" not in answer and b"chunked" not in answer:
                return

    return serve, seen


OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nDate: Mon, 30 Nov 2026 15:00:00 GMT\r\n\r\n{}"


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (OK, b"{}"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", b"{}"),
        (b"HTTP/1.1 200 OK\r\n\r\n{}", b"{}"),
        (b"HTTP/1.0 200 OK\r\n\r\n", b""),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, b"{}"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\n" + b" " * 300_000, b" " * 300_000),
        (b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n", b""),
    ],
    ids=["length", "chunked", "until the end", "empty", "interim", "large", "no content"],
)
async def test_bodies(answer: bytes, body: bytes) -> None:
    serve, _ = answering(answer)
    async with serving(serve) as pool:
        got = await pool.send("GET", "/x", [], None)
    assert got.body == body


async def test_request_as_written() -> None:
    serve, seen = answering(OK)
    async with serving(serve) as pool:
        got = await pool.send("POST", "/v1/x?a=1", [(b"x-key", b"a b")], b"{}")
    head = seen[1].decode().split("\r\n")
    assert head[0] == "POST /base/v1/x?a=1 HTTP/1.1"
    assert head[1].startswith("host: 127.0.0.1:")
    assert head[2:4] == ["x-key: a b", "content-length: 2"]
    assert (b"date", b"Mon, 30 Nov 2026 15:00:00 GMT") in got.headers


async def test_a_connection_is_kept_and_used_again() -> None:
    serve, seen = answering(OK, OK, OK)
    async with serving(serve) as pool:
        for _ in range(3):
            await pool.send("GET", "/x", [], None)
    assert seen.count(b"connection") == 1


@pytest.mark.parametrize(
    "first",
    [OK.replace(b"Date", b"Connection: close\r\nDate"), OK + b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", OK + b"junk"],
    ids=["told to close", "two answers", "junk after it"],
)  # fmt: skip
async def test_a_connection_that_is_out_of_step_is_not_used_again(first: bytes) -> None:
    serve, seen = answering(first, OK)
    async with serving(serve) as pool:
        for _ in range(2):
            try:
                assert (await pool.send("GET", "/x", [], None)).body == b"{}"
            except ConnectionFailed:
                assert first.endswith(b"junk")
    assert seen.count(b"connection") == 2


async def test_a_connection_the_server_closed_is_not_used_again() -> None:
    serve, seen = answering(OK)
    async with serving(serve) as pool:
        await pool.send("GET", "/x", [], None)
        lost = pool._idle[0]
        while not lost._lost:
            await asyncio.sleep(0)
        with pytest.raises(ConnectionFailed):
            await pool.send("GET", "/x", [], None)
    assert seen.count(b"connection") == 2


async def test_a_connection_that_rested_long_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_SECONDS", -1.0)
    serve, seen = answering(OK, OK)
    async with serving(serve) as pool:
        for _ in range(2):
            await pool.send("GET", "/x", [], None)
    assert seen.count(b"connection") == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-le",
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{",
        b"SSH-2.0\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 70_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n" + b" " * 9_000_000,
    ],
    ids=[
        "nothing",
        "half a head",
        "half a body",
        "half a chunk",
        "no http",
        "upgrade",
        "long head",
        "long body",
    ],
)
async def test_unusable_answers(answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)

    async with serving(serve) as pool:
        with pytest.raises(ConnectionFailed):
            await pool.send("GET", "/x", [], None)
        with pytest.raises(UpstreamUnavailable):
            await Upstream(pool).ask("GET", "/x", token="t")


async def test_a_late_answer_goes_to_nobody_else() -> None:
    asked = asyncio.Event()
    late = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked.set()
        if b"/slow" in head:
            await late.wait()
            writer.write(OK.replace(b"{}", b"[]"))
        else:
            writer.write(OK)

    async with serving(serve) as pool:
        slow = asyncio.create_task(pool.send("GET", "/slow", [], None))
        await asked.wait()
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        late.set()
        assert (await pool.send("GET", "/quick", [], None)).body == b"{}"


async def test_a_silent_upstream_is_given_up_and_the_next_request_works() -> None:
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        if b"/silent" not in asked[-1]:
            writer.write(OK)
        await reader.read()

    async with serving(serve, seconds=0.2) as pool:
        with pytest.raises(ConnectionFailed, match="no answer in time"):
            await pool.send("GET", "/silent", [], None)
        assert (await pool.send("GET", "/x", [], None)).body == b"{}"
    assert len(asked) == 2


async def test_who_finds_every_connection_busy_waits_no_longer_than_for_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS_LIMIT", 0)
    serve, seen = answering(OK)
    async with serving(serve, seconds=0.05) as pool:
        with pytest.raises(ConnectionFailed, match="all connections were busy"):
            await pool.send("GET", "/x", [], None)
    assert seen == []


async def test_nobody_listens() -> None:
    server = await asyncio.start_server(lambda _, w: w.close(), "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    await server.wait_closed()
    with pytest.raises(ConnectionFailed):
        await Connections(url).send("GET", "/x", [], None)


@pytest.mark.parametrize(
    ("target", "header"),
    [("/a b", b"x"), ("/a\r\nx: y", b"x"), ("/a", b"x\r\ny: z"), ("/a", b"x\0"), ("/é", b"x")],
)
async def test_nothing_breaks_out_of_its_line(target: str, header: bytes) -> None:
    serve, seen = answering(OK)
    async with serving(serve) as pool:
        with pytest.raises(ValueError):
            await pool.send("GET", target, [(b"x", header)], None)
    assert seen == []


@pytest.mark.parametrize("url", ["", "ftp://x", "http://", "http://x:y", "x"])
async def test_no_base_url(url: str) -> None:
    with pytest.raises(ValueError):
        Connections(url)

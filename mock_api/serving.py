"""Both listeners in one process and one event loop, from binding their ports to a quick, clean end."""

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mock_api.asgi import ABORT, App
from mock_api.errors import Mistake

HEAD_LIMIT = 128 * 1024
"""How long request line and headers may get together, in bytes."""
KEEP_ALIVE = 300
"""How long an idle connection is kept, in seconds: longer than any client here waits between two requests."""


class Protocol(HttpToolsProtocol):
    """HTTP/1.1 as uvicorn speaks it, with a limit on the head, and a way for an app to cut its connection."""

    _head = 0
    _in_head = True

    def data_received(self, data: bytes) -> None:
        """Take bytes in; a head that is too long ends the connection."""
        if self._in_head:
            self._head += len(data)
        super().data_received(data)
        if self._in_head and self._head > HEAD_LIMIT and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 431 \r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            self.transport.close()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self.scope["extensions"] = {ABORT: self.transport.abort}  # type: ignore[dict-item]

    def on_headers_complete(self) -> None:
        """Its head is read."""
        self._in_head, self._head = False, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """It is read whole."""
        self._in_head = True
        super().on_message_complete()


class _Server(uvicorn.Server):
    """A uvicorn server among others: the process looks after signals, and is told when this one accepts."""

    def __init__(self, app: App) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Protocol,
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                date_header=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE,
                timeout_graceful_shutdown=1,
            )
        )
        self.accepting = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        await super().startup(sockets)
        self.accepting.set()


@dataclass(frozen=True)
class Listener:
    """A port that is bound and listened on."""

    socket: socket.socket
    url: str


def listen(host: str, port: int) -> Listener:
    """Bind and listen; port 0 takes any free one. Raises Mistake when that is not possible."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, number)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(2048)
        except OSError:
            bound.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no host name"
        raise Mistake(f"Cannot listen on {host} port {port}: {reason}.") from None
    taken = bound.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return Listener(bound, f"http://[{shown}]:{taken}" if ":" in shown else f"http://{shown}:{taken}")


def run(
    apps: list[tuple[App, Listener]],
    *,
    ready: Callable[[], None],
    stopping: Callable[[], None],
    watch_stdin: bool,
) -> None:
    """Serve until SIGTERM, SIGINT or, where it is watched, the end of standard input.

    `ready` is called when every listener accepts, `stopping` when the end has begun.
    """
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(apps, ready, stopping, watch_stdin))


async def _serve(
    apps: list[tuple[App, Listener]],
    ready: Callable[[], None],
    stopping: Callable[[], None],
    watch_stdin: bool,
) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    servers = [_Server(app) for app, _ in apps]
    async with asyncio.TaskGroup() as group:
        for server, (_, listener) in zip(servers, apps, strict=True):
            group.create_task(server.serve(sockets=[listener.socket]))
        for server in servers:
            await server.accepting.wait()
        # What was loaded stays: looking through it for garbage again and again is time lost.
        gc.collect()
        gc.freeze()
        ready()
        if watch_stdin:
            _stop_at_end_of_stdin(loop, stop)
        await stop.wait()
        stopping()
        for server in servers:
            server.should_exit = True


def _stop_at_end_of_stdin(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    # A thread, for a loop cannot wait on every kind of standard input; a daemon, for it may never return.
    def read() -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        with contextlib.suppress(RuntimeError):  # the loop may be closed by now
            loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=read, name="stdin", daemon=True).start()

"""A peer on a socket that does whatever a test wants."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from harness.transport import Transport

Behaviour = Callable[[socket.socket], None]


@dataclass
class Peer:
    """Listens on a free port; each connection is given to `behaviour` in a thread of its own, then closed."""

    behaviour: Behaviour
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    accepted: int = 0
    threads: list[threading.Thread] = field(default_factory=list)
    open: list[socket.socket] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/mcp"

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.accepted += 1
            self.open.append(connection)
            thread = threading.Thread(target=self.serve, args=(connection,))
            self.threads.append(thread)
            thread.start()

    def serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                self.behaviour(connection)
            except OSError:
                return

    def stop(self, thread: threading.Thread) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        thread.join(5)
        for connection in self.open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        for one in self.threads:
            one.join(5)
            assert not one.is_alive()


@pytest.fixture
def peer() -> Iterator[Callable[[Behaviour], Peer]]:
    """Start peers; they are stopped after the test."""
    with ExitStack() as stack:

        def start(behaviour: Behaviour) -> Peer:
            made = Peer(behaviour)
            thread = threading.Thread(target=made.run)
            thread.start()
            stack.callback(made.stop, thread)
            return made

        yield start


@pytest.fixture
def transport() -> Iterator[Transport]:
    with Transport() as made:
        yield made

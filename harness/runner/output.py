"""The output of a program we started: its tail, bounded, as text that is safe to show."""

import os
import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import IO, Final

LIMIT: Final = 64 * 1024
LINE_LIMIT: Final = 1024 * 1024


class Tail:
    """The last bytes of several streams, in the order they came; older ones are forgotten."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._lock = threading.Lock()

    def add(self, chunk: bytes) -> None:
        """Take the next bytes."""
        with self._lock:
            self._chunks.append(chunk[-self._limit :])
            self._size += len(self._chunks[-1])
            while self._size - len(self._chunks[0]) >= self._limit:
                self._size -= len(self._chunks.popleft())

    def text(self) -> str:
        """What is remembered, as text."""
        with self._lock:
            return b"".join(self._chunks)[-self._limit :].decode("utf-8", "replace")


class Lines:
    """The first lines of a stream, for whoever waits for one; None tells the end of the stream."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._rest = b""
        self._wanted = True

    def add(self, chunk: bytes) -> None:
        """Take the next bytes. Once nobody waits any more they are dropped."""
        if not self._wanted:
            return
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._rest = self._rest[:LINE_LIMIT]
        for line in lines:
            self._lines.put(line)

    def end(self) -> None:
        """The stream has ended."""
        self._lines.put(None)

    def next(self, timeout: float) -> bytes | None:
        """The next line, None at the end of the stream. Raises queue.Empty after `timeout` seconds."""
        return self._lines.get(timeout=timeout)

    def forget(self) -> None:
        """Nobody waits for lines any more."""
        self._wanted = False


def follow(
    stream: IO[bytes], takers: list[Callable[[bytes], None]], end: Callable[[], None] | None = None
) -> threading.Thread:
    """Read a stream to its end in a thread of its own, so that the program never waits for us."""

    def read() -> None:
        with stream:
            while chunk := os.read(stream.fileno(), 65536):
                for take in takers:
                    take(chunk)
        if end is not None:
            end()

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread

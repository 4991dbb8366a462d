"""Server-sent events, byte by byte if need be (WHATWG HTML, section 9.2)."""

import re
from dataclasses import dataclass

EVENT_LIMIT = 4 * 1024 * 1024
"""Bytes one event may have unless told otherwise."""

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Event:
    """One event. `type` is "message" where the stream names none; `utf8` false where bytes were replaced."""

    data: str
    type: str = "message"
    id: str = ""
    utf8: bool = True


class SseParser:
    """Takes a stream in chunks of any size and gives the events that are complete.

    An event is complete at its empty line; what stands behind the last one is never given (`unfinished` tells
    of it). `retry` is the last reconnection time in milliseconds. An event over the limit is left out and
    `too_large` set. Nothing is raised, whatever comes.
    """

    def __init__(self, limit: int = EVENT_LIMIT) -> None:
        self.retry: int | None = None
        self.too_large = False
        self._limit = limit
        self._pieces: list[bytes] = []
        self._pending = 0
        self._at_start = True
        self._after_cr = False
        self._last_id = ""
        self._clear()

    def _clear(self) -> None:
        self._data: list[str] = []
        self._size = 0
        self._type = ""
        self._utf8 = True
        self._dropping = False

    @property
    def unfinished(self) -> bool:
        """Whether an event was begun that no empty line has ended yet."""
        return bool(self._data or self._pieces or self._dropping)

    def feed(self, chunk: bytes) -> list[Event]:
        """Takes more of the stream; gives the events that are complete now, in order."""
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[:1] == b"\n":
                chunk = chunk[1:]
        events: list[Event] = []
        begin = 0
        for end in _LINE_END.finditer(chunk):
            self._keep(chunk[begin : end.start()])
            event = self._line(b"".join(self._pieces))
            self._pieces, self._pending = [], 0
            if event is not None:
                events.append(event)
            begin = end.end()
        # A CR ends its line at once; the LF that may follow in the next chunk belongs to it.
        self._after_cr = chunk.endswith(b"\r") or (self._after_cr and not chunk)
        self._keep(chunk[begin:])
        return events

    def _keep(self, piece: bytes) -> None:
        if not piece:
            return
        self._pending += len(piece)
        if self._size + self._pending > self._limit:
            self.too_large = self._dropping = True
            self._data = []
            # One byte stays, so that the line does not pass for an empty one.
            self._pieces = [b":"]
        else:
            self._pieces.append(piece)

    def _line(self, line: bytes) -> Event | None:
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        if not line:
            return self._dispatch()
        if line.startswith(b":") or self._dropping:
            return None
        name, _, raw = line.partition(b":")
        raw = raw.removeprefix(b" ")
        try:
            value = raw.decode("utf-8")
        except UnicodeDecodeError:
            value, self._utf8 = raw.decode("utf-8", "replace"), False
        self._field(name, value, len(raw))
        return None

    def _field(self, name: bytes, value: str, size: int) -> None:
        if name == b"data":
            self._data.append(value)
            self._size += size + 1
        elif name == b"event":
            self._type = value
        elif name == b"id":
            if "\0" not in value:
                self._last_id = value
        elif name == b"retry" and value.isascii() and value.isdigit() and len(value) < 16:
            self.retry = int(value)

    def _dispatch(self) -> Event | None:
        event = (
            Event("\n".join(self._data), self._type or "message", self._last_id, self._utf8)
            if self._data and not self._dropping
            else None
        )
        self._clear()
        return event

"""HTTP/1.1 as bytes: a request before it goes out, an answer while it comes in, without a socket.

The plain case is read and written by `plain_http`, every other by h11.

A judge needs what a comfortable client hides: header bytes as given, limits on everything that comes, and an
end to a connection on which more came than was announced.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from urllib.parse import urlsplit

import h11

from harness.exchanges import HttpAnswer, HttpRequest
from harness.wire.answers import Watch
from harness.wire.plain_http import Fields, plain_head, plain_request

HEAD_LIMIT = 64 * 1024
"""Bytes that status line and headers of an answer may have."""

Until = Callable[[bytes], bool]


class NotSent(Exception):
    """The request is nothing HTTP can carry."""


class Unusable(Exception):
    """What came is no answer that can be used."""


@dataclass(frozen=True)
class Target:
    """Where a URL leads: `host_header` is what `Host` says, `path` the request target."""

    secure: bool
    host: str
    port: int
    host_header: str
    path: bytes


@dataclass(frozen=True)
class Outgoing:
    """A request as bytes.

    `plain` tells that its answer may be read as plain too: it is no HEAD, and asks for nothing of the connection.
    """

    data: bytes
    method: bytes
    path: bytes
    headers: Fields
    body: bytes
    plain: bool

    def expecting(self) -> h11.Connection:
        """An h11 connection that has sent it and expects the answer. Raises h11.LocalProtocolError."""
        return _sent_by_h11(self.method, self.path, self.headers, self.body)[1]


def target_of(url: str) -> Target:
    """Where a URL leads. Raises NotSent for what is no http or https URL in ASCII."""
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("ascii").decode("ascii")
        path = ((parts.path or "/") + (f"?{parts.query}" if parts.query else "")).encode("ascii")
    except ValueError as error:
        raise NotSent(f"{url[:200]!r} is no URL: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise NotSent(f"{url[:200]!r} is no http or https URL")
    secure = parts.scheme == "https"
    shown = f"[{host}]" if ":" in host else host
    header = shown if port is None else f"{shown}:{port}"
    return Target(secure, host, (443 if secure else 80) if port is None else port, header, path)


def outgoing(request: HttpRequest, target: Target) -> Outgoing:
    """The request as bytes, header values as given; Host, Content-Length and Accept-Encoding are added.

    Raises NotSent where h11 refuses (edge spaces, line ends, a false Content-Length) or text is not ASCII.
    """
    try:
        method = request.method.encode("ascii")
        headers = tuple(_headers(request, target))
        data = plain_request(method, target.path, headers, request.body)
        plain = data is not None
        if data is None:
            data = _sent_by_h11(method, target.path, headers, request.body)[0]
    except UnicodeEncodeError as error:
        raise NotSent(f"{error.object[:80]!r} is not ASCII; give such text as bytes") from None
    except h11.LocalProtocolError as error:
        raise NotSent(str(error)[:300]) from None
    return Outgoing(data, method, target.path, headers, request.body, plain)


def _sent_by_h11(method: bytes, path: bytes, headers: Fields, body: bytes) -> tuple[bytes, h11.Connection]:
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_LIMIT)
    data = [http.send(h11.Request(method=method, target=path, headers=list(headers))) or b""]
    if body:
        data.append(http.send(h11.Data(data=body)) or b"")
    data.append(http.send(h11.EndOfMessage()) or b"")
    return b"".join(data), http


def _headers(request: HttpRequest, target: Target) -> list[tuple[bytes, bytes]]:
    given = {name.lower() for name, _ in request.headers}
    headers: list[tuple[bytes, bytes]] = []
    if "host" not in given:
        headers.append((b"Host", target.host_header.encode("ascii")))
    for name, value in request.headers:
        headers.append((name.encode("ascii"), value if isinstance(value, bytes) else value.encode("ascii")))
    if "accept-encoding" not in given:
        headers.append((b"Accept-Encoding", b"identity"))
    bodiless = not request.body and request.method in ("GET", "HEAD")
    if not bodiless and not given & {"content-length", "transfer-encoding"}:
        headers.append((b"Content-Length", b"%d" % len(request.body)))
    return headers


class Progress(Enum):
    """How far an answer has come."""

    MORE = auto()
    AWAITED = auto()
    DONE = auto()


class AnswerReader:
    """Takes the bytes of one answer as they come.

    `limit` bounds the body. In a stream of events the response to `answers_id` is what is awaited; `until` is
    given each piece of any body and says by true that it saw what was awaited.
    """

    def __init__(
        self, out: Outgoing, *, limit: int, until: Until | None, answers_id: int | str | None
    ) -> None:
        self._out, self._limit, self._until, self._answers_id = out, limit, until, answers_id
        self._http: h11.Connection | None = None
        self._plain = bytearray() if out.plain and until is None else None
        self._start = self._end = 0
        self._status: int | None = None
        self._fields: Fields = ()
        self._pieces: list[bytes] = []
        self._size = 0
        self._events = False
        self._over = False
        self._watch: Watch | None = None
        self._awaited = False
        self.nothing_came = True

    def receive(self, data: bytes) -> Progress:
        """Take bytes, none for the end of the connection; tell how far the answer has come.

        Raises Unusable for what is no HTTP, encoded, over a limit, or broken off.
        """
        if data:
            self.nothing_came = False
        elif self._status is None:
            raise Unusable("the connection was closed without an answer")
        if self._plain is not None:
            self._plain += data
            progress = self._plainly(self._plain) if data else None
            if progress is not None:
                return progress
            # Not plain after all: h11 reads it from the beginning.
            before, self._plain = bytes(self._plain[: len(self._plain) - len(data)]), None
            self._status, self._fields, self._size = None, (), 0
        else:
            before = b""
        try:
            if self._http is None:
                self._http = self._out.expecting()
            if before:
                self._http.receive_data(before)
            self._http.receive_data(data)
            return self._digest(self._http)
        except h11.RemoteProtocolError as error:
            raise Unusable(f"no valid HTTP: {str(error)[:300]}{self.so_far()}") from None

    def _plainly(self, came: bytearray) -> Progress | None:
        """How far a plain answer has come; None where it is not plain, or not to be read so."""
        if self._status is None:
            head = plain_head(bytes(came), HEAD_LIMIT)
            if head is None or head.length > self._limit or _is_events(head.fields):
                return None
            self._status, self._fields = head.status, head.fields
            self._start, self._end = head.start, head.start + head.length
        if len(came) > self._end:
            return None
        self._size = len(came) - self._start
        if len(came) < self._end:
            return Progress.MORE
        self._pieces.append(bytes(came[self._start :]))
        return Progress.DONE

    def _digest(self, http: h11.Connection) -> Progress:
        while True:
            event = http.next_event()
            if event is h11.NEED_DATA:
                return Progress.AWAITED if self._awaited else Progress.MORE
            if isinstance(event, h11.Response):
                self._begin(event)
            elif isinstance(event, h11.Data):
                self._take(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                # Such bytes would pass for the answer to the next request.
                if http.trailing_data[0] and http.their_state is not h11.MUST_CLOSE:
                    raise Unusable(f"more came than the answer was said to hold{self.so_far()}")
                return Progress.DONE
            elif not isinstance(event, h11.InformationalResponse):
                raise Unusable(f"the connection ended early{self.so_far()}")

    def _begin(self, head: h11.Response) -> None:
        coding = b""
        for name, value in head.headers:
            if name == b"content-encoding":
                coding = value.strip().lower()
        if coding not in (b"", b"identity"):
            shown = coding[:40].decode("latin-1")
            raise Unusable(f"HTTP {head.status_code} comes encoded as {shown!r}, only identity was accepted")
        self._status = head.status_code
        self._fields = tuple((name, value) for name, value in head.headers)
        self._events = _is_events(self._fields)
        if self._events and self._answers_id is not None:
            self._watch = Watch(self._answers_id)

    def _take(self, piece: bytes) -> None:
        room = self._limit - self._size
        self._pieces.append(piece[:room])
        self._size += min(len(piece), room)
        if len(piece) > room:
            self._over = True
            raise Unusable(f"the body is longer than {self._limit} bytes")
        if self._until is not None and self._until(piece):
            self._awaited = True
        if self._watch is not None and self._watch.feed(piece):
            self._awaited = True

    @property
    def reusable(self) -> bool:
        """Whether the connection can carry another exchange after this answer."""
        if self._http is None:
            return self._status is not None and len(self._pieces) == 1
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    def so_far(self) -> str:
        """How far it came, for the end of a sentence."""
        if self._status is None:
            return ""
        return f" (HTTP {self._status}, {self._size} bytes of the body)"

    def answer(self, *, broken: bool) -> HttpAnswer | None:
        """What came, where it is of use: whole, or (broken) a body over the limit or a stream of events."""
        if self._status is None or (broken and not (self._over or self._events)):
            return None
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in self._fields)
        return HttpAnswer(self._status, headers, b"".join(self._pieces), cut=broken)


def _is_events(fields: Fields) -> bool:
    kind = next((value for name, value in fields if name == b"content-type" and value), b"")
    return kind.partition(b";")[0].strip().lower() == b"text/event-stream"

"""HTTP/1.1 to whatever answers, over connections that are kept: no other module of the harness sends or reads.

Every exchange has one deadline for all of it, nothing is repeated behind the caller's back, and whatever the
other side does becomes a sentence in `Sent.problem`, never an exception.
"""

import select
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType

from harness.clock import monotonic
from harness.connections import Connection, Deadline, NoConnection, Place, connected, reason, secured
from harness.exchanges import HttpAnswer, HttpRequest
from harness.wire.http_text import (
    AnswerReader,
    NotSent,
    Outgoing,
    Progress,
    Target,
    Until,
    Unusable,
    outgoing,
    target_of,
)

BODY_LIMIT = 4 * 1024 * 1024
"""Bytes of a body that are read unless told otherwise."""

_SEND_SIZE = 128 * 1024
_IDLE_SECONDS = 1.0
_IDLE_LIMIT = 64
_GRACE_SECONDS = 0.02
_TARGETS_LIMIT = 1024


@dataclass(frozen=True)
class Sent:
    """What became of a request.

    `answer` is None when nothing usable came, and then `problem` says why. Both are there where an answer
    broke off that is of use as far as it came (a body over the limit, a stream of events); its `cut` is true
    then. A problem that begins with "not sent: " is the request's own: no byte of it left this machine.
    `seconds` is wall time.
    """

    answer: HttpAnswer | None
    problem: str | None
    seconds: float


@dataclass
class Leaving:
    """Ends, from another thread, the reading of an answer that stays open: to its reader the peer hung up."""

    _sock: socket.socket | None = None

    def hold(self, sock: socket.socket) -> None:
        """Told by the transport: the connection that the answer comes over."""
        self._sock = sock

    def now(self) -> None:
        """Hang up, if that has not happened yet."""
        if self._sock is not None:
            with suppress(OSError):
                self._sock.shutdown(socket.SHUT_RDWR)


class Transport:
    """Sends requests over connections that it keeps open between exchanges. A context manager, or close it.

    `verify` false trusts any certificate; `ca_file` names authorities to trust besides the machine's own.
    `detours` leads what goes to a host and port without TLS to another one, under the same `Host`. No proxies,
    redirects, cookies or retries, and no headers but those given, Host, Content-Length and Accept-Encoding:
    identity. Safe to use from several threads.
    """

    def __init__(
        self,
        *,
        verify: bool = True,
        ca_file: str | None = None,
        detours: Mapping[tuple[str, int], tuple[str, int]] | None = None,
    ) -> None:
        self._verify, self._ca_file = verify, ca_file
        self._detours = dict(detours or {})
        self._lock = threading.Lock()
        self._idle: dict[Place, list[Connection]] = {}
        self._fickle: set[Place] = set()
        self._targets: dict[str, Target] = {}
        self._tls: ssl.SSLContext | None = None

    def __enter__(self) -> "Transport":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every idle connection."""
        with self._lock:
            connections = [one for idle in self._idle.values() for one in idle]
            self._idle.clear()
        for connection in connections:
            connection.sock.close()

    def send(
        self,
        request: HttpRequest,
        *,
        timeout: float,
        body_limit: int = BODY_LIMIT,
        until: Until | None = None,
        answers_id: int | str | None = None,
        leaving: Leaving | None = None,
    ) -> Sent:
        """Send one request and read its answer, all within `timeout` seconds.

        A stream of events is left soon after the response to `answers_id` came (it may stay open for ever).
        `until` is given each piece of any body as it comes and ends the reading, a moment later, by returning
        true; `leaving` ends it from elsewhere.
        """
        began = monotonic()
        deadline = Deadline(timeout, began + timeout)
        try:
            target = self._target(request.url)
            out = outgoing(request, target)
            connection = self._take(target, deadline)
        except NotSent as error:
            return Sent(None, f"not sent: {error}", monotonic() - began)
        except NoConnection as error:
            return Sent(None, str(error), monotonic() - began)
        if leaving is not None:
            leaving.hold(connection.sock)
        reader = AnswerReader(out, limit=body_limit, until=until, answers_id=answers_id)
        answer, problem = self._exchange(connection, out, reader, deadline)
        return Sent(answer, problem, monotonic() - began)

    def send_many(
        self,
        requests: Sequence[HttpRequest],
        *,
        timeout: float,
        answers_ids: Sequence[int | str | None] = (),
        body_limit: int = BODY_LIMIT,
    ) -> list[Sent]:
        """Send all requests at the same moment, each over its own connection; the outcomes in their order.

        The connections are opened first, then all wait for one another and send. `timeout` counts from that
        moment (and once more for the connecting), as does `seconds`. Meant for races of up to a few hundred.
        """
        if not requests:
            return []
        ids = [*answers_ids, *[None] * (len(requests) - len(answers_ids))]
        start = threading.Barrier(len(requests))

        def one(request: HttpRequest, answers_id: int | str | None) -> Sent:
            problem = ""
            connection: Connection | None = None
            try:
                target = self._target(request.url)
                out = outgoing(request, target)
                connection = self._open(target, Deadline(timeout, monotonic() + timeout))
            except NotSent as error:
                problem = f"not sent: {error}"
            except NoConnection as error:
                problem = str(error)
            except BaseException:
                start.abort()
                raise
            # Those with nothing to send come here too: the others wait for them.
            start.wait()
            began = monotonic()
            if connection is None:
                return Sent(None, problem, 0.0)
            reader = AnswerReader(out, limit=body_limit, until=None, answers_id=answers_id)
            answer, reason = self._exchange(connection, out, reader, Deadline(timeout, began + timeout))
            return Sent(answer, reason, monotonic() - began)

        with ThreadPoolExecutor(len(requests)) as pool:
            return list(pool.map(one, requests, ids))

    # Connections

    def _target(self, url: str) -> Target:
        target = self._targets.get(url)
        if target is None:
            target = target_of(url)
            detour = None if target.secure else self._detours.get((target.host, target.port))
            if detour is not None:
                target = replace(target, host=detour[0], port=detour[1])
            if len(self._targets) >= _TARGETS_LIMIT:
                self._targets.clear()
            self._targets[url] = target
        return target

    def _take(self, target: Target, deadline: Deadline) -> Connection:
        """An idle connection on which nothing happened meanwhile, else a new one."""
        key = (target.secure, target.host, target.port)
        while True:
            with self._lock:
                idle = self._idle.get(key)
                connection = idle.pop() if idle else None
            if connection is None:
                return self._open(target, deadline)
            if monotonic() - connection.idle_since < _IDLE_SECONDS and connection.is_silent():
                return connection
            connection.sock.close()

    def _put_back(self, connection: Connection) -> None:
        connection.idle_since = monotonic()
        with self._lock:
            idle = self._idle.setdefault(connection.key, [])
            if len(idle) < _IDLE_LIMIT and connection.key not in self._fickle:
                idle.append(connection)
                return
        connection.sock.close()

    def _open(self, target: Target, deadline: Deadline) -> Connection:
        sock = connected(target, deadline)
        if target.secure:
            sock = secured(sock, self._context, target, deadline)
        return Connection(sock, (target.secure, target.host, target.port))

    def _context(self) -> ssl.SSLContext:
        with self._lock:
            if self._tls is None:
                context = ssl.create_default_context()
                if self._ca_file is not None:
                    context.load_verify_locations(self._ca_file)
                if not self._verify:
                    context.check_hostname = False
                    context.verify_mode = ssl.CERT_NONE
                self._tls = context
            return self._tls

    # Exchanges

    def _exchange(
        self, connection: Connection, out: Outgoing, reader: AnswerReader, deadline: Deadline
    ) -> tuple[HttpAnswer | None, str | None]:
        reused = connection.used > 0
        connection.used += 1
        problem: str | None = None
        try:
            _write(connection, out.data, deadline)
            _read(connection, reader, deadline)
        except Unusable as error:
            problem = str(error)
        except TimeoutError:
            problem = f"no complete answer within {deadline.seconds:g} s{reader.so_far()}"
        except OSError as error:
            problem = f"the connection broke: {reason(error)}{reader.so_far()}"
        if problem is None and reader.reusable:
            self._put_back(connection)
        else:
            connection.sock.close()
        if reused and problem is not None and reader.nothing_came:
            # The request may have run, so it is not sent again; but such a peer gets new connections from
            # now on.
            self._fickle.add(connection.key)
            problem += " (on a connection kept open after an earlier answer)"
        return reader.answer(broken=problem is not None), problem


def _write(connection: Connection, data: bytes, deadline: Deadline) -> None:
    """Send the request, or as much of it as is wanted: a server may answer before it has read everything."""
    sock, rest = connection.sock, memoryview(data)
    try:
        while True:
            sock.settimeout(deadline.left())
            if connection.key[0]:
                # Under TLS a readable socket tells nothing about an answer.
                sock.sendall(rest)
                return
            rest = rest[sock.send(rest[:_SEND_SIZE]) :]
            if not rest or select.select([sock], [sock], [], deadline.left())[0]:
                return
    except (BrokenPipeError, ConnectionResetError):
        # A server that refuses a long body closes early; its answer may be here already.
        return


def _read(connection: Connection, reader: AnswerReader, deadline: Deadline) -> None:
    """Read until the answer is whole, or what was awaited of it has come and a moment has passed."""
    while True:
        connection.sock.settimeout(deadline.left())
        progress = reader.receive(connection.receive())
        if progress is Progress.DONE:
            return
        if progress is Progress.AWAITED:
            break
    # Most streams end right after the answer, and then the connection stays usable.
    grace = Deadline(_GRACE_SECONDS, min(deadline.at, monotonic() + _GRACE_SECONDS))
    try:
        while progress is not Progress.DONE:
            connection.sock.settimeout(grace.left())
            progress = reader.receive(connection.receive())
    except (Unusable, OSError):
        # What was asked for has come; how the stream ends is no concern of the answer.
        return

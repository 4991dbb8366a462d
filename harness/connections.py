"""Connections: opened to a host within a deadline, TLS where it is asked for, and what each was used for.

No other module of the harness opens a socket.
"""

import select
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from harness.clock import monotonic
from harness.wire.http_text import Target

_READ_SIZE = 64 * 1024
_QUICK_ACK: int | None = getattr(socket, "TCP_QUICKACK", None)

Place = tuple[bool, str, int]
"""Where a connection leads: whether under TLS, host, port."""

_Address = tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[object, ...]]


class NoConnection(Exception):
    """Nobody to talk to; the text says why."""


@dataclass
class Deadline:
    """When an exchange ends, on the monotonic clock."""

    seconds: float
    at: float

    def left(self) -> float:
        """Seconds left, more than zero. Raises TimeoutError when there are none."""
        left = self.at - monotonic()
        if left <= 0:
            raise TimeoutError
        return left


@dataclass
class Connection:
    """An open connection: `used` counts its exchanges, `idle_since` tells when the last one ended."""

    sock: socket.socket
    key: Place
    used: int = 0
    idle_since: float = 0.0

    def receive(self) -> bytes:
        """The next bytes, none at the end. Raises OSError, TimeoutError among them."""
        if _QUICK_ACK is not None:
            # A server that writes in small pieces waits for each to be acknowledged, up to 40 ms otherwise.
            self.sock.setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)
        return self.sock.recv(_READ_SIZE)

    def is_silent(self) -> bool:
        """Whether nothing came since the last answer: no end, no unasked bytes."""
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        return not poll.poll(0)


def connected(target: Target, deadline: Deadline) -> socket.socket:
    """A connected socket to the first address that takes it, within the deadline. Raises NoConnection."""
    failure = "no address"
    try:
        for family, kind, protocol, _, address in _looked_up(target, deadline):
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(deadline.left())
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except TimeoutError:
                sock.close()
                raise
            except OSError as error:
                sock.close()
                failure = reason(error)
            else:
                return sock
    except TimeoutError:
        failure = f"nobody answered within {deadline.seconds:g} s"
    except Empty:
        failure = f"its name was not looked up within {deadline.seconds:g} s"
    except OSError as error:
        failure = reason(error)
    except UnicodeError:
        failure = "the host name cannot be looked up"
    raise NoConnection(f"no connection to {target.host_header}: {failure}")


def secured(
    sock: socket.socket, context: Callable[[], ssl.SSLContext], target: Target, deadline: Deadline
) -> ssl.SSLSocket:
    """The socket under TLS, within the deadline. Raises NoConnection, and closes it then."""
    try:
        sock.settimeout(deadline.left())
        return context().wrap_socket(sock, server_hostname=target.host)
    except TimeoutError:
        sock.close()
        raise NoConnection(f"no TLS handshake within {deadline.seconds:g} s") from None
    except OSError as error:
        sock.close()
        raise NoConnection(f"the TLS handshake failed: {reason(error)}") from None


def _looked_up(target: Target, deadline: Deadline) -> Sequence[_Address]:
    """The addresses of a host. Raises OSError, UnicodeError, and queue.Empty where the resolver takes too long.

    A lookup cannot be broken off, so it has a thread of its own, which is left behind when time is up.
    """
    with suppress(socket.gaierror, UnicodeError):
        return socket.getaddrinfo(
            target.host, target.port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
        )
    told: SimpleQueue[Sequence[_Address] | OSError | UnicodeError] = SimpleQueue()

    def look_up() -> None:
        try:
            told.put(socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            told.put(error)

    threading.Thread(target=look_up, daemon=True).start()
    found = told.get(timeout=deadline.left())
    if isinstance(found, OSError | UnicodeError):
        raise found
    return found


def reason(error: OSError) -> str:
    """Why a connection could not be made or broke, in words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError):
        return (error.reason or "TLS error").replace("_", " ").lower()
    return (error.strerror or type(error).__name__).lower()

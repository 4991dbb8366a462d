"""What peers on a socket say: whole answers, pieces of streams, and how they behave."""

import json
import socket
from collections.abc import Callable

from harness.exchanges import HttpRequest


def get(connection: socket.socket) -> bytes:
    """One whole request, by its Content-Length; empty when the other side has closed."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def http(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def answering(*chunks: bytes) -> Callable[[socket.socket], None]:
    """Answer every request with these bytes, and wait for the next."""

    def behave(connection: socket.socket) -> None:
        while get(connection):
            for chunk in chunks:
                connection.sendall(chunk)

    return behave


def once(*chunks: bytes) -> Callable[[socket.socket], None]:
    """Answer one request with these bytes and close."""

    def behave(connection: socket.socket) -> None:
        get(connection)
        for chunk in chunks:
            connection.sendall(chunk)

    return behave


def post(url: str, body: bytes = b"{}", *headers: tuple[str, str | bytes]) -> HttpRequest:
    return HttpRequest("POST", url, headers, body)


def event(id: int) -> bytes:
    data = json.dumps({"jsonrpc": "2.0", "id": id, "result": {}}).encode()
    return b"data: " + data + b"\n\n"


def chunked(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

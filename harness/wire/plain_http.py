"""The plain case of HTTP/1.1, which is nearly every exchange: read and written by one pattern each.

Whatever is not of that shape (a repeated Content-Length, chunks, an odd byte, `Connection: close`, …) gives None here
and is h11's to judge, so nothing is decided twice. Tests hold both readings of the plain case against each other.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = rb"[-!#$%&'*+.^_`|~0-9a-zA-Z]+"
# Visible ASCII, blanks only between it.
_VALUE: Final = rb"[\x21-\x7e]+(?:[ \t]+[\x21-\x7e]+)*"
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.1 ([2-5][0-9]{2}) [ \x21-\x7e]{0,100}\r\n")
_FIELD: Final = re.compile(rb"(" + _TOKEN + rb"):[ \t]*(" + _VALUE + rb")?[ \t]*\r\n")
_PLAIN_NAME: Final = re.compile(_TOKEN)
_PLAIN_VALUE: Final = re.compile(_VALUE)
_PLAIN_PATH: Final = re.compile(rb"[\x21-\x7e]+")
_LENGTH: Final = re.compile(rb"[0-9]{1,9}")
_FRAMING: Final = frozenset({b"transfer-encoding", b"content-encoding", b"upgrade", b"trailer"})
_BODILESS: Final = frozenset({204, 205, 304})
# What a request may say of its own framing is h11's to weigh.
_REQUEST_FRAMING: Final = frozenset(
    {b"host", b"content-length", b"transfer-encoding", b"connection", b"expect"}
)

Fields = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True)
class PlainHead:
    """Status line and headers of an answer: names in lower case, the body from byte `start` on, `length` bytes long."""

    status: int
    fields: Fields
    start: int
    length: int


def plain_head(data: bytes, limit: int) -> PlainHead | None:
    """The head of an answer of the plain shape that begins `data`; None for any other, and while it is incomplete.

    `limit` bounds the bytes of the head.
    """
    end = data.find(b"\r\n\r\n")
    line = _STATUS_LINE.match(data)
    if line is None or not 0 <= end < limit or int(line[1]) in _BODILESS:
        return None
    fields: list[tuple[bytes, bytes]] = []
    length: int | None = None
    at = line.end()
    while at < end + 2:
        field = _FIELD.match(data, at)
        if field is None:
            return None
        name, value = field[1].lower(), field[2] or b""
        if name == b"content-length":
            if length is not None or _LENGTH.fullmatch(value) is None:
                return None
            length = int(value)
        elif name in _FRAMING or (name == b"connection" and value.lower() != b"keep-alive"):
            return None
        fields.append((name, value))
        at = field.end()
    return None if length is None else PlainHead(int(line[1]), tuple(fields), end + 4, length)


def plain_request(
    method: bytes, path: bytes, headers: Sequence[tuple[bytes, bytes]], body: bytes
) -> bytes | None:
    """A request as bytes; None where it is not of the plain shape: Host first, a true Content-Length last if at all."""
    lengths = [value for name, value in headers[-1:] if name.lower() == b"content-length"]
    between = headers[1:-1] if lengths else headers[1:]
    if (
        method in (b"HEAD", b"CONNECT")
        or _PLAIN_NAME.fullmatch(method) is None
        or _PLAIN_PATH.fullmatch(path) is None
        or headers[0][0].lower() != b"host"
        or any(name.lower() in _REQUEST_FRAMING for name, _ in between)
        or lengths not in ([b"%d" % len(body)], [] if not body else None)
    ):
        return None
    for name, value in headers:
        if _PLAIN_NAME.fullmatch(name) is None or _PLAIN_VALUE.fullmatch(value) is None:
            return None
    lines = b"".join([b"%b: %b\r\n" % header for header in headers])
    return b"%b %b HTTP/1.1\r\n%b\r\n%b" % (method, path, lines, body)

"""HTTP/1.1 to a program of ours on loopback, as thin as it gets: hundreds of requests at once cost next to nothing."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

WAIT = 60.0
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


class NoAnswer(Exception):
    """The program ended, or cut the connection, before the answer was whole."""


@dataclass(frozen=True)
class Answer:
    """A whole answer; names of headers are lower-case."""

    status: int
    headers: dict[str, str]
    text: str

    def json(self) -> Any:
        """Its body as JSON."""
        return json.loads(self.text)


class Wire:
    """Requests to one address; a request takes a connection that is free, or opens one. To be closed."""

    def __init__(self, url: str, **headers: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname, parts.port
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def __aenter__(self) -> "Wire":
        return self

    async def __aexit__(self, *_: object) -> None:
        for _reader, writer in self._free:
            writer.close()
        self._free.clear()

    async def send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        form: dict[str, str] | None = None,
        **headers: str,
    ) -> Answer:
        """One request, with a JSON body or a form; headers with `_` for `-`. Raises NoAnswer, once and for good."""
        content = b"" if body is None else json.dumps(body).encode()
        sent = {"host": f"{self._host}:{self._port}", "content-type": JSON, **self.headers}
        if form is not None:
            content, sent["content-type"] = urlencode(form).encode(), FORM
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent["content-length"] = str(len(content))
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        try:
            async with asyncio.timeout(WAIT):
                connection = (
                    self._free.pop() if self._free else await asyncio.open_connection(self._host, self._port)
                )
                reader, writer = connection
                try:
                    writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + content)
                    answer = await _read(reader)
                except BaseException:
                    writer.close()
                    raise
        except (OSError, asyncio.IncompleteReadError) as error:
            raise NoAnswer(f"{method} {path}") from error
        self._free.append(connection)
        return answer


async def _read(reader: asyncio.StreamReader) -> Answer:
    start, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Answer(int(start.split(" ", 2)[1]), headers, body.decode())

"""HTTP by the standard library: a thread for each connection, one answer for each POST, no stream, no session."""

import json
import re
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from plain.contract import read_contract

from own_clock import documents, prompts, suggestions, tools
from own_clock.desk import Desk, Handed, Handler
from own_clock.memory import Memory
from own_clock.upstream import Away, TokenUnknown, Upstream, Who
from own_clock.wire import (
    ABOUT,
    LONGEST_BODY,
    NEW,
    NO_METHOD,
    OLD,
    Asked,
    Refused,
    RefusedByHttp,
    failed,
    id_of,
    parse,
    read,
    succeeded,
)

BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)
HOME = {"localhost", "127.0.0.1", "::1"}
# MCP-21, KADU-RES-10
OFFERED: dict[str, Any] = {
    "tools": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "prompts": {"listChanged": False},
    "completions": {},
}


def _shake_hands(desk: Desk, who: Who, asked: Asked) -> Handed:
    # MCP-01: one revision of that era is spoken here
    return Handed({"protocolVersion": OLD, "capabilities": OFFERED, "serverInfo": ABOUT})


def _discover(desk: Desk, who: Who, asked: Asked) -> Handed:
    return Handed({"supportedVersions": [OLD, NEW], "capabilities": OFFERED}, fresh=60_000)


def _pong(desk: Desk, who: Who, asked: Asked) -> Handed:
    return Handed({})


BOTH: Mapping[str, Handler] = {
    "tools/list": tools.list_tools,
    "tools/call": tools.call_tool,
    "resources/list": documents.list_fixed,
    "resources/templates/list": documents.list_templates,
    "resources/read": documents.read,
    "prompts/list": prompts.list_prompts,
    "prompts/get": prompts.get_prompt,
    "completion/complete": suggestions.complete,
}
OF_OLD: Mapping[str, Handler] = {**BOTH, "initialize": _shake_hands, "ping": _pong}
OF_NEW: Mapping[str, Handler] = {**BOTH, "server/discover": _discover}


class Server(ThreadingHTTPServer):
    """The listener, and the desk that its threads share."""

    request_queue_size = 256
    daemon_threads = True

    def __init__(self, address: tuple[str, int], desk: Desk) -> None:
        super().__init__(address, Endpoint)
        self.desk = desk


class Endpoint(BaseHTTPRequestHandler):
    """One connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "kadu-own-clock", ""
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        """A message."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self.close_connection = True
            return self._bare(411)
        raw = self._body(int(length))
        message: dict[str, Any] = {}
        try:
            self._let_in()
            who = self._who()
            if raw is None:
                raise RefusedByHttp(413)
            message = parse(raw)
            self._serve(who, read(self.headers, message))
        except RefusedByHttp as refused:
            self._bare(refused.status, refused.headers)
        except TokenUnknown:
            # MCP-13
            self._bare(401, {"WWW-Authenticate": 'Bearer realm="kadu", error="invalid_token"'})
        except Away:
            self._bare(503, {"Retry-After": "3"})
        except Refused as refused:
            new = self.headers.get("MCP-Protocol-Version") == NEW
            plain = refused.code in (-32601, -32602, -32603, -32002)
            self._json(200 if plain and not new else refused.status, failed(refused, id_of(message)))
        return None

    def _serve(self, who: Who, asked: Asked) -> None:
        if not asked.wants_answer:
            return self._bare(202)
        handler = (OF_NEW if asked.new else OF_OLD).get(asked.method)
        if handler is None:
            # MCP-10
            raise Refused(NO_METHOD, "Nothing of this name is done here", status=404)
        handed = handler(self.server.desk, who, asked)
        return self._json(200, succeeded(asked, handed.dressed(asked), handed.kind))

    def _let_in(self) -> None:
        origin = self.headers.get("Origin")
        try:
            home = origin is None or urlsplit(origin).hostname in HOME
        except ValueError:
            home = False
        if not home:
            # MCP-12
            raise RefusedByHttp(403)
        if self.path.partition("?")[0] != "/mcp":
            raise RefusedByHttp(404)

    def _who(self) -> Who:
        bearer = BEARER.fullmatch(self.headers.get("Authorization", ""))
        if bearer is None:
            raise TokenUnknown
        return self.server.desk.upstream.who(bearer.group(1))

    def _body(self, length: int) -> bytes | None:
        """The body; None where it is too long, and then it is read to its end and forgotten."""
        if length <= LONGEST_BODY:
            return self.rfile.read(length)
        while length > 0 and (piece := self.rfile.read(min(length, 65_536))):
            length -= len(piece)
        return None

    def _other(self) -> None:
        self._body(int(self.headers.get("Content-Length", "0") or 0))
        self._bare(405, {"Allow": "POST"})

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _other

    def _bare(self, status: int, headers: Mapping[str, str] | None = None) -> None:
        self._send(status, {"Content-Length": "0", **(headers or {})}, b"")

    def _json(self, status: int, message: dict[str, Any]) -> None:
        body = json.dumps(message, separators=(",", ":")).encode()
        self._send(
            status,
            {"Content-Type": "application/json; charset=utf-8", "Content-Length": str(len(body))},
            body,
        )

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        # A client learns here that a connection serves once.
        self.close_connection = True
        self.send_response(status)
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing is told."""


def serve(api_url: str, host: str, port: int) -> None:
    """Serve until the process ends."""
    upstream = Upstream(api_url)
    with Server((host, port), Desk(read_contract(upstream.document()), upstream, Memory())) as server:
        server.serve_forever()

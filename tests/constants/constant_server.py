"""A server that always answers the same way: `python constant_server.py MODE PORT`, on 127.0.0.1 (or HOST).

None of them does anything, so none may be found to keep a rule that says something happens. The modes:

dead            the port is held and refuses every connection; says `held` once it is so
http400         400, always
invalid_params  JSON-RPC -32602 to every request, with its id
empty_object    {} to everything
empty_lists     a proper handshake; whatever is listed, read or called is empty
echo            the body that came
yes             a liar: claims it all and says that all went well (see liar.py)
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

BODY_LIMIT = 4_000_000
Answer = tuple[int, bytes]
Mode = Callable[[bytes, Mapping[str, str]], Answer]


def http400(body: bytes, headers: Mapping[str, str]) -> Answer:
    """Refuses."""
    return 400, b""


def invalid_params(body: bytes, headers: Mapping[str, str]) -> Answer:
    """Finds fault with the parameters of whatever it is asked."""
    message = decoded(body)
    request_id = message.get("id") if message else None
    error = {"code": -32602, "message": "Invalid params"}
    return 400 if is_stateless(headers) else 200, encoded(
        {"jsonrpc": "2.0", "id": request_id, "error": error}
    )


def empty_object(body: bytes, headers: Mapping[str, str]) -> Answer:
    """Says nothing, politely."""
    return 200, b"{}"


def echo(body: bytes, headers: Mapping[str, str]) -> Answer:
    """Says what it heard."""
    return 200, body


def empty_lists(body: bytes, headers: Mapping[str, str]) -> Answer:
    """Shakes hands and has nothing."""
    return as_mcp(body, headers, lambda method, params, stateless: EMPTY.get(method, {}))


CAPABILITIES: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
EMPTY: dict[str, dict[str, Any]] = {
    "tools/list": {"tools": []},
    "tools/call": {"content": []},
    "resources/list": {"resources": []},
    "resources/templates/list": {"resourceTemplates": []},
    "resources/read": {"contents": []},
    "prompts/list": {"prompts": []},
    "prompts/get": {"messages": []},
    "completion/complete": {"completion": {"values": []}},
}
CACHED = {
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
}


def as_mcp(
    body: bytes,
    headers: Mapping[str, str],
    result_of: Callable[[str, dict[str, Any], bool], dict[str, Any]],
) -> Answer:
    """The result `result_of(method, params, stateless)` gives, dressed for the era; the handshake is done here."""
    message = decoded(body)
    if message is None:
        return 400, b""
    if "id" not in message:
        return 202, b""
    stateless = is_stateless(headers)
    method, params = str(message.get("method")), message.get("params")
    params = params if isinstance(params, dict) else {}
    if method == "initialize":
        asked = params.get("protocolVersion")
        version = asked if asked in ("2025-11-25", "2025-06-18") else "2025-11-25"
        server = {"name": "constant", "version": "1"}
        result = {"protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": server}
    elif method == "server/discover":
        result = {"supportedVersions": ["2026-07-28", "2025-11-25"], "capabilities": CAPABILITIES}
    else:
        result = dict(result_of(method, params, stateless))
    if stateless:
        result.setdefault("resultType", "complete")
        if method in CACHED:
            result |= {"ttlMs": 0, "cacheScope": "private"}
    return 200, encoded({"jsonrpc": "2.0", "id": message["id"], "result": result})


def is_stateless(headers: Mapping[str, str]) -> bool:
    """Whether the request says it is of the stateless era."""
    return headers.get("mcp-protocol-version") == "2026-07-28"


def decoded(body: bytes) -> dict[str, Any] | None:
    """The JSON object that came, None where none did."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def encoded(message: dict[str, Any]) -> bytes:
    """The message as JSON."""
    return json.dumps(message).encode()


def mode_named(name: str) -> Mode | None:
    """The mode of that name, None where there is none."""
    if name == "yes":
        from liar import Liar

        said = Liar()
        return lambda body, headers: as_mcp(body, headers, said.result)
    simple: dict[str, Mode] = {
        "http400": http400,
        "invalid_params": invalid_params,
        "empty_object": empty_object,
        "empty_lists": empty_lists,
        "echo": echo,
    }
    return simple.get(name)


def handler_for(mode: Mode) -> type[BaseHTTPRequestHandler]:
    """A request handler that lets the mode answer everything."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1
        timeout = 60

        def handle_any(self) -> None:
            length = self.headers.get("content-length", "0")
            if not length.isdigit() or int(length) > BODY_LIMIT:
                self.close_connection = True
                length = "0"
            body = self.rfile.read(int(length))
            status, content = mode(body, {name.lower(): value for name, value in self.headers.items()})
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_any

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    return Handler


class Server(ThreadingHTTPServer):
    """Connections may come in bursts."""

    request_queue_size = 128


def main(arguments: list[str]) -> int:
    """Serve until told to stop; 2 on wrong usage."""
    mode = mode_named(arguments[0]) if arguments else None
    if len(arguments) != 2 or not arguments[1].isdigit() or (mode is None and arguments[0] != "dead"):
        sys.stderr.write(f"{__doc__}\n")
        return 2
    address = (os.environ.get("HOST", "127.0.0.1"), int(arguments[1]))
    try:
        if mode is None:
            hold(address)
        else:
            with Server(address, handler_for(mode)) as server:
                server.serve_forever()
    except (OSError, OverflowError) as problem:
        sys.stderr.write(f"cannot have {address[0]} port {address[1]}: {problem}\n")
        return 2
    return 0


def hold(address: tuple[str, int]) -> None:
    """Keep a port from being listened on, by anybody, until told to stop; one line says that it is held."""
    with socket.socket() as taken:
        taken.bind(address)
        sys.stdout.write("held\n")
        sys.stdout.flush()
        signal.pause()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A server whose answers are right but for one value here and there: `python garbling_server.py SEED PORT`.

It stands before a reference server of its own and puts something else into every other answer: another type, a
number without end, a half character, a thousand levels. The same seed garbles the same way.
"""

import contextlib
import http.client
import json
import os
import random
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

EVERY = 2
DEEPER = 0.85
NASTY: tuple[Any, ...] = (
    None,
    True,
    -1,
    0.5,
    10**400,
    "",
    "x" * 5000,
    "\ud800",
    "\x1b[31m\u202e[red]<b>",
    "http://[::1",
    "9999-12-31T23:59:59.999Z",
    [],
    [None],
    [[]],
    {},
    {"": None},
    {"id": {}},
)
Place = tuple[Any, Any]


def place(value: Any, choice: random.Random) -> Place | None:
    """A place somewhere in a value, those high up as likely as those deep down; None where there is none."""
    keys = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    if not keys:
        return None
    key = choice.choice(keys)
    deeper = place(value[key], choice) if choice.random() < DEEPER else None
    return deeper or (value, key)


def garbled(message: Any, choice: random.Random) -> Any:
    """The message with something else in one place; in a text that is JSON, that may be within it."""
    found = place(message, choice)
    if found is None:
        return choice.choice(NASTY)
    holder, key = found
    held = holder[key]
    if isinstance(held, str) and held.startswith(("{", "[")) and choice.random() < DEEPER:
        holder[key] = json.dumps(garbled(json.loads(held), choice))
    elif choice.random() < 0.2 and isinstance(holder, dict):
        del holder[key]
    else:
        holder[key] = choice.choice(NASTY)
    return message


def handler(port: int, choice: random.Random) -> type[BaseHTTPRequestHandler]:
    """Passes requests on, and every other answer on garbled."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            behind = http.client.HTTPConnection("127.0.0.1", port)
            kept = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
            behind.request(self.command, self.path, body, {**kept, "Host": f"127.0.0.1:{port}"})
            came = behind.getresponse()
            text = came.read()
            behind.close()
            if choice.randrange(EVERY) == 0 and b'"initialize"' not in body:
                with contextlib.suppress(json.JSONDecodeError):
                    text = json.dumps(garbled(json.loads(text), choice)).encode()
            self.send_response(came.status)
            for name, value in came.getheaders():
                if name.lower() not in ("content-length", "date", "server", "connection"):
                    self.send_header(name, value)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = do_HEAD = do_OPTIONS = pass_on

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    return Handler


def main(arguments: list[str]) -> None:
    """Serve until told to stop."""
    seed, port = arguments
    words = ["--product", "kadu", "--upstream", os.environ["KADU_API_URL"], "--exit-with-stdin"]
    behind = subprocess.Popen(
        [sys.executable, "-m", "reference_server", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert behind.stdout is not None
    ready = json.loads(behind.stdout.readline())
    choice = random.Random(seed)
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), handler(urlsplit(ready["url"]).port or 80, choice))
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])

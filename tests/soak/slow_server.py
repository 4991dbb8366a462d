"""A conforming server on a machine without a moment to spare: the reference server, some of whose answers come late.

    python slow_server.py PORT

What takes long is a request with one of the marks in it, by the seconds beside. The upstream is in KADU_API_URL.
"""

import http.client
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

LATE = {b'"subscriptions/listen"': 1.3, b'"idempotency_key"': 2.2}
SECONDS = 30.0
OWN = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Handler(BaseHTTPRequestHandler):
    """Passes everything on, and answers when it is time."""

    protocol_version = "HTTP/1.1"
    timeout = SECONDS
    host = ""
    late = threading.Event()

    def forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        upstream = http.client.HTTPConnection(self.host, timeout=SECONDS)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OWN | {"host"}}
        upstream.request(self.command, self.path, body, headers)
        answer = upstream.getresponse()
        text = answer.read()
        upstream.close()
        self.late.wait(sum(seconds for mark, seconds in LATE.items() if mark in body))
        try:
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in OWN | {"server", "date"}:
                    self.send_header(name, value)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = do_DELETE = do_OPTIONS = forward

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> None:
    """Serve until ended; the server behind ends with this process."""
    words = [sys.executable, "-m", "reference_server", "--product", "kadu", "--exit-with-stdin"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as behind:
        assert behind.stdout is not None
        Handler.host = urlsplit(json.loads(behind.stdout.readline())["url"]).netloc
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()


if __name__ == "__main__":
    main()

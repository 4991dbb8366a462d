"""A proxy that adds a bearer token: the official suite has no means to send one."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SECONDS = 10.0
# Said anew on each side of the proxy.
OWN = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@contextmanager
def with_token(url: str, token: str) -> Iterator[str]:
    """The URL at which the server of `url` answers as if every request carried the token.

    Host, Origin and all other headers go through as they came.
    """
    host = urlsplit(url).netloc

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = SECONDS

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            upstream = http.client.HTTPConnection(host, timeout=SECONDS)
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in OWN:
                    upstream.putheader(name, value)
            upstream.putheader("authorization", f"Bearer {token}")
            upstream.putheader("content-length", str(len(body)))
            upstream.endheaders(body)
            answer = upstream.getresponse()
            content = answer.read()
            upstream.close()
            self.send_response_only(answer.status, answer.reason)
            for name, value in answer.getheaders():
                if name.lower() not in OWN:
                    self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = do_OPTIONS = forward

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{urlsplit(url).path}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

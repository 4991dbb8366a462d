"""A stub upstream: the contract, and one fixed answer to `/v1/me`. As quick as an answer over HTTP can be here."""

import asyncio
import json
import sys
from pathlib import Path

CONTRACT = Path(sys.argv[1]).read_bytes()
ME = sys.argv[2].encode()


def answer(body: bytes) -> bytes:
    """An HTTP answer with that JSON."""
    head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ndate: Mon, 30 Nov 2026 15:00:00 GMT\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


class Stub(asyncio.Protocol):
    """One connection; every request is complete in one piece, for nobody sends it a body."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer at once."""
        self.transport.write(answer(CONTRACT if b"openapi.json" in data[:64] else ME))


async def main() -> None:
    """Serve on a free port, which the first line of output names."""
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(json.dumps({"url": f"http://127.0.0.1:{port}"}) + "\n")
    sys.stdout.flush()
    await server.serve_forever()


asyncio.run(main())

"""The running program: engines from the upstream's contract, one listener, a ready line, an orderly end."""

import asyncio
import contextlib
import gc
import importlib
import json
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import uvicorn
from mcp.server.request_state import AESGCMRequestStateCodec

from .engine.connections import Connections
from .engine.contract import Contract, ContractError, read_contract
from .engine.http import HttpSettings, Shell, application
from .engine.server import Engine
from .engine.tables import Product
from .engine.upstream import Upstream, UpstreamUnavailable
from .options import Options, Unusable

if TYPE_CHECKING:
    from .mutants import Mutant

GARBAGE_THRESHOLD = 20_000
TRIES = 12
TRY_SECONDS = 0.25


def run(options: Options) -> None:
    """Serve until SIGTERM, SIGINT or, where asked, the end of standard input. Raises Unusable."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(options))


async def _serve(options: Options) -> None:
    product = _product(options.product)
    try:
        upstream = Upstream(Connections(options.upstream))
    except ValueError:
        raise Unusable(f"{options.upstream} is not the base URL of an API") from None
    lies = _lies() if options.mutants else ()
    try:
        try:
            contract = await _contract(upstream, product, options.upstream)
            shells = _shells(options, product, contract, upstream, lies)
        except ContractError as problem:
            raise Unusable(str(problem)) from None
        await _Server(options, shells, lies).serve(sockets=[options.listener])
    finally:
        await upstream.close()


def _lies() -> "tuple[Mutant, ...]":
    # Hundreds of classes that nobody needs who does not ask for them.
    from .mutants import mutants

    return mutants()


def _product(name: str) -> Product:
    module = importlib.import_module(f".products.{name}", __package__)
    product = getattr(module, name.upper())
    assert isinstance(product, Product)
    return product


async def _contract(upstream: Upstream, product: Product, url: str) -> Contract:
    for attempt in range(TRIES):
        if attempt:
            await asyncio.sleep(TRY_SECONDS)
        with contextlib.suppress(UpstreamUnavailable):
            answer = await upstream.ask("GET", product.contract_path, token=None)
            if answer.ok:
                return read_contract(answer.body, product.extension)
    raise Unusable(
        f"no contract at {url}{product.contract_path} after {TRIES} tries; is the upstream running?"
    )


def _shells(
    options: Options, product: Product, contract: Contract, upstream: Upstream, lies: "tuple[Mutant, ...]"
) -> dict[str, Shell]:
    codec = AESGCMRequestStateCodec([options.state_key])
    settings = HttpSettings(hosts=options.hosts, origins=options.origins)
    shells = {"/mcp": Shell(Engine(product, contract, upstream, codec), settings)}
    for lie in lies:
        for path in _mutant_paths(lie):
            engine = Engine(lie.edit(product), contract, upstream, codec, lie.parts)
            shells[path] = lie.shell(engine, settings)
    return shells


def _mutant_paths(lie: "Mutant") -> list[str]:
    further = [f"/mutants/{lie.name}/{number}/mcp" for number in range(2, lie.replicas + 1)]
    return [f"/mutants/{lie.name}/mcp", *further]


def _loop_factory() -> type[asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.Loop


class _Server(uvicorn.Server):
    """uvicorn, with a ready line when it listens and exit code 0 when it is told to stop."""

    def __init__(self, options: Options, shells: dict[str, Shell], lies: "tuple[Mutant, ...]") -> None:
        config = uvicorn.Config(
            application(shells),
            log_level="warning",
            access_log=False,
            server_header=False,
            # Nobody here asks where a request came from.
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        super().__init__(config)
        self._options = options
        self._lies = lies

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.should_exit:
            return
        # What was loaded stays; of what requests leave behind, hardly anything needs more than counting references.
        gc.freeze()
        gc.set_threshold(GARBAGE_THRESHOLD)
        gc.enable()
        if self._options.exit_with_stdin:
            threading.Thread(target=self._end_with_stdin, daemon=True).start()
        host, port = self._options.listener.getsockname()[:2]
        base = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        line: dict[str, object] = {"ready": True, "url": f"{base}/mcp"}
        if self._options.mutants:
            line["mutants"] = [
                {
                    "name": lie.name,
                    "rule": lie.rule,
                    "lie": lie.lie,
                    "urls": [base + path for path in _mutant_paths(lie)],
                }
                for lie in self._lies
            ]
        print(json.dumps(line, ensure_ascii=False), flush=True)  # noqa: T201

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal and end with 0, where uvicorn would let the signal kill the process afterwards."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        yield

    def _stop(self) -> None:
        self.should_exit = True

    def _end_with_stdin(self) -> None:
        # Unbuffered: a buffer that is waited on cannot be put away when the process ends.
        while os.read(sys.stdin.fileno(), 65536):
            pass
        self.should_exit = True

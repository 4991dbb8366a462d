"""The bundled reference server, started beside a mock API."""

import sys
from typing import Any

from harness.product import Product
from harness.runner.environment import current, our_environment
from harness.runner.program import Program
from harness.runner.upstream import Upstream

READY_SECONDS = 30.0
HOST = "127.0.0.1"


def start_reference(product: Product, upstream: Upstream, *, port: int = 0) -> tuple[Program, str]:
    """Start the reference server (0: any free port); the program and its MCP URL. Raises CannotRun."""
    program, ready = _start(product, upstream, ["--port", str(port)])
    return program, str(ready["url"])


def start_mutants(product: Product, upstream: Upstream) -> tuple[Program, list[dict[str, Any]]]:
    """Start the reference server with its mutants beside it.

    The program, and of each mutant its `name`, the `rule` it breaks, its `lie` and the `urls` of its replicas. Raises CannotRun.
    """
    program, ready = _start(product, upstream, ["--port", "0", "--mutants"])
    return program, list(ready["mutants"])


def _start(product: Product, upstream: Upstream, options: list[str]) -> tuple[Program, dict[str, Any]]:
    command = [sys.executable, "-P", "-m", "reference_server", "--product", product.id]
    command += ["--host", HOST, *options, "--exit-with-stdin"]
    environment = our_environment(current(), secrets=[upstream.secret])
    environment[product.upstream_variable] = upstream.api_url
    program = Program("The reference server", command, environment, first_line="")
    try:
        return program, program.ready_line(READY_SECONDS)
    except BaseException:
        program.stop()
        raise

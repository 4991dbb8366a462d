"""The bundled reference server, started beside a mock API."""

import sys

from harness.product import Product
from harness.runner.environment import current, our_environment
from harness.runner.program import Program
from harness.runner.upstream import Upstream

READY_SECONDS = 30.0
HOST = "127.0.0.1"


def start_reference(product: Product, upstream: Upstream, *, port: int = 0) -> tuple[Program, str]:
    """Start the reference server (0: any free port); the program and its MCP URL. Raises CannotRun."""
    command = [sys.executable, "-P", "-m", "reference_server", "--product", product.id]
    command += ["--host", HOST, "--port", str(port), "--exit-with-stdin"]
    environment = our_environment(current(), secrets=[upstream.secret])
    environment[product.upstream_variable] = upstream.api_url
    program = Program("The reference server", command, environment, first_line="")
    try:
        return program, str(program.ready_line(READY_SECONDS)["url"])
    except BaseException:
        program.stop()
        raise

"""The bundled reference server, started beside a mock API."""

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from harness.product import Product
from harness.runner.environment import current, our_environment
from harness.runner.program import Program
from harness.runner.upstream import Upstream

READY_SECONDS = 30.0
HOST = "127.0.0.1"


class StartingReference:
    """A reference server that loads while its upstream starts, and is told then where that is. A context manager.

    `port` 0 is any free one; with `mutants` it serves them too. Raises CannotRun when it cannot be started.
    """

    def __init__(self, product: Product, *, port: int = 0, mutants: bool = False) -> None:
        options: Sequence[str] = ["--mutants"] if mutants else []
        command = [sys.executable, "-P", "-m", "reference_server", "--product", product.id, "--upstream", "-"]
        command += ["--host", HOST, "--port", str(port), "--exit-with-stdin", *options]
        # What it reads first is where the upstream is.
        self.program = Program("The reference server", command, our_environment(current()), holds_input=True)

    def ready(self, upstream: Upstream) -> dict[str, Any]:
        """Tell it its upstream and wait: its `url`, and of each mutant `name`, `rule`, `lie` and the `urls` of its
        replicas. Raises CannotRun."""
        self.program.tell(upstream.api_url)
        return self.program.ready_line(READY_SECONDS)

    def __enter__(self) -> "StartingReference":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.program.stop()


def mutants_of_the_reference(product: Product) -> list[dict[str, str]]:
    """The reference server's mutants: of each its `name`, the `rule` it breaks and its `lie`. Raises CannotRun."""
    command = [sys.executable, "-P", "-m", "reference_server", "--product", product.id, "--list-mutants"]
    with Program("The reference server", command, our_environment(current())) as program:
        return list(program.ready_line(READY_SECONDS)["mutants"])

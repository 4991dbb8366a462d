"""The mock API: started, or found where it was said to be."""

import json
import secrets
import sys
from dataclasses import dataclass

from harness.exchanges import HttpRequest
from harness.runner.environment import current, our_environment
from harness.runner.program import Program
from harness.runner.refusal import CannotRun
from harness.transport import Transport

READY_SECONDS = 30.0
HOST = "127.0.0.1"


@dataclass(frozen=True)
class Upstream:
    """Where the mock API is, and the secret of its control plane. The secret never leaves memory.

    `public_url` is where servers and people find the API, where that is not `api_url`.
    """

    api_url: str
    control_url: str
    secret: str
    public_url: str = ""


def start_mock(
    product: str, *, api_port: int = 0, host: str = HOST, public_url: str = "", mutant: str = ""
) -> tuple[Program, Upstream]:
    """Start a mock API (port 0: any free one). Raises CannotRun when it does not get ready.

    It listens on loopback unless told; its control plane always does. `public_url` is the base of the links it hands out.
    `mutant` names a lie that it tells, to see whether the features find it.
    """
    secret = secrets.token_urlsafe(32)
    command = [sys.executable, "-P", "-m", "mock_api", "--product", product, "--host", host]
    command += ["--port", str(api_port), "--control-port", "0", "--control-secret-file", "-"]
    if public_url:
        command += ["--public-url", public_url]
    if mutant:
        command += ["--mutant", mutant]
    program = Program("The mock API", command, our_environment(current()), first_line=secret)
    try:
        ready = program.ready_line(READY_SECONDS)
        return program, Upstream(str(ready["api_url"]), str(ready["control_url"]), secret, public_url)
    except BaseException:
        program.stop()
        raise


def mutants_of_the_mock() -> list[dict[str, str]]:
    """The mock API's mutants: of each its `name`, the `rule` it breaks and its `lie`. Raises CannotRun."""
    command = [sys.executable, "-P", "-m", "mock_api", "--list-mutants"]
    with Program("The mock API", command, our_environment(current())) as program:
        return list(program.ready_line(READY_SECONDS)["mutants"])


def find_mock(
    api_url: str, control_url: str, secret: str, product: str, transport: Transport, timeout: float
) -> Upstream:
    """A mock API that runs already. Raises CannotRun when one of its listeners is not what it should be."""
    contract = _json(transport, f"{api_url.rstrip('/')}/openapi.json", (), timeout)
    if not isinstance(contract, dict) or "openapi" not in contract:
        raise CannotRun(f"No mock API answers at {api_url}: GET /openapi.json gave no contract.")
    url = f"{control_url.rstrip('/')}/_control/health"
    sent = transport.send(HttpRequest("GET", url, (("authorization", f"Bearer {secret}"),)), timeout=timeout)
    if sent.answer is None:
        raise CannotRun(f"No control plane answers at {control_url}: {sent.problem}.")
    if sent.answer.status == 401:
        raise CannotRun(f"The control plane at {control_url} does not take the secret that was given.")
    health = _parsed(sent.answer.body)
    if sent.answer.status != 200 or not isinstance(health, dict) or "product" not in health:
        raise CannotRun(f"What answers at {control_url} is no control plane: HTTP {sent.answer.status}.")
    if health["product"] != product:
        raise CannotRun(f"The mock API at {control_url} serves {health['product']!r}, not {product!r}.")
    return Upstream(api_url.rstrip("/"), control_url.rstrip("/"), secret)


def _json(
    transport: Transport, url: str, headers: tuple[tuple[str, str | bytes], ...], timeout: float
) -> object:
    sent = transport.send(HttpRequest("GET", url, headers), timeout=timeout, body_limit=64 * 1024 * 1024)
    if sent.answer is None:
        raise CannotRun(f"No mock API answers at {url}: {sent.problem}.")
    return _parsed(sent.answer.body)


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return None

"""The server under test and its upstream: started, or found where they were said to be."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from harness.cli.checking import first_line
from harness.cli.choices import DEFAULT_API_PORT, Given
from harness.controls.choosing import process_time
from harness.product import Product
from harness.runner.environment import current, free_port, subject_environment
from harness.runner.program import Program, no_answer
from harness.runner.refusal import CannotRun
from harness.runner.upstream import Upstream, find_mock, start_mock
from harness.transport import Transport

HOST: Final = "127.0.0.1"


@dataclass(frozen=True)
class Reached:
    """Where the server under test is, what it has upstream, and the programs that we started for it.

    `time_file` moves the time of a server that was started so (see `harness.controls.faketime`), empty where none was.
    """

    urls: tuple[str, ...]
    upstream: Upstream
    mock: Program | None
    server: Program | None
    time_file: str


def reach(given: Given, product: Product, stack: ExitStack, transport: Transport, timeout: float) -> Reached:
    """Start what is to be started; the stack stops it. A server we start answers then, one at a URL may not.

    Raises CannotRun.
    """
    upstream, mock = _upstream(given, product, stack, transport, timeout)
    if given.command is None:
        return Reached(given.urls, upstream, mock, None, "")
    process = stack.enter_context(process_time(given.time, current()))
    port = free_port(HOST)
    urls = tuple(url.replace("{port}", str(port)) for url in given.urls) or (f"http://{HOST}:{port}/mcp",)
    inherited = current() if process is None else process.environment
    server = stack.enter_context(_start(given.command, port, product, upstream, inherited))
    server.wait_until_it_answers(urls[0], transport, given.ready_timeout)
    return Reached(urls, upstream, mock, server, "" if process is None else process.file)


def expect_answers(urls: Sequence[str], transport: Transport, timeout: float) -> None:
    """Raises CannotRun for the first URL at which nothing answers HTTP."""
    for url in urls:
        problem = no_answer(url, transport, timeout)
        if problem is not None:
            raise CannotRun(f"Nothing answers at {url}: {problem}; start the server there first.")


def _upstream(
    given: Given, product: Product, stack: ExitStack, transport: Transport, timeout: float
) -> tuple[Upstream, Program | None]:
    public = (given.api_public_url or "").rstrip("/")
    mock = None
    if given.api_url and given.control_url and given.control_secret_file:
        secret = first_line(given.control_secret_file, "control secret")
        upstream = find_mock(given.api_url, given.control_url, secret, product.id, transport, timeout)
        upstream = replace(upstream, public_url=public)
    else:
        # What is said of the outside holds inside too, unless --api-port says that a proxy is in between.
        default = urlsplit(public).port or (0 if given.command is not None else DEFAULT_API_PORT)
        mock, upstream = start_mock(
            product.id,
            api_port=given.api_port or default,
            host=given.api_host or HOST,
            public_url=public,
        )
        stack.enter_context(mock)
    if public.startswith("https://"):
        problem = no_answer(f"{public}/login", transport, timeout)
        if problem is not None:
            raise CannotRun(f"Nothing answers at --api-public-url {public}: {problem}; links lead there.")
    return upstream, mock


def _start(
    command: str, port: int, product: Product, upstream: Upstream, inherited: Mapping[str, str]
) -> Program:
    try:
        words = shlex.split(command.replace("{port}", str(port)))
    except ValueError as error:
        raise CannotRun(f"--command cannot be taken apart into words: {error}.") from error
    if not words:
        raise CannotRun("--command is empty.")
    environment = subject_environment(
        inherited,
        secrets=[upstream.secret],
        variable=product.upstream_variable,
        api_url=upstream.public_url or upstream.api_url,
        host=HOST,
        port=port,
    )
    return Program("The server under test", words, environment)

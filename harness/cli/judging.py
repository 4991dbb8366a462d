"""`run` and `prove`: everything is read, then started, then judged, then told."""

import shlex
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Final

from harness.cli.choices import Asked
from harness.cli.screen import Screen
from harness.collection.plugin import Orders, Plan, make_plan
from harness.exchanges import ERAS
from harness.product import Product
from harness.product import load as load_product
from harness.runner.environment import current, free_port, subject_environment
from harness.runner.judging import RECORD, Result, Subject, judge
from harness.runner.probe import probe
from harness.runner.program import Program, no_answer
from harness.runner.reference import start_reference
from harness.runner.refusal import CannotRun
from harness.runner.upstream import Upstream, find_mock, start_mock
from harness.settings import Settings
from harness.transport import Transport

HOST: Final = "127.0.0.1"
DEFAULT_API_PORT: Final = 8766
RETRY_SECONDS: Final = 0.05


@dataclass(frozen=True)
class Given:
    """How the server under test and the mock API are reached or started."""

    urls: tuple[str, ...]
    command: str | None
    api_url: str | None
    control_url: str | None
    control_secret_file: Path | None
    api_port: int | None
    ready_timeout: float


def judge_server(asked: Asked, given: Given) -> int:
    """Judge the server that is given. Returns the exit code; raises what `harness.cli.refusals` puts into words."""
    _check(given)
    product, orders, plan = _prepared(asked)
    with ExitStack() as stack, Transport() as transport, stopped_by_sigterm():
        upstream, mock = _upstream(asked, given, stack, transport)
        server = None
        urls = given.urls
        if given.command is not None:
            port = free_port(HOST)
            urls = tuple(url.replace("{port}", str(port)) for url in urls) or (f"http://{HOST}:{port}/mcp",)
            server = stack.enter_context(_start(given.command, port, product, upstream))
            server.wait_until_it_answers(urls[0], transport, given.ready_timeout)
        for url in urls:
            problem = no_answer(url, transport, asked.timeout)
            if problem is not None:
                raise CannotRun(f"Nothing answers at {url}: {problem}; start the server there first.")
        probe(urls, upstream, transport, asked.timeout)
        subject = Subject(command=given.command, server=server, mock=mock)
        return _judged(asked, _aimed(orders, upstream, urls), plan, subject, prove=False)


def judge_reference(asked: Asked) -> int:
    """Judge the bundled reference server. Returns the exit code."""
    product, orders, plan = _prepared(asked)
    with ExitStack() as stack, Transport() as transport, stopped_by_sigterm():
        mock, upstream = start_mock(asked.product)
        stack.enter_context(mock)
        server, url = start_reference(product, upstream)
        stack.enter_context(server)
        probe([url], upstream, transport, asked.timeout)
        subject = Subject(reference=True, server=server, mock=mock)
        aimed = _aimed(orders, upstream, (url,))
        # The reference server takes its time from its upstream by construction: no canary is needed.
        aimed = replace(aimed, settings=replace(aimed.settings, time_proven=True))
        return _judged(asked, aimed, plan, subject, prove=True)


def product_of(name: str) -> Product:
    """The product of that id. Raises CannotRun where there is none."""
    try:
        return load_product(name)
    except LookupError as error:
        raise CannotRun(str(error.args[0])) from error


def bundled(product: Product) -> tuple[str, ...]:
    """The directories of the product's own features."""
    return tuple(map(str, product.features))


def orders_of(asked: Asked, product: Product) -> Orders:
    """The orders for what was asked; where the server and the mock API are is not known yet."""
    unknown = [era for era in asked.eras if era not in ERAS]
    if unknown:
        raise CannotRun(f"There is no era {unknown[0]!r}; the eras are {' and '.join(ERAS)}.")
    settings = Settings(
        product=product.id,
        features=asked.features or bundled(product),
        urls=(),
        api_url="",
        control_url="",
        control_secret="",
        eras=tuple(era for era in ERAS if era in asked.eras) or ERAS,
        rules=asked.rules,
        scenarios=asked.scenarios,
        seed=asked.seed,
        workers=asked.workers,
        timeout=asked.timeout,
        keep=asked.keep,
    )
    return Orders(settings)


def _prepared(asked: Asked) -> tuple[Product, Orders, Plan]:
    product = product_of(asked.product)
    orders = orders_of(asked, product)
    return product, orders, make_plan(orders)


def _aimed(orders: Orders, upstream: Upstream, urls: tuple[str, ...]) -> Orders:
    settings = replace(
        orders.settings,
        urls=urls,
        api_url=upstream.api_url,
        control_url=upstream.control_url,
        control_secret=upstream.secret,
    )
    return replace(orders, settings=settings)


def _check(given: Given) -> None:
    elsewhere = (given.api_url, given.control_url, given.control_secret_file)
    if not given.urls and given.command is None:
        raise CannotRun("Say which server to judge: --url URL, or --command COMMAND.")
    if any(elsewhere) and not all(elsewhere):
        raise CannotRun(
            "--api-url, --control-url and --control-secret-file belong together: give all three or none."
        )
    if given.api_url and given.api_port:
        raise CannotRun("--api-port is for a mock API that we start; it does not go with --api-url.")
    if given.command is None and any("{port}" in url for url in given.urls):
        raise CannotRun("{port} in --url stands for the port of a server that --command starts.")
    for name, url in (
        *(("--url", url) for url in given.urls),
        ("--api-url", given.api_url),
        ("--control-url", given.control_url),
    ):
        if url and not url.startswith(("http://", "https://")):
            raise CannotRun(f"{name} takes an http or https URL, not {url!r}.")


def _upstream(
    asked: Asked, given: Given, stack: ExitStack, transport: Transport
) -> tuple[Upstream, Program | None]:
    if given.api_url and given.control_url and given.control_secret_file:
        secret = _secret(given.control_secret_file)
        found = find_mock(given.api_url, given.control_url, secret, asked.product, transport, asked.timeout)
        return found, None
    default = 0 if given.command is not None else DEFAULT_API_PORT
    mock, upstream = start_mock(asked.product, api_port=given.api_port or default)
    stack.enter_context(mock)
    return upstream, mock


def _secret(path: Path) -> str:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise CannotRun(f"The control secret cannot be read from {path}: {reason}.") from error
    if not lines or not lines[0].strip():
        raise CannotRun(f"The file {path} holds no control secret: its first line is empty.")
    return lines[0].strip()


def _start(command: str, port: int, product: Product, upstream: Upstream) -> Program:
    try:
        words = shlex.split(command.replace("{port}", str(port)))
    except ValueError as error:
        raise CannotRun(f"--command cannot be taken apart into words: {error}.") from error
    if not words:
        raise CannotRun("--command is empty.")
    environment = subject_environment(
        current(),
        secrets=[upstream.secret],
        variable=product.upstream_variable,
        api_url=upstream.api_url,
        host=HOST,
        port=port,
    )
    return Program("The server under test", words, environment)


def _judged(asked: Asked, orders: Orders, plan: Plan, subject: Subject, *, prove: bool) -> int:
    screen = Screen(plan.selection.cases)
    try:
        with screen:
            result = judge(plan, orders, subject, asked.out, screen.ended)
    except KeyboardInterrupt:
        # Reports of an earlier run must not lie beside a record that was cut off.
        _render(asked.out / RECORD, asked.out)
        raise
    return _told(asked, plan, result, screen, prove=prove)


def _told(asked: Asked, plan: Plan, result: Result, screen: Screen, *, prove: bool) -> int:
    from reports.record import read
    from reports.terminal import summary

    files = _render(result.record, asked.out)
    run = read(result.record)
    if asked.keep:
        screen.exchanges(run)
    summary(run, screen.console)
    if prove:
        covered = {case.rule for case in plan.suite.cases}
        screen.line(f"The suite covers {len(covered)} of {len(plan.catalogue.rules)} catalogued rules.")
    screen.line("Written: " + ", ".join(str(path) for path in (result.record, *files)))
    return result.exit_code


def _render(record: Path, directory: Path) -> list[Path]:
    from reports import render_all

    try:
        return render_all(record, directory)
    except OSError as error:
        raise CannotRun(f"The reports cannot be written to {directory}: {error.strerror}.") from error


@contextmanager
def stopped_by_sigterm() -> Iterator[None]:
    """What ends us politely ends us as Ctrl-C does: programs we started are stopped, the record stays cut off."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

"""`run` and `prove`: everything is read, then started, then judged, then told."""

import shlex
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, Final
from urllib.parse import urlsplit

from harness.baseline import Entry
from harness.baseline import add as add_to_baseline
from harness.baseline import read as read_baseline
from harness.cli.checking import (
    authorities_of,
    check,
    check_accepting,
    first_line,
    headers_of,
    shard_of,
    token_of,
)
from harness.cli.choices import Accepting, Asked, Given
from harness.cli.screen import Screen
from harness.collection.plugin import Orders, Plan, make_plan
from harness.exchanges import ERAS
from harness.product import Product
from harness.product import load as load_product
from harness.runner.environment import current, free_port, subject_environment
from harness.runner.judging import NO_TERMS, RECORD, Result, Subject, Terms, judge
from harness.runner.probe import probe, probe_as
from harness.runner.program import Program, no_answer
from harness.runner.reference import start_reference
from harness.runner.refusal import CannotRun
from harness.runner.upstream import Upstream, find_mock, start_mock
from harness.settings import Settings
from harness.transport import Transport

HOST: Final = "127.0.0.1"
DEFAULT_API_PORT: Final = 8766
RETRY_SECONDS: Final = 0.05


def judge_server(asked: Asked, given: Given, accepting: Accepting) -> int:
    """Judge the server that is given. Returns the exit code; raises what `harness.cli.refusals` puts into words."""
    check(given)
    check_accepting(accepting)
    product, orders, plan = _prepared(asked, _for_server(given))
    terms = _terms(accepting)
    settings = orders.settings
    with ExitStack() as stack, Transport(ca_file=settings.ca_file) as transport, stopped_by_sigterm():
        if given.read_only:
            _expect_answers(given.urls, transport, asked.timeout)
            probe_as(settings.token, given.urls, transport, asked.timeout, settings.headers)
            aimed = replace(orders, settings=replace(settings, urls=given.urls))
            return _judged(asked, aimed, plan, Subject(), terms, accepting)
        upstream, mock = _upstream(asked, given, stack, transport)
        server = None
        urls = given.urls
        if given.command is not None:
            port = free_port(HOST)
            urls = tuple(url.replace("{port}", str(port)) for url in urls) or (f"http://{HOST}:{port}/mcp",)
            server = stack.enter_context(_start(given.command, port, product, upstream))
            server.wait_until_it_answers(urls[0], transport, given.ready_timeout)
        _expect_answers(urls, transport, asked.timeout)
        probe(urls, upstream, transport, asked.timeout, settings.headers)
        subject = Subject(command=given.command, server=server, mock=mock)
        return _judged(asked, _aimed(orders, upstream, urls), plan, subject, terms, accepting)


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
        aimed = replace(aimed, settings=replace(aimed.settings, time_proven=True, dates_proven=True))
        return _judged(asked, aimed, plan, subject, NO_TERMS, None)


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
        tags=asked.tags,
        not_tags=asked.not_tags,
        shard=shard_of(asked.shard),
    )
    return Orders(settings)


def _prepared(asked: Asked, more: Mapping[str, Any] | None = None) -> tuple[Product, Orders, Plan]:
    product = product_of(asked.product)
    orders = orders_of(asked, product)
    orders = replace(orders, settings=replace(orders.settings, **(more or {})))
    return product, orders, make_plan(orders)


def _for_server(given: Given) -> dict[str, Any]:
    """What of the settings depends on how the server is reached."""
    settings: dict[str, Any] = {
        "headers": headers_of(given, current()),
        "ca_file": authorities_of(given.ca_file),
        "max_wait": given.max_wait,
    }
    if given.read_only:
        settings |= {"read_only": True, "token": token_of(given, current()), "time_control": "none"}
    return settings


def _terms(accepting: Accepting) -> Terms:
    path, update = accepting.baseline, accepting.update
    known = path is not None and (path.exists() or not update)
    entries = read_baseline(path, unfinished=update) if path is not None and known else ()
    return Terms(entries, accepting.allow_untested)


def _expect_answers(urls: Sequence[str], transport: Transport, timeout: float) -> None:
    for url in urls:
        problem = no_answer(url, transport, timeout)
        if problem is not None:
            raise CannotRun(f"Nothing answers at {url}: {problem}; start the server there first.")


def _aimed(orders: Orders, upstream: Upstream, urls: tuple[str, ...]) -> Orders:
    settings = replace(
        orders.settings,
        urls=urls,
        api_url=upstream.api_url,
        control_url=upstream.control_url,
        control_secret=upstream.secret,
        public_url=upstream.public_url,
    )
    return replace(orders, settings=settings)


def _upstream(
    asked: Asked, given: Given, stack: ExitStack, transport: Transport
) -> tuple[Upstream, Program | None]:
    public = (given.api_public_url or "").rstrip("/")
    mock = None
    if given.api_url and given.control_url and given.control_secret_file:
        secret = first_line(given.control_secret_file, "control secret")
        upstream = find_mock(
            given.api_url, given.control_url, secret, asked.product, transport, asked.timeout
        )
        upstream = replace(upstream, public_url=public)
    else:
        # What is said of the outside holds inside too, unless --api-port says that a proxy is in between.
        default = urlsplit(public).port or (0 if given.command is not None else DEFAULT_API_PORT)
        mock, upstream = start_mock(
            asked.product,
            api_port=given.api_port or default,
            host=given.api_host or HOST,
            public_url=public,
        )
        stack.enter_context(mock)
    if public.startswith("https://"):
        problem = no_answer(f"{public}/login", transport, asked.timeout)
        if problem is not None:
            raise CannotRun(f"Nothing answers at --api-public-url {public}: {problem}; links lead there.")
    return upstream, mock


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
        api_url=upstream.public_url or upstream.api_url,
        host=HOST,
        port=port,
    )
    return Program("The server under test", words, environment)


def _judged(
    asked: Asked, orders: Orders, plan: Plan, subject: Subject, terms: Terms, accepting: Accepting | None
) -> int:
    screen = Screen(plan.selection.cases)
    try:
        with screen:
            result = judge(plan, orders, subject, asked.out, screen.ended, terms)
    except KeyboardInterrupt:
        # Reports of an earlier run must not lie beside a record that was cut off.
        _render(asked.out / RECORD, asked.out)
        raise
    _told(asked, plan, result, screen, prove=subject.reference)
    if accepting is not None and accepting.update and accepting.baseline is not None:
        screen.line(_updated(accepting.baseline, result.ruling.additions))
    return result.exit_code


def _updated(path: Path, entries: Sequence[Entry]) -> str:
    if not entries:
        return f"Nothing was added to {path}: all that is broken or untested is in it."
    add_to_baseline(path, entries)
    return (
        f"Added to {path}: {len(entries)} entries without a reason. Write into each why it is accepted for now; "
        "until then a run with this baseline is refused."
    )


def _told(asked: Asked, plan: Plan, result: Result, screen: Screen, *, prove: bool) -> None:
    from reports.record import read
    from reports.terminal import summary

    files = _render(result.record, asked.out)
    run = read(result.record)
    if asked.keep:
        screen.exchanges(run)
    summary(run, screen.console)
    for rule, reason in result.ruling.accepted.items():
        screen.line(f"Accepted by the baseline: {rule}: {reason}")
    if prove:
        covered = {case.rule for case in plan.suite.cases}
        screen.line(f"The suite covers {len(covered)} of {len(plan.catalogue.rules)} catalogued rules.")
    screen.line("Written: " + ", ".join(str(path) for path in (result.record, *files)))


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

"""`run` and `prove`: everything is read, then started, then judged, then told."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from harness.baseline import Entry
from harness.baseline import add as add_to_baseline
from harness.baseline import read as read_baseline
from harness.cli.checking import (
    authorities_of,
    check,
    check_accepting,
    headers_of,
    order_of,
    shard_of,
    token_of,
)
from harness.cli.choices import Accepting, Asked, Given
from harness.cli.products import bundled, product_of
from harness.cli.reaching import expect_answers, reach
from harness.cli.screen import Screen
from harness.collection.plugin import Orders, Plan, make_plan
from harness.controls.choosing import about_time, with_time
from harness.exchanges import ERAS
from harness.product import Product
from harness.runner.environment import current
from harness.runner.judging import NO_TERMS, RECORD, Result, Subject, Terms, judge
from harness.runner.probe import probe, probe_as
from harness.runner.reference import StartingReference
from harness.runner.refusal import CannotRun
from harness.runner.upstream import Upstream, start_mock
from harness.settings import Settings
from harness.transport import Transport

if TYPE_CHECKING:
    from reports.record import Run


def judge_server(asked: Asked, given: Given, accepting: Accepting) -> int:
    """Judge the server that is given. Returns the exit code; raises what `harness.cli.refusals` puts into words."""
    check(given)
    check_accepting(accepting)
    product, orders, plan = prepared(asked, given)
    terms = _terms(accepting)
    settings = orders.settings
    with ExitStack() as stack, Transport(ca_file=settings.ca_file) as transport, stopped_by_sigterm():
        if given.read_only:
            expect_answers(given.urls, transport, asked.timeout)
            probe_as(settings.token, given.urls, transport, asked.timeout, settings.headers)
            aimed = replace(orders, settings=replace(settings, urls=given.urls))
            return _judged(asked, aimed, plan, Subject(), terms, accepting)
        reached = reach(given, product, stack, transport, asked.timeout)
        upstream, urls = reached.upstream, reached.urls
        expect_answers(urls, transport, asked.timeout)
        probe(urls, upstream, transport, asked.timeout, settings.headers)
        aimed = aimed_at(orders, upstream, urls)
        if about_time(plan.selection.cases):
            aimed = replace(
                aimed, settings=with_time(aimed.settings, given.time, transport, reached.time_file)
            )
        subject = Subject(command=given.command, server=reached.server, mock=reached.mock)
        return _judged(asked, aimed, plan, subject, terms, accepting)


def judge_reference(asked: Asked) -> int:
    """Judge the bundled reference server. Returns the exit code."""
    product, orders, plan = prepared(asked)
    with ExitStack() as stack, Transport() as transport, stopped_by_sigterm():
        reference = stack.enter_context(StartingReference(product))
        mock, upstream = start_mock(asked.product)
        stack.enter_context(mock)
        server, url = reference.program, str(reference.ready(upstream)["url"])
        probe([url], upstream, transport, asked.timeout)
        subject = Subject(reference=True, server=server, mock=mock)
        aimed = aimed_at(orders, upstream, (url,))
        # The reference server takes its time from its upstream by construction: no canary is needed.
        aimed = replace(aimed, settings=replace(aimed.settings, time_proven=True, dates_proven=True))
        return _judged(asked, aimed, plan, subject, NO_TERMS, None)


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
        shuffled=order_of(asked.order),
    )
    return Orders(settings)


def prepared(asked: Asked, given: Given | None = None) -> tuple[Product, Orders, Plan]:
    """Everything that is read before anything is started. Raises what reading it raises, all of it the user's."""
    product = product_of(asked.product)
    orders = orders_of(asked, product)
    if given is not None:
        orders = replace(orders, settings=replace(orders.settings, **_for_server(given)))
    return product, orders, make_plan(orders)


def _for_server(given: Given) -> dict[str, Any]:
    """What of the settings depends on how the server is reached."""
    settings: dict[str, Any] = {
        "headers": headers_of(given, current()),
        "ca_file": authorities_of(given.ca_file),
        "max_wait": given.max_wait,
        "person": given.person or given.person_command or "",
    }
    if given.person:
        # Whoever sits at the terminal is asked one thing at a time.
        settings["workers"] = 1
    if given.read_only:
        settings |= {"read_only": True, "token": token_of(given, current()), "time_control": "none"}
    return settings


def _terms(accepting: Accepting) -> Terms:
    path, update = accepting.baseline, accepting.update
    known = path is not None and (path.exists() or not update)
    entries = read_baseline(path, unfinished=update) if path is not None and known else ()
    return Terms(entries, accepting.allow_untested)


def aimed_at(orders: Orders, upstream: Upstream, urls: tuple[str, ...]) -> Orders:
    """The orders, now that it is known where the server and its upstream are."""
    settings = replace(
        orders.settings,
        urls=urls,
        api_url=upstream.api_url,
        control_url=upstream.control_url,
        control_secret=upstream.secret,
        public_url=upstream.public_url,
    )
    return replace(orders, settings=settings)


def _judged(
    asked: Asked, orders: Orders, plan: Plan, subject: Subject, terms: Terms, accepting: Accepting | None
) -> int:
    screen = Screen(plan.selection.cases)
    try:
        with screen:
            result = judge(plan, orders, subject, asked.out, screen.ended, terms)
    except KeyboardInterrupt:
        # Reports of an earlier run must not lie beside a record that was cut off.
        from reports.record import read

        _render(read(asked.out / RECORD), asked.out)
        raise
    _told(asked, plan, result, screen, prove=subject.reference)
    if orders.settings.shuffled is not None:
        screen.line(f"Order: {orders.settings.order}; --order {orders.settings.order} runs it again.")
    if orders.settings.time_said:
        screen.line(f"Time: {orders.settings.time_control}: {orders.settings.time_said}.")
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

    run = read(result.record)
    files = _render(run, asked.out)
    if asked.keep:
        screen.exchanges(run)
    summary(run, screen.console)
    for rule, reason in result.ruling.accepted.items():
        screen.line(f"Accepted by the baseline: {rule}: {reason}")
    if prove:
        covered = {case.rule for case in plan.suite.cases}
        screen.line(f"The suite covers {len(covered)} of {len(plan.catalogue.rules)} catalogued rules.")
    screen.line("Written: " + ", ".join(str(path) for path in (result.record, *files)))


def _render(run: "Run", directory: Path) -> list[Path]:
    from reports import render

    try:
        return render(run, directory)
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

"""`mutants`: servers, or mock APIs, with one rule broken each are judged, and every one has to be caught."""

import json
import random
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from harness.cli.choices import Asked
from harness.cli.judging import orders_of, stopped_by_sigterm
from harness.cli.products import product_of
from harness.mutants import Beside, Mutant, Trial, try_mutants
from harness.product import Product
from harness.runner.reference import StartingReference
from harness.runner.refusal import CannotRun
from harness.runner.upstream import HOST, Upstream, mutants_of_the_mock, start_mock
from harness.settings import Settings
from harness.verdicts import ExitCode, Verdict

TABLE: Final = "mutants.json"
LASTING_PORTS: Final = range(20_000, 30_000)


def judge_mutants(asked: Asked, names: tuple[str, ...], *, full: bool, mock: bool) -> int:
    """Judge every mutant (of the asked rules, of these names), tell of each, write mutants.json.

    They are servers, or with `mock` the mock API beside a correct server. Returns 0 when all are caught, 1 when one
    survives, 2 when our own fault kept a scenario from a verdict. Raises what `harness.cli.refusals` puts into words.
    """
    product = product_of(asked.product)
    orders = orders_of(replace(asked, rules=(), scenarios=()), product)
    console = Console(highlight=False)
    with ExitStack() as stack, stopped_by_sigterm():
        mutants, beside = (_mocks if mock else _servers)(stack, product, orders.settings)
        chosen = _chosen(mutants, asked.rules, names)
        trials = try_mutants(orders, chosen, beside, full=full, told=lambda trial: _tell(console, trial))
    _write(asked.out, trials)
    _summary(console, trials)
    if any(trial.errored for trial in trials):
        return ExitCode.WRONG_USAGE
    return ExitCode.KEPT if all(trial.caught for trial in trials) else ExitCode.BROKEN


def _chosen(mutants: list[Mutant], rules: tuple[str, ...], names: tuple[str, ...]) -> list[Mutant]:
    unknown = sorted(set(names) - {mutant.name for mutant in mutants})
    if unknown:
        raise CannotRun(f"There is no mutant {unknown[0]!r}; `mutants` without options lists all.")
    chosen = [
        mutant
        for mutant in mutants
        if (not rules or mutant.rule.startswith(rules)) and (not names or mutant.name in names)
    ]
    if not chosen:
        raise CannotRun(f"No mutant breaks {', '.join(rules)}.")
    return chosen


def _servers(stack: ExitStack, product: Product, settings: Settings) -> tuple[list[Mutant], Beside]:
    """The mutants of the reference server, all in one process beside one mock."""
    reference = stack.enter_context(StartingReference(product, mutants=True))
    mock, upstream = start_mock(product.id)
    stack.enter_context(mock)
    found = reference.ready(upstream)["mutants"]
    reached = _reaching(settings, upstream)
    mutants = [Mutant(one["name"], one["rule"], one["lie"], tuple(one["urls"])) for one in found]
    return mutants, lambda mutant: nullcontext(reached)


def _mocks(stack: ExitStack, product: Product, settings: Settings) -> tuple[list[Mutant], Beside]:
    """The mutants of the mock, each a process of its own, one after another at the address that one server knows."""
    found = mutants_of_the_mock()
    port = _lasting_port()
    reference = stack.enter_context(StartingReference(product))
    with start_mock(product.id, api_port=port)[0] as mock:
        url = str(reference.ready(Upstream(f"http://{HOST}:{port}", "", ""))["url"])
        mock.stop()

    @contextmanager
    def beside(mutant: Mutant) -> Iterator[Settings]:
        mock, upstream = start_mock(product.id, api_port=port, mutant=mutant.name)
        with mock:
            yield _reaching(settings, upstream)

    return [Mutant(one["name"], one["rule"], one["lie"], (url,), "mock") for one in found], beside


def _lasting_port() -> int:
    """A free port that nobody is given by chance while it is free for a moment: below those that systems hand out."""
    for port in random.SystemRandom().sample(LASTING_PORTS, 50):
        with socket.socket() as probe, suppress(OSError):
            probe.bind((HOST, port))
            return port
    raise CannotRun(f"No port of {LASTING_PORTS.start} to {LASTING_PORTS.stop} is free.")


def _reaching(settings: Settings, upstream: Upstream) -> Settings:
    return replace(
        settings,
        api_url=upstream.api_url,
        control_url=upstream.control_url,
        control_secret=upstream.secret,
    )


def _tell(console: Console, trial: Trial) -> None:
    mark, style = ("caught  ", "green") if trial.caught else ("SURVIVED", "bold red")
    others = [rule for rule in trial.failed if rule != trial.mutant.rule]
    console.print(
        Text.assemble((mark, style), f"  {trial.mutant.rule}  {trial.mutant.name}: {trial.mutant.lie}")
    )
    if trial.symptoms:
        how = "" if trial.verdict is Verdict.FAILED else f" ({trial.verdict})"
        console.print(Text(f"          found: {trial.symptoms[0]}{how}"), style="dim")
    if others:
        console.print(Text(f"          fails too: {', '.join(others)}"), style="dim")


def _summary(console: Console, trials: list[Trial]) -> None:
    caught = sum(trial.caught for trial in trials)
    runs, seconds = sum(trial.scenarios for trial in trials), sum(trial.seconds for trial in trials)
    console.print(f"{caught} of {len(trials)} mutants caught · {runs} scenario runs · {seconds:.1f} s")
    for trial in trials:
        if not trial.caught:
            console.print(Text(f"survived: {trial.mutant.name} ({trial.mutant.rule}): {trial.mutant.lie}"))
        for name in trial.errored[:5]:
            console.print(Text(f"our own fault, with {trial.mutant.name}: {name}"))


def _write(directory: Path, trials: list[Trial]) -> None:
    table: list[dict[str, Any]] = [trial.to_json() for trial in trials]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / TABLE).write_text(
            json.dumps(table, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    except OSError as error:
        raise CannotRun(f"{TABLE} cannot be written to {directory}: {error.strerror}.") from error

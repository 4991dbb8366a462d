"""`mutants`: servers, or mock APIs, with one rule broken each are judged, and every one has to be caught."""

import random
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import Final

from rich.console import Console
from rich.text import Text

from harness.catalogue import Catalogue, Rule
from harness.catalogue import load as load_catalogue
from harness.cli.choices import Asked
from harness.cli.judging import orders_of, stopped_by_sigterm
from harness.cli.mutant_tables import Outcome, earlier, write
from harness.cli.products import product_of
from harness.collection.selection import rules_named
from harness.mutants import Beside, Mutant, Trial, try_mutants
from harness.product import Product
from harness.runner.reference import StartingReference
from harness.runner.refusal import CannotRun
from harness.runner.upstream import HOST, Upstream, mutants_of_the_mock, start_mock
from harness.settings import Settings
from harness.verdicts import ExitCode, Verdict

LASTING_PORTS: Final = range(20_000, 30_000)


def judge_mutants(
    asked: Asked, names: tuple[str, ...], *, full: bool, mock: bool, resume: bool = False
) -> int:
    """Judge every mutant (of the asked rules, of these names), tell of each, write mutants.json.

    With `resume` those that stand there already are not judged again, and stay. With `full` it is written after each, for that
    takes long.

    They are servers, or with `mock` the mock API beside a correct server. Returns 0 when all are caught, 1 when one
    survives or when an asked rule that binds has none, 2 when our own fault kept a scenario from a verdict. Raises what
    `harness.cli.refusals` puts into words.
    """
    product = product_of(asked.product)
    orders = orders_of(replace(asked, rules=(), scenarios=()), product)
    console = Console(highlight=False)
    with ExitStack() as stack, stopped_by_sigterm():
        mutants, beside = (_mocks if mock else _servers)(stack, product, orders.settings)
        rules = asked_rules(load_catalogue(product.id), asked.rules, mock=mock)
        chosen = _chosen(mutants, rules, names)
        unbroken = () if names else without_mutant(rules, mutants)
        if not chosen and not unbroken:
            raise CannotRun(_nothing(asked.rules, names, mock=mock))
        found = earlier(asked.out, mutants, full=full) if resume else {}
        before = len(found)

        def so_far() -> Outcome:
            known = (found[mutant.name] for mutant in mutants if mutant.name in found)
            return Outcome(tuple(known), unbroken, full)

        def ended(trial: Trial) -> None:
            found[trial.mutant.name] = trial
            _tell(console, trial)
            if full:
                write(asked.out, so_far())

        try_mutants(
            orders, [each for each in chosen if each.name not in found], beside, full=full, told=ended
        )
    outcome = so_far()
    write(asked.out, outcome)
    if before:
        console.print(Text(f"{before} of them were judged before, and not again."))
    _summary(console, outcome)
    if any(trial.errored for trial in outcome.trials):
        return ExitCode.WRONG_USAGE
    return ExitCode.BROKEN if outcome.survivors or unbroken else ExitCode.KEPT


def asked_rules(catalogue: Catalogue, wanted: Sequence[str], *, mock: bool) -> tuple[Rule, ...]:
    """The rules that mutants are asked of: those named (all where none is), as far as such mutants can break them.

    Servers cannot break what is the upstream's alone, mock APIs not what is the server's. Raises NothingSelected.
    """
    named = rules_named(wanted, catalogue)
    elsewhere = "server" if mock else "only the mock"
    return tuple(
        rule
        for rule in catalogue.rules.values()
        if (named is None or rule.id in named) and rule.seat != elsewhere
    )


def without_mutant(rules: Sequence[Rule], mutants: Sequence[Mutant]) -> tuple[str, ...]:
    """The ids of the rules that bind, M or D, and that no mutant breaks: whether they are judged is not shown."""
    broken = {mutant.rule for mutant in mutants}
    return tuple(rule.id for rule in rules if rule.level != "A" and rule.id not in broken)


def _nothing(wanted: Sequence[str], names: Sequence[str], *, mock: bool) -> str:
    if names:
        return f"None of these mutants breaks {', '.join(wanted)}."
    other = "a server's: leave out --mock" if mock else "the mock's: add --mock"
    return f"No mutant breaks {', '.join(wanted)}; it is advice, or {other}."


def _chosen(mutants: list[Mutant], rules: Sequence[Rule], names: tuple[str, ...]) -> list[Mutant]:
    unknown = sorted(set(names) - {mutant.name for mutant in mutants})
    if unknown:
        raise CannotRun(f"There is no mutant {unknown[0]!r}; `mutants` without options lists all.")
    asked = {rule.id for rule in rules}
    return [mutant for mutant in mutants if mutant.rule in asked and (not names or mutant.name in names)]


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


def _summary(console: Console, outcome: Outcome) -> None:
    for trial in outcome.survivors:
        console.print(Text(f"survived: {trial.mutant.name} ({trial.mutant.rule}): {trial.mutant.lie}"))
    for trial in outcome.trials:
        for name in trial.errored[:5]:
            console.print(Text(f"our own fault, with {trial.mutant.name}: {name}"))
    for rule in outcome.unbroken:
        console.print(
            Text(f"no mutant breaks {rule}: nothing shows that its scenarios notice", style="bold red")
        )
    console.print(Text(outcome.total), soft_wrap=True)

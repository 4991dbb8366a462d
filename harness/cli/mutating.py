"""`mutants`: servers with one rule broken each are judged, and every one has to be caught."""

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from harness.cli.choices import Asked
from harness.cli.judging import orders_of, product_of, stopped_by_sigterm
from harness.mutants import Mutant, Trial, try_mutants
from harness.runner.reference import start_mutants
from harness.runner.refusal import CannotRun
from harness.runner.upstream import start_mock
from harness.verdicts import ExitCode

TABLE: Final = "mutants.json"


def judge_mutants(asked: Asked, names: tuple[str, ...], *, full: bool) -> int:
    """Judge every mutant (of the asked rules, of these names), tell of each, write mutants.json.

    Returns 0 when all are caught, 1 when one survives, 2 when our own fault kept a scenario from a verdict. Raises
    what `harness.cli.refusals` puts into words.
    """
    product = product_of(asked.product)
    orders = orders_of(replace(asked, rules=(), scenarios=()), product)
    with ExitStack() as stack, stopped_by_sigterm():
        mock, upstream = start_mock(asked.product)
        stack.enter_context(mock)
        server, found = start_mutants(product, upstream)
        stack.enter_context(server)
        mutants = [Mutant(**one) for one in found]
        unknown = sorted(set(names) - {mutant.name for mutant in mutants})
        if unknown:
            raise CannotRun(f"There is no mutant {unknown[0]!r}; `mutants` without options lists all.")
        chosen = [
            mutant
            for mutant in mutants
            if (not asked.rules or mutant.rule.startswith(asked.rules))
            and (not names or mutant.name in names)
        ]
        if not chosen:
            raise CannotRun(f"No mutant breaks {', '.join(asked.rules)}.")
        settings = replace(
            orders.settings,
            api_url=upstream.api_url,
            control_url=upstream.control_url,
            control_secret=upstream.secret,
        )
        console = Console(highlight=False)
        trials = try_mutants(
            replace(orders, settings=settings), chosen, full=full, told=lambda trial: _tell(console, trial)
        )
    _write(asked.out, trials)
    _summary(console, trials)
    if any(trial.errored for trial in trials):
        return ExitCode.WRONG_USAGE
    return ExitCode.KEPT if all(trial.caught for trial in trials) else ExitCode.BROKEN


def _tell(console: Console, trial: Trial) -> None:
    mark, style = ("caught  ", "green") if trial.caught else ("SURVIVED", "bold red")
    others = [rule for rule in trial.failed if rule != trial.mutant.rule]
    console.print(
        Text.assemble((mark, style), f"  {trial.mutant.rule}  {trial.mutant.name}: {trial.mutant.lie}")
    )
    if trial.symptoms:
        console.print(Text(f"          found: {trial.symptoms[0]}"), style="dim")
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

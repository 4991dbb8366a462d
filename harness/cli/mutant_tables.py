"""What came of judging mutants, as files: mutants.json for programs, mutants.md for people."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from harness.mutants import Mutant, Trial, alike
from harness.runner.refusal import CannotRun
from reports.markdown_text import inline

FORMAT: Final = 1
JSON: Final = "mutants.json"
TABLE: Final = "mutants.md"


@dataclass(frozen=True)
class Outcome:
    """The trials in their order, and the asked rules that bind and that no mutant breaks.

    `full` tells that they were judged by every scenario.
    """

    trials: tuple[Trial, ...]
    unbroken: tuple[str, ...]
    full: bool = False

    @property
    def survivors(self) -> tuple[Trial, ...]:
        """The mutants that were not caught."""
        return tuple(trial for trial in self.trials if not trial.caught)

    @cached_property
    def firsts(self) -> dict[str, str]:
        """For each caught mutant the first of which the same was found."""
        return alike(self.trials)

    @property
    def distinct(self) -> int:
        """How many of the caught ones were found by something that no other shows: those found alike count once."""
        return len(set(self.firsts.values()))

    @property
    def total(self) -> str:
        """The numbers in a line."""
        caught = len(self.trials) - len(self.survivors)
        runs = sum(trial.scenarios for trial in self.trials)
        seconds = sum(trial.seconds for trial in self.trials)
        missing = f" · rules without a mutant: {len(self.unbroken)}" if self.unbroken else ""
        return (
            f"{caught} of {len(self.trials)} mutants caught, {self.distinct} of them distinct by what was found"
            f"{missing} · {runs} scenario runs · {seconds:.1f} s"
        )

    def to_json(self) -> dict[str, Any]:
        """All of it for programs."""
        return {
            "format": FORMAT,
            "full": self.full,
            "caught": len(self.trials) - len(self.survivors),
            "distinct": self.distinct,
            "rules_without_mutant": list(self.unbroken),
            "mutants": [{**trial.to_json(), "same_as": self._same_as(trial)} for trial in self.trials],
        }

    def table(self) -> Iterator[str]:
        """A Markdown table: a line for each mutant, the numbers last."""
        yield "| rule | mutant | its lie | caught | found | found like | fails too |"
        yield "|---|---|---|---|---|---|---|"
        for trial in self.trials:
            found = trial.symptoms[0] if trial.symptoms else ""
            cells = (
                trial.mutant.rule,
                f"{trial.mutant.seat} {trial.mutant.name}",
                trial.mutant.lie,
                f"yes ({trial.verdict})" if trial.caught else "NO",
                found,
                self._same_as(trial) or "",
                ", ".join(rule for rule in trial.failed if rule != trial.mutant.rule),
            )
            yield f"| {' | '.join(map(inline, cells))} |"
        for rule in self.unbroken:
            yield f"| {inline(rule)} | none | | NO | nothing shows that its scenarios notice | | |"
        yield ""
        yield self.total

    def _same_as(self, trial: Trial) -> str | None:
        first = self.firsts.get(trial.mutant.name)
        return None if first == trial.mutant.name else first


def earlier(directory: Path, mutants: Iterable[Mutant], *, full: bool) -> dict[str, Trial]:
    """The trials of these mutants that stand in `directory` already, by name; none where there is no mutants.json.

    Raises CannotRun where that cannot be read, or comes from judging in the other way.
    """
    path = directory / JSON
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if (told["format"], told["full"]) != (FORMAT, full):
            raise CannotRun(
                f"{path} is of mutants judged {'without' if full else 'with'} --full; choose another --out."
            )
        known = {data["name"]: data for data in told["mutants"]}
        return {each.name: Trial.from_json(known[each.name], each) for each in mutants if each.name in known}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise CannotRun(f"{path} cannot be read: {error.strerror}.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise CannotRun(f"{path} is nothing that can be gone on with; choose another --out.") from error


def write(directory: Path, outcome: Outcome) -> None:
    """Write both files below `directory`. Raises CannotRun."""
    texts = {
        JSON: json.dumps(outcome.to_json(), indent=1, ensure_ascii=False),
        TABLE: "\n".join(outcome.table()),
    }
    name = JSON
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (directory / name).write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise CannotRun(f"{name} cannot be written to {directory}: {error.strerror}.") from error

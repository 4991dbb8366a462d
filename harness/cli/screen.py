"""What is shown while a run goes on: a bar on a terminal, a line for each feature elsewhere."""

import json
from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from harness.collection.cases import Case
from harness.verdicts import Verdict

if TYPE_CHECKING:
    from reports.record import Run

ORDER: Final = tuple(Verdict)


class Screen:
    """The progress of a run, on standard output."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.console = Console(highlight=False, markup=False)
        self._features = {case.id: case.feature for case in cases}
        self._left = Counter(self._features.values())
        self._verdicts: dict[str, Counter[str]] = {feature: Counter() for feature in self._left}
        self._bar: Progress | None = None

    def __enter__(self) -> "Screen":
        if self.console.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
            )
            self._bar = Progress(*columns, console=self.console, transient=True)
            self._task = self._bar.add_task("scenarios", total=len(self._features))
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def ended(self, payload: dict[str, Any]) -> None:
        """Show that a case ended."""
        feature = self._features.get(payload["id"])
        if feature is None:
            return
        self._verdicts[feature][payload["verdict"]] += 1
        self._left[feature] -= 1
        if self._bar is not None:
            self._bar.advance(self._task)
        elif not self._left[feature]:
            found = self._verdicts[feature]
            counts = ", ".join(f"{found[verdict]} {verdict}" for verdict in ORDER if found[verdict])
            self.line(f"{feature}: {counts}")

    def line(self, text: str) -> None:
        """Print a line of plain text, nothing in it read as markup or by the terminal."""
        from reports.visible import visible

        self.console.print(Text(visible(text)), soft_wrap=True)

    def exchanges(self, run: "Run") -> None:
        """Print every exchange of every scenario, and the tenant it left."""
        from reports.evidence import exchange_lines

        for scenario in run.scenarios:
            self.line(f"\n{scenario.id}: {scenario.verdict}, tenant {scenario.tenant or 'none'}")
            for exchange in scenario.exchanges:
                self.line(f"  {exchange.number} · {exchange.actor} · {exchange.label}")
                for text in exchange_lines(exchange, 64 * 1024):
                    self.line(f"    {text}")


def pretty(data: object) -> str:
    """JSON for people."""
    return json.dumps(data, ensure_ascii=False, indent=2)

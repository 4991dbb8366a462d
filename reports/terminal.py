"""What a run came to, in a terminal: failures first, the numbers last, where the eye is when the run ends."""

from typing import TYPE_CHECKING

from reports.evidence import Failure, exchange_lines, failures, place, side, title, traceback_text
from reports.headline import number
from reports.judgement import Judgement, RuleJudgement, judge
from reports.record import WRITTEN, Run, Scenario
from reports.verdicts import MEANINGS, Verdict
from reports.visible import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_PER_RULE = 3
_NAMED = 8
_BODY = 900
_HEIGHT = 16

STYLES = {
    Verdict.FAILED: "bold red",
    Verdict.ERRORED: "bold magenta",
    Verdict.NOT_TESTABLE: "yellow",
    Verdict.WARNED: "cyan",
    Verdict.PASSED: "green",
    Verdict.NOT_APPLICABLE: "dim",
}
ACCEPTED = "≈"
MARKS = {
    Verdict.FAILED: "✗",
    Verdict.ERRORED: "!",
    Verdict.NOT_TESTABLE: "?",
    Verdict.WARNED: "△",
    Verdict.PASSED: "✓",
    Verdict.NOT_APPLICABLE: "–",
}


def summary(run: Run, console: "Console") -> None:
    """Print the run: each failure with its evidence, what is our fault, what could not be tested, the numbers.

    Text of the record is never read as markup, and nothing in it reaches the terminal's controls.
    """
    judgement = judge(run)
    paper = _Paper(console)
    for judged in judgement.new(Verdict.FAILED):
        _failed_rule(paper, judged)
    _errored(paper, run)
    _untested(paper, judgement)
    _accepted(paper, judgement)
    _numbers(paper, judgement)


class _Paper:
    """Prints lines of text that is nothing but text."""

    def __init__(self, console: "Console") -> None:
        self._console = console

    def line(self, text: str = "", style: str = "", indent: int = 0) -> None:
        """One logical line or several, each indented; wrapped lines keep the indent."""
        from rich.padding import Padding

        if text:
            padding = (0, 0, 0, indent)
            self._console.print(Padding(_text(text, style), padding, expand=False), highlight=False)
        else:
            self._console.print()

    def field(self, name: str, text: str, style: str = "") -> None:
        """A name and its text beside it."""
        from rich.table import Table

        grid = Table.grid(padding=(0, 2))
        grid.add_column(width=8, no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row(_text(name, "dim"), _text(text, style))
        self._console.print(_padded(grid))

    def heading(self, text: str, style: str) -> None:
        """A rule across the page, with a title."""
        from rich.rule import Rule

        self.line()
        self._console.print(Rule(_text(text, style), align="left", style=style))

    def print(self, renderable: object) -> None:
        """Anything made of texts."""
        self._console.print(renderable, highlight=False)


def _text(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(text, style=style, overflow="fold")


def _padded(renderable: object) -> object:
    from rich.padding import Padding

    return Padding(renderable, (0, 0, 0, 2), expand=False)  # type: ignore[arg-type]


def _failed_rule(paper: _Paper, judged: RuleJudgement) -> None:
    paper.heading(f"{MARKS[Verdict.FAILED]} {one_line(judged.rule.id)} is broken", STYLES[Verdict.FAILED])
    paper.line(one_line(judged.rule.statement, 600), "bold", 2)
    found = failures(judged)
    for failure in found[:_PER_RULE]:
        _failure(paper, failure)
    if len(found) > _PER_RULE:
        paper.line()
        paper.line(f"and {number(len(found) - _PER_RULE, 'further failure')} of this rule:", "dim", 2)
        for failure in found[_PER_RULE : _PER_RULE + _NAMED]:
            paper.line(f"{title(failure.scenario)} · {one_line(failure.scenario.era)}", "dim", 4)
        if len(found) > _PER_RULE + _NAMED:
            paper.line(f"… and {len(found) - _PER_RULE - _NAMED:,} more, in the reports", "dim", 4)


def _failure(paper: _Paper, failure: Failure) -> None:
    scenario = failure.scenario
    paper.line()
    paper.field("scenario", title(scenario), "bold")
    paper.field("era", f"{one_line(scenario.era)} · {place(scenario)}")
    if failure.also:
        paper.field("also in", number(len(failure.also), "further scenario run"))
    paper.field("why", visible(failure.message), "red")
    if failure.expected:
        paper.field("expected", side(failure.expected, _HEIGHT))
    if failure.actual:
        paper.field("actual", side(failure.actual, _HEIGHT))
    if failure.exchange is not None:
        exchange = failure.exchange
        paper.field("exchange", one_line(f"{exchange.number} · {exchange.actor} · {exchange.label}"))
        paper.field("", "\n".join(exchange_lines(exchange, _BODY, _HEIGHT)), "dim")


def _errored(paper: _Paper, run: Run) -> None:
    errored = [scenario for scenario in run.scenarios if scenario.verdict is Verdict.ERRORED]
    if not errored:
        return
    title_ = f"{MARKS[Verdict.ERRORED]} {number(len(errored), 'scenario run')} errored: our fault, not the server's"
    paper.heading(title_, STYLES[Verdict.ERRORED])
    for scenario in errored[:_PER_RULE]:
        paper.line()
        _head(paper, scenario)
        paper.field("", traceback_text(scenario), "dim")
    for scenario in errored[_PER_RULE : _PER_RULE + _NAMED]:
        paper.line()
        _head(paper, scenario)
    if len(errored) > _PER_RULE + _NAMED:
        paper.line(f"… and {len(errored) - _PER_RULE - _NAMED:,} more, in the reports", "dim", 2)


def _head(paper: _Paper, scenario: Scenario) -> None:
    paper.field("scenario", title(scenario), "bold")
    paper.field("rule", f"{one_line(scenario.rule)} · era {one_line(scenario.era)} · {place(scenario)}")
    if scenario.reason:
        paper.field("why", visible(scenario.reason), "magenta")


def _untested(paper: _Paper, judgement: Judgement) -> None:
    groups = judgement.untested
    if not groups:
        return
    count = number(len(judgement.new(Verdict.NOT_TESTABLE)), "rule")
    paper.heading(f"{MARKS[Verdict.NOT_TESTABLE]} {count} not testable", STYLES[Verdict.NOT_TESTABLE])
    for reason, rules in groups.items():
        paper.line(one_line(reason), "", 2)
        paper.line(", ".join(dict.fromkeys(one_line(judged.rule.id) for judged in rules)), "dim", 4)


def _accepted(paper: _Paper, judgement: Judgement) -> None:
    if not judgement.accepted:
        return
    count = number(len(judgement.accepted), "rule")
    paper.heading(f"{ACCEPTED} {count} not kept, and accepted by the baseline", STYLES[Verdict.WARNED])
    for judged in judgement.accepted:
        head = f"{MARKS[judged.verdict]} {judged.rule.id} {judged.verdict}: {judged.rule.statement}"
        paper.line(one_line(head), "", 2)
        paper.line(one_line(f"accepted: {judged.accepted}"), "dim", 4)
        for failure in failures(judged)[:1] if judged.verdict is Verdict.FAILED else []:
            paper.line(one_line(f"why it fails: {failure.message}"), "dim", 4)


def _numbers(paper: _Paper, judgement: Judgement) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    run, footer = judgement.run, judgement.run.footer
    paper.heading(
        f"{one_line(run.header.title)} conformance: {judgement.headline}", STYLES[judgement.verdict]
    )
    if judgement.remark:
        paper.line(visible(judgement.remark), "", 2)
    table = Table(box=SIMPLE, pad_edge=False)
    for column in ("verdict", "rules", "scenario runs", "meaning"):
        table.add_column(
            _text(column, "dim"), justify="right" if column in ("rules", "scenario runs") else "left"
        )
    rules, scenarios = judgement.rule_counts, judgement.scenario_counts
    for verdict in Verdict:
        if rules[verdict] or scenarios[verdict]:
            known = rules[verdict] - len(judgement.new(verdict))
            table.add_row(
                _text(f"{MARKS[verdict]} {verdict}", STYLES[verdict]),
                _text(f"{rules[verdict]:,} ({known:,} accepted)" if known else f"{rules[verdict]:,}"),
                _text(f"{scenarios[verdict]:,}"),
                _text(MEANINGS[verdict], "dim"),
            )
    if table.row_count:
        paper.print(_padded(table))
    took = f"{footer.seconds:.1f} s" if footer else "cut off"
    if run.header.merged:
        for part in run.header.merged:
            cut = "" if part.complete else ", cut off"
            said = f"merged: {part.record} · {part.server} · {number(part.scenarios, 'scenario run')}{cut}"
            paper.line(one_line(said), "dim", 2)
    shard = [] if run.header.shard is None else [f"shard {run.header.shard}"]
    order = [] if run.header.order == WRITTEN else [f"order {run.header.order}"]
    facts = [
        took,
        *shard,
        *order,
        f"seed {run.header.seed}",
        f"eras {', '.join(run.header.eras)}",
        judgement.exit_meaning,
    ]
    paper.line(one_line(" · ".join(facts)), STYLES[judgement.verdict], 2)

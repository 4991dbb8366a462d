"""A run as a whole: header, every scenario, footer, exit code."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from harness import __version__, clock
from harness.baseline import Entry, Ruling, rule_on
from harness.baseline.ruling import Asked
from harness.collection.plugin import Orders, Plan, not_run
from harness.product import load as load_product
from harness.record import Outcome, RecordWriter, RuleVerdict, counts, roll_up
from harness.record.redaction import Redactor
from harness.runner.program import Program
from harness.runner.refusal import CannotRun
from harness.runner.session import SessionBroke, run_cases
from harness.verdicts import ExitCode, Verdict, exit_code
from harness.world import CODE_RULE, SCHEMA_RULE

RECORD: Final = "run.ndjson"


@dataclass(frozen=True)
class Subject:
    """What is judged: its command where we started it, and the programs whose end during the run must be told."""

    command: str | None = None
    reference: bool = False
    server: Program | None = None
    mock: Program | None = None


@dataclass(frozen=True)
class Terms:
    """What is put up with: the entries of the baseline, and whether untested rules count."""

    baseline: tuple[Entry, ...] = ()
    allow_untested: bool = False


@dataclass(frozen=True)
class Result:
    """What a run came to, what the baseline made of it, and where its record lies."""

    record: Path
    exit_code: int
    rules: dict[str, RuleVerdict]
    complaint: str | None
    ruling: Ruling


NO_TERMS: Final = Terms()


def judge(
    plan: Plan,
    orders: Orders,
    subject: Subject,
    directory: Path,
    told: Callable[[dict[str, Any]], None],
    terms: Terms = NO_TERMS,
) -> Result:
    """Run the plan against the subject and record it below `directory`; `told` hears of every case that ended.

    `terms` bear on the exit code alone: the verdicts in the record are what was found. Raises CannotRun when the record cannot be written, and KeyboardInterrupt, leaving a record without footer.
    """
    path = directory / RECORD
    try:
        writer = RecordWriter(path)
    except OSError as error:
        raise CannotRun(f"The record cannot be written to {path}: {error.strerror}.") from error
    with writer:
        return _Run(plan, orders, subject, path, writer, told).whole(terms)


class _Run:
    """The run while it goes on: what came of its cases, and the secrets they minted or saw."""

    def __init__(
        self,
        plan: Plan,
        orders: Orders,
        subject: Subject,
        path: Path,
        writer: RecordWriter,
        told: Callable[[dict[str, Any]], None],
    ) -> None:
        self._plan, self._orders, self._subject, self._path = plan, orders, subject, path
        self._writer, self._told = writer, told
        self._cases = {case.id: case for case in (*plan.selection.cases, *plan.selection.not_applicable)}
        self._outcomes: list[Outcome] = []
        self._secrets = set(orders.settings.secrets)

    def whole(self, terms: Terms) -> Result:
        began = clock.monotonic()
        self._writer.header(self._header())
        complaint = None
        for case in self._plan.selection.not_applicable:
            products = ", ".join(sorted(case.products or ()))
            self._ended(
                not_run(case, Verdict.NOT_APPLICABLE, f"The scenario is about {products or 'no product'}.")
            )
        try:
            run_cases(self._plan, self._orders, self._ended)
        except SessionBroke as broke:
            complaint = str(broke)
        rules = roll_up(self._outcomes, self._plan.selection.asked)
        ruling = rule_on(terms.baseline, self._outcomes, rules, self._asked(), clock.now().date())
        code = exit_code(ruling.left.values())
        if code == ExitCode.UNTESTED and terms.allow_untested:
            code = ExitCode.KEPT
        if complaint and code != ExitCode.BROKEN:
            code = ExitCode.WRONG_USAGE
        elif ruling.complaints and code in (ExitCode.KEPT, ExitCode.UNTESTED):
            code = ExitCode.BROKEN
        complaint = " ".join([*filter(None, [complaint or self._ended_early()]), *ruling.complaints]) or None
        redactor = Redactor(self._secrets)
        server = self._subject.server
        footer = {
            "finished_at": _time(),
            "seconds": round(clock.monotonic() - began, 3),
            "exit_code": code,
            "complaint": redactor.data(complaint),
            "subject_output": None if server is None else redactor.text(server.output),
            "counts": counts(self._outcomes),
            "rules": {rule: verdict.to_json() for rule, verdict in rules.items()},
            "accepted": dict(ruling.accepted),
        }
        self._writer.footer(footer)
        return Result(self._path, code, rules, footer["complaint"], ruling)

    def _asked(self) -> Asked:
        plan = self._plan
        return Asked(
            rules=tuple(plan.catalogue.rules),
            scenarios={case.id: case.rule for case in plan.suite.cases},
            eras=plan.selection.asked,
            travelling=frozenset({SCHEMA_RULE, CODE_RULE}),
        )

    def _ended(self, payload: dict[str, Any]) -> None:
        case = self._cases[payload["id"]]
        self._writer.scenario(payload["line"])
        self._secrets.update(payload["secrets"])
        others = tuple((rule, advisory) for rule, advisory in payload["others"])
        self._outcomes.append(Outcome(case.id, case.rule, case.era, Verdict(payload["verdict"]), others))
        self._told(payload)

    def _ended_early(self) -> str | None:
        for program in (self._subject.server, self._subject.mock):
            if program is not None and not program.alive:
                return f"{program.name} ended during the run."
        return None

    def _header(self) -> dict[str, Any]:
        settings = self._orders.settings
        product = load_product(settings.product)
        return {
            "tool": {"name": "kadu-conformance", "version": __version__},
            "product": {"id": product.id, "title": product.title},
            "started_at": _time(),
            "subject": Redactor(self._secrets).data(
                {
                    "urls": list(settings.urls),
                    "command": self._subject.command,
                    "reference": self._subject.reference,
                }
            ),
            "eras": list(settings.eras),
            "seed": settings.seed,
            "workers": settings.workers,
            "order": settings.order,
            **({} if settings.shard is None else {"shard": "{}/{}".format(*settings.shard)}),
            "controls": {"time": settings.time_control},
            "rules": [rule.to_json() for rule in self._plan.catalogue.rules.values()],
            "asked": list(self._plan.selection.asked),
        }


def _time() -> str:
    return clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")

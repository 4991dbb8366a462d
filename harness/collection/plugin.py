"""The pytest plugin: cases become items, items become lines of the record.

The run is given as a `Work` among pytest's plugins. What an item came to travels on its last report as plain data.
"""

import contextlib
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from _pytest.nodeid import NodeId
from pytest_bdd import hooks

from harness.catalogue import Catalogue, load
from harness.collection.cases import BoundStep, Case, Suite
from harness.collection.item import Evidence, FeatureFile, ScenarioItem, step_line
from harness.collection.judgement import Judgement, judge
from harness.collection.loading import STEPS, load_steps
from harness.collection.selection import Selection, select
from harness.collection.suite import build_suite
from harness.record.evidence import exchange_lines, finding_lines, words
from harness.record.redaction import PIECE, Redactor
from harness.record.writing import line
from harness.settings import Settings
from harness.verdicts import HarnessFault, Verdict

Part = Literal["all", "together", "alone", "waiting"]
WORK = pytest.StashKey["Work"]()


@dataclass(frozen=True)
class Orders:
    """What a process has to run: plain data.

    `part` is which cases: those that may run together, those that may not, those that wait in real time. With
    `until_failed` the first failed case is the last to run; without `evidence` what is passed is told without what it
    exchanged.
    """

    settings: Settings
    part: Part = "all"
    until_failed: bool = False
    evidence: bool = True
    steps_package: str = STEPS
    world_module: str = "harness.world"


@dataclass(frozen=True)
class Plan:
    """A suite, what of it is asked, and the catalogue both rest on."""

    catalogue: Catalogue
    suite: Suite
    selection: Selection


def make_plan(orders: Orders) -> Plan:
    """Read everything that decides what is run. Raises CollectionFailed and NothingSelected."""
    catalogue = load(orders.settings.product)
    suite = build_suite(orders.settings.features, catalogue, load_steps(orders.steps_package))
    return Plan(catalogue, suite, select(suite, orders.settings, catalogue))


def part_of(cases: tuple[Case, ...], part: Part, settings: Settings) -> list[Case]:
    """The cases of one part. None waits but where time is real."""

    def belongs(case: Case) -> bool:
        if settings.time_control == "real" and case.waits:
            return part == "waiting"
        return part == "all" or (part != "waiting" and case.alone == (part == "alone"))

    return [case for case in cases if belongs(case)]


@dataclass(eq=False)
class Work:
    """The orders with the plan made of them; `done` is told of every case that ended.

    `following` names the next case, None at the end; without it all of the part are run in their order.
    """

    orders: Orders
    plan: Plan
    done: Callable[[dict[str, Any]], None]
    following: Callable[[], str | None] | None = None
    session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Keep the session, to be able to end it."""
        self.session = session

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Pass on what a case came to."""
        ended: dict[str, Any] | None = getattr(report, "ended", None)
        if ended is None:
            return
        self.done(ended)
        if self.orders.until_failed and ended["verdict"] == Verdict.FAILED and self.session is not None:
            self.session.shouldfail = "the first failure was all that was asked for"


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """pytest-bdd's hooks are called; its own plugin, which looks steps up slowly, is not needed."""
    pluginmanager.add_hookspecs(hooks)


def pytest_configure(config: pytest.Config) -> None:
    """Find the work among the plugins."""
    given = [plugin for plugin in config.pluginmanager.get_plugins() if isinstance(plugin, Work)]
    if not given:
        raise pytest.UsageError("This plugin runs inside kadu-conformance only.")
    config.stash[WORK] = given[0]


def pytest_collection(session: pytest.Session) -> bool:
    """Make the items from the plan; pytest walks no directory and imports nothing."""
    work = session.config.stash[WORK]
    files: dict[str, FeatureFile] = {}
    for case in part_of(work.plan.selection.cases, work.orders.part, work.orders.settings):
        if case.feature not in files:
            files[case.feature] = FeatureFile.from_parent(
                session, path=Path(case.path), nodeid=NodeId(path=case.feature)
            )
        session.items.append(ScenarioItem.of(files[case.feature], case))
    session.testscollected = len(session.items)
    session.config.hook.pytest_collection_finish(session=session)
    return True


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Where cases are handed out one by one: run those."""
    work = session.config.stash[WORK]
    if work.following is None:
        return None
    items = {item.case.id: item for item in session.items if isinstance(item, ScenarioItem)}
    while (case := work.following()) is not None:
        session.config.hook.pytest_runtest_protocol(item=items[case], nextitem=None)
    return True


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The world of this scenario, opened before its first step, closed after its last."""
    orders, item = request.config.stash[WORK].orders, request.node
    module = importlib.import_module(orders.world_module)
    opened = module.open_world(orders.settings, item.case.id, item.case.era, item.case.rule)
    item.evidence.world = opened
    yield opened
    if not orders.settings.keep:
        opened.leave()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Nothing of this process stays in a mock that goes on."""
    orders = session.config.stash[WORK].orders
    # A mock that is gone has nothing left of ours; what that did to scenarios stands in their verdicts.
    with contextlib.suppress(HarnessFault):
        importlib.import_module(orders.world_module).end_worlds(orders.settings)


def pytest_bdd_before_step(request: pytest.FixtureRequest) -> None:
    """Note when a step began."""
    request.node.evidence.begin()


def pytest_bdd_after_step(request: pytest.FixtureRequest) -> None:
    """Note a step that did what it says."""
    request.node.evidence.end(_current(request.node), "passed")


def pytest_bdd_step_error(request: pytest.FixtureRequest) -> None:
    """Note a step that did not."""
    request.node.evidence.end(_current(request.node), "failed")


def _current(item: ScenarioItem) -> BoundStep:
    return item.case.steps[len(item.evidence.steps)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport | None:
    """A report without a rendered traceback; the last one carries what the case came to."""
    if not isinstance(item, ScenarioItem):
        return None
    evidence = item.evidence
    evidence.seconds += call.duration
    if call.excinfo is not None:
        evidence.raised.append(call.excinfo.value)
    outcome: Literal["passed", "failed"] = "passed" if call.excinfo is None else "failed"
    when = call.when
    assert when != "collect"
    report = pytest.TestReport(item.id, item.location, {}, outcome, None, when, duration=call.duration)
    if when == "teardown":
        work = item.config.stash[WORK]
        report.ended = _ended(item, work)  # type: ignore[attr-defined]
        # Hundreds of scenarios are to come; what this one exchanged is in its line now.
        item.evidence = Evidence()
    return report


def _ended(item: ScenarioItem, work: Work) -> dict[str, Any]:
    case, evidence, settings = item.case, item.evidence, work.orders.settings
    world = evidence.world
    judgement = judge(
        case, [] if world is None else world.findings, evidence.raised, work.plan.catalogue.rules
    )
    wanted = work.orders.evidence or judgement.verdict is not Verdict.PASSED
    secrets = {*settings.secrets, *(() if world is None else world.redactions)}
    rest = [step_line(bound, "not run", 0.0) for bound in case.steps[len(evidence.steps) :]]
    return ended(
        case,
        judgement,
        secrets=secrets,
        seconds=evidence.seconds,
        steps=evidence.steps + rest,
        exchanges=world.exchanges if world is not None and wanted else (),
        tenant=world.tenant_id if world is not None and settings.keep else None,
    )


def ended(
    case: Case,
    judgement: Judgement,
    *,
    secrets: set[str] | frozenset[str] = frozenset(),
    seconds: float = 0.0,
    steps: list[dict[str, Any]] | None = None,
    exchanges: Any = (),
    tenant: str | None = None,
) -> dict[str, Any]:
    """What a case came to, as plain data: its line for the record, free of secrets, and what a roll-up needs.

    The secrets go along, for the output of a server may hold them too.
    """
    redactor = Redactor(secrets)
    text = line(
        {
            "type": "scenario",
            "id": case.id,
            "feature": case.feature,
            "feature_title": case.feature_title,
            "rule": case.rule,
            "rule_title": case.rule_title,
            "name": case.name,
            "example": dict(case.example),
            "line": case.line,
            "tags": list(case.tags),
            "era": case.era,
            "advisory": case.advisory,
            "verdict": judgement.verdict,
            "reason": None if judgement.reason is None else words(judgement.reason, redactor),
            "seconds": round(seconds, 6),
            "steps": [step_line(bound, "not run", 0.0) for bound in case.steps] if steps is None else steps,
            "findings": finding_lines(judgement.findings, redactor),
            "exchanges": exchange_lines(exchanges, redactor),
            "error": redactor.data(judgement.error),
            "tenant": tenant,
        }
    )
    others = [[found.rule, found.advisory] for found in judgement.findings if found.rule != case.rule]
    return {
        "id": case.id,
        "verdict": str(judgement.verdict),
        "others": others,
        "line": text,
        # What is told of the whole run is short: of a secret without end its beginning will do.
        "secrets": sorted({secret[:PIECE] for secret in secrets}),
    }


def not_run(case: Case, verdict: Verdict, reason: str, error: str | None = None) -> dict[str, Any]:
    """The end of a case that was never run to its end."""
    return ended(case, Judgement(verdict, reason, (), error))

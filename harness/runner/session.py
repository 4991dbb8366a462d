"""The scenarios, run through pytest: in this process or in several."""

import gc
import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from harness.collection.plugin import Orders, Part, Plan, Work, not_run, part_of
from harness.runner.workers import Workers
from harness.settings import Settings
from harness.verdicts import Verdict

INI: Final = Path(__file__).with_name("session.ini")
# What of pytest is not used costs time with every scenario, prints, or obeys files that are not ours.
BLOCKED: Final = [
    "cacheprovider",
    "debugging",
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "logging",
    "monkeypatch",
    "pastebin",
    "recwarn",
    "setuponly",
    "setupplan",
    "skipping",
    "stepwise",
    "subtests",
    "terminal",
    "threadexception",
    "unittest",
    "unraisableexception",
    "warnings",
]

# Each takes a process of its own; they wait rather than work.
WAITING_AT_ONCE: Final = 16

Done = Callable[[dict[str, Any]], None]


class Interrupted(KeyboardInterrupt):
    """The run was stopped from outside; what was recorded so far stands."""


class SessionBroke(Exception):
    """pytest itself, or one of its workers, did not do its work: our own error. Carries one sentence."""


def run_cases(plan: Plan, orders: Orders, done: Done) -> None:
    """Run every selected case once and tell `done` what it came to, in the order in which they end.

    With several workers those that must be alone run after the others, one after another. A case that did not come to
    its end is errored, never silently missing (those after the first failure, where no more was asked for, are just not
    run). Raises Interrupted, and SessionBroke when cases are left over.
    """
    waiting = {case.id: case for case in plan.selection.cases}
    failed = False

    def ended(payload: dict[str, Any]) -> None:
        nonlocal failed
        if waiting.pop(payload["id"], None) is not None:
            failed = failed or payload["verdict"] == Verdict.FAILED
            done(payload)

    problem = None
    for part, several in parts(plan, orders.settings):
        if problem is None:
            given = replace(orders, part=part)
            problem = (
                _spread(given, plan, ended, several, lambda: failed)
                if several
                else _session(given, plan, ended)
            )
    if orders.until_failed and failed and problem is None:
        return
    left = list(waiting.values())
    for case in left:
        ended(not_run(case, Verdict.ERRORED, "The scenario did not come to its end.", problem))
    if left or problem:
        raise SessionBroke(
            f"{len(left)} scenario(s) did not come to their end: {problem or 'pytest left them out'}."
        )


def parts(plan: Plan, settings: Settings) -> Iterator[tuple[Part, int]]:
    """The parts of a run, one after another, each with the number of processes it takes (0: this one)."""

    def count(part: Part) -> int:
        return len(part_of(plan.selection.cases, part, settings))

    if count("waiting"):
        # All wait at the same time: together they take as long as the longest.
        yield "waiting", min(count("waiting"), WAITING_AT_ONCE)
    if settings.workers > 1 and count("together") > 1:
        yield "together", min(settings.workers, count("together"))
        if count("alone"):
            yield "alone", 0
    elif count("all"):
        yield "all", 0


def _spread(orders: Orders, plan: Plan, done: Done, count: int, failed: Callable[[], bool]) -> str | None:
    """One part in several processes; what went wrong with one of them, in one sentence, or None."""
    cases = {case.id: case for case in part_of(plan.selection.cases, orders.part, orders.settings)}
    world = importlib.import_module(orders.world_module)

    def serve(following: Callable[[], str | None], ended: Done) -> str | None:
        world.begin_process()
        return _session(orders, plan, ended, following)

    def died(case: str, how: str) -> None:
        done(not_run(cases[case], Verdict.ERRORED, "The process that ran the scenario died.", how))

    # Once here instead of once in each worker; and what is here by now is no garbage there.
    world.prepare()
    gc.collect()
    gc.freeze()
    try:
        return Workers(count, cases, serve, done, died).run(lambda: orders.until_failed and failed())
    finally:
        gc.unfreeze()


def _session(
    orders: Orders, plan: Plan, done: Done, following: Callable[[], str | None] | None = None
) -> str | None:
    """One pytest session; what went wrong with the session itself, in one sentence, or None.

    `following` names the next case, None at the end; without it all of the part are run in their order.
    """
    work, watch = Work(orders, plan, done, following), _Watch()
    arguments = ["-c", str(INI), "--rootdir", str(INI.parent), "--noconftest", "--disable-plugin-autoload"]
    arguments += ["--assert=plain", "--capture=no", "-p", "harness.collection.plugin"]
    arguments += [part for name in BLOCKED for part in ("-p", f"no:{name}")]
    with _without_settings_of_others():
        code = pytest.main(arguments, plugins=[work, watch])
    if watch.interrupted or code == pytest.ExitCode.INTERRUPTED:
        raise Interrupted
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
        return watch.problem or f"pytest ended with {pytest.ExitCode(code).name.lower()}"
    return watch.problem


class _Watch:
    """Notes what goes wrong outside of scenarios."""

    def __init__(self) -> None:
        self.interrupted = False
        self.problem: str | None = None

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.interrupted = excinfo.errisinstance(KeyboardInterrupt)

    def pytest_internalerror(self, excrepr: object) -> bool:
        self.problem = self.problem or str(excrepr).strip()[-4000:]
        return True


@contextmanager
def _without_settings_of_others() -> Iterator[None]:
    """Options and plugins that the environment holds for other uses of pytest do not reach this one."""
    hidden = {name: value for name, value in os.environ.items() if name.startswith("PYTEST_")}
    for name in hidden:
        del os.environ[name]
    try:
        yield
    finally:
        for name in [name for name in os.environ if name.startswith("PYTEST_")]:
            del os.environ[name]
        os.environ.update(hidden)

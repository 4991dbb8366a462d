"""One case as a pytest item: its world is a fixture, its steps run in order, pytest-bdd's hooks tell of them."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from harness import clock
from harness.collection.cases import BoundStep, Case
from harness.verdicts import HarnessFault


class FeatureFile(pytest.Module):
    """A feature file as a collector. Nothing is imported: its items are given."""

    def _getobj(self) -> ModuleType:
        return ModuleType(self.name)

    def collect(self) -> Iterator[pytest.Item]:
        """Nothing: the items are made from the suite."""
        return iter(())


class Evidence:
    """What happened to one case so far: the steps that ran, what was raised, how long it took."""

    def __init__(self) -> None:
        self.world: Any = None
        self.steps: list[dict[str, Any]] = []
        self.raised: list[BaseException] = []
        self.seconds = 0.0
        self._began = 0.0

    def begin(self) -> None:
        """A step begins now."""
        self._began = clock.monotonic()

    def end(self, bound: BoundStep, status: str) -> None:
        """The step that began last has ended."""
        self.steps.append(step_line(bound, status, clock.monotonic() - self._began))


class ScenarioItem(pytest.Function):
    """A case that pytest runs."""

    case: Case
    evidence: Evidence

    @classmethod
    def of(cls, parent: FeatureFile, case: Case) -> "ScenarioItem":
        """The item of that case; its node id is the case's id."""
        item = cls.from_parent(parent, name=case.id.partition("::")[2], callobj=_needs_a_world)
        item.case, item.evidence = case, Evidence()
        return item

    def reportinfo(self) -> tuple[str, int | None, str]:
        """Where the scenario stands."""
        return self.case.path, self.case.line - 1, self.case.id

    def runtest(self) -> None:
        """Run the steps."""
        self.evidence.world = self.funcargs["world"]
        hook, case = self.ihook, self.case
        told = {"request": self._request, "feature": case.gherkin, "scenario": case.scenario}
        hook.pytest_bdd_before_scenario(**told)
        try:
            for bound in case.steps:
                self._run_step(bound, told)
        finally:
            hook.pytest_bdd_after_scenario(**told)

    def _run_step(self, bound: BoundStep, told: dict[str, Any]) -> None:
        definition, step = bound.match.definition, bound.step
        told = {**told, "step": step, "step_func": definition.function}
        arguments: dict[str, Any] = {}
        self.ihook.pytest_bdd_before_step(**told)
        try:
            values = bound.match.values()
            if "datatable" in definition.extras and step.datatable is not None:
                arguments["datatable"] = step.datatable.raw()
            if "docstring" in definition.extras:
                arguments["docstring"] = step.docstring
            self.ihook.pytest_bdd_before_step_call(**told, step_func_args=arguments)
            _call(definition.function, self.evidence.world, values, arguments)
        except BaseException as error:
            self.ihook.pytest_bdd_step_error(**told, step_func_args=arguments, exception=error)
            raise
        self.ihook.pytest_bdd_after_step(**told, step_func_args=arguments)


def step_line(bound: BoundStep, status: str, seconds: float) -> dict[str, Any]:
    """A step as it stands in the record."""
    step = bound.step
    return {
        "keyword": step.keyword,
        "text": step.name,
        "line": step.line_number,
        "status": status,
        "seconds": round(seconds, 6),
    }


def _call(function: Any, world: Any, values: list[Any], extras: dict[str, Any]) -> None:
    returned = function(world, *values, **extras)
    if returned is not None:
        # Something awaitable, or a truth that nobody looks at: the step did less than it says.
        raise HarnessFault(
            f"A step gives nothing back; {function.__qualname__} gave {type(returned).__name__}."
        )


def _needs_a_world(world: object) -> None:
    """What pytest sees of a scenario: it wants the fixture `world`."""

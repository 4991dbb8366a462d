"""Items made from a run record (docs/run-record.md): verdicts as pytest knows them."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from harness.record import RunRecord, read
from harness.verdicts import Verdict

SETTLED = (Verdict.FAILED, Verdict.NOT_TESTABLE)


class Broken(Exception):
    """What a failed item says."""


class NotAdvised(pytest.PytestWarning):
    """Advice that the server does not follow."""


class RunFile(pytest.File):
    """The record as a collector."""

    def collect(self) -> Iterator[pytest.Item]:
        """An item for each scenario run, one for each rule whose verdict none of them explains, one for the run."""
        try:
            record = read(self.path)
        except (OSError, ValueError) as error:
            raise pytest.UsageError(str(error)) from error
        accepted: Mapping[str, str] = (record.footer or {}).get("accepted", {})
        for line in record.scenarios:
            yield self._item(line["id"], line["rule"], line["verdict"], _told(line), accepted)
        for rule, verdict, told in _unexplained(record):
            yield self._item(rule, rule, verdict, told, accepted)
        problem = _problem(record)
        verdict = Verdict.PASSED if problem is None else Verdict.ERRORED
        yield self._item("the run as a whole", "", verdict, problem or "", {})

    def _item(
        self, name: str, rule: str, verdict: str, told: str, accepted: Mapping[str, str]
    ) -> "VerdictItem":
        item: VerdictItem = VerdictItem.from_parent(self, name=name)
        item.verdict, item.told, item.accepted = Verdict(verdict), told, accepted.get(rule)
        return item


class VerdictItem(pytest.Item):
    """One verdict: failed and errored fail, not testable and not applicable are skipped, warned passes and warns.

    What the baseline accepts of a rule is an expected failure, or skipped with the reason.
    """

    verdict: Verdict
    told: str
    accepted: str | None

    def runtest(self) -> None:
        """Say again what was judged."""
        told = self.told
        if self.accepted is not None and self.verdict in SETTLED:
            told = f"accepted by the baseline: {self.accepted}"
        if self.verdict is Verdict.FAILED and self.accepted is not None:
            pytest.xfail(told)
        if self.verdict in (Verdict.FAILED, Verdict.ERRORED):
            raise Broken(told)
        if self.verdict in (Verdict.NOT_TESTABLE, Verdict.NOT_APPLICABLE):
            pytest.skip(f"{self.verdict}: {told}")
        if self.verdict is Verdict.WARNED:
            self.warn(NotAdvised(told))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The finding's words instead of a traceback."""
        if isinstance(excinfo.value, Broken):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int, str]:
        """Where it stands."""
        return self.path, 0, self.name


def _told(line: Mapping[str, Any]) -> str:
    """Why a scenario is not passed: its reason, and the findings on its own rule."""
    parts = [f"{line['rule']}: {line['reason'] or line['rule_title']}"]
    parts += [_finding(found) for found in line["findings"] if found["rule"] == line["rule"]]
    parts += [line["error"]] if line["error"] else []
    return "\n".join(parts)


def _finding(found: Mapping[str, Any]) -> str:
    sides = [f"  {side}: {found[side]}" for side in ("expected", "actual") if found[side]]
    return "\n".join([f"- {found['message']}", *sides])


def _unexplained(record: RunRecord) -> Iterator[tuple[str, str, str]]:
    """Rules with the verdict that no scenario of theirs has: seen broken elsewhere, or judged by none."""
    own = {(line["rule"], line["verdict"]) for line in record.scenarios}
    statements = {rule["id"]: rule["statement"] for rule in record.header["rules"]}
    for rule, came in (record.footer or {"rules": {}})["rules"].items():
        verdict = came["verdict"]
        if verdict == Verdict.PASSED or (rule, verdict) in own:
            continue
        seen = [
            f"{_finding(found)}\n  in {line['id']}"
            for line in record.scenarios
            for found in line["findings"]
            if found["rule"] == rule
        ]
        yield rule, verdict, "\n".join([f"{rule}: {statements.get(rule, '')}", *seen[:3]])


def _problem(record: RunRecord) -> str | None:
    """What is wrong with the run itself; None where its items tell everything."""
    if record.footer is None:
        return "The run was cut off: its record has no end."
    complaint: str | None = record.footer["complaint"]
    return complaint if record.footer["exit_code"] else None

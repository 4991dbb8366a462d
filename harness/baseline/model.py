"""One entry of a baseline."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from harness.verdicts import Verdict


class Accept(StrEnum):
    """What an entry accepts of a rule: that it is broken, or that it is not tested."""

    FAILING = "failing"
    UNTESTED = "untested"

    @property
    def verdict(self) -> Verdict:
        """The verdict that is accepted."""
        return Verdict.FAILED if self is Accept.FAILING else Verdict.NOT_TESTABLE


@dataclass(frozen=True)
class Entry:
    """What is accepted of a rule, in all its scenarios or in one, why, and until which day (that day included).

    `line` is where the entry stands in its file, 0 where it stands in none yet.
    """

    rule: str
    accept: Accept
    reason: str
    scenario: str | None = None
    expires: date | None = None
    line: int = 0

    @property
    def identity(self) -> tuple[str, str | None, Accept]:
        """What a baseline may hold once only."""
        return self.rule, self.scenario, self.accept

    def accepts(self, rule: str, scenario: str, verdict: Verdict) -> bool:
        """Whether this entry accepts that verdict of a scenario on that rule."""
        return self.rule == rule and self.accept.verdict is verdict and self.scenario in (None, scenario)

    def to_yaml(self) -> dict[str, Any]:
        """The entry as it stands in a file."""
        data: dict[str, Any] = {"rule": self.rule}
        if self.scenario is not None:
            data["scenario"] = self.scenario
        data |= {"accept": str(self.accept), "reason": self.reason}
        return data if self.expires is None else {**data, "expires": self.expires}

    def __str__(self) -> str:
        what = f"{self.rule} ({self.accept})"
        return what if self.scenario is None else f"{what} in {self.scenario!r}"

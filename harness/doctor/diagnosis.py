"""What the doctor found, as data."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from harness.collection.cases import Case


class State(StrEnum):
    """How a sign looks: as wanted, worth knowing, in the way of judging, or not looked at."""

    GOOD = "good"
    NOTE = "note"
    BAD = "bad"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Sign:
    """One thing that was looked at.

    `said` is what was seen, `advice` what to do about it (empty where there is nothing to do), `rules` are those that
    cannot be tested, or not be kept, while it is so. `fatal` is true where judging makes no sense at all.
    """

    name: str
    state: State
    said: str
    advice: str = ""
    rules: tuple[str, ...] = ()
    fatal: bool = False

    def to_json(self) -> dict[str, Any]:
        """The sign as it is told to programs."""
        return {name: value for name, value in asdict(self).items() if name != "fatal"}


@dataclass(frozen=True)
class Diagnosis:
    """All signs of one server, and the rules that a run would ask for."""

    url: str
    signs: tuple[Sign, ...]
    asked: tuple[str, ...]

    @property
    def makes_sense(self) -> bool:
        """Whether there is something to judge."""
        return not any(sign.fatal for sign in self.signs)

    @property
    def in_doubt(self) -> dict[str, str]:
        """The rules that cannot be tested, or not be kept, as things are; each with the name of the first sign for it."""
        found: dict[str, str] = {}
        for sign in self.signs:
            for rule in sign.rules:
                found.setdefault(rule, sign.name)
        return {rule: found[rule] for rule in self.asked if rule in found}

    @property
    def testable(self) -> tuple[str, ...]:
        """The rules in whose way nothing was seen; none where judging makes no sense."""
        in_doubt = self.in_doubt
        return tuple(rule for rule in self.asked if rule not in in_doubt) if self.makes_sense else ()

    def to_json(self) -> dict[str, Any]:
        """The diagnosis as it is told to programs."""
        return {
            "url": self.url,
            "makes_sense": self.makes_sense,
            "signs": [sign.to_json() for sign in self.signs],
            "testable": list(self.testable),
            "in_doubt": self.in_doubt,
        }


@dataclass(frozen=True)
class Suite:
    """The cases a run would judge by: which rules hang on what."""

    cases: tuple[Case, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that has a scenario."""
        return self._of(self.cases)

    def with_steps(
        self, *texts: str, beside: str | None = None, naming: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """The rules with a scenario that takes one of these steps.

        Where given, it takes the step `beside` as well, and says one of the words of `naming`.
        """
        names = set(naming)
        return self._of(
            case
            for case in self.cases
            if (taken := {bound.match.definition.text for bound in case.steps}) & {*texts}
            and (beside is None or beside in taken)
            and (not names or names & _words(case))
        )

    def naming(self, names: Iterable[str]) -> tuple[str, ...]:
        """The rules with a scenario that speaks of one of these by name."""
        wanted = set(names)
        return self._of(case for case in self.cases if wanted & _words(case))

    def in_era(self, era: str) -> tuple[str, ...]:
        """The rules that are judged in an era."""
        return self._of(case for case in self.cases if case.era == era)

    def table_of(self, text: str) -> tuple[str, ...]:
        """What stands in the first column of the table below a step."""
        return tuple(
            dict.fromkeys(
                str(row[0])
                for case in self.cases
                for bound in case.steps
                if bound.match.definition.text == text and bound.step.datatable is not None
                for row in bound.step.datatable.raw()
            )
        )

    def _of(self, cases: Iterable[Case]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(case.rule for case in cases))


def _words(case: Case) -> set[str]:
    return {word for bound in case.steps for word in bound.step.name.split()}

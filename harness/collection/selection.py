"""What of a suite is asked for: eras, rules, scenarios, product."""

from collections.abc import Iterable
from dataclasses import dataclass

from harness.catalogue import Catalogue
from harness.collection.cases import Case, Suite
from harness.settings import Settings


class NothingSelected(Exception):
    """The filters leave nothing to run; one sentence says which one and why."""


@dataclass(frozen=True)
class Selection:
    """The cases to run, those left out because they are about another product, and the eras asked of each rule."""

    cases: tuple[Case, ...]
    not_applicable: tuple[Case, ...]
    asked: dict[str, tuple[str, ...]]


def select(suite: Suite, settings: Settings, catalogue: Catalogue) -> Selection:
    """The part of the suite that the settings ask for.

    Asked is every rule that has a scenario here, and every rule named outright; each in every era that is asked for
    and that the catalogue gives it, so that an era no scenario covers shows as not testable. With a filter on
    scenarios a rule is asked in the eras of what is left of it. Raises NothingSelected.
    """
    rules = _rules(settings.rules, catalogue)
    cases = [case for case in suite.cases if case.era in settings.eras]
    if rules is not None:
        cases = [case for case in cases if case.rule in rules]
    for wanted in settings.scenarios:
        if not any(wanted.lower() in case.id.lower() for case in cases):
            raise NothingSelected(f"No scenario{_among(settings)} has {wanted!r} in its id.")
    if settings.scenarios:
        wanted_parts = [part.lower() for part in settings.scenarios]
        cases = [case for case in cases if any(part in case.id.lower() for part in wanted_parts)]
    if not cases:
        raise NothingSelected(f"No scenario{_among(settings)} judges anything that was asked for.")
    named = [rule for rule in settings.rules if rule in catalogue.rules]
    asked = {
        rule: tuple(
            era
            for era in catalogue.rules[rule].eras
            if era in settings.eras
            and (not settings.scenarios or any(case.rule == rule and case.era == era for case in cases))
        )
        for rule in catalogue.rules
        if rule in {case.rule for case in cases} or (rule in named and not settings.scenarios)
    }
    here = {case.id for case in cases if case.products is None or settings.product in case.products}
    return Selection(
        cases=tuple(case for case in cases if case.id in here),
        not_applicable=tuple(case for case in cases if case.id not in here),
        asked={rule: asked_eras for rule, asked_eras in asked.items() if asked_eras},
    )


def _rules(wanted: Iterable[str], catalogue: Catalogue) -> set[str] | None:
    """The ids of the named rules, or of those below a named prefix; None where none is named."""
    chosen: set[str] | None = None
    for name in wanted:
        found = {
            rule for rule in catalogue.rules if rule == name or rule.startswith(f"{name.removesuffix('-')}-")
        }
        if not found:
            raise NothingSelected(
                f"The catalogue knows no rule {name!r}, nor a group of rules that starts so."
            )
        chosen = found if chosen is None else chosen | found
    return chosen


def _among(settings: Settings) -> str:
    parts = [f"of {' and '.join(settings.eras)}"]
    if settings.rules:
        parts.append(f"below {', '.join(settings.rules)}")
    return " " + " ".join(parts)

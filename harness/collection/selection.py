"""What of a suite is asked for: eras, rules, scenarios, tags, a shard, product."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.catalogue import Catalogue
from harness.collection.cases import Case, Suite
from harness.collection.tags import READ_ONLY_TAG
from harness.settings import Settings


class NothingSelected(Exception):
    """The filters leave nothing to run; one sentence says which one and why."""


@dataclass(frozen=True)
class Selection:
    """The cases to run in their order, those left out because they are about another product, the eras asked of each rule."""

    cases: tuple[Case, ...]
    not_applicable: tuple[Case, ...]
    asked: dict[str, tuple[str, ...]]


def select(suite: Suite, settings: Settings, catalogue: Catalogue) -> Selection:
    """The part of the suite that the settings ask for.

    Asked is every rule that has a scenario here, and every rule named outright; each in every era that is asked for
    and that the catalogue gives it, so that an era no scenario covers shows as not testable. With a filter on
    scenarios or tags a rule is asked in the eras of what is left of it. A shard is a part of all that: what no
    scenario covers is asked in the first. Raises NothingSelected.
    """
    rules = rules_named(settings.rules, catalogue)
    cases = [case for case in suite.cases if case.era in settings.eras]
    if rules is not None:
        cases = [case for case in cases if case.rule in rules]
    for wanted in settings.scenarios:
        if not any(wanted.lower() in case.id.lower() for case in cases):
            raise NothingSelected(f"No scenario{_among(settings)} has {wanted!r} in its id.")
    if settings.scenarios:
        wanted_parts = [part.lower() for part in settings.scenarios]
        cases = [case for case in cases if any(part in case.id.lower() for part in wanted_parts)]
    cases = _tagged(cases, settings, suite)
    if not cases:
        raise NothingSelected(f"No scenario{_among(settings)} judges anything that was asked for.")
    asked = _asked(cases, settings, catalogue)
    if settings.shard is not None:
        whole, cases = cases, _shard(cases, *settings.shard)
        asked = _asked_of_shard(asked, whole, cases, first=settings.shard[0] == 1)
    here = {case.id for case in cases if case.products is None or settings.product in case.products}
    return Selection(
        cases=tuple(_in_order((case for case in cases if case.id in here), settings.shuffled)),
        not_applicable=tuple(case for case in cases if case.id not in here),
        asked={rule: asked_eras for rule, asked_eras in asked.items() if asked_eras},
    )


def _in_order(cases: Iterable[Case], shuffled: int | None) -> Iterable[Case]:
    """As they come, or by a digest: a case keeps its place among the others, whatever filters leave of them."""
    if shuffled is None:
        return cases
    return sorted(cases, key=lambda case: hashlib.sha256(f"{shuffled} {case.id}".encode()).digest())


def _asked(cases: Sequence[Case], settings: Settings, catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    narrowed = bool(settings.scenarios or settings.tags or settings.not_tags or settings.read_only)
    covered = {(case.rule, case.era) for case in cases}
    rules = {case.rule for case in cases} | ({*settings.rules} if not narrowed else set())
    return {
        rule: tuple(
            era
            for era in catalogue.rules[rule].eras
            if era in settings.eras and (not narrowed or (rule, era) in covered)
        )
        for rule in catalogue.rules
        if rule in rules
    }


def _tagged(cases: list[Case], settings: Settings, suite: Suite) -> list[Case]:
    tags, not_tags = _names(settings.tags), _names(settings.not_tags)
    known = {tag for case in suite.cases for tag in case.tags}
    for tag in (*tags, *not_tags):
        if tag not in known:
            raise NothingSelected(f"No scenario of these features carries the tag @{tag}.")
    if settings.read_only:
        cases = [case for case in cases if READ_ONLY_TAG in case.tags]
        if not cases:
            raise NothingSelected(
                f"No scenario{_among(settings)} can do without the mock: none carries the tag @{READ_ONLY_TAG}."
            )
    return [
        case
        for case in cases
        if (not tags or any(tag in case.tags for tag in tags))
        and not any(tag in case.tags for tag in not_tags)
    ]


def _names(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(tag.removeprefix("@") for tag in tags)


def _shard(cases: Sequence[Case], number: int, of: int) -> list[Case]:
    """The cases of one part: dealt out by a digest of their ids, so that the parts are even and each case is in one."""
    dealt = sorted(cases, key=lambda case: hashlib.sha256(case.id.encode()).digest())
    here = {case.id for case in dealt[number - 1 :: of]}
    if not here:
        raise NothingSelected(
            f"The shard {number}/{of} is empty: {len(cases)} scenario run(s) are asked for; take fewer shards."
        )
    return [case for case in cases if case.id in here]


def _asked_of_shard(
    asked: dict[str, tuple[str, ...]], whole: Sequence[Case], part: Sequence[Case], *, first: bool
) -> dict[str, tuple[str, ...]]:
    covered = {(case.rule, case.era) for case in whole}
    here = {(case.rule, case.era) for case in part}
    return {
        rule: tuple(era for era in eras if (rule, era) in here or (first and (rule, era) not in covered))
        for rule, eras in asked.items()
    }


def rules_named(wanted: Iterable[str], catalogue: Catalogue) -> set[str] | None:
    """The ids of the named rules, or of those below a named prefix; None where none is named. Raises NothingSelected."""
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

"""What is left of a run's verdicts once the baseline has accepted its part, and what is wrong with the baseline."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from harness.baseline.model import Accept, Entry
from harness.record import Outcome, RuleVerdict, roll_up
from harness.verdicts import Verdict

KEPT: Final = (Verdict.PASSED, Verdict.WARNED, Verdict.NOT_APPLICABLE)
UNSETTLED: Final = (Verdict.FAILED, Verdict.NOT_TESTABLE)


@dataclass(frozen=True)
class Asked:
    """What a run was about.

    `rules` are all catalogued ones, `scenarios` all of the loaded features (id and rule), `eras` those asked of each
    rule. Findings on `travelling` rules are made in scenarios of any rule.
    """

    rules: Collection[str]
    scenarios: Mapping[str, str]
    eras: Mapping[str, tuple[str, ...]]
    travelling: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Ruling:
    """What counts for the exit code: the verdict left of every rule.

    `accepted` names rules the baseline settles, with the reasons; `complaints` says what is wrong with the baseline,
    a sentence each; `additions` are the entries, still without a reason, that would settle the rest.
    """

    left: Mapping[str, Verdict]
    accepted: Mapping[str, str]
    complaints: tuple[str, ...]
    additions: tuple[Entry, ...]


def rule_on(
    entries: Sequence[Entry],
    outcomes: Sequence[Outcome],
    rules: Mapping[str, RuleVerdict],
    asked: Asked,
    today: date,
) -> Ruling:
    """Lay the baseline's entries on what the scenarios came to; `rules` are the verdicts without it.

    An entry that is expired or names what does not exist accepts nothing.
    """
    complaints = {entry: told for entry in entries if (told := _unusable(entry, asked, today)) is not None}
    good = [entry for entry in entries if entry not in complaints]
    used: set[Entry] = set()
    settled = [_settled(outcome, good, used) for outcome in outcomes]
    judged = {(outcome.rule, outcome.era) for outcome in outcomes}
    eras = {rule: _eras_left(rule, asked.eras[rule], judged, good, used) for rule in asked.eras}
    rolled = roll_up(settled, {rule: left for rule, left in eras.items() if left})
    left = {rule: rolled[rule].verdict if rule in rolled else Verdict.PASSED for rule in rules}
    for entry in good:
        if entry not in used and _stale(entry, outcomes, rules, asked):
            complaints[entry] = (
                f"The baseline accepts {entry} (line {entry.line}), but it is kept now: take the entry out."
            )
    return Ruling(
        left=left,
        accepted={
            rule: "; ".join(
                dict.fromkeys(entry.reason for entry in good if entry in used and entry.rule == rule)
            )
            for rule, verdict in rules.items()
            if verdict.verdict in UNSETTLED and left[rule] in KEPT
        },
        complaints=tuple(complaints[entry] for entry in entries if entry in complaints),
        additions=tuple(new for new in _additions(settled, eras, asked) if not _covered(new, entries)),
    )


def _covered(new: Entry, entries: Iterable[Entry]) -> bool:
    # What an expired entry covers is there already: its author decides anew, not we.
    return any(entry.accepts(new.rule, new.scenario or "", new.accept.verdict) for entry in entries)


def _unusable(entry: Entry, asked: Asked, today: date) -> str | None:
    where = f"the baseline's entry for {entry} (line {entry.line})"
    if entry.rule not in asked.rules:
        return f"{_sentence(where)} names a rule that the catalogue does not know: mend it or take it out."
    if entry.scenario is not None and entry.scenario not in asked.scenarios:
        return f"{_sentence(where)} names a scenario that the features do not hold: mend it or take it out."
    if entry.expires is not None and entry.expires < today:
        return f"{_sentence(where)} expired on {entry.expires}: settle it, or decide anew until when."
    return None


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _settled(outcome: Outcome, entries: Iterable[Entry], used: set[Entry]) -> Outcome:
    """The outcome without what entries accept of it; they are noted in `used`."""
    own = [entry for entry in entries if entry.accepts(outcome.rule, outcome.id, outcome.verdict)]
    others = []
    for rule, advisory in outcome.others:
        fitting = [] if advisory else [e for e in entries if e.accepts(rule, outcome.id, Verdict.FAILED)]
        used.update(fitting)
        if not fitting:
            others.append((rule, advisory))
    used.update(own)
    return replace(outcome, verdict=Verdict.PASSED if own else outcome.verdict, others=tuple(others))


def _eras_left(
    rule: str,
    eras: tuple[str, ...],
    judged: Collection[tuple[str, str]],
    entries: Iterable[Entry],
    used: set[Entry],
) -> tuple[str, ...]:
    """The eras in which a rule is still asked: not where no scenario judges it and that is accepted."""
    fitting = [e for e in entries if e.rule == rule and e.scenario is None and e.accept is Accept.UNTESTED]
    bare = [era for era in eras if (rule, era) not in judged]
    if not fitting or not bare:
        return eras
    used.update(fitting)
    return tuple(era for era in eras if era not in bare)


def _stale(entry: Entry, outcomes: Sequence[Outcome], rules: Mapping[str, RuleVerdict], asked: Asked) -> bool:
    """Whether what the entry accepts was looked for and is no more. A run that left part of it out cannot tell."""
    verdicts = {outcome.id: outcome.verdict for outcome in outcomes}
    if entry.scenario is not None:
        return verdicts.get(entry.scenario) in KEPT
    everywhere = entry.rule in asked.travelling
    whole = [name for name, rule in asked.scenarios.items() if everywhere or rule == entry.rule]
    return entry.rule in rules and rules[entry.rule].verdict in KEPT and verdicts.keys() >= set(whole)


def _additions(
    settled: Sequence[Outcome], eras: Mapping[str, tuple[str, ...]], asked: Asked
) -> Iterable[Entry]:
    """Entries for what is not settled: one for a rule all of whose scenarios came to it, else one a scenario."""
    ran = {outcome.id for outcome in settled}
    judged = {(outcome.rule, outcome.era) for outcome in settled}
    abroad = {rule for outcome in settled for rule, advisory in outcome.others if not advisory}
    for rule in asked.rules:
        own = [outcome for outcome in settled if outcome.rule == rule]
        complete = all(name in ran for name, judging in asked.scenarios.items() if judging == rule)
        for accept in Accept:
            found = [outcome for outcome in own if outcome.verdict is accept.verdict]
            bare = accept is Accept.UNTESTED and any((rule, era) not in judged for era in eras.get(rule, ()))
            seen_abroad = accept is Accept.FAILING and rule in abroad
            if bare or seen_abroad or (found and complete and len(found) == len(own)):
                yield Entry(rule, accept, "")
            else:
                yield from (Entry(rule, accept, "", outcome.id) for outcome in found)

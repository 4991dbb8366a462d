"""Which mutants are told apart by what was found of them: two with the same findings show one thing, and count once."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

# What differs between two runs of one and the same server: where it listens, ids and secrets, the time of day.
_BY_CHANCE: Final = re.compile(
    r"https?://[\w.\[\]-]+(?::\d+)?(?:/mutants/\w+(?:/\d+)?)?"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|(?:T|\b)\d{2}:\d{2}:\d{2}(?:\.\d+)?Z?"
    r"|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}"
    r"|\d{10,}"
)


def seen_in(told: Mapping[str, Any]) -> frozenset[str]:
    """What a scenario's line of the record says was wrong, each a line, without what is there by chance."""
    scenario, verdict = told["id"], told["verdict"]
    findings = [
        [each[part] for part in ("rule", "message", "expected", "actual")] for each in told["findings"]
    ]
    reasons = [[verdict, told["reason"]]] if not findings and told["reason"] else []
    return frozenset(f"{scenario}: {_without_chance(each)}" for each in (*findings, *reasons))


def _without_chance(parts: Sequence[object]) -> str:
    return _BY_CHANCE.sub("#", " · ".join(str(part) for part in parts))


def first_alike(seen: Iterable[tuple[str, Hashable]]) -> dict[str, str]:
    """For each name the first one of which the same was seen: itself where it is the first."""
    firsts: dict[Hashable, str] = {}
    return {name: firsts.setdefault(what, name) for name, what in seen}

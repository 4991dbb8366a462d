"""What the tags of features, rules, scenarios and examples mean."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_bdd.gherkin_parser import Tag

from harness.exchanges import ERAS

RULE_ID = re.compile(r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-\d+")
ERA_TAGS: Mapping[str, str] = {f"era-{era}": era for era in ERAS}
PRODUCT_TAG = re.compile(r"product-([a-z0-9_]+)")
READ_ONLY_TAG = "read-only"
"""On scenarios that need no control over a tenant, only read, and accuse no server for what a token may not do."""
PLAIN_TAGS = frozenset({"advisory", "slow", "alone", READ_ONLY_TAG})


@dataclass(frozen=True)
class Level:
    """The tags of one level, without their @, and where the first stands."""

    tags: tuple[str, ...]
    line: int

    @classmethod
    def of(cls, tags: Sequence[Tag], line: int) -> "Level":
        """The level of these tags; `line` is that of the keyword below them."""
        return cls(tuple(tag.name.removeprefix("@") for tag in tags), tags[0].location.line if tags else line)

    @property
    def rule_ids(self) -> tuple[str, ...]:
        """The tags that look like ids of rules."""
        return tuple(tag for tag in self.tags if RULE_ID.fullmatch(tag))

    @property
    def unknown(self) -> tuple[str, ...]:
        """The tags that mean nothing."""
        return tuple(
            tag
            for tag in self.tags
            if tag not in PLAIN_TAGS
            and tag not in ERA_TAGS
            and not PRODUCT_TAG.fullmatch(tag)
            and not RULE_ID.fullmatch(tag)
        )


def eras(levels: Iterable[Level]) -> tuple[str, ...]:
    """The eras that the tags of all levels leave: each level may narrow, none widens."""
    left: tuple[str, ...] = ERAS
    for level in levels:
        named = {ERA_TAGS[tag] for tag in level.tags if tag in ERA_TAGS}
        if named:
            left = tuple(era for era in left if era in named)
    return left


def products(levels: Iterable[Level]) -> frozenset[str] | None:
    """The products that the tags leave; None for every product."""
    left: frozenset[str] | None = None
    for level in levels:
        named = frozenset(found[1] for tag in level.tags if (found := PRODUCT_TAG.fullmatch(tag)))
        if named:
            left = named if left is None else left & named
    return left

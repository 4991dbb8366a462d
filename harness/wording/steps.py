"""Steps: what is wrong with their text, and with the order of Given, When and Then."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

# Editors turn these into a regular expression, and Cucumber Expressions give them a meaning of their own.
FORBIDDEN = "().*|\\"

# What stands in quotation marks is a value, and no part of the sentence.
_QUOTED = re.compile(r'"[^"]*"')

_GIVEN, _WHEN, _THEN, _AND = "Context", "Action", "Outcome", "Conjunction"


def faults(steps: Sequence[dict[str, Any]], acted: bool) -> Iterator[tuple[int, str]]:
    """(line, what is wrong) for the `steps` of one Background or Scenario.

    `steps` are those of the parser's tree. `acted` is true where a Background before them already has a When
    or a Then. When after Then is allowed, for a story may go on; Given after them is not.
    """
    begun = False
    for step in steps:
        line, kind, text = step["location"]["line"], step["keywordType"], step["text"]
        keyword = step["keyword"].strip()
        found = [mark for mark in FORBIDDEN if mark in _QUOTED.sub("", text)]
        if found:
            yield line, f"step text holds {' '.join(found)}: put it into a table, an example or a doc string"
        if kind == _AND and not begun:
            yield line, f"{keyword} continues nothing: begin with Given, When or Then"
        elif kind == _GIVEN and acted:
            yield line, f"{keyword} after a When or Then: what is given comes first"
        elif kind not in (_GIVEN, _WHEN, _THEN, _AND):
            yield line, f"{keyword} says neither Given, When nor Then"
        begun = True
        acted = acted or kind in (_WHEN, _THEN)


def acts(steps: Sequence[dict[str, Any]]) -> bool:
    """Whether a When or a Then is among the steps."""
    return any(step["keywordType"] in (_WHEN, _THEN) for step in steps)


def asserts(steps: Sequence[dict[str, Any]]) -> bool:
    """Whether a Then is among the steps."""
    return any(step["keywordType"] == _THEN for step in steps)

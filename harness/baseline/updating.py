"""Entries added to a baseline file; what somebody wrote there stays as it is, comments included."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import yaml

from harness.baseline.model import Entry
from harness.baseline.reading import text_of
from harness.runner.refusal import CannotRun

HEAD: Final = "# What is accepted for now. Each entry needs a reason; `expires` (a day) is a good idea.\n"
WIDTH: Final = 1000


def add(path: Path, entries: Sequence[Entry]) -> None:
    """Write the entries at the end of the file, which is made where there is none. Raises CannotRun."""
    text = with_entries(text_of(path) if path.exists() else HEAD, entries)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotRun(f"The baseline cannot be written to {path}: {error.strerror}.") from error


def with_entries(text: str, entries: Sequence[Entry]) -> str:
    """The text of a baseline with these entries at its end. A list that is not written line by line is written anew."""
    if not entries:
        return text
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    added = [entry.to_yaml() for entry in entries]
    if isinstance(node, yaml.SequenceNode) and (node.flow_style or not node.value):
        return HEAD + _listed([*yaml.safe_load(text), *added])
    indent = " " * (0 if node is None else node.start_mark.column)
    lines = [f"{indent}{line}\n" for line in _listed(added).splitlines()]
    return f"{text.rstrip()}\n{''.join(lines)}"


def _listed(entries: Sequence[object]) -> str:
    return yaml.safe_dump(list(entries), sort_keys=False, allow_unicode=True, width=WIDTH)

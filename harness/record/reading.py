"""The record read back, for those who compare runs."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class RunRecord:
    """A run as it was recorded. `footer` is None when the run was cut off."""

    header: dict[str, Any]
    scenarios: tuple[dict[str, Any], ...]
    footer: dict[str, Any] | None


def read(path: Path) -> RunRecord:
    """Read a record. Raises OSError when it cannot be read and ValueError, naming the line, when it is none.

    A last line that was cut off in the middle is left out.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    complete, rest = lines[:-1], lines[-1]
    data = [_object(path, number, text) for number, text in enumerate(complete, 1)]
    if not data or data[0].get("type") != "header":
        raise ValueError(f"{path}:1: this is no run record: its first line is not a header.")
    last = data[-1] if data[-1].get("type") == "footer" and not rest else None
    scenarios = data[1:-1] if last else data[1:]
    for number, scenario in enumerate(scenarios, 2):
        if scenario.get("type") != "scenario":
            raise ValueError(f"{path}:{number}: a scenario was expected here.")
    return RunRecord(data[0], tuple(scenarios), last)


def _object(path: Path, number: int, text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{path}:{number}: the line is not JSON.") from error
    if not isinstance(data, dict):
        raise ValueError(f"{path}:{number}: the line is no JSON object.")
    return data

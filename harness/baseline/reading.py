"""A baseline file, read strictly: whatever would accept more than somebody meant is refused."""

from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

import yaml

from harness.baseline.model import Accept, Entry
from harness.runner.refusal import CannotRun

KEYS: Final = ("rule", "scenario", "accept", "reason", "expires")
LIMIT: Final = 4 * 1024 * 1024


def read(path: Path, *, unfinished: bool = False) -> tuple[Entry, ...]:
    """The entries of the file, in their order.

    `unfinished` lets entries stand whose reason is still empty, as they are when a baseline is being written. Raises
    CannotRun, naming file and line, for anything that is no such list.
    """
    text = text_of(path)
    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = 1 if mark is None else mark.line + 1
        raise CannotRun(f"{path}:{line}: this is no YAML: {getattr(error, 'problem', error)}.") from error
    if document is None:
        return ()
    if not isinstance(document, yaml.SequenceNode) or not isinstance(data, list):
        raise CannotRun(f"{path}:1: a baseline is a list of entries, each with rule, accept and reason.")
    entries: dict[tuple[str, str | None, Accept], Entry] = {}
    for node, value in zip(document.value, data, strict=True):
        where = f"{path}:{node.start_mark.line + 1}"
        entry = _entry(where, node.start_mark.line + 1, node, value)
        if not entry.reason and not unfinished:
            raise CannotRun(
                f"{where}: the entry for {entry} has no reason; write down why this is accepted, or take it out."
            )
        if entry.identity in entries:
            raise CannotRun(
                f"{where}: the entry for {entry} stands in line {entries[entry.identity].line} already; keep one."
            )
        entries[entry.identity] = entry
    return tuple(entries.values())


def text_of(path: Path) -> str:
    """The text of the file. Raises CannotRun where there is none that can be read."""
    try:
        raw = path.read_bytes()
        if len(raw) > LIMIT:
            raise CannotRun(f"The baseline {path} is larger than {LIMIT // 1024**2} MB.")
        return raw.decode("utf-8")
    except FileNotFoundError as error:
        raise CannotRun(f"There is no baseline {path}; --update-baseline writes one.") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise CannotRun(f"The baseline {path} cannot be read: {reason}.") from error


def _entry(where: str, line: int, node: yaml.Node, value: Any) -> Entry:
    if not isinstance(node, yaml.MappingNode) or not isinstance(value, dict):
        raise CannotRun(f"{where}: an entry has the keys rule, accept and reason; this one is {value!r}.")
    keys = [key.value for key, _ in node.value]
    for key in keys:
        if key not in KEYS:
            raise CannotRun(f"{where}: an entry has no key {key!r}; it may have {', '.join(KEYS)}.")
        if keys.count(key) > 1:
            raise CannotRun(f"{where}: the key {key} stands twice in this entry.")
    for key in ("rule", "accept", "reason"):
        if not isinstance(value.get(key), str):
            raise CannotRun(f"{where}: the entry needs a text for {key}.")
    scenario = value.get("scenario")
    if scenario is not None and not isinstance(scenario, str):
        raise CannotRun(f"{where}: scenario is the id of one as the record has it, a text.")
    if value["accept"] not in (*Accept,):
        raise CannotRun(f"{where}: accept is failing or untested, not {value['accept']!r}.")
    return Entry(
        rule=value["rule"].strip(),
        accept=Accept(value["accept"]),
        reason=value["reason"].strip(),
        scenario=scenario,
        expires=_day(where, value.get("expires")),
        line=line,
    )


def _day(where: str, value: Any) -> date | None:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise CannotRun(f"{where}: expires is a day such as 2027-01-31, not {value!r}.") from None

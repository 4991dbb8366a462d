"""Options of `run` from a file: `kadu-conformance.toml`, or `[tool.kadu-conformance]` of a pyproject.toml.

Keys are the names of the options; what the command line says stands over them.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from types import UnionType
from typing import Any, Final, get_args, get_origin

import typer
from typer.models import OptionInfo

from harness.runner.refusal import CannotRun

OWN: Final = Path("kadu-conformance.toml")
SHARED: Final = Path("pyproject.toml")
TABLE: Final = "kadu-conformance"
KINDS: Final = {
    str: "a text",
    Path: "a path",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
# A file is committed and read by many: what may be a secret comes from the environment or from a file of its own.
ELSEWHERE: Final = {
    "header": "its values may be secrets: name an environment variable with header-env instead",
    "config": "a file of options names no other",
}


@dataclass(frozen=True)
class Option:
    """What a key may hold: the parameter it stands for, its kind, whether it is a list, its bounds."""

    parameter: str
    kind: type
    many: bool
    lowest: float | None
    highest: float | None


def settle(context: typer.Context, given: Path | None) -> Path | None:
    """Make the values of the file the defaults of this command. Raises CannotRun, naming file and key."""
    found = _table(given)
    if found is None:
        return None
    path, table = found
    command = context.command.callback
    assert command is not None
    context.default_map = values(path, table, options_of(command))
    return path


def options_of(command: Callable[..., Any]) -> dict[str, Option]:
    """The options of a command by their names in a file: those of the command line without the leading dashes."""
    options = {}
    for name, parameter in signature(command).parameters.items():
        annotated = get_args(parameter.annotation)
        info = next((part for part in annotated if isinstance(part, OptionInfo)), None)
        if info is None:
            continue
        kind, many = _kind(annotated[0])
        options[name.strip("_").replace("_", "-")] = Option(name, kind, many, info.min, info.max)
    return options


def values(path: Path, table: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
    """The table as values of parameters, relative paths taken from where the file stands. Raises CannotRun."""
    taken = {}
    for key, value in table.items():
        if key in ELSEWHERE:
            raise CannotRun(f"{path}: {key} does not belong here: {ELSEWHERE[key]}.")
        option = options.get(key)
        if option is None:
            known = ", ".join(sorted(options.keys() - ELSEWHERE.keys()))
            raise CannotRun(f"{path}: there is no option {key!r}; known: {known}.")
        taken[option.parameter] = _value(path, key, value, option)
    return taken


def _kind(annotation: Any) -> tuple[type, bool]:
    if isinstance(annotation, UnionType):
        annotation = next(part for part in get_args(annotation) if part is not type(None))
    if get_origin(annotation) is list:
        return get_args(annotation)[0], True
    return annotation, False


def _value(path: Path, key: str, value: Any, option: Option) -> Any:
    if option.many:
        listed = value if isinstance(value, list) else [value]
        return [_one(path, key, one, option) for one in listed]
    return _one(path, key, value, option)


def _one(path: Path, key: str, value: Any, option: Option) -> Any:
    wanted = {Path: (str,), float: (int, float)}.get(option.kind, (option.kind,))
    # In Python true is a number; in a file it is none.
    if type(value) not in wanted:
        more = ", or a list of such" if option.many else ""
        raise CannotRun(f"{path}: {key} is {KINDS[option.kind]}{more}, not {value!r}.")
    if option.lowest is not None and not value >= option.lowest:
        raise CannotRun(f"{path}: {key} is at least {option.lowest:g}, not {value!r}.")
    if option.highest is not None and not value <= option.highest:
        raise CannotRun(f"{path}: {key} is at most {option.highest:g}, not {value!r}.")
    return str(path.parent / value) if option.kind is Path else value


def _table(given: Path | None) -> tuple[Path, dict[str, Any]] | None:
    """The file that holds, and the options it holds; None where there is none."""
    if given is not None:
        return given, _named(given)
    own = (OWN, _read(OWN)) if OWN.exists() else None
    shared = _shared(SHARED, _read(SHARED)) if SHARED.exists() else None
    if own is not None and shared is not None:
        raise CannotRun(f"Both {OWN} and {SHARED} hold options; keep one of them, or name one with --config.")
    return own if shared is None else (SHARED, shared)


def _named(path: Path) -> dict[str, Any]:
    data = _read(path)
    if path.name != SHARED.name:
        return data
    table = _shared(path, data)
    if table is None:
        raise CannotRun(f"{path}: there is no table [tool.{TABLE}].")
    return table


def _shared(path: Path, data: dict[str, Any]) -> dict[str, Any] | None:
    tool = data.get("tool")
    table = tool.get(TABLE) if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise CannotRun(f"{path}: tool.{TABLE} is a table of options, not {table!r}.")
    return table


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise CannotRun(f"{path}: this is no TOML: {error}.") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise CannotRun(f"The file of options {path} cannot be read: {reason}.") from error

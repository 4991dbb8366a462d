"""`report`: the reports of a recorded run again, or of several records made one."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.runner.refusal import CannotRun
from harness.verdicts import ExitCode

if TYPE_CHECKING:
    from reports.merge import Source
    from reports.record import Run

MERGED: Final = "merged.ndjson"
MERGE: Final = "merge"


def report(records: Sequence[str], out: Path, formats: Sequence[str]) -> int:
    """Render records into `out` and tell what they came to. Gives the exit code of the run they hold.

    A record is a path, or NAME=PATH to name its server. Several are merged, and their one record is written too; whoever
    says `merge` before them says no more than that. A
    record that was cut off gives the exit code of an error, for nothing can be said about the whole. Raises
    CannotRun for what cannot be read, merged or written.
    """
    from rich.console import Console
    from rich.text import Text

    from reports import render
    from reports.merge import told
    from reports.terminal import summary
    from reports.visible import visible

    chosen = _formats(formats)
    if len(records) > 1 and records[0] == MERGE and not Path(MERGE).exists():
        records = records[1:]
    named = [_named(record) for record in records]
    sources = [_read(name, path) for name, path in named]
    lines = []
    try:
        if len(sources) == 1 and sources[0].server is None:
            run, written = sources[0].run, []
        else:
            run = _merged(sources)
            written = [_write(run, out, [path for _, path in named])]
            lines = told(sources)
        written += render(run, out, chosen)
    except OSError as error:
        raise CannotRun(f"The reports cannot be written to {out}: {error.strerror}.") from error
    console = Console(highlight=False, markup=False)
    summary(run, console)
    for line in (*lines, "Written: " + ", ".join(map(str, written))):
        console.print(Text(visible(line)), soft_wrap=True)
    return ExitCode.WRONG_USAGE if run.footer is None else run.footer.exit_code


def _formats(given: Sequence[str]) -> tuple[str, ...]:
    from reports import FORMATS

    wanted = [name.strip() for text in given for name in text.split(",")]
    for name in wanted:
        if name not in FORMATS:
            raise CannotRun(f"There is no format {name!r}; the formats are {', '.join(FORMATS)}.")
    return tuple(wanted) or tuple(FORMATS)


def _named(record: str) -> tuple[str | None, Path]:
    """The name of the server, where one is given, and the path. A file of that very name is a path."""
    name, equals, rest = record.partition("=")
    if equals and name and rest and not Path(record).exists():
        return name, Path(rest)
    return None, Path(record)


def _read(server: str | None, path: Path) -> "Source":
    from reports.merge import Source
    from reports.record import read

    try:
        return Source(str(path), read(path), server)
    except OSError as error:
        raise CannotRun(f"The record {path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise CannotRun(f"{path} is no run record that can be rendered: {error}.") from error


def _merged(sources: Sequence["Source"]) -> "Run":
    from reports.merge import CannotMerge, merge

    try:
        return merge(sources)
    except CannotMerge as error:
        raise CannotRun(f"The records cannot be merged: {error}.") from error


def _write(run: "Run", out: Path, paths: Sequence[Path]) -> Path:
    from reports import files
    from reports.writing import lines

    target = out / MERGED
    if any(path.resolve() == target.resolve() for path in paths):
        raise CannotRun(f"{target} is one of the records to be merged; choose another --out.")
    out.mkdir(parents=True, exist_ok=True)
    return files.write(target, "".join(lines(run)).encode("utf-8"))

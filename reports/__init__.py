"""Reports: a recorded run rendered for people and for machines. They know the run record and nothing else."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from reports.judgement import Judgement
    from reports.record import Run

__all__ = ["AFTER_A_RUN", "FORMATS", "render", "render_all"]

# The formats and the files they become.
FORMATS: Final = {
    "html": "report.html",
    "junit": "junit.xml",
    "md": "summary.md",
    "json": "report.json",
    "messages": "messages.ndjson",
}
AFTER_A_RUN: Final = ("html", "junit", "md", "json")


def render_all(record_path: Path, out_dir: Path, formats: Collection[str] = AFTER_A_RUN) -> list[Path]:
    """Write the reports of the run record at `record_path` into `out_dir`; give their paths, in order.

    `formats` are keys of `FORMATS`. `out_dir` is made where it is missing. Raises ValueError, one sentence that
    names the line, when the record cannot be understood, and OSError when a file cannot be read or written.
    """
    from reports.record import read

    return render(read(record_path), out_dir, formats)


def render(run: "Run", out_dir: Path, formats: Collection[str] = AFTER_A_RUN) -> list[Path]:
    """The same for a run that was read already. Raises OSError when a file cannot be written."""
    from reports import files
    from reports.judgement import judge

    judgement = judge(run)
    out_dir.mkdir(parents=True, exist_ok=True)
    return [
        files.write(out_dir / name, _renderer(format_)(judgement))
        for format_, name in FORMATS.items()
        if format_ in formats
    ]


def _renderer(format_: str) -> "Callable[[Judgement], bytes]":
    # Here and not above: a command line that renders nothing must not pay for templates.
    from reports import html, junit, machine, markdown, messages

    return {
        "html": html.render,
        "junit": junit.render,
        "md": markdown.render,
        "json": machine.render,
        "messages": messages.render,
    }[format_]

"""Reports: a recorded run rendered for people and for machines. They know the run record and nothing else."""

from pathlib import Path

__all__ = ["render_all"]


def render_all(record_path: Path, out_dir: Path) -> list[Path]:
    """Write `report.html` and `junit.xml` of the run record at `record_path` into `out_dir`; give both paths.

    `out_dir` is made where it is missing. Raises ValueError, one sentence that names the line, when the record
    cannot be understood, and OSError when a file cannot be read or written.
    """
    # Here and not above: a command line that renders nothing must not pay for templates.
    from reports import files, html, junit
    from reports.judgement import judge
    from reports.record import read

    judgement = judge(read(record_path))
    out_dir.mkdir(parents=True, exist_ok=True)
    return [
        files.write(out_dir / "report.html", html.render(judgement)),
        files.write(out_dir / "junit.xml", junit.render(judgement)),
    ]

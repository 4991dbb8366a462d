"""Report files: those that are asked for, whole, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from reports import FORMATS, files, render_all
from tests.reports import sample


def test_after_a_run_four_reports_are_written_and_nothing_else(tmp_path: Path) -> None:
    record = sample.write(tmp_path / "run.ndjson", sample.whole_run("broken"))
    out = tmp_path / "new" / "folder"
    paths = render_all(record, out)
    assert paths == [out / name for name in ("report.html", "junit.xml", "summary.md", "report.json")]
    assert sorted(path.name for path in out.iterdir()) == [
        "junit.xml",
        "report.html",
        "report.json",
        "summary.md",
    ]
    assert all(path.stat().st_size > 1_000 for path in paths)


def test_the_same_record_gives_the_same_reports(tmp_path: Path) -> None:
    record = sample.write(tmp_path / "run.ndjson", sample.whole_run("broken"))
    first, second = (render_all(record, tmp_path / name, FORMATS) for name in ("a", "b"))
    assert [path.name for path in first] == list(FORMATS.values())
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_what_is_no_record_leaves_earlier_reports_alone(tmp_path: Path) -> None:
    record = sample.write(tmp_path / "run.ndjson", sample.whole_run("good"))
    page = render_all(record, tmp_path)[0].read_bytes()
    record.write_text("garbage\n")
    with pytest.raises(ValueError, match=r"^run\.ndjson, line 1: "):
        render_all(record, tmp_path)
    assert (tmp_path / "report.html").read_bytes() == page


def test_a_write_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(OSError, match=r"report\.html"):
        files.write(tmp_path / "report.html", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_importing_reports_costs_nothing() -> None:
    code = "import sys, reports, reports.record, reports.terminal; print({'jinja2', 'rich', 'markupsafe'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"

"""The command `report`: records rendered again and merged, with the exit code of the run they hold."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import NAME, app, outcome
from reports import FORMATS
from reports.record import read
from tests.reports import sample

Lines = list[dict[str, Any]]


@dataclass(frozen=True)
class Said:
    """What a run of the command came to."""

    code: int
    out: str
    err: str


Report = Callable[..., Said]


@pytest.fixture
def report(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """Run the command in a directory of its own."""
    monkeypatch.chdir(tmp_path)

    def report(*arguments: str) -> Said:
        code = outcome(lambda: app(["report", *arguments], standalone_mode=False, prog_name=NAME))
        out, err = capfd.readouterr()
        return Said(code, out, err)

    return report


def small(path: str, verdict: str = "passed", exit_code: int = 0, **values: Any) -> None:
    """A small record at that path."""
    lines = [sample.header([sample.rule("HRB-CNF-01")]), sample.scenario("HRB-CNF-01", verdict, **values)]
    sample.write(Path(path), [*lines, sample.footer(lines, exit_code)])


def test_all_reports_are_written(report: Report) -> None:
    small("run.ndjson")
    said = report("run.ndjson", "--out", "new/out")
    assert (said.code, said.err) == (0, "")
    assert sorted(path.name for path in Path("new/out").iterdir()) == sorted(FORMATS.values())
    assert "Every asked rule was tested and kept" in said.out
    assert "Written: new/out/report.html, new/out/junit.xml" in said.out


@pytest.mark.parametrize(
    ("options", "files"),
    [
        (("--format", "md"), ["summary.md"]),
        (("--format", "json,messages"), ["messages.ndjson", "report.json"]),
        (("--format", "html", "--format", "junit"), ["junit.xml", "report.html"]),
    ],
)
def test_formats_can_be_chosen(report: Report, options: tuple[str, ...], files: list[str]) -> None:
    small("run.ndjson")
    assert report("run.ndjson", "--out", "out", *options).code == 0
    assert sorted(path.name for path in Path("out").iterdir()) == files


@pytest.mark.parametrize(
    ("verdict", "exit_code"), [("passed", 0), ("failed", 1), ("errored", 2), ("not testable", 3)]
)
def test_the_exit_code_is_the_run_s_own(report: Report, verdict: str, exit_code: int) -> None:
    small("run.ndjson", verdict, exit_code)
    assert report("run.ndjson", "--format", "md").code == exit_code


def test_a_record_that_was_cut_off_is_no_success(report: Report) -> None:
    lines = [sample.header([sample.rule("HRB-CNF-01")]), sample.scenario("HRB-CNF-01")]
    sample.write(Path("run.ndjson"), lines)
    said = report("run.ndjson", "--format", "md")
    assert said.code == 2
    assert "The run was cut off" in said.out


def test_several_records_become_one(report: Report) -> None:
    small("a.ndjson", name="One")
    small("b.ndjson", "failed", 1, name="Two")
    said = report("a.ndjson", "b.ndjson", "--out", "out", "--format", "md")
    assert said.code == 1
    assert [scenario.name for scenario in read(Path("out/merged.ndjson")).scenarios] == ["One", "Two"]
    assert "### Merged of\n\n- a.ndjson" in Path("out/summary.md").read_text(encoding="utf-8")
    assert report("out/merged.ndjson", "--out", "again", "--format", "md").code == 1
    assert Path("again/summary.md").read_bytes() == Path("out/summary.md").read_bytes()


def test_servers_of_a_matrix_are_named(report: Report) -> None:
    small("a.ndjson")
    small("b=c.ndjson")
    said = report("node 20=a.ndjson", "node 22=b=c.ndjson", "--out", "out", "--format", "md")
    assert (said.code, said.err) == (0, "")
    assert "2 servers: node 20, node 22." in said.out
    # A file of that very name is a record and no name of a server.
    assert report("b=c.ndjson", "--format", "md").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.ndjson",), "The record nowhere.ndjson cannot be read: No such file or directory."),
        (("garbage",), "garbage is no run record that can be rendered: garbage, line 1: expected a JSON"),
        (("a.ndjson", "--format", "pdf"), "There is no format 'pdf'; the formats are html, junit, md, json"),
        (
            ("a.ndjson", "a.ndjson"),
            "The records cannot be merged: a.ndjson and a.ndjson both hold the scenario",
        ),
        (("a.ndjson", "--out", "garbage"), "The reports cannot be written to garbage: File exists."),
        (("merged.ndjson", "b.ndjson", "--out", "."), "merged.ndjson is one of the records to be merged"),
        ((), "Missing argument 'RECORD'."),
    ],
)
def test_what_cannot_be_done_is_one_sentence(report: Report, arguments: tuple[str, ...], said: str) -> None:
    small("a.ndjson", name="One")
    small("b.ndjson", name="Two")
    small("merged.ndjson", name="Three")
    Path("garbage").write_text("garbage\n")
    found = report(*arguments)
    assert found.code == 2
    assert found.err.startswith(f"{NAME}: {said}")
    assert found.err.count("\n") == 1
    assert len(read(Path("merged.ndjson")).scenarios) == 1

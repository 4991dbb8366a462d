"""A baseline file: what it may hold, and what is told of everything else."""

from datetime import date
from pathlib import Path

import pytest

from harness.baseline import Accept, Entry, add, read
from harness.runner.refusal import CannotRun

GOOD = """\
# what we live with
- rule: KADU-CNF-12
  scenario: "kadu/a.feature::A, with: signs@2026"   # one of them
  accept: failing
  reason: fixed in 1.4
  expires: 2027-01-31
- rule: MCP-08
  accept: untested
  reason: "behind a cache"
"""
ENTRIES = (
    Entry(
        "KADU-CNF-12",
        Accept.FAILING,
        "fixed in 1.4",
        "kadu/a.feature::A, with: signs@2026",
        date(2027, 1, 31),
        2,
    ),
    Entry("MCP-08", Accept.UNTESTED, "behind a cache", None, None, 7),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "baseline.yaml"


def test_entries_are_read(path):
    path.write_text(GOOD, encoding="utf-8")
    assert read(path) == ENTRIES


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "[]\n"])
def test_an_empty_baseline_accepts_nothing(path, text):
    path.write_text(text, encoding="utf-8")
    assert read(path) == ()


def entry(**changes: str) -> str:
    lines = {"rule": "MCP-08", "accept": "untested", "reason": "x", **changes}
    return "- " + "\n  ".join(f"{key}: {value}" for key, value in lines.items())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rule: MCP-08", "baseline.yaml:1: a baseline is a list of entries"),
        ("- MCP-08", "baseline.yaml:1: an entry has the keys rule, accept and reason; this one is 'MCP-08'."),
        ("- rule: [", "baseline.yaml:1: this is no YAML"),
        (f"\n\n{entry(reason='')}", "baseline.yaml:3: the entry needs a text for reason."),
        (
            entry(reason='" "'),
            "baseline.yaml:1: the entry for MCP-08 (untested) has no reason; write down why",
        ),
        (entry(accept="broken"), "accept is failing or untested, not 'broken'."),
        (entry(accept="true"), "the entry needs a text for accept."),
        (entry(rule="7"), "the entry needs a text for rule."),
        (entry(scenario="7"), "scenario is the id of one as the record has it, a text."),
        (entry(expires="soon"), "expires is a day such as 2027-01-31, not 'soon'."),
        (entry(expires="2027-01-31T00:00:00Z"), "expires is a day such as 2027-01-31, not "),
        (entry(until="2027-01-31"), "an entry has no key 'until'; it may have rule, scenario, accept"),
        (entry() + "\n  reason: y", "the key reason stands twice in this entry."),
        (
            f"{entry()}\n{entry()}",
            "baseline.yaml:4: the entry for MCP-08 (untested) stands in line 1 already",
        ),
    ],
)
def test_what_is_no_baseline_is_refused_with_file_and_line(path, text, told):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CannotRun) as refusal:
        read(path)
    assert told in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_an_empty_reason_stands_while_the_baseline_is_written(path):
    path.write_text(entry(reason='""'), encoding="utf-8")
    assert [one.reason for one in read(path, unfinished=True)] == [""]


def test_a_file_that_is_not_there(path):
    with pytest.raises(
        CannotRun, match=r"There is no baseline .*baseline\.yaml; --update-baseline writes one\."
    ):
        read(path)


@pytest.mark.parametrize("raw", [b"\xff", None])
def test_a_file_that_cannot_be_read(path, raw):
    path.mkdir() if raw is None else path.write_bytes(raw)
    with pytest.raises(CannotRun, match="cannot be read: "):
        read(path)


NEW = (Entry("MCP-03", Accept.FAILING, "", "ç: [a, b]#x@2026"), Entry("MCP-04", Accept.UNTESTED, ""))


@pytest.mark.parametrize(
    "text", [None, "", GOOD, GOOD.rstrip("\n"), "[]", "[{rule: MCP-08, accept: untested, reason: x}]"]
)
def test_entries_are_added_and_what_stood_there_stays(path, text):
    before = ()
    if text is not None:
        path.write_text(text, encoding="utf-8")
        before = read(path)
    add(path, NEW)
    found = read(path, unfinished=True)
    assert [one.identity for one in found] == [one.identity for one in (*before, *NEW)]
    if text in (GOOD, ""):
        assert path.read_text(encoding="utf-8").startswith(text)


def test_an_indented_list_stays_one(path):
    path.write_text("  - rule: MCP-08\n    accept: untested\n    reason: x\n", encoding="utf-8")
    add(path, NEW)
    assert len(read(path, unfinished=True)) == 3


def test_nothing_to_add_changes_nothing(path):
    path.write_text(GOOD, encoding="utf-8")
    add(path, ())
    assert path.read_text(encoding="utf-8") == GOOD


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "taken").touch()
    with pytest.raises(CannotRun, match="The baseline cannot be written to "):
        add(tmp_path / "taken" / "baseline.yaml", NEW)

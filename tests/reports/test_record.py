"""Reading run records: whole, cut off, and no records at all."""

import json
from pathlib import Path
from typing import Any

import pytest

from reports.record import read
from reports.verdicts import Verdict
from tests.reports import sample

RULES = [sample.rule("HRB-CNF-01")]


def lines() -> list[dict[str, Any]]:
    """A small whole record."""
    found = [sample.header(RULES), *(sample.scenario("HRB-CNF-01", verdict) for verdict in sample.VERDICTS)]
    return [*found, sample.footer(found, 1)]


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = read(sample.write(tmp_path / "run.ndjson", lines()))
    assert not run.incomplete
    assert run.header.title == "Harbour"
    assert run.header.rules[0].statement == "The first call runs nothing"
    assert [str(scenario.verdict) for scenario in run.scenarios] == list(sample.VERDICTS)
    failed = run.scenarios[0]
    assert failed.findings[0].expected == "no business effect"
    assert failed.exchange(1) is failed.exchanges[0]
    assert failed.exchange(9) is None
    assert failed.exchanges[0].answer is not None
    assert failed.exchanges[0].answer.status == 200
    assert [step.status for step in failed.steps] == ["passed", "passed", "failed", "not run"]
    assert run.footer is not None
    assert run.footer.rules["HRB-CNF-01"].verdict is Verdict.FAILED
    assert run.footer.rules["HRB-CNF-01"].eras == {"2026": Verdict.FAILED}


def test_a_command_given_as_a_list_is_shown_as_a_shell_would_want_it(tmp_path: Path) -> None:
    subject = {"urls": [], "command": ["node", "my server.js"], "reference": False}
    run = read(sample.write(tmp_path / "run.ndjson", [sample.header(RULES, subject=subject)]))
    assert run.header.subject.command == "node 'my server.js'"


def test_a_record_without_a_footer_is_incomplete(tmp_path: Path) -> None:
    run = read(sample.write(tmp_path / "run.ndjson", lines()[:-1]))
    assert run.incomplete
    assert len(run.scenarios) == 6


@pytest.mark.parametrize("kept", [0.01, 0.3, 0.5, 0.9, 0.999])
def test_a_last_line_that_was_cut_is_left_out(tmp_path: Path, kept: float) -> None:
    path = sample.write(tmp_path / "run.ndjson", lines()[:-1])
    whole = path.read_bytes().splitlines(keepends=True)
    last = whole[-1].rstrip(b"\n")
    path.write_bytes(b"".join(whole[:-1]) + last[: max(1, int(len(last) * kept))])
    run = read(path)
    assert run.incomplete
    assert len(run.scenarios) == 5


def test_a_line_cut_within_a_character_is_left_out(tmp_path: Path) -> None:
    path = sample.write(tmp_path / "run.ndjson", lines()[:1])
    path.write_bytes(path.read_bytes() + '{"type": "scenario", "name": "é'.encode()[:-1])
    assert read(path).scenarios == ()


def broken(change: dict[str, Any], line: int = 1) -> str:
    """A record in which fields of one line are changed."""
    found = lines()
    found[line] = found[line] | change
    return "".join(json.dumps(one) + "\n" for one in found)


def inner(key: str, position: int, change: dict[str, Any]) -> str:
    """A record in which an object within the first scenario is changed."""
    found = lines()
    found[1][key][position] |= change
    return "".join(json.dumps(one) + "\n" for one in found)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1: expected the header of a run record, came nothing"),
        ("garbage", "line 1: expected the header of a run record, came nothing"),
        ("garbage\n", "line 1: expected a JSON object, came what is not JSON"),
        ("[1]\n", "line 1: expected a JSON object, came other JSON"),
        ("\n", "line 1: expected a JSON object"),
        ("[" * 100_000 + "\n", "line 1: expected a JSON object, came what is not JSON"),
        ('{"type": "footer"}\n', "line 1: expected the header, came 'footer'"),
        ("{}\n", "line 1: expected text in 'type', came nothing"),
        (broken({"format": 2}, 0), "line 1: the record has format 2, this version reads format 1"),
        (broken({"seed": True}, 0), "line 1: expected a whole number in 'seed', came true or false"),
        (broken({"tool": []}, 0), "line 1: expected an object in 'tool', came a list"),
        (broken({"eras": [1]}, 0), "line 1: expected a list of texts in 'eras', came a list"),
        (broken({"type": "\x1b[2J"}), "line 2: expected a scenario or the footer, came \"'\\\\x1b[2J'\""),
        (broken({"type": "header"}), "line 2: expected a scenario or the footer, came 'header'"),
        (broken({"verdict": "green"}), "line 2: 'green' is no verdict"),
        (broken({"steps": None}), "line 2: expected a list of objects in 'steps', came null"),
        (broken({"seconds": 1e999}), "line 2: expected a JSON object, came what is not JSON"),
        (broken({"seconds": "1"}), "line 2: expected a number of seconds in 'seconds', came text"),
        (
            inner("steps", 1, {"line": 1.5}),
            "line 2, steps 2: expected a whole number in 'line', came a number",
        ),
        (
            inner("exchanges", 0, {"answer": 1}),
            "line 2, exchanges 1: expected an object in 'answer', came a num",
        ),
        (
            inner("exchanges", 0, {"request": {"method": "GET", "url": "", "headers": [["a"]], "body": ""}}),
            "line 2, exchanges 1, request: expected a list of [name, value] pairs in 'headers', came a list",
        ),
        (broken({"rules": {"R": {}}}, -1), "line 8, rules, R: expected an object in 'eras', came nothing"),
        (broken({}) + "{}\n", "line 9: the record goes on after its footer"),
    ],
)
def test_what_is_no_record_is_refused_by_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "run.ndjson"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        read(path)
    assert str(caught.value).startswith(f"run.ndjson, {said}")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300

"""The published schema of the run record and the reader of it say the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from reports import writing
from reports.record import read
from tests.reports import sample, schemas


def complaints(line: dict[str, Any]) -> list[str]:
    """What the published schema has against a line."""
    text = schemas.RECORD.read_text(encoding="utf-8")
    return [error.message for error in schemas.validator(text).iter_errors(line)]


@pytest.mark.parametrize("kind", ["good", "accepted", "cut"])
def test_whole_records_have_the_published_shape(kind: str) -> None:
    check = schemas.validator(schemas.RECORD.read_text(encoding="utf-8"))
    for line in [*sample.whole_run(kind)[:60:3], *sample.whole_run(kind)[-2:]]:
        assert not [error.message for error in check.iter_errors(line)]


def test_the_schema_is_named_by_format() -> None:
    schema = json.loads(schemas.RECORD.read_text(encoding="utf-8"))
    assert schema["$id"] == "urn:kadu-conformance:schema:run-record:1"
    assert schema["$defs"]["header"]["properties"]["format"] == {"const": 1}


@pytest.mark.parametrize(
    ("line", "change"),
    [
        (0, {"format": 2}),
        (0, {"eras": [1]}),
        (0, {"tool": []}),
        (0, {"rules": [{}]}),
        (1, {"type": "other"}),
        (1, {"verdict": "green"}),
        (1, {"steps": None}),
        (1, {"seconds": "1"}),
        (1, {"findings": [{"rule": "R"}]}),
        (1, {"exchanges": [{}]}),
        (-1, {"exit_code": None}),
        (-1, {"rules": {"R": {}}}),
        (-1, {"accepted": {"R": None}}),
        (-1, {"accepted": ["R"]}),
    ],
)
def test_what_the_schema_refuses_the_reader_refuses(
    tmp_path: Path, line: int, change: dict[str, Any]
) -> None:
    lines = [sample.header([sample.rule("HRB-CNF-01")]), sample.scenario("HRB-CNF-01", "failed")]
    lines.append(sample.footer(lines, 1, accepted={"HRB-CNF-01": "why"}))
    assert not any(map(complaints, lines))
    read(sample.write(tmp_path / "whole.ndjson", lines))
    lines[line] |= change
    assert complaints(lines[line])
    with pytest.raises(ValueError, match=r"^run\.ndjson, line "):
        read(sample.write(tmp_path / "run.ndjson", lines))


@pytest.mark.parametrize("kind", ["accepted", "cut", "hostile"])
def test_a_run_written_again_is_the_same_run(tmp_path: Path, kind: str) -> None:
    lines = sample.hostile() if kind == "hostile" else sample.whole_run(kind)
    # A lone surrogate is no character; it is the one thing that is not kept.
    text = "".join(json.dumps(line) + "\n" for line in lines).replace("\\ud800", "?").replace("\\udfff", "?")
    path = tmp_path / "run.ndjson"
    path.write_text(text, encoding="utf-8")
    run = read(path)
    path.write_text("".join(writing.lines(run)), encoding="utf-8")
    assert read(path) == run
    assert not any(
        complaints(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()[-3:]
    )

"""Which mutants are told apart: by what was found, wherever and whenever it was found."""

from typing import Any

import pytest

from harness.mutants.sameness import first_alike, seen_in


def line(**finding: Any) -> dict[str, Any]:
    """A line of the record with one finding."""
    whole = {
        "rule": "KADU-CNF-12",
        "advisory": False,
        "message": "it ran",
        "expected": "no run",
        "actual": "one run",
    }
    return {"id": "a.feature::S@2026", "verdict": "failed", "reason": "it ran", "findings": [whole | finding]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://127.0.0.1:4101/mcp", "http://127.0.0.1:9/mutants/replays/2/mcp"),
        ("the id 6f0c2d1e-0f2e-4a1b-9d3c-2b1a0f9e8d7c", "the id 00000000-0f2e-4a1b-9d3c-2b1a0f9e8d7c"),
        ("signed at 1796047661429", "signed at 1796047758151"),
        ("at 2026-10-31T12:15:00.000Z", "at 2026-10-31T18:15:01.999Z"),
        ("the state v1eyJhbGciOiJkaXIiLCJlbmMi0", "the state v9eyJhbGciOiJkaXIiLCJl-bMi7"),
    ],
)
def test_what_is_there_by_chance_tells_nothing_apart(one: str, other: str) -> None:
    assert seen_in(line(actual=one)) == seen_in(line(actual=other))


@pytest.mark.parametrize(
    "finding",
    [
        {"rule": "KADU-CNF-13"},
        {"message": "it did not run"},
        {"expected": "a question"},
        {"actual": "two runs"},
        {"actual": "-32602"},
        {"actual": "2026-10-24"},
        {"actual": "kadu_webhooks_rotate_secret"},
    ],
)
def test_everything_else_does(finding: dict[str, Any]) -> None:
    assert seen_in(line(**finding)) != seen_in(line())


def test_the_same_finding_in_another_scenario_is_another() -> None:
    assert seen_in(line()) != seen_in(line() | {"id": "a.feature::S@2025"})


def test_where_nothing_was_found_the_reason_counts() -> None:
    nothing = {"id": "a", "verdict": "not testable", "findings": []}
    assert seen_in(nothing | {"reason": "x"}) != seen_in(nothing | {"reason": "y"})
    assert seen_in(nothing | {"reason": "x"}) != seen_in(nothing | {"reason": "x", "verdict": "errored"})


def test_those_of_which_the_same_was_seen_point_to_the_first() -> None:
    one, two = frozenset({"x"}), frozenset({"x", "y"})
    assert first_alike([("a", one), ("b", two), ("c", one), ("d", two)]) == {
        "a": "a",
        "b": "b",
        "c": "a",
        "d": "b",
    }

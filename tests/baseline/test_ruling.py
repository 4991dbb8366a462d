"""What a baseline leaves of a run's verdicts, and what is said of its entries."""

from dataclasses import replace
from datetime import date

import pytest

from harness.baseline import Accept, Entry, Ruling, rule_on
from harness.baseline.ruling import Asked
from harness.record import Outcome, roll_up
from harness.verdicts import Verdict

TODAY = date(2026, 11, 30)
SCENARIOS = {"a1": "A-1", "a2": "A-1", "b1": "B-1", "c1": "C-1"}
ASKED = Asked(
    rules=("A-1", "B-1", "C-1", "D-1"),
    scenarios=SCENARIOS,
    eras={"A-1": ("2026",), "B-1": ("2026",), "C-1": ("2026",)},
    travelling=frozenset({"C-1"}),
)
FAILED, UNTESTED, PASSED = Verdict.FAILED, Verdict.NOT_TESTABLE, Verdict.PASSED


def outcomes(*, others: tuple[tuple[str, bool], ...] = (), **verdicts: Verdict) -> list[Outcome]:
    """An outcome of every scenario that is named; `others` are findings made in a1."""
    return [
        Outcome(name, SCENARIOS[name], "2026", verdict, others if name == "a1" else ())
        for name, verdict in verdicts.items()
    ]


ALL = {"a1": PASSED, "a2": PASSED, "b1": PASSED, "c1": PASSED}


def ruling(entries: list[Entry], found: list[Outcome], asked: Asked = ASKED) -> Ruling:
    return rule_on(entries, found, roll_up(found, asked.eras), asked, TODAY)


def accepting(rule: str = "A-1", what: str = "failing", **more: object) -> Entry:
    return Entry(rule, Accept(what), "because", line=3, **more)


def test_without_a_baseline_everything_counts():
    came = ruling([], outcomes(**{**ALL, "a1": FAILED, "b1": UNTESTED}))
    assert came.left == {"A-1": FAILED, "B-1": UNTESTED, "C-1": PASSED}
    assert (came.accepted, came.complaints) == ({}, ())


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        (accepting(), {"a1": FAILED, "a2": FAILED}),
        (accepting(), {"a1": FAILED}),
        (accepting(scenario="a1"), {"a1": FAILED}),
        (accepting(what="untested"), {"a1": UNTESTED, "a2": UNTESTED}),
        (accepting(what="untested", scenario="a2"), {"a2": UNTESTED}),
        (accepting(expires=TODAY), {"a1": FAILED}),
    ],
)
def test_what_is_accepted_does_not_count(entry, found):
    came = ruling([entry], outcomes(**{**ALL, **found}))
    assert came.left["A-1"] is PASSED
    assert came.accepted == {"A-1": "because"}
    assert (came.complaints, came.additions) == ((), ())


@pytest.mark.parametrize(
    ("entry", "found", "left"),
    [
        (accepting(scenario="a1"), {"a1": FAILED, "a2": FAILED}, FAILED),
        (accepting(), {"a1": FAILED, "a2": UNTESTED}, UNTESTED),
        (accepting(what="untested"), {"a1": FAILED, "a2": UNTESTED}, FAILED),
        (accepting(), {"a1": Verdict.ERRORED}, Verdict.ERRORED),
        (accepting("B-1"), {"a1": FAILED, "b1": FAILED}, FAILED),
    ],
)
def test_no_more_is_accepted_than_was_said(entry, found, left):
    came = ruling([entry], outcomes(**{**ALL, **found}))
    assert came.left["A-1"] is left
    assert "A-1" not in came.accepted
    assert came.complaints == ()


def test_a_finding_made_in_another_rules_scenario_is_accepted_for_its_own_rule():
    found = outcomes(**ALL, others=(("C-1", False),))
    assert ruling([], found).left["C-1"] is FAILED
    for entry in (accepting("C-1"), accepting("C-1", scenario="a1")):
        assert ruling([entry], found).left["C-1"] is PASSED
    assert ruling([accepting("C-1", scenario="b1")], found).left["C-1"] is FAILED


def test_an_era_that_no_scenario_judges_is_accepted_as_untested():
    asked = replace(ASKED, eras={**ASKED.eras, "B-1": ("2025", "2026"), "D-1": ("2025",)})
    found = outcomes(**ALL)
    assert {rule: v for rule, v in ruling([], found, asked).left.items() if v is UNTESTED}.keys() == {
        "B-1",
        "D-1",
    }
    came = ruling([accepting("B-1", "untested"), accepting("D-1", "untested")], found, asked)
    assert set(came.left.values()) == {PASSED}
    assert came.accepted.keys() == {"B-1", "D-1"}


def test_several_reasons_are_all_told():
    entries = [accepting(scenario="a1"), replace(accepting(scenario="a2"), reason="and so")]
    assert ruling(entries, outcomes(**{**ALL, "a1": FAILED, "a2": FAILED})).accepted == {
        "A-1": "because; and so"
    }


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (accepting(), "accepts A-1 (failing) (line 3), but it is kept now"),
        (accepting(what="untested"), "accepts A-1 (untested) (line 3), but it is kept now"),
        (accepting(scenario="a2"), "accepts A-1 (failing) in 'a2' (line 3), but it is kept now"),
        (accepting("C-1", scenario="a2"), "accepts C-1 (failing) in 'a2' (line 3), but it is kept now"),
        (accepting("X-1"), "X-1 (failing) (line 3) names a rule that the catalogue does not know"),
        (accepting(scenario="a3"), "in 'a3' (line 3) names a scenario that the features do not hold"),
        (accepting(expires=date(2026, 11, 29)), "(line 3) expired on 2026-11-29"),
    ],
)
def test_entries_that_are_stale_misspelt_or_expired_are_told(entry, told):
    [complaint] = ruling([entry], outcomes(**ALL)).complaints
    assert told in complaint
    assert complaint.endswith(".")


def test_an_expired_entry_accepts_nothing():
    came = ruling([accepting(expires=date(2026, 11, 29))], outcomes(**{**ALL, "a1": FAILED}))
    assert came.left["A-1"] is FAILED
    assert came.additions == (), "the entry is there already: it is for its author to decide"


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        (accepting(), {"a1": PASSED}),
        (accepting(scenario="a2"), {"a1": PASSED}),
        (accepting("D-1"), ALL),
        (accepting("C-1"), {"c1": PASSED, "b1": PASSED}),
        (accepting(), {**ALL, "a1": UNTESTED}),
        (accepting(scenario="a1"), {**ALL, "a1": UNTESTED}),
    ],
)
def test_what_a_run_did_not_look_at_is_not_called_stale(entry, found):
    asked = replace(ASKED, eras={SCENARIOS[name]: ("2026",) for name in found})
    assert ruling([entry], outcomes(**found), asked).complaints == ()


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (ALL, []),
        ({**ALL, "a1": FAILED}, [("A-1", "a1", "failing")]),
        ({**ALL, "a1": FAILED, "a2": FAILED}, [("A-1", None, "failing")]),
        ({**ALL, "a1": FAILED, "a2": UNTESTED}, [("A-1", "a1", "failing"), ("A-1", "a2", "untested")]),
        ({"a1": FAILED, "b1": PASSED, "c1": PASSED}, [("A-1", "a1", "failing")]),
        ({**ALL, "a1": Verdict.ERRORED}, []),
    ],
)
def test_additions_settle_what_is_left(found, expected):
    additions = ruling([], outcomes(**found)).additions
    assert [(one.rule, one.scenario, str(one.accept)) for one in additions] == expected
    assert {one.reason for one in additions} <= {""}


def test_additions_know_findings_from_elsewhere_and_eras_without_scenarios():
    asked = replace(ASKED, eras={**ASKED.eras, "D-1": ("2025",)})
    additions = ruling([], outcomes(**ALL, others=(("C-1", False), ("B-1", True))), asked).additions
    assert [(one.rule, str(one.accept)) for one in additions] == [("C-1", "failing"), ("D-1", "untested")]


def test_with_its_additions_a_baseline_settles_everything():
    found = outcomes(**{**ALL, "a1": FAILED, "b1": UNTESTED}, others=(("C-1", False),))
    came = ruling([replace(one, reason="x") for one in ruling([], found).additions], found)
    assert set(came.left.values()) == {PASSED}
    assert (came.complaints, came.additions) == ((), ())

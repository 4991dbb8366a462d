"""Tags, shards and reading alone: what is left, and what is still asked."""

import pytest

from harness.collection.selection import NothingSelected

TAGGED = """\
Feature: F
  @KADU-RES-01
  Rule: R
    @slow @read-only
    Scenario: One
      Given nothing happens
    @era-2026
    Scenario: Two
      Given nothing happens
  @KADU-CNF-01
  Rule: S
    Scenario: Three
      Given nothing happens
"""


def ids(plan) -> list[str]:
    return [case.id.partition("::")[2] for case in plan.selection.cases]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"tags": ("slow",)}, ["One@2025", "One@2026"]),
        ({"tags": ("@slow", "KADU-CNF-01")}, ["One@2025", "One@2026", "Three@2026"]),
        ({"not_tags": ("slow",)}, ["Two@2026", "Three@2026"]),
        ({"tags": ("era-2026",), "not_tags": ("slow",)}, ["Two@2026"]),
        ({"read_only": True}, ["One@2025", "One@2026"]),
        ({"not_tags": ("slow",), "rules": ("KADU-CNF-01",)}, ["Three@2026"]),
    ],
)
def test_tags_narrow_what_is_run(write, plan, settings, expected):
    write(TAGGED)
    assert ids(plan(**settings)) == expected


@pytest.mark.parametrize("shuffled", range(10))
def test_what_is_left_keeps_its_place_in_a_shuffled_order(write, plan, shuffled):
    write(TAGGED)
    whole, part = ids(plan(shuffled=shuffled)), ids(plan(shuffled=shuffled, not_tags=("slow",)))
    assert sorted(whole) == sorted(ids(plan()))
    assert part == [name for name in whole if name in part]
    assert len(part) == 2


def test_seeds_shuffle_otherwise_and_none_does_not(write, plan):
    write(TAGGED)
    assert ids(plan()) == ["One@2025", "One@2026", "Two@2026", "Three@2026"]
    assert len({tuple(ids(plan(shuffled=shuffled))) for shuffled in range(10)}) > 3


@pytest.mark.parametrize(
    "settings",
    [
        {"tags": ("no",)},
        {"not_tags": ("no",)},
        {"tags": ("slow",), "not_tags": ("slow",)},
        {"tags": ("slow",), "rules": ("KADU-CNF-01",)},
        {"read_only": True, "rules": ("KADU-CNF-01",)},
        {"shard": (5, 5)},
    ],
)
def test_what_leaves_nothing_is_refused(write, plan, settings):
    write(TAGGED)
    with pytest.raises(NothingSelected):
        plan(**settings)


def test_with_tags_no_more_is_asked_than_they_leave(write, plan):
    write(TAGGED)
    asked = plan(not_tags=("slow",), rules=("KADU-RES", "KADU-CNF-01", "KADU-RES-02")).selection.asked
    assert asked == {"KADU-RES-01": ("2026",), "KADU-CNF-01": ("2026",)}


@pytest.mark.parametrize("of", [1, 2, 3, 4])
def test_the_shards_run_everything_once_and_ask_for_everything(write, plan, of):
    write(TAGGED)
    asking = {"rules": ("KADU-RES-01", "KADU-RES-02", "KADU-CNF-01")}
    whole = plan(**asking).selection
    shards = [plan(**asking, shard=(number, of)).selection for number in range(1, of + 1)]
    assert sorted(case.id for one in shards for case in one.cases) == sorted(case.id for case in whole.cases)
    assert {len(one.cases) for one in shards} <= {4 // of, -(-4 // of)}
    pairs = [{(rule, era) for rule, eras in one.asked.items() for era in eras} for one in (whole, *shards)]
    assert set().union(*pairs[1:]) == pairs[0]
    # What no scenario covers would be untested in every shard otherwise.
    assert [("KADU-RES-02", "2025") in one for one in pairs[1:]] == [True, *[False] * (of - 1)]


def test_shards_do_not_depend_on_where_a_scenario_stands(write, plan):
    write(TAGGED)
    before = set(ids(plan(shard=(1, 2))))
    head, first, second = TAGGED.partition("  @KADU-CNF-01")
    start, _, rest = head.partition("  @KADU-RES-01")
    write(f"{start}{first}{second}  @KADU-RES-01{rest}")
    assert set(ids(plan(shard=(1, 2)))) == before

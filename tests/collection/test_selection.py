"""Eras, rules, scenarios and products: what is run, and what is asked."""

import pytest

from harness.collection.selection import NothingSelected

BOTH = "Feature: F\n  @KADU-RES-01 {rule}\n  Rule: R\n    {scenario}\n    Scenario: One\n      Given nothing happens\n"

TWO_RULES = """\
Feature: F
  @KADU-RES-01
  Rule: R
    Scenario: One
      Given nothing happens
  @KADU-CNF-01
  Rule: S
    Scenario: Two
      Given nothing happens
"""


def ids(plan) -> list[str]:
    return [case.id.partition("::")[2] for case in plan.selection.cases]


@pytest.mark.parametrize(
    ("rule", "scenario", "expected"),
    [
        ("", "", ["One@2025", "One@2026"]),
        ("@era-2025", "", ["One@2025"]),
        ("", "@era-2026", ["One@2026"]),
        ("@era-2025 @era-2026", "@era-2025", ["One@2025"]),
    ],
)
def test_tags_narrow_the_eras(write, plan, rule, scenario, expected):
    write(BOTH.format(rule=rule, scenario=scenario))
    assert ids(plan()) == expected


def test_tags_of_examples_narrow_the_eras_of_their_rows(write, plan):
    write(
        "Feature: F\n  @KADU-RES-01\n  Rule: R\n    Scenario: One\n      When it is <c>\n\n"
        "      @era-2025\n      Examples:\n        | c |\n        | red |\n\n"
        "      Examples:\n        | c |\n        | green |\n"
    )
    assert ids(plan()) == ["One[red]@2025", "One[green]@2025", "One[green]@2026"]


def test_the_catalogue_narrows_the_eras(write, plan):
    write(TWO_RULES)
    assert ids(plan()) == ["One@2025", "One@2026", "Two@2026"]


def test_the_run_narrows_the_eras(write, plan):
    write(TWO_RULES)
    assert ids(plan(eras=("2025",))) == ["One@2025"]


@pytest.mark.parametrize("rules", [("KADU-CNF-01",), ("KADU-CNF",), ("KADU-CNF-",)])
def test_a_rule_is_asked_for_by_id_or_prefix(write, plan, rules):
    write(TWO_RULES)
    assert ids(plan(rules=rules)) == ["Two@2026"]


def test_a_prefix_ends_at_a_dash(write, plan):
    write(TWO_RULES)
    with pytest.raises(NothingSelected, match="knows no rule 'KADU-CN'"):
        plan(rules=("KADU-CN",))


def test_several_filters_of_a_kind_add_up(write, plan):
    write(TWO_RULES)
    assert ids(plan(rules=("KADU-CNF-01", "KADU-RES-01"))) == ["One@2025", "One@2026", "Two@2026"]
    assert ids(plan(scenarios=("two", "ONE@2025"))) == ["One@2025", "Two@2026"]


@pytest.mark.parametrize(
    "settings",
    [
        {"rules": ("KADU-XYZ",)},
        {"rules": ("KADU-CNF-02",)},
        {"scenarios": ("nothing like it",)},
        {"scenarios": ("One", "nothing like it")},
        {"rules": ("KADU-CNF-01",), "eras": ("2025",)},
    ],
)
def test_a_filter_that_matches_nothing_is_refused(write, plan, settings):
    write(TWO_RULES)
    with pytest.raises(NothingSelected):
        plan(**settings)


def test_asked_is_what_has_scenarios(write, plan):
    write(TWO_RULES)
    assert plan().selection.asked == {"KADU-RES-01": ("2025", "2026"), "KADU-CNF-01": ("2026",)}


def test_a_rule_named_outright_is_asked_even_without_scenarios(write, plan):
    write(TWO_RULES)
    asked = plan(rules=("KADU-RES-02", "KADU-CNF-01")).selection.asked
    assert asked == {"KADU-RES-02": ("2025", "2026"), "KADU-CNF-01": ("2026",)}


def test_an_era_of_a_rule_without_scenarios_is_asked_all_the_same(write, plan):
    write(BOTH.format(rule="@era-2025", scenario=""))
    assert plan().selection.asked == {"KADU-RES-01": ("2025", "2026")}


def test_a_filter_on_scenarios_asks_for_no_more_than_it_leaves(write, plan):
    write(TWO_RULES)
    assert plan(scenarios=("@2025",)).selection.asked == {"KADU-RES-01": ("2025",)}


def test_a_scenario_about_another_product_is_not_run(write, plan):
    write(BOTH.format(rule="", scenario="@product-dunning @era-2025"))
    selection = plan().selection
    assert selection.cases == ()
    assert [case.era for case in selection.not_applicable] == ["2025"]


def test_a_scenario_about_this_product_is_run(write, plan):
    write(BOTH.format(rule="", scenario="@product-kadu @era-2025"))
    assert ids(plan()) == ["One@2025"]


def test_a_row_with_control_characters_makes_a_printable_id(write, plan):
    write(
        "Feature: F\n  @KADU-CNF-01\n  Rule: R\n    Scenario: One\n      Given 3 apples and a<c>b\n\n"
        "      Examples:\n        | c |\n        | \x1b[31m |\n"
    )
    assert ids(plan()) == ["One[\\x1b[31m]@2026"]

"""How much is judged: speed is never bought with rows, and a row that goes is noticed."""

from harness.catalogue import load
from harness.collection.plugin import Orders, make_plan
from harness.product import load as load_product
from harness.settings import Settings

SCENARIO_RUNS = 1316
"""Scenarios × examples × eras. A change of this number is a change of what is judged, and is made on purpose."""


def test_the_number_of_scenario_runs_is_known() -> None:
    features = tuple(str(path) for path in load_product("kadu").features)
    settings = Settings("kadu", features, (), "", "", "")
    plan = make_plan(Orders(settings))
    assert len(plan.selection.cases) == SCENARIO_RUNS


def test_every_catalogued_rule_is_judged_in_each_of_its_eras() -> None:
    features = tuple(str(path) for path in load_product("kadu").features)
    plan = make_plan(Orders(Settings("kadu", features, (), "", "", "")))
    judged = {(case.rule, case.era) for case in plan.selection.cases}
    catalogued = {(rule.id, era) for rule in load("kadu").rules.values() for era in rule.eras}
    assert judged == catalogued

"""The catalogue of Kadu as it is: its count, its levels, and where its rules are judged."""

import json
from collections import Counter
from dataclasses import FrozenInstanceError
from importlib.resources import files

import pytest

from harness.catalogue import load, products

RULES_OF_GROUP = {
    "KADU-RES": 12,
    "KADU-TLS": 2,
    "KADU-DST": 6,
    "KADU-PRM": 9,
    "KADU-CMP": 6,
    "KADU-CNF": 17,
    "KADU-APR": 19,
    "KADU-TRK": 3,
    "KADU-UNA": 4,
    "KADU-IDM": 15,
    "MCP": 21,
}
DERIVED = {
    *("KADU-RES-12", "KADU-TLS-01", "KADU-DST-03", "KADU-PRM-03", "KADU-CMP-06"),
    *("KADU-CNF-13", "KADU-CNF-15", "KADU-CNF-16", "KADU-CNF-17", "KADU-APR-19", "KADU-TRK-03"),
    *("KADU-IDM-13", "KADU-IDM-14", "KADU-IDM-15"),
}
ADVISORY = {"KADU-PRM-09", "KADU-APR-03", "MCP-09", "MCP-15"}


def test_every_rule_is_there_once_and_the_products_own_come_first() -> None:
    expected = [f"{group}-{n:02}" for group, count in RULES_OF_GROUP.items() for n in range(1, count + 1)]
    assert list(load("kadu").rules) == expected
    assert len(expected) == 114


def test_a_rule_is_found_under_its_own_id() -> None:
    assert all(rule.id == key for key, rule in load("kadu").rules.items())


def test_levels_are_those_of_the_documents() -> None:
    rules = load("kadu").rules.values()
    assert {rule.id for rule in rules if rule.level == "A"} == ADVISORY
    derived = {rule.id for rule in rules if rule.level == "D"}
    assert {rule for rule in derived if not rule.startswith("MCP-")} == DERIVED
    assert not any(rule.level == "M" for rule in rules if rule.id.startswith("MCP-"))


def test_the_mock_takes_part_where_there_is_an_upstream_half() -> None:
    expected = {f"KADU-APR-{n:02}" for n in range(6, 20)} | {f"KADU-TRK-{n:02}" for n in range(1, 4)}
    expected |= {f"KADU-IDM-{n:02}" for n in range(4, 11)} | {"KADU-IDM-14"}
    upstream_alone = {f"KADU-APR-{n}" for n in (12, 13, 15, 16, 18)}
    seats = {rule.id: rule.seat for rule in load("kadu").rules.values()}
    assert {rule for rule, seat in seats.items() if seat == "with the mock"} == expected - upstream_alone
    assert {rule for rule, seat in seats.items() if seat == "only the mock"} == upstream_alone


def test_rules_of_one_era_are_asked_in_that_era_alone() -> None:
    rules = load("kadu").rules.values()
    assert {rule.id for rule in rules if rule.eras == ("2025",)} == {"MCP-01"}
    of_2026 = {rule.id for rule in rules if rule.eras == ("2026",)}
    assert of_2026 == {f"KADU-CNF-{n:02}" for n in range(1, 18)} | {"KADU-UNA-03", "MCP-11"} | {
        f"MCP-{n:02}" for n in range(2, 10)
    }


def test_no_two_rules_say_the_same() -> None:
    statements = Counter(rule.statement for rule in load("kadu").rules.values())
    assert [statement for statement, count in statements.items() if count > 1] == []


def test_each_group_of_rules_has_one_name() -> None:
    groups = {rule.id.rsplit("-", 1)[0]: rule.group for rule in load("kadu").rules.values()}
    assert all(rule.group == groups[rule.id.rsplit("-", 1)[0]] for rule in load("kadu").rules.values())


def test_exclusions_cover_both_files() -> None:
    documents = {exclusion.document for exclusion in load("kadu").exclusions}
    assert {"Resources e prompts", "Idempotência", "MCP specification 2026-07-28"} <= documents


def test_a_rule_goes_into_the_run_record_with_the_documented_keys() -> None:
    rule = load("kadu").rules["KADU-CNF-01"].to_json()
    assert json.loads(json.dumps(rule)) == rule
    assert list(rule) == ["id", "group", "level", "eras", "seat", "statement", "document", "section"]
    assert rule["eras"] == ["2026"]


def test_a_catalogue_is_read_once_and_cannot_be_changed() -> None:
    catalogue = load("kadu")
    assert load("kadu") is catalogue
    assert (catalogue.product, catalogue.title) == ("kadu", "Kadu")
    with pytest.raises(TypeError, match="does not support item assignment"):
        catalogue.rules["KADU-RES-01"] = catalogue.rules["KADU-RES-02"]  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        catalogue.rules["KADU-RES-01"].level = "A"  # type: ignore[misc]


@pytest.mark.parametrize("product", ["protocol", "kadu.toml", "../kadu", "", "nobody"])
def test_a_product_without_a_catalogue_is_answered_with_those_that_have_one(product: str) -> None:
    with pytest.raises(LookupError, match=r"known: .*\bkadu\b"):
        load(product)


def test_every_file_is_a_product_or_belongs_to_one() -> None:
    names = {entry.name for entry in files("harness.catalogue").iterdir() if entry.name.endswith(".toml")}
    assert names == {f"{product}.toml" for product in products()} | {"protocol.toml"}

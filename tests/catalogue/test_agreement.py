"""Rules, features and mutants agree in all directions, and what is left out has its reason."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import mock_api.mutants
import reference_server.mutants
from harness.catalogue import load, products
from harness.catalogue.model import SEATS
from harness.cli.rulebook import Row, Rulebook, bind
from harness.collection.loading import load_steps
from harness.collection.suite import build_suite
from harness.product import FEATURES
from harness.product import load as load_product

RULE_TAG = re.compile(r"@((?:KADU|MCP)[A-Z0-9-]*-\d+)\b")


@pytest.fixture(scope="module")
def book() -> Rulebook:
    """Every rule with its scenarios and mutants, without a program in between."""
    catalogue = load("kadu")
    suite = build_suite(tuple(map(str, load_product("kadu").features)), catalogue, load_steps())
    servers = [vars(mutant) for mutant in reference_server.mutants.mutants()]
    mocks = [{"name": m.name, "rule": m.rule, "lie": m.lie} for m in mock_api.mutants.mutants()]
    return bind(catalogue, suite.cases, servers, mocks)


def _binding(book: Rulebook) -> list[Row]:
    return [row for row in book.rows if row.rule.level in ("M", "D")]


def test_every_rule_has_scenarios(book: Rulebook) -> None:
    assert [row.rule.id for row in book.rows if not row.scenarios or not row.runs] == []


def test_every_era_of_a_rule_is_judged(book: Rulebook) -> None:
    catalogue = load("kadu")
    suite = build_suite(tuple(map(str, load_product("kadu").features)), catalogue, load_steps())
    judged = {(case.rule, case.era) for case in suite.cases}
    assert {(rule.id, era) for rule in catalogue.rules.values() for era in rule.eras} == judged


def test_every_rule_that_binds_has_the_mutants_its_seat_says(book: Rulebook) -> None:
    has = {row.rule.id: (bool(row.servers), bool(row.mocks)) for row in _binding(book)}
    of_seat = {"server": (True, False), "with the mock": (True, True), "only the mock": (False, True)}
    assert of_seat.keys() == set(SEATS)
    assert has == {row.rule.id: of_seat[row.rule.seat] for row in _binding(book)}


def test_every_mutant_breaks_a_catalogued_rule_that_is_judged(book: Rulebook) -> None:
    judged = {row.rule.id for row in book.rows if row.scenarios}
    for told in (reference_server.mutants.mutants(), mock_api.mutants.mutants()):
        assert {mutant.name for mutant in told if mutant.rule not in judged} == set()


def test_every_mutant_is_told_once_and_says_its_lie(book: Rulebook) -> None:
    for lies in (
        [lie for row in book.rows for lie in row.servers],
        [lie for row in book.rows for lie in row.mocks],
    ):
        assert len({lie.name for lie in lies}) == len(lies)
        assert all(lie.lie.endswith(".") for lie in lies)
    assert sum(len(row.servers) for row in book.rows) == len(reference_server.mutants.mutants())
    assert sum(len(row.mocks) for row in book.rows) == len(mock_api.mutants.mutants())


def test_every_tag_of_the_features_that_looks_like_a_rule_is_one() -> None:
    written = {
        tag for path in FEATURES.rglob("*.feature") for tag in RULE_TAG.findall(path.read_text("utf-8"))
    }
    assert written == set(load("kadu").rules)


def test_every_rule_has_a_document_and_a_section() -> None:
    assert [rule.id for rule in load("kadu").rules.values() if not rule.document or not rule.section] == []


def test_every_section_has_a_rule_or_says_what_is_left_out() -> None:
    catalogue = load("kadu")
    told = {(one.document, one.section) for one in (*catalogue.rules.values(), *catalogue.exclusions)}
    named = {
        (document, section)
        for name in ("kadu", "protocol")
        for document, sections in tomllib.loads(
            files("harness.catalogue").joinpath(f"{name}.toml").read_text(encoding="utf-8")
        )["documents"].items()
        for section in sections
    }
    assert named == told


def test_what_is_left_out_is_told_once_with_a_reason() -> None:
    excluded = load("kadu").exclusions
    assert len({one.sentence for one in excluded}) == len(excluded)
    assert [
        one.sentence for one in excluded if len(one.reason.split()) < 5 or one.reason == one.sentence
    ] == []


def test_rules_that_an_exclusion_points_to_exist() -> None:
    catalogue = load("kadu")
    named = {
        rule for one in catalogue.exclusions for rule in re.findall(r"[A-Z]+(?:-[A-Z]+)*-\d\d\b", one.reason)
    }
    assert named
    assert named <= catalogue.rules.keys()


def test_what_is_not_judged_yet_says_so() -> None:
    whole = {one.document: one.reason for one in load("kadu").exclusions if one.section == "The whole page"}
    assert all(
        "yet" in whole[f"{page}"] for page in ("Resources e prompts of Dunning", "Ferramentas of Kazzle")
    )


def test_the_product_of_the_features_has_a_catalogue() -> None:
    assert {path.parent.name for path in Path(FEATURES).glob("*/product.toml")} == set(products())


def test_advice_alone_has_no_mutants(book: Rulebook) -> None:
    assert [row.rule.id for row in book.rows if row.rule.level == "A" and (row.servers or row.mocks)] == []

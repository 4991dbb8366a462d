"""Each mistake in a catalogue file is an error that says where and what."""

import re
from collections.abc import Callable

import pytest

from harness.catalogue.parsing import assemble, parse

GOOD = """
include = ["shared"]

[product]
id = "shop"
title = "Shop"

[documents]
"Manual" = ["Orders", "Payments"]

[[rule]]
id = "SHOP-ORD-01"
group = "orders"
level = "M"
eras = ["2025", "2026"]
seat = "server"
statement = "An order is taken once."
reading = "How it is confirmed is open."
document = "Manual"
section = "Orders"
clauses = [{ level = "A", text = "It is confirmed by mail." }]

[[excluded]]
document = "Manual"
section = "Payments"
sentence = "Pay early."
reason = "It is advice to people."
"""
SHARED = """
[documents]
"Protocol" = ["Messages"]

[[rule]]
id = "P-01"
group = "protocol"
level = "D"
eras = ["2026"]
seat = "server"
statement = "Messages are valid."
document = "Protocol"
section = "Messages"
"""


def test_a_product_holds_its_own_rules_and_then_the_shared_ones() -> None:
    catalogue = assemble([parse(GOOD, "shop"), parse(SHARED, "shared")])
    assert list(catalogue.rules) == ["SHOP-ORD-01", "P-01"]
    rule = catalogue.rules["SHOP-ORD-01"]
    assert (rule.level, rule.eras, rule.reading) == ("M", ("2025", "2026"), "How it is confirmed is open.")
    assert [(clause.level, clause.text) for clause in rule.clauses] == [("A", "It is confirmed by mail.")]
    assert catalogue.rules["P-01"].reading is None
    assert [exclusion.reason for exclusion in catalogue.exclusions] == ["It is advice to people."]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('group = "orders"\n', "", "shop.toml: rule 1 (SHOP-ORD-01): group is missing"),
        ('group = "orders"', 'grup = "orders"\ngroup = "orders"', "grup is no key of it"),
        ('group = "orders"', "group = 1", "group: text on one line"),
        ('group = "orders"', 'group = " orders"', "group: text on one line"),
        ('group = "orders"', 'group = ""', "group: text on one line"),
        ('level = "M"', 'level = "must"', "level: 'must', one of ['M', 'D', 'A'] expected"),
        (
            'seat = "server"',
            'seat = "client"',
            "seat: 'client', one of ['server', 'with the mock', 'only the mock']",
        ),
        ('eras = ["2025", "2026"]', "eras = []", "at least one of ['2025', '2026']"),
        ('eras = ["2025", "2026"]', 'eras = ["2026", "2025"]', "once, in order expected"),
        ('eras = ["2025", "2026"]', 'eras = ["2025", "2025"]', "once, in order expected"),
        ('eras = ["2025", "2026"]', 'eras = ["2024"]', "eras 1: '2024', one of"),
        ('eras = ["2025", "2026"]', 'eras = "2025"', "eras: a list expected"),
        ('id = "SHOP-ORD-01"', 'id = "SHOP-ORD-1"', "capitals and a number such as KADU-RES-01"),
        ('id = "SHOP-ORD-01"', 'id = "shop-ord-01"', "capitals and a number such as KADU-RES-01"),
        ("taken once.", "taken once", "one sentence with its full stop"),
        ("taken once.", "taken. Once.", "one sentence with its full stop"),
        ("taken once.", "taken" + " again and again" * 13 + ".", "at most 200 expected"),
        ('{ level = "A", text', '{ level = "B", text', "clauses 1: level: 'B'"),
        ('text = "It is confirmed by mail."', 'words = ""', "text is missing, words is no key of it"),
        ('reason = "It is advice to people."', "", "excluded 1: reason is missing"),
        ('id = "shop"', 'id = "kiosk"', "product: id is 'kiosk', the file's name 'shop' expected"),
        ("[[excluded]]", "[[exclude]]", "shop.toml: exclude is no key of it"),
        ('"Manual" = ["Orders", "Payments"]', '"Manual" = "Orders"', "documents: Manual: a list expected"),
        ("[product]", "[product", "shop.toml: not TOML"),
        ("[[rule]]", "[rule]", "rule: a list expected"),
        (
            'clauses = [{ level = "A", text = "It is confirmed by mail." }]',
            'clauses = ["x"]',
            "a table expected",
        ),
    ],
)
def test_a_mistake_is_named(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(GOOD.replace(old, new, 1), "shop")


def _foreign_section(text: str) -> str:
    return text.replace('section = "Orders"', 'section = "Refunds"')


def _foreign_document(text: str) -> str:
    return text.replace('document = "Manual"\nsection = "Orders"', 'document = "Guide"\nsection = "Orders"')


def _foreign_exclusion(text: str) -> str:
    return text.replace('section = "Payments"', 'section = "Refunds"')


def _taken_id(text: str) -> str:
    return text.replace("SHOP-ORD-01", "P-01")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_foreign_section, "shop.toml: SHOP-ORD-01: 'Manual' has no section 'Refunds'"),
        (_foreign_document, "shop.toml: SHOP-ORD-01: document 'Guide' is not in [documents]"),
        (_foreign_exclusion, "shop.toml: excluded 1: 'Manual' has no section 'Refunds'"),
        (_taken_id, "shared.toml: P-01: the id is taken"),
    ],
)
def test_parts_that_do_not_fit_are_refused(change: Callable[[str], str], message: str) -> None:
    parts = [parse(change(GOOD), "shop"), parse(SHARED, "shared")]
    with pytest.raises(ValueError, match=re.escape(message)):
        assemble(parts)


def test_only_a_product_includes_and_no_product_is_included() -> None:
    with pytest.raises(ValueError, match="only the file of a product includes others"):
        parse('include = ["shop"]\n' + SHARED, "shared")
    with pytest.raises(ValueError, match="a product's own, not to be shared"):
        assemble(
            [
                parse(GOOD.replace('"shared"', '"kiosk"'), "shop"),
                parse(GOOD.replace('"shop"', '"kiosk"'), "kiosk"),
            ]
        )
    with pytest.raises(ValueError, match=r"include: there is no shared\.toml beside it"):
        assemble([parse(GOOD, "shop")])


def test_a_part_alone_and_a_product_without_rules_are_no_catalogue() -> None:
    with pytest.raises(ValueError, match="no product's catalogue"):
        assemble([parse(SHARED, "shared")])
    with pytest.raises(ValueError, match="no rules"):
        assemble([parse('[product]\nid = "shop"\ntitle = "Shop"\n', "shop")])

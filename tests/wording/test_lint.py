"""Every complaint of the wording lint, each on a suite that has exactly that fault."""

from pathlib import Path

import pytest

from harness.wording import Complaint, lint

CLEAN = """\
Feature: Orders

  An order is money, so the shop takes each one exactly once.

  Background:
    Given a shop

  @SHOP-ORD-01
  Rule: An order is taken once

    Background:
      Given a customer

    Scenario: The first order is taken
      When the customer orders "tea"
      Then the order is taken
      And the customer is told
      When the customer orders "tea" again
      Then the order is refused

    Scenario Outline: <drink> is sold
      When the customer orders <drink>
      Then the order is taken

      Examples:
        | drink |
        | tea   |
"""
PORTUGUESE = """\
# language: pt
Funcionalidade: Pedidos

  Um pedido é dinheiro, por isso a loja o aceita uma só vez.

  @SHOP-ORD-01
  Regra: Um pedido é aceito uma vez

    Cenário: O primeiro pedido é aceito
      Dado uma loja
      E um cliente
      Quando o cliente pede "chá"
      Então o pedido é aceito
"""
SPANISH = """\
# language: es
Característica: Pedidos

  Un pedido es dinero, por eso la tienda lo acepta una sola vez.

  @SHOP-ORD-01
  Regla: Un pedido se acepta una vez

    Escenario: El primer pedido se acepta
      Dada una tienda
      Y un cliente
      Cuando el cliente pide "té"
      Entonces el pedido se acepta
"""
LONG = "A title that goes on and on until it has taken far more room than a list of titles has"


def _lint(folder: Path, text: str) -> list[tuple[int, str]]:
    (folder / "orders.feature").write_text(text, encoding="utf-8")
    return [(complaint.line, complaint.message) for complaint in lint([folder])]


@pytest.mark.parametrize("text", [CLEAN, PORTUGUESE, SPANISH], ids=["en", "pt", "es"])
def test_a_clean_suite_has_no_complaints(tmp_path: Path, text: str) -> None:
    assert _lint(tmp_path, text) == []


TITLE_FAULTS = [
    ("Feature: Orders", "Feature: orders", 1, "Feature title begins with 'o'"),
    ("Feature: Orders", "Feature:", 1, "Feature without a title"),
    ("Feature: Orders", "Feature: Orders: how they should be", 1, "Feature title says 'should'"),
    ("Rule: An order is taken once", f"Rule: {LONG}", 9, "Rule title of 86 characters: under 80 expected"),
    ("Rule: An order is taken once", "Rule: An order is taken once.", 9, "Rule title ends in '.'"),
    ("Rule: An order is taken once", "Rule: Is an order taken once?", 9, "Rule title ends in '?'"),
    ("Rule: An order is taken once", "Rule: Orders", 9, "Rule title of 1 word: a declarative sentence"),
    ("Rule: An order is taken once", "Rule: An order must be taken once", 9, "Rule title says 'must'"),
    ("Rule: An order is taken once", "Rule: an order is taken once", 9, "Rule title begins with 'a'"),
    ("The first order is taken", "Test that the first order is taken", 14, "says 'Test that'"),
    ("The first order is taken", "Verify the first order", 14, "says 'Verify'"),
    ("The first order is taken", "We check that the order is taken", 14, "says 'check that'"),
    ("The first order is taken", "Orders shall be taken", 14, "says 'shall'"),
    ("The first order is taken", "The first order is taken…", 14, "Scenario title ends in '…'"),
    (" The first order is taken", "", 14, "Scenario without a title"),
    ("Examples:", "Examples: What the shop should sell", 25, "Examples title says 'should'"),
    ("Examples:", "Examples: hot drinks", 25, "Examples title begins with 'h'"),
]
STRUCTURE_FAULTS = [
    ("  An order is money, so the shop takes each one exactly once.\n", "\n", 1, "Feature without prose"),
    ("@SHOP-ORD-01", "@orders", 9, "Rule without its tag"),
    ("@SHOP-ORD-01", "@SHOP-ORD-01 @SHOP-ORD-02", 9, "Rule with 2 rule ids, @SHOP-ORD-01 @SHOP-ORD-02"),
    (
        "  @SHOP-ORD-01\n",
        "  @A-01\n  Rule: Nothing shows this\n\n  @SHOP-ORD-01\n",
        9,
        "Rule without a Scenario",
    ),
    (
        "  @SHOP-ORD-01\n",
        "  @A-01\n  Rule: An order is taken ONCE\n\n    Scenario: A\n      Then b\n\n  @SHOP-ORD-01\n",
        15,
        "Rule title 'An order is taken once' is taken",
    ),
    ("<drink> is sold", "The first order IS taken", 21, "Scenario title 'The first order IS taken' is taken"),
]
STEP_FAULTS = [
    ('When the customer orders "tea"\n', "And tea is ordered\n", 15, "And continues nothing"),
    ("Given a customer", "But a customer", 12, "But continues nothing"),
    ("Given a shop", "And a shop", 6, "And continues nothing"),
    (
        "Then the order is refused",
        "Given another customer\n      Then it is refused",
        19,
        "Given after a When or Then",
    ),
    ("Given a customer", "When a customer comes\n      Given a shop", 13, "Given after a When or Then"),
    ("Given a shop", "When a shop opens", 12, "Given after a When or Then"),
    ("And the customer is told", "* the customer is told", 17, "* says neither Given, When nor Then"),
    ("When the customer orders <drink>\n      Then", "Given", 21, "Scenario without a Then"),
    (
        "      When the customer orders <drink>\n      Then the order is taken\n",
        "",
        21,
        "Scenario without steps",
    ),
    *(
        ("the customer is told", f"the customer{mark}is told", 17, f"step text holds {mark}:")
        for mark in ("(", ")", ".", "*", "|", "\\")
    ),
]
LINE_FAULTS = [
    ("And the customer is told", "And the customer is told ", 17, "spaces at the end of the line"),
    ("And the customer is told", "And the\tcustomer is told", 17, "a tab: spaces expected"),
    ("      And the customer", "\n\t      And the customer", 18, "a tab: spaces expected"),
    ("And the customer is told", "The customer is told", 17, "expected: #"),
]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"), [*TITLE_FAULTS, *STRUCTURE_FAULTS, *STEP_FAULTS, *LINE_FAULTS]
)
def test_one_fault_gives_one_complaint(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    assert old in CLEAN
    found = _lint(tmp_path, CLEAN.replace(old, new, 1))
    assert [at for at, _ in found] == [line]
    assert message in found[0][1]


@pytest.mark.parametrize(
    ("text", "old", "new", "word"),
    [
        (PORTUGUESE, "O primeiro pedido é aceito", "O primeiro pedido deve ser aceito", "deve"),
        (PORTUGUESE, "Um pedido é aceito uma vez", "Verifica o pedido uma vez", "Verifica"),
        (PORTUGUESE, "O primeiro pedido é aceito", "Testa se o pedido é aceito", "Testa se"),
        (PORTUGUESE, "Um pedido é aceito uma vez", "Um pedido deveria ser aceito", "deveria"),
        (PORTUGUESE, "O primeiro pedido é aceito", "Testar que o pedido é aceito", "Testar que"),
        (PORTUGUESE, "O primeiro pedido é aceito", "Os pedidos devera\u0303o ser aceitos", "deverão"),
        (SPANISH, "El primer pedido se acepta", "El primer pedido debería aceptarse", "debería"),
        (SPANISH, "Un pedido se acepta una vez", "Un pedido se debe aceptar", "debe"),
        (SPANISH, "El primer pedido se acepta", "Verificar el primer pedido", "Verificar"),
        (SPANISH, "El primer pedido se acepta", "Probar que el pedido se acepta", "Probar que"),
        (SPANISH, "El primer pedido se acepta", "Comprueba que el pedido se acepta", "Comprueba que"),
    ],
)
def test_wishes_are_found_in_the_language_of_the_file(
    tmp_path: Path, text: str, old: str, new: str, word: str
) -> None:
    assert old in text
    assert [message for _, message in _lint(tmp_path, text.replace(old, new, 1))] == [
        f"{'Rule' if old.startswith(('Un', 'Um')) else 'Scenario'} title says {word!r}: "
        "say what is so, not what is wished or tested"
    ]


@pytest.mark.parametrize(
    "title", ["Muster is kept", "The tool kadu_check_that is listed", "Shoulder to shoulder"]
)
def test_a_wish_inside_another_word_is_none(tmp_path: Path, title: str) -> None:
    assert _lint(tmp_path, CLEAN.replace("The first order is taken", title)) == []


def test_portuguese_words_are_no_wishes_in_english(tmp_path: Path) -> None:
    assert _lint(tmp_path, CLEAN.replace("The first order is taken", "A deve is taken")) == []


def test_a_scenario_outside_every_rule_is_named(tmp_path: Path) -> None:
    text = CLEAN.split("  @SHOP-ORD-01", maxsplit=1)[0] + "  Scenario: It stands alone\n    Then it is so.\n"
    assert _lint(tmp_path, text) == [
        (8, "Scenario outside every Rule: a verdict belongs to a rule"),
        (9, "step text holds .: put it into a table, an example or a doc string"),
    ]


def test_a_title_of_79_characters_fits_and_one_of_80_does_not(tmp_path: Path) -> None:
    fits = "A" + "b" * 78
    assert _lint(tmp_path, CLEAN.replace("The first order is taken", fits)) == []
    assert len(_lint(tmp_path, CLEAN.replace("The first order is taken", fits + "b"))) == 1


def test_a_title_is_unique_in_all_the_files(tmp_path: Path) -> None:
    one, two = tmp_path / "one.feature", tmp_path / "deep" / "two.feature"
    two.parent.mkdir()
    one.write_text(CLEAN, encoding="utf-8")
    others = (("<drink> is sold", "<drink> is kept"), ("An order is taken", "An order is made"))
    text = CLEAN
    for here, there in others:
        text = text.replace(here, there)
    two.write_text(text, encoding="utf-8")
    assert lint([one, two]) == [
        Complaint(str(two), 1, f"Feature title 'Orders' is taken, by {one}:1"),
        Complaint(str(two), 14, f"Scenario title 'The first order is taken' is taken, by {one}:14"),
    ]


def test_a_file_given_twice_is_looked_at_once(tmp_path: Path) -> None:
    (tmp_path / "orders.feature").write_text(CLEAN, encoding="utf-8")
    assert lint([tmp_path, tmp_path / "orders.feature", str(tmp_path)]) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no Feature in this file"),
        (b"# language: xx\nFeature: Orders\n", "Language not supported: xx"),
        (b"Feature: Caf\xe9\n", "not UTF-8: "),
    ],
)
def test_a_file_that_is_no_feature_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "orders.feature").write_bytes(content)
    found = lint([tmp_path])
    assert [complaint.line for complaint in found] == [1]
    assert found[0].message.startswith(message)


def test_windows_line_ends_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "orders.feature").write_bytes(CLEAN.replace("\n", "\r\n").encode())
    assert lint([tmp_path]) == []


def test_nothing_to_look_at_is_never_silent(tmp_path: Path) -> None:
    assert lint([tmp_path]) == [Complaint(str(tmp_path), 1, "no feature files in this folder")]
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        lint([tmp_path / "nowhere"])

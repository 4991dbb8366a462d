"""`lint` through the command line: complaints as lines, and an exit code that a pipeline can go by."""

import os

import pytest

ORDERS = """\
Feature: Orders

  An order is money, so the shop takes each one exactly once.

  @SHOP-ORD-01
  Rule: An order is taken once

    Scenario: The first order is taken
      Given a shop
      When "tea" is ordered
      Then the order is taken
"""
PEDIDOS = """\
# language: pt
Funcionalidade: Pedidos

  Um pedido é dinheiro, por isso a loja o aceita uma só vez.

  @SHOP-ORD-02
  Regra: Um pedido é aceito uma vez

    Cenário: O primeiro pedido é aceito
      Dado uma loja
      Quando o cliente pede "chá"
      Então o pedido é aceito
"""
LEDGER = """\
# language: es
Característica: Cuentas

  Una cuenta es dinero, por eso la tienda la escribe.

  @SHOP-ORD-03
  Regla: Una cuenta se escribe una vez

    Escenario: La primera cuenta debería escribirse
      Dada una tienda
      Cuando el cliente pide la cuenta
      Entonces la cuenta (una) se escribe
"""


@pytest.fixture
def shop(tmp_path):
    """A directory with features in three languages; the Spanish one has two faults, below a directory of its own."""
    (tmp_path / "shop" / "deep").mkdir(parents=True)
    for name, text in (("orders", ORDERS), ("pedidos", PEDIDOS), ("deep/cuentas", LEDGER)):
        (tmp_path / "shop" / f"{name}.feature").write_text(text, encoding="utf-8")
    return tmp_path / "shop"


def test_the_bundled_features_are_linted_where_nothing_is_named_and_are_clean(cli):
    said = cli("lint")
    assert (said.code, said.out, said.err) == (0, "", "")


def test_clean_files_in_two_languages_say_nothing(cli, shop):
    said = cli("lint", "shop/orders.feature", str(shop / "pedidos.feature"))
    assert (said.code, said.out, said.err) == (0, "", "")


def test_each_complaint_is_a_line_with_file_and_line(cli, shop):
    said = cli("lint", "shop")
    assert (said.code, said.err) == (1, "")
    assert said.out.splitlines() == [
        "shop/deep/cuentas.feature:9: Scenario title says 'debería': say what is so, not what is wished or tested",
        "shop/deep/cuentas.feature:12: step text holds ( ): put it into a table, an example or a doc string",
    ]


def test_what_is_named_together_is_one_suite(cli, shop):
    again = shop / "again.feature"
    again.write_text(ORDERS.replace("Orders", "More").replace("order is taken once", "order counts once"))
    said = cli("lint", "shop/orders.feature", "shop/again.feature")
    assert said.code == 1
    assert said.out == (
        "shop/again.feature:8: Scenario title 'The first order is taken' is taken, by shop/orders.feature:8\n"
    )


@pytest.mark.parametrize("place", ["nowhere", "shop/nowhere.feature"])
def test_a_path_that_is_not_there_is_one_sentence(cli, shop, refused, place):
    refused(cli("lint", "shop", place), f"{place}: no such file or folder")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_one_sentence(cli, shop, refused):
    (shop / "orders.feature").chmod(0)
    refused(cli("lint", "shop"), "orders.feature cannot be read")


def test_a_product_that_nobody_knows_is_one_sentence(cli, refused):
    refused(cli("lint", "--product", "nothing"), "There is no product 'nothing'; known: ")


def test_a_directory_without_features_is_never_clean(cli, tmp_path):
    (tmp_path / "empty").mkdir()
    said = cli("lint", "empty")
    assert (said.code, said.out) == (1, "empty:1: no feature files in this folder\n")


def test_what_stands_in_a_file_does_not_steer_the_terminal(cli, tmp_path):
    text = ORDERS.replace('When "tea"', '\x1b[2J "tea"')
    (tmp_path / "a.feature").write_text(text, encoding="utf-8")
    said = cli("lint", "a.feature")
    assert said.code == 1
    assert "got '\\x1b[2J" in said.out
    assert "\x1b" not in said.out

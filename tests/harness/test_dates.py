"""Dates are found however a server renders them, and no other date is taken for them."""

import unicodedata
from datetime import date
from typing import Literal

import pytest

from harness.checks.dates import holds_date, holds_month, months_before

DAY = date(2026, 10, 24)


@pytest.mark.parametrize(
    "text",
    [
        "desde 2026-10-24.",
        "24/10/2026",
        "24.10.26",
        "10/24/2026",
        "2026/10/24",
        "24 de outubro",
        "24 de outubro de 2026",
        "24 de octubre de 2026",
        "24th of October 2026",
        "Saturday, 24th October",
        "24-Oct-2026",
        "October 24, 2026",
        "Oct 24",
        "desde o dia 24 out (2026)",
        "24. Oktober 2026",
        "seit dem 24.Oktober",
        "24. Okt. 2026",
        "Samstag, 24. 10. 2026",
        "24. 10.2026",
        "24 / 10 / 2026",
        "24 octobre 2026",
        "24 ottobre 2026",
        "24 ott. 2026",
        "24 oktober 2026",
    ],
)
def test_a_rendering_of_the_day_is_found(text: str) -> None:
    assert holds_date(text, DAY)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-10-25",
        "12026-10-241",
        "24/11/2026",
        "124 de outubro",
        "24 de outubro de 2025",
        "October 24, 2025",
        "4 de outubro",
        "out 2",
        "25. Oktober 2026",
        "24. Oktober 2025",
        "24. Okt. 2025",
        "124. Oktober 2026",
        "24. November 2026",
        "24 novembre 2026",
        "24 octobre 2025",
        "24. 11. 2026",
        "24. 10. 2025",
        "24. 10. 20261",
        "24. 10. 26",
        "10. 24. 2026",
        "2026-10 - 24",
        "10 / 24",
        "ott 24",
    ],
)
def test_another_day_is_not_taken_for_it(text: str) -> None:
    assert not holds_date(text, DAY)


@pytest.mark.parametrize(
    "text",
    [
        "2026-09",
        "2026/09",
        "09/2026",
        "setembro de 2026",
        "September 2026",
        "Sep. 2026",
        "September (2026)",
        "de 2026-09-01",
        "09 / 2026",
        "settembre 2026",
        "septembre 2026",
        "Sept. 2026",
    ],
)
def test_a_rendering_of_the_month_is_found(text: str) -> None:
    assert holds_month(text, "2026-09")


@pytest.mark.parametrize(
    "text", ["", "2026-10", "9", "setembro", "setembro de 2025", "12026-091", "Oktober 2026"]
)
def test_another_month_is_not_taken_for_it(text: str) -> None:
    assert not holds_month(text, "2026-09")


GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
SHORT_GERMAN = "Jan. Feb. Mär. Apr. Mai Jun. Jul. Aug. Sep. Okt. Nov. Dez."
FRENCH = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
SHORT_FRENCH = "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."
ITALIAN = "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
SHORT_ITALIAN = "gen feb mar apr mag giu lug ago set ott nov dic"
DUTCH = "januari februari maart april mei juni juli augustus september oktober november december"
SHORT_DUTCH = "jan. feb. mrt. apr. mei jun. jul. aug. sep. okt. nov. dec."


@pytest.mark.parametrize(
    "names", [GERMAN, SHORT_GERMAN, FRENCH, SHORT_FRENCH, ITALIAN, SHORT_ITALIAN, DUTCH, SHORT_DUTCH]
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_every_month_of_a_language_is_itself_and_no_other(names: str, form: Literal["NFC", "NFD"]) -> None:
    for position, name in enumerate(names.split(), 1):
        told = unicodedata.normalize(form, f"7. {name} 2026")
        assert [month for month in range(1, 13) if holds_date(told, date(2026, month, 7))] == [position]
        assert [month for month in range(1, 13) if holds_month(told, f"2026-{month:02d}")] == [position]
        assert not holds_date(told, date(2026, position, 17))
        assert not holds_date(told, date(2025, position, 7))


def test_months_are_counted_back_across_the_year() -> None:
    assert months_before("2027-01", 3) == ["2026-11", "2026-12", "2027-01"]

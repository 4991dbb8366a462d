"""Dates are found however a server renders them, and no other date is taken for them."""

from datetime import date

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
    ],
)
def test_a_rendering_of_the_month_is_found(text: str) -> None:
    assert holds_month(text, "2026-09")


@pytest.mark.parametrize("text", ["", "2026-10", "9", "setembro", "setembro de 2025", "12026-091"])
def test_another_month_is_not_taken_for_it(text: str) -> None:
    assert not holds_month(text, "2026-09")


def test_months_are_counted_back_across_the_year() -> None:
    assert months_before("2027-01", 3) == ["2026-11", "2026-12", "2027-01"]

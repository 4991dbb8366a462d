"""Dates and months as people write them: which texts hold a date, however it is rendered."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

_MONTHS = (
    ("janeiro", "enero", "january", "jan", "ene"),
    ("fevereiro", "febrero", "february", "fev", "feb"),
    ("março", "marzo", "march", "mar"),
    ("abril", "april", "abr", "apr"),
    ("maio", "mayo", "may", "mai"),
    ("junho", "junio", "june", "jun"),
    ("julho", "julio", "july", "jul"),
    ("agosto", "august", "ago", "aug"),
    ("setembro", "septiembre", "september", "set", "sep", "sept"),
    ("outubro", "octubre", "october", "out", "oct"),
    ("novembro", "noviembre", "november", "nov"),
    ("dezembro", "diciembre", "december", "dez", "dic", "dec"),
)


def holds_date(text: str, day: date) -> bool:
    """True when the text holds that day: 2026-10-24, 24/10/2026, 24 de outubro, October 24."""
    return any(re.search(form, text, re.IGNORECASE) for form in _day_forms(day))


def holds_month(text: str, month: str) -> bool:
    """True when the text holds that month (`YYYY-MM`): 2026-09, 09/2026, setembro de 2026."""
    year, number = month.split("-")
    names = "|".join(_MONTHS[int(number) - 1])
    forms = [
        rf"(?<!\d){year}-{number}(?!\d)",
        rf"(?<!\d){number}/{year}(?!\d)",
        rf"\b(?:{names})\b\.?,?\s*(?:de\s+|del\s+|of\s+|/)?{year}\b",
    ]
    return any(re.search(form, text, re.IGNORECASE) for form in forms)


def around(moment: date, days: int = 1) -> list[date]:
    """The days a moment may be in the world's time zones: the day itself and its neighbours."""
    return [moment + timedelta(days=offset) for offset in range(-days, days + 1)]


def _day_forms(day: date) -> Iterator[str]:
    names = "|".join(_MONTHS[day.month - 1])
    yield rf"(?<!\d){day.isoformat()}(?!\d)"
    yield rf"(?<!\d)0?{day.day}[/.-]0?{day.month}[/.-](?:{day.year}|{day.year % 100:02d})(?!\d)"
    yield rf"(?<!\d)0?{day.day}º?\s+(?:de\s+|of\s+)?(?:{names})\b"
    yield rf"\b(?:{names})\.?\s+0?{day.day}(?:st|nd|rd|th)?(?!\d)"


def months_before(current: str, count: int) -> list[str]:
    """`count` consecutive months ending with `current` (`YYYY-MM`), oldest first."""
    year, month = map(int, current.split("-"))
    last = year * 12 + month - 1
    return [f"{index // 12:04d}-{index % 12 + 1:02d}" for index in range(last - count + 1, last + 1)]

"""Dates and months as people write them: which texts hold a date, however it is rendered."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
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
# The same in German, French, Italian and Dutch, where the day stands before the month.
_MONTHS_AFTER_THE_DAY = (
    ("januar", "jänner", "jän", "janvier", "janv", "gennaio", "gen", "januari"),
    ("februar", "feber", "février", "fevrier", "févr", "fevr", "febbraio", "febr", "februari"),
    ("märz", "maerz", "mär", "mrz", "mars", "maart", "mrt"),
    ("avril", "avr", "aprile"),
    ("mai", "maggio", "mag", "mei"),
    ("juni", "juin", "giugno", "giu"),
    ("juli", "juillet", "juil", "luglio", "lug"),
    ("août", "aout", "augustus"),
    ("septembre", "settembre", "sett"),
    ("oktober", "okt", "octobre", "ottobre", "ott"),
    ("novembre",),
    ("dezember", "décembre", "decembre", "déc", "dicembre"),
)


def holds_date(text: str, day: date) -> bool:
    """True when the text holds that day: 2026-10-24, 24. 10. 2026, 24 de outubro, 24. Oktober, 24th of October, Oct 24.

    Where the year follows a day in words, it has to be that day's.
    """
    text = unicodedata.normalize("NFC", text)
    if any(re.search(form, text) for form in _day_figures(day)):
        return True
    years = (
        found.group("year") for form in _day_words(day) for found in re.finditer(form, text, re.IGNORECASE)
    )
    return any(year in (None, str(day.year)) for year in years)


def holds_month(text: str, month: str) -> bool:
    """True when the text holds that month (`YYYY-MM`): 2026-09, 2026/09, 09/2026, setembro de 2026."""
    text = unicodedata.normalize("NFC", text)
    year, number = month.split("-")
    forms = [
        rf"(?<!\d){year}[-/.]{number}(?!\d)",
        rf"(?<!\d){number}(?:[-/.]| / ){year}(?!\d)",
        rf"\b(?:{_names(int(number), _MONTHS, _MONTHS_AFTER_THE_DAY)})\b\.?,?[\s(/-]*(?:de\s+|del\s+|of\s+)?{year}\b",
    ]
    return any(re.search(form, text, re.IGNORECASE) for form in forms)


def around(moment: date, days: int = 1) -> list[date]:
    """The days a moment may be in the world's time zones: the day itself and its neighbours."""
    return [moment + timedelta(days=offset) for offset in range(-days, days + 1)]


def _names(month: int, *languages: Sequence[Sequence[str]]) -> str:
    names = [name for months in languages for name in months[month - 1]]
    return "|".join(sorted(names, key=len, reverse=True))


def _day_figures(day: date) -> Iterator[str]:
    year, short, month, number = day.year, day.year % 100, f"0?{day.month}", f"0?{day.day}"
    yield rf"(?<!\d){year}[-/.]{month}[-/.]{number}(?!\d)"
    yield rf"(?<!\d)(?:{number}[-/.]{month}|{month}[-/.]{number})[-/.](?:{year}|{short:02d})(?!\d)"
    # With spaces the day comes first and the year is whole: anything less is a list of numbers.
    yield rf"(?<!\d){number}(?:\.\s?{month}\.\s?| / {month} / ){year}(?!\d)"


def _day_words(day: date) -> Iterator[str]:
    number = f"0?{day.day}"
    names = _names(day.month, _MONTHS, _MONTHS_AFTER_THE_DAY)
    year = r"(?:[\s,.(/-]+(?:de\s+|del\s+|of\s+)?(?P<year>\d{4}))?"
    yield rf"(?<!\d){number}(?:(?:º|°|\.|st|nd|rd|th|er)?[\s-]+|[./])(?:de\s+|of\s+)?(?:{names})\b{year}"
    yield rf"\b(?:{_names(day.month, _MONTHS)})\.?\s+{number}(?:st|nd|rd|th)?(?!\d){year}"


def months_before(current: str, count: int) -> list[str]:
    """`count` consecutive months ending with `current` (`YYYY-MM`), oldest first."""
    year, month = map(int, current.split("-"))
    last = year * 12 + month - 1
    return [f"{index // 12:04d}-{index % 12 + 1:02d}" for index in range(last - count + 1, last + 1)]

"""The formats of prompt arguments."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Format:
    """A format: what it is called in an error, and whether a text keeps to it."""

    name: str
    accepts: Callable[[str], bool]


def _is_text(text: str) -> bool:
    return len(text) <= 200 and text.isprintable()


def _is_date(text: str) -> bool:
    if _DATE.fullmatch(text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_month(text: str) -> bool:
    return _MONTH.fullmatch(text) is not None and text[:4] != "0000"


TEXT = Format("texto de até 200 caracteres", _is_text)
DATE = Format("AAAA-MM-DD", _is_date)
MONTH = Format("AAAA-MM", _is_month)

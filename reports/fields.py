"""Reading typed fields out of a JSON object, with a sentence that names the place when one is not as documented."""

import math
from dataclasses import dataclass
from typing import Any

_JSON_NAMES: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


def named(text: str) -> str:
    """Text from a record as it may stand in a sentence: short, nothing invisible."""
    short = text if len(text) <= 60 else f"{text[:60]}…"
    return short if short.isprintable() else ascii(short)


def _kind(value: object) -> str:
    return "null" if value is None else _JSON_NAMES[type(value)]


@dataclass(frozen=True)
class Fields:
    """One JSON object of the record and where it stands ("run.ndjson, line 3", then the path within the line).

    Every method raises ValueError with one sentence when the field is missing or of another type. A method that
    ends in `_or_none` takes a missing field for null.
    """

    where: str
    data: dict[str, Any]

    def _wrong(self, key: str, wanted: str) -> ValueError:
        came = _kind(self.data[key]) if key in self.data else "nothing"
        return ValueError(f"{self.where}: expected {wanted} in {key!r}, came {came}")

    def text(self, key: str) -> str:
        """A string."""
        value = self.data.get(key)
        if not isinstance(value, str):
            raise self._wrong(key, "text")
        return value

    def text_or_none(self, key: str) -> str | None:
        """A string, or None."""
        return None if self.data.get(key) is None else self.text(key)

    def integer(self, key: str) -> int:
        """A whole number."""
        value = self.data.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(key, "a whole number")
        return value

    def integer_or_none(self, key: str) -> int | None:
        """A whole number, or None."""
        return None if self.data.get(key) is None else self.integer(key)

    def seconds(self, key: str) -> float:
        """A finite number."""
        value = self.data.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            raise self._wrong(key, "a number of seconds")
        return float(value)

    def flag(self, key: str) -> bool:
        """True or false; false where it is missing."""
        value = self.data.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        value = self.data.get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(key, "a list of texts")
        return tuple(value)

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A list of [name, value] pairs of strings."""
        value = self.data.get(key)
        if not isinstance(value, list) or not all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
            for pair in value
        ):
            raise self._wrong(key, "a list of [name, value] pairs")
        return tuple((name, content) for name, content in value)

    def mapping(self, key: str) -> dict[str, str]:
        """An object whose values are strings."""
        value = self.data.get(key)
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            raise self._wrong(key, "an object of texts")
        return dict(value)

    def counts(self, key: str) -> dict[str, int]:
        """An object whose values are whole numbers."""
        inner = self.object(key)
        return {name: inner.integer(name) for name in inner.data}

    def object(self, key: str) -> "Fields":
        """An object."""
        value = self.data.get(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "an object")
        return Fields(f"{self.where}, {named(key)}", value)

    def object_or_none(self, key: str) -> "Fields | None":
        """An object, or None."""
        return None if self.data.get(key) is None else self.object(key)

    def objects(self, key: str) -> "tuple[Fields, ...]":
        """A list of objects."""
        value = self.data.get(key)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._wrong(key, "a list of objects")
        return tuple(Fields(f"{self.where}, {key} {n}", item) for n, item in enumerate(value, 1))

"""Judges arguments and answers by the JSON Schemas of the contract."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

Schema = Mapping[str, Any]

MOST = 10
"""How many flaws of one request are told."""
LONGEST = 300
"""How long the telling of one flaw may get, in characters."""

_INTEGER = re.compile(r"-?[0-9]{1,18}")
_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
_TRUTH = {"true": True, "false": False}


def compile_schema(schema: Schema | bool) -> Draft202012Validator:
    """A validator for one schema whose references are all resolved; formats are checked."""
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def flaws(validator: Draft202012Validator, value: Any, place: str = "") -> list[str]:
    """What is wrong with a value, a sentence each, after the field's name; `place` names the whole."""
    if validator.is_valid(value):
        return []
    errors = sorted(validator.iter_errors(value), key=lambda error: [str(part) for part in error.path])
    return [_sentence(error, place) for error in errors[:MOST]]


def _sentence(error: ValidationError, place: str) -> str:
    field = ".".join(str(part) for part in error.absolute_path) or place
    message = error.message if len(error.message) <= LONGEST else error.message[:LONGEST] + "…"
    return f"{field}: {message}" if field else message


@dataclass(frozen=True)
class Parameters:
    """The parameters an operation takes in one place: the path, the query or the headers."""

    kinds: Mapping[str, frozenset[str]]
    validator: Draft202012Validator

    @classmethod
    def of(
        cls, parameters: Iterable[Mapping[str, Any]], *, lower: bool = False, closed: bool = True
    ) -> "Parameters":
        """Compile OpenAPI parameters; `lower` lower-cases names, `closed` refuses names that are not there."""
        properties: dict[str, Any] = {}
        required = list[str]()
        for parameter in parameters:
            name = parameter["name"].lower() if lower else parameter["name"]
            properties[name] = parameter.get("schema", True)
            if parameter.get("required", False):
                required.append(name)
        schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
        if closed:
            schema["additionalProperties"] = False
        return cls({name: _kinds(part) for name, part in properties.items()}, compile_schema(schema))

    def read(self, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """Turn texts into the types the schemas name. What does not fit stays a text, for `flaws` to find."""
        values: dict[str, Any] = {}
        for name, text in pairs:
            kinds = self.kinds.get(name, frozenset())
            value = _typed(text, kinds)
            if "array" in kinds:
                values.setdefault(name, []).append(value)
            elif name in values:
                # A parameter given twice is no scalar: let the schema refuse the list.
                values[name] = [values[name], value]
            else:
                values[name] = value
        return values

    def flaws(self, values: Mapping[str, Any], place: str) -> list[str]:
        """What is wrong with the values read."""
        return flaws(self.validator, values, place)


def _kinds(schema: Schema | bool) -> frozenset[str]:
    if isinstance(schema, bool):
        return frozenset()
    kinds = schema.get("type", ())
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    if "array" in found:
        found |= _kinds(schema.get("items", True))
    return frozenset(found)


def _typed(text: str, kinds: frozenset[str]) -> Any:
    if "integer" in kinds and _INTEGER.fullmatch(text):
        return int(text)
    if "number" in kinds and _NUMBER.fullmatch(text):
        return float(text)
    if "boolean" in kinds and text in _TRUTH:
        return _TRUTH[text]
    return text

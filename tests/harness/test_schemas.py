"""A stranger's schema is read wherever its parts stand, and costs no more than it may."""

import json
from typing import Any

import pytest

from harness.checks.schemas import KeyArgument, key_argument
from harness.schemas import MOST_PARTS, forms_of, needed, resolve, texts_needed

TEXT = {"type": "string", "minLength": 1, "maxLength": 255}
KEY = KeyArgument(present=True, optional_text=True, shortest=1, longest=255)


def tool(form: Any, **root: Any) -> dict[str, Any]:
    properties = {"idempotency_key": form}
    return {"inputSchema": {"type": "object", "properties": properties, "$defs": {"key": TEXT}, **root}}


@pytest.mark.parametrize(
    "form",
    [
        TEXT,
        {"$ref": "#/$defs/key"},
        {"allOf": [{"$ref": "#/$defs/key"}], "description": "a key"},
        {"allOf": [{"type": "string"}, {"minLength": 1}, {"maxLength": 255}]},
        {"anyOf": [{"$ref": "#/$defs/key"}, {"type": "null"}], "default": None},
    ],
    ids=json.dumps,
)
def test_a_key_is_read_however_its_schema_is_put_together(form: dict[str, Any]) -> None:
    assert key_argument(tool(form)) == KEY


def test_a_key_may_stand_in_a_part_of_the_whole() -> None:
    assert key_argument({"inputSchema": {"type": "object", "allOf": [tool(TEXT)["inputSchema"]]}}) == KEY


def test_a_key_is_required_where_a_part_says_so() -> None:
    assert not key_argument(tool(TEXT, allOf=[{"required": ["idempotency_key"]}])).optional_text


@pytest.mark.parametrize("form", [{"type": "integer"}, {"$ref": "#/$defs/none"}, True, 7])
def test_what_is_no_text_is_no_key(form: Any) -> None:
    assert not key_argument(tool(form)).optional_text


def test_what_holds_in_every_part_is_the_narrower_bound() -> None:
    parts = [{"maxLength": 9, "minLength": 2}, {"maxLength": 12, "minLength": 3}, {"maxLength": True}]
    assert resolve({"allOf": parts}, {}) == {"maxLength": 9, "minLength": 3}


def test_a_property_of_two_parts_has_to_be_both() -> None:
    one, two = {"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"minLength": 3}}}
    whole = {"allOf": [one, two], "required": ["a"]}
    assert forms_of(whole) == {"a": {"type": "string", "minLength": 3}}
    assert texts_needed(whole) == ["a"]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"$ref": "#/allOf/0", "allOf": [{"$ref": "#/allOf/1"}, {"$ref": "#/allOf/0"}]},
        {"allOf": [{"required": [f"r{n}"]} for n in range(10_000)]},
        {"$ref": 7, "allOf": 7, "anyOf": [7, {}], "required": 7},
        {"$ref": "#/allOf/99999999999999999999", "allOf": []},
    ],
    ids=lambda schema: json.dumps(schema)[:60],
)
def test_nobody_is_led_in_circles(schema: dict[str, Any]) -> None:
    assert len(needed(schema)) < MOST_PARTS
    assert forms_of(schema) == {}

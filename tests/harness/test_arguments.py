"""Arguments are built from a server's own schema, and the schema takes them."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from harness.actors.arguments import build, held, subject, unusual
from harness.product import load
from harness.verdicts import NotTestable

PRODUCT = load("kadu")
NOW = "2026-11-30T15:00:00.000Z"
RECORDS = {
    "tasks": [{"id": "t-1"}],
    "environments": [{"id": "e-1"}],
    "webhooks": [{"id": "w-1"}],
    "webhook_deliveries": [{"id": "d-1"}],
    "executions": [{"id": "x-1", "state": "failed"}, {"id": "x-2", "state": "running"}],
}


DEFINED = {
    "kind": {"enum": ["only"]},
    "few": {"type": "array", "items": {"$ref": "#/$defs/kind"}, "minItems": 1},
    "pair": {
        "required": ["a"],
        "properties": {"a": {"type": "boolean"}, "b": {"$ref": "#/$defs/few"}},
    },
}


def schema(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties}


def test_ids_are_records_of_the_collection_that_the_tool_is_named_after() -> None:
    assert subject("kadu_tasks_run", PRODUCT, RECORDS) == ("tasks", {"id": "t-1"})
    assert subject("kadu_webhook_deliveries_replay", PRODUCT, RECORDS) == (
        "webhook_deliveries",
        {"id": "d-1"},
    )
    assert subject("kadu_unheard_of", PRODUCT, RECORDS) is None


def test_a_record_in_the_state_that_the_product_names_is_chosen() -> None:
    assert subject("kadu_executions_cancel", PRODUCT, RECORDS) == (
        "executions",
        {"id": "x-2", "state": "running"},
    )


def test_other_ids_are_resolved_by_their_names() -> None:
    form = schema(["id", "environment_id"], id={"type": "string"}, environment_id={"type": "string"})
    assert build("kadu_tasks_run", form, PRODUCT, RECORDS, now=NOW) == {"id": "t-1", "environment_id": "e-1"}


def test_an_update_changes_one_thing() -> None:
    form = schema(["id"], id={"type": "string"}, active={"type": "boolean"}, name={"type": "string"})
    assert set(build("kadu_tasks_update", form, PRODUCT, RECORDS, now=NOW)) == {"id", "name"}


def test_what_is_given_stands() -> None:
    form = schema(["id", "name"], id={"type": "string"}, name={"type": "string"})
    assert build("kadu_tasks_run", form, PRODUCT, RECORDS, now=NOW, given={"name": "X"})["name"] == "X"


@pytest.mark.parametrize(
    "form",
    [
        {"type": "string", "format": "date"},
        {"type": "string", "format": "date-time"},
        {"type": "string", "format": "uri"},
        {"type": "string", "minLength": 40, "maxLength": 41},
        {"type": "integer", "minimum": 3, "maximum": 3},
        {"type": "number", "exclusiveMinimum": 2},
        {"enum": ["a", "b"]},
        {"const": 7},
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "null"}, {"type": "integer"}]},
        {"type": "array", "items": {"type": "string"}, "minItems": 2},
        {"type": "object", "required": ["a"], "properties": {"a": {"type": "boolean"}}},
        {"$ref": "#/$defs/kind"},
        {"$ref": "#/$defs/kind", "description": "which"},
        {"allOf": [{"$ref": "#/$defs/few"}], "description": "which"},
        {"allOf": [{"type": "string", "minLength": 30}, {"maxLength": 31}], "minLength": 2},
        {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/few"}]},
        {"type": "object", "allOf": [{"$ref": "#/$defs/pair"}, {"required": ["b"]}]},
        {"type": "string", "format": "uri", "pattern": "^https?://"},
    ],
    ids=json.dumps,
)
def test_every_kind_of_value_is_one_that_the_schema_takes(form: dict[str, Any]) -> None:
    whole = {**schema(["value"], value=form), "$defs": DEFINED}
    built = build("kadu_tasks_run", whole, PRODUCT, RECORDS, now=NOW)
    Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(built)


@pytest.mark.parametrize(
    "join",
    [
        {"$ref": "#/$defs/Arguments"},
        {"allOf": [{"$ref": "#/$defs/Arguments"}]},
        {"allOf": [{"properties": {"id": {"type": "string"}}}, {"$ref": "#/$defs/Arguments"}]},
        {"properties": {"extra": {"type": "string"}}, "anyOf": [{"$ref": "#/$defs/Arguments"}]},
    ],
    ids=json.dumps,
)
def test_arguments_may_stand_in_another_place_of_the_schema(join: dict[str, Any]) -> None:
    arguments = schema(["id", "names"], id={"type": "string"}, names={"$ref": "#/$defs/few"})
    whole = {"type": "object", **join, "$defs": {**DEFINED, "Arguments": arguments}}
    built = build("kadu_tasks_run", whole, PRODUCT, RECORDS, now=NOW)
    assert built == {"id": "t-1", "names": ["only"]}
    Draft202012Validator(whole).validate(built)


def test_a_reference_that_leads_nowhere_is_not_testable() -> None:
    form = schema(["name"], name={"$ref": "https://example.com/elsewhere.json"})
    with pytest.raises(NotTestable, match="its argument 'name' refers to a schema that is not there"):
        build("kadu_tasks_run", form, PRODUCT, RECORDS, now=NOW)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ({"type": "boolean", "default": True}, False),
        ({"type": "integer", "default": 4}, 5),
        ({"type": "integer", "default": 4, "minimum": 2, "maximum": 4}, 2),
        ({"type": "string", "default": "", "examples": ["x"]}, "x"),
        ({"type": "array", "default": [], "items": {"type": "boolean"}}, [True]),
        ({"type": "string", "default": "A1", "pattern": "^A[0-9]$"}, "A1"),
        ({"type": "boolean"}, True),
    ],
    ids=json.dumps,
)
def test_a_value_is_another_than_stands_for_none_where_there_is_another(form: Any, value: Any) -> None:
    assert unusual(form, {}, tool="kadu_tasks_run", name="it", now=NOW) == value


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ({"type": "object"}, {"bank", "cents"}),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"bank"}),
        ({"type": "object", "additionalProperties": {"type": ["number", "null"]}}, {"cents"}),
        ({"type": "object", "additionalProperties": False}, set()),
        (
            {"type": "object", "properties": {"cents": {"type": "integer"}}, "additionalProperties": False},
            {"cents"},
        ),
    ],
    ids=lambda value: repr(sorted(value)) if isinstance(value, set) else json.dumps(value),
)
def test_an_argument_holds_what_its_record_says_and_its_own_form_takes(form: Any, names: set[str]) -> None:
    inside = schema([], bank={"type": "string", "enum": ["Itaú"]}, cents={"type": "integer", "default": 900})
    found = held(form, inside, tool="kadu_tasks_run", now=NOW)
    assert found == {name: value for name, value in {"bank": "Itaú", "cents": 901}.items() if name in names}


@pytest.mark.parametrize("inside", [None, True, "none", {}, {"properties": 7}])
def test_an_argument_of_which_no_record_speaks_holds_nothing(inside: Any) -> None:
    assert held({"type": "object"}, inside, tool="kadu_tasks_run", now=NOW) == {}


def test_what_cannot_be_built_is_not_testable() -> None:
    form = schema(["code"], code={"type": "string", "pattern": "^[A-Z]{3}$"})
    with pytest.raises(NotTestable, match="could not exercise kadu_tasks_run: its argument 'code'"):
        build("kadu_tasks_run", form, PRODUCT, RECORDS, now=NOW)
    with pytest.raises(NotTestable, match="no record that its id could mean"):
        build("kadu_nothing_get", schema(["id"], id={"type": "string"}), PRODUCT, RECORDS, now=NOW)


def test_the_harness_knows_no_contract() -> None:
    harness = Path(build.__code__.co_filename).parents[1]
    assert not [path for path in harness.rglob("*.py") if "contracts/" in path.read_text(encoding="utf-8")]

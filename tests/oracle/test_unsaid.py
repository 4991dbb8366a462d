"""What rules of their own ask of the oracle: caching hints, reserved codes, schemas of tools."""

from typing import Any

import pytest

from harness.oracle.tool_schemas import judge_input_schema
from harness.oracle.unsaid import caching_hints, is_base64, reserved_code

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({"ttlMs": 0, "cacheScope": "private"}, []),
        ({"ttlMs": 5.0, "cacheScope": "public"}, []),
        ({"ttlMs": -1, "cacheScope": "public"}, ["ttlMs is no integer of zero or more"]),
        ({"ttlMs": 1.5, "cacheScope": "public"}, ["ttlMs is no integer of zero or more"]),
        (
            {"ttlMs": True, "cacheScope": None},
            ["ttlMs is no integer of zero or more", "cacheScope is neither private nor public"],
        ),
        (
            {"ttlMs": "5", "cacheScope": []},
            ["ttlMs is no integer of zero or more", "cacheScope is neither private nor public"],
        ),
        ({}, ["ttlMs is missing", "cacheScope is missing"]),
    ],
)
def test_caching_hints(result: dict[str, Any], found: list[str]) -> None:
    assert caching_hints(result) == found


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (-32002, "-32002 belongs to earlier revisions"),
        (-32042, "-32042 belongs to earlier revisions"),
        (-32023, "-32023 is kept for the specification, which does not define it"),
        (-32099, "-32099 is kept for the specification, which does not define it"),
        (-32020, None),
        (-32021, None),
        (-32022, None),
        (-32602, None),
        (-32019, None),
        (-32100, None),
        ("x", None),
    ],
)
def test_reserved_codes(code: object, reason: str | None) -> None:
    assert reserved_code(code, "2026-07-28") == reason
    assert reserved_code(code, "2025-11-25") is None


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("", True),
        ("YQ==", True),
        ("YWI=", True),
        ("YQ", False),
        ("Y Q==", False),
        ("Y-_=", False),
        ("YQ==\n", False),
        ("é", False),
    ],
)
def test_base64(text: str, valid: bool) -> None:
    assert is_base64(text) is valid


@pytest.mark.parametrize(
    ("schema", "violations"),
    [
        ({"type": "object"}, ()),
        (
            {
                "type": "object",
                "$defs": {"a": True},
                "properties": {"a": {"$ref": "#/$defs/a", "prefixItems": [{}]}},
            },
            (),
        ),
        ({"type": "object", "$schema": DRAFT_7, "definitions": {}, "items": [{}]}, ()),
        ({"type": "object", "items": [{}]}, ("inputSchema.items is an array, not an object or a boolean",)),
        ({"type": "objekt"}, ('inputSchema.type is not "object"',)),
        ({}, ('inputSchema.type is not "object"',)),
        ([], ("inputSchema is no object",)),
        ({"type": "object", "properties": {"a": {"type": "sting"}}}, ("inputSchema.properties.a.type is ",)),
        (
            {"type": "object", "properties": {"a": 7}},
            ("inputSchema.properties.a is the number 7, not an object or a boolean",),
        ),
        ({"type": "object", "required": "a"}, ('inputSchema.required is the string "a", not an array',)),
        (
            {"type": "object", "properties": {"a": {"maxLength": -1}}},
            ("inputSchema.properties.a.maxLength is -1, less than 0",),
        ),
        ({"type": "object", "$schema": 7}, ("inputSchema.$schema is no string",)),
    ],
)
def test_input_schemas_are_judged_by_their_dialect(schema: Any, violations: tuple[str, ...]) -> None:
    reading = judge_input_schema(schema)
    assert reading.unjudged is None
    assert len(reading.violations) >= len(violations)
    assert bool(reading.violations) is bool(violations)
    for expected in violations:
        assert any(found.startswith(expected) for found in reading.violations), reading.violations


def test_a_dialect_nobody_knows_is_not_judged() -> None:
    reading = judge_input_schema({"type": "object", "$schema": "https://example.com/mine"})
    assert (reading.violations, reading.unjudged) == (
        (),
        "the dialect 'https://example.com/mine' is not known here",
    )


def test_a_schema_that_is_too_deep_is_not_judged() -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(400):
        schema = {"type": "object", "properties": {"a": schema}}
    assert judge_input_schema(schema).unjudged == "the schema is nested too deeply to be judged"

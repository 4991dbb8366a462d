"""The published schemas, and a strict reading of them: what a file holds must also be written down."""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

RECORD = Path(__file__).parents[2] / "docs" / "run-record.schema.json"


def validator(text: str) -> Draft202012Validator:
    """The schema as it is published."""
    schema = json.loads(text)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def strict(text: str) -> Draft202012Validator:
    """The schema with every object that lists properties closed."""
    return Draft202012Validator(_closed(json.loads(text)))


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    if isinstance(closed.get("properties"), dict) and "required" in closed:
        closed.setdefault("additionalProperties", False)
    return closed

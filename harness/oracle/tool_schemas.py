"""Is a tool's inputSchema a valid schema of its dialect? (MCP-14)"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_DEFAULT = "https://json-schema.org/draft/2020-12/schema"
_FOUND = 10


@dataclass(frozen=True)
class SchemaReading:
    """`violations` say what is not valid; `unjudged` why nobody can tell, None where it was judged."""

    violations: tuple[str, ...] = ()
    unjudged: str | None = None


def judge_input_schema(schema: Any) -> SchemaReading:
    """Judge an inputSchema: of type object, valid for the dialect that `$schema` names (2020-12 by default)."""
    from jsonschema.validators import validator_for

    from harness.oracle.wording import in_words, told

    if not isinstance(schema, Mapping):
        return SchemaReading(("inputSchema is no object",))
    found = [] if schema.get("type") == "object" else ['inputSchema.type is not "object"']
    dialect = schema.get("$schema", _DEFAULT)
    if not isinstance(dialect, str):
        return SchemaReading((*found, "inputSchema.$schema is no string"))
    known: Any = None
    validator: Any = validator_for({"$schema": dialect}, default=known)
    if validator is None:
        return SchemaReading(tuple(found), f"the dialect {dialect[:80]!r} is not known here")
    try:
        for error in validator(validator.META_SCHEMA).iter_errors(schema):
            found.extend(told(one, ["inputSchema"]) for one in in_words(error))
            if len(found) >= _FOUND:
                break
    except RecursionError:
        return SchemaReading(tuple(found), "the schema is nested too deeply to be judged")
    return SchemaReading(tuple(dict.fromkeys(found))[:_FOUND])

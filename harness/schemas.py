"""What a stranger's JSON Schema comes to: local references followed, the parts of `allOf` put together.

It may be no schema at all, refer to itself, or join without end: what is no schema says nothing, and at most MOST_PARTS parts of
one schema are put together. A reference that leads nowhere stays, so that whoever needs what it says can tell.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

Schema = Mapping[str, Any]

MOST_PARTS = 50
MOST_NAMES = 100
_CHOICES = ("anyOf", "oneOf")
_LEAST = ("minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum")
_MOST = ("maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum")


def as_schema(value: Any) -> Schema:
    """A schema, or the one that says nothing: `true` is one too."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """A list, or the empty one."""
    return value if isinstance(value, list) else []


def resolve(schema: Schema, root: Schema, *, choose: bool = True) -> Schema:
    """The one schema that a schema comes to within its root; `choose` takes the first branch of a choice that is not null."""
    if not any(key in schema for key in ("$ref", "allOf", *(_CHOICES if choose else ()))):
        return schema
    whole: dict[str, Any] = {}
    waiting: list[Schema] = [schema]
    for _ in range(MOST_PARTS):
        if not waiting:
            break
        part = waiting.pop(0)
        target = _target(part["$ref"], root) if "$ref" in part else None
        gone = {"allOf", *(_CHOICES if choose else ()), *(() if target is None else ("$ref",))}
        _join(whole, {key: value for key, value in part.items() if key not in gone})
        waiting += [] if target is None else [target]
        waiting += [as_schema(one) for one in as_list(part.get("allOf"))]
        waiting += _chosen(part) if choose else []
    return whole


def forms_of(schema: object) -> Mapping[str, Schema]:
    """The arguments by name, each with the schema that it comes to; none of what is no schema."""
    root = as_schema(schema)
    return {name: resolve(inner, root) for name, inner in properties(root).items()}


def properties(schema: object, *, choose: bool = True) -> Mapping[str, Schema]:
    """The properties of an object's schema, as they are written; `choose` as for `resolve`."""
    root = as_schema(schema)
    named = as_schema(resolve(root, root, choose=choose).get("properties"))
    return {name: as_schema(inner) for name, inner in named.items()}


def needed(schema: object, *, choose: bool = True) -> list[str]:
    """The required properties; none of what is no schema. `choose` as for `resolve`."""
    root = as_schema(schema)
    names = as_list(resolve(root, root, choose=choose).get("required"))[:MOST_NAMES]
    return [name for name in names if isinstance(name, str)]


def texts_needed(schema: object) -> list[str]:
    """The required properties that are texts and nothing else; none of what is no schema."""
    forms = forms_of(schema)
    return [name for name in needed(schema) if forms.get(name, {}).get("type") == "string"]


def _target(reference: Any, root: Schema) -> Schema | None:
    """What a reference within the root leads to; None where it leads elsewhere or to no schema."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found: Any = root
    for part in unquote(reference).removeprefix("#").split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and name.isdecimal() and len(name) < 6:
            found = found[int(name)] if int(name) < len(found) else None
        else:
            found = found.get(name) if isinstance(found, Mapping) else None
    if reference != "#" and not reference.startswith("#/"):
        return None
    return found if isinstance(found, Mapping) else None


def _chosen(part: Schema) -> Iterator[Schema]:
    for word in _CHOICES:
        branches = [one for one in map(as_schema, as_list(part.get(word))) if one]
        if branches:
            yield next((one for one in branches if one.get("type") != "null"), branches[0])


def _join(whole: dict[str, Any], part: Schema) -> None:
    """Both hold: properties of both, what either needs, the narrower bound; else what was said first."""
    for key, value in part.items():
        said = whole.get(key)
        if key not in whole:
            whole[key] = value
        elif key == "properties":
            whole[key] = _both(as_schema(said), as_schema(value))
        elif key == "required":
            whole[key] = [*as_list(said), *(name for name in as_list(value) if name not in as_list(said))]
        elif key in (*_LEAST, *_MOST) and _is_number(said) and _is_number(value):
            whole[key] = max(said, value) if key in _LEAST else min(said, value)


def _both(first: Schema, second: Schema) -> Schema:
    shared = {name: {"allOf": [first[name], second[name]]} for name in first if name in second}
    return {**first, **second, **shared}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

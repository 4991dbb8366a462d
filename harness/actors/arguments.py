"""Arguments for a tool, built from that server's own inputSchema and the tenant's records.

The schema is a stranger's: what of it is no schema is passed over, and nobody builds what is too large to be sent. Ids
are resolved by documented names (`id`, `environment_id`, …), everything else by the schema. What cannot be built raises
NotTestable: a tool that could not be exercised is never called passed.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from harness.product import Product
from harness.schemas import Schema, as_list, as_schema, needed, properties, resolve
from harness.verdicts import NotTestable

Record = Mapping[str, Any]
Records = Mapping[str, Sequence[Record]]

LONGEST = 10_000
MOST_ITEMS = 100
DEEPEST = 12
OFFERS = {"const", "enum", "default", "examples"}

_TEXTS = {
    "date-time": "{day}T12:00:00Z",
    "date": "{day}",
    "email": "financeiro@empresa.example",
    "uri": "https://erp.empresa.example/avisos",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def subject(tool: str, product: Product, records: Records) -> tuple[str, Record] | None:
    """The collection and the record that `id` means for a tool, by the product's data or by the tool's name."""
    chosen = product.records.get(tool)
    name = tool.removeprefix(product.tool_prefix)
    named = [collection for collection in records if name == collection or name.startswith(collection + "_")]
    collection = chosen["collection"] if chosen else max(named, key=len, default=None)
    if collection is None:
        return None
    wanted = {key: value for key, value in (chosen or {}).items() if key != "collection"}
    fitting = (record for record in records.get(collection, ()) if wanted.items() <= record.items())
    record = next(fitting, None)
    return None if record is None else (collection, record)


def build(
    tool: str,
    schema: Schema,
    product: Product,
    records: Records,
    *,
    now: str,
    given: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Arguments that this schema takes: all required ones, and for an update one thing to change.

    `given` stands over whatever would be built. Raises NotTestable when a required argument cannot be built.
    """
    forms = properties(schema)
    arguments: dict[str, Any] = {}
    for name in _wanted(tool, schema, forms):
        if given is None or name not in given:
            arguments[name] = _value(tool, name, forms.get(name, {}), schema, product, records, now)
    arguments.update(given or {})
    if tool.endswith("_update") and not set(arguments) - {"id", "idempotency_key"}:
        arguments.update(_one_change(tool, forms, schema, product, records, now))
    return arguments


def _wanted(tool: str, schema: Schema, forms: Mapping[str, Schema]) -> list[str]:
    """The required arguments; where a schema says none, the id all the same, and all but the key for what acts on no list."""
    if "required" in resolve(schema, schema):
        return list(dict.fromkeys([*needed(schema), *(name for name in forms if name == "id")]))
    acts = "id" in forms or tool.endswith("_create")
    whole = acts and not tool.endswith(("_get", "_list", "_update", "_download"))
    return [name for name in forms if name == "id" or (whole and name != "idempotency_key")]


def related(name: str, records: Records) -> Any:
    """The id that an argument such as `environment_id` means, by its name; None where there is no such record."""
    owner = name.removesuffix("_id")
    plural = next((one for one in (owner + "s", owner[:-1] + "ies", owner) if records.get(one)), None)
    return None if plural is None else records[plural][0]["id"]


def _one_change(
    tool: str, forms: Mapping[str, Schema], root: Schema, product: Product, records: Records, now: str
) -> dict[str, Any]:
    free = [
        name for name in forms if name not in ("id", "idempotency_key", "url") and not name.endswith("_id")
    ]
    by_liking = sorted(free, key=lambda name: name not in ("name", "title", "description", "content"))
    for name in by_liking:
        try:
            return {name: _value(tool, name, forms[name], root, product, records, now)}
        except NotTestable:
            continue
    return {}


def _value(
    tool: str, name: str, schema: Schema, root: Schema, product: Product, records: Records, now: str
) -> Any:
    if name == "id":
        found = subject(tool, product, records)
        if found is None:
            raise NotTestable(f"could not exercise {tool}: the tenant has no record that its id could mean")
        return found[1]["id"]
    if name.endswith("_id"):
        found_id = related(name, records)
        if found_id is not None:
            return found_id
    known = _known(schema, root, product, tool, name)
    return sample(schema, root, tool=tool, name=name, now=now) if known is None else known


def optional_value(schema: Schema, root: Schema, product: Product, *, tool: str, name: str, now: str) -> Any:
    """A value for an argument that may be left out: another than the one that then stands for it, where there is one.

    What the schema offers goes before the product's own, and that before what is made up. Raises NotTestable when there is none.
    """
    known = _known(schema, root, product, tool, name)
    return unusual(schema, root, tool=tool, name=name, now=now) if known is None else known


def _known(schema: Schema, root: Schema, product: Product, tool: str, name: str) -> Any:
    return None if OFFERS & resolve(schema, root).keys() else product.sample(tool, name)


def sample(schema: Schema, root: Schema, *, tool: str, name: str, now: str, depth: int = 0) -> Any:
    """One value that the schema takes. Raises NotTestable when none can be made from it."""
    if depth > DEEPEST:
        raise NotTestable(f"could not exercise {tool}: its argument {name!r} is nested without end")
    schema = resolve(as_schema(schema), root)
    if "$ref" in schema:
        raise NotTestable(
            f"could not exercise {tool}: its argument {name!r} refers to a schema that is not there"
        )
    if "const" in schema:
        return schema["const"]
    if as_list(schema.get("enum")):
        return next((value for value in schema["enum"] if value is not None), None)
    if schema.get("default") is not None:
        return schema["default"]
    if as_list(schema.get("examples")):
        return schema["examples"][0]
    kind = _kind(schema)
    if kind == "string":
        return _text(schema, tool=tool, name=name, now=now)
    if kind in ("integer", "number"):
        low = _number(schema, "minimum", _number(schema, "exclusiveMinimum", 0) + 1)
        return min(low, _number(schema, "maximum", low))
    if kind == "boolean":
        return True
    if kind == "array":
        count = _size(schema, "minItems", 1, MOST_ITEMS, tool, name)
        items = as_schema(schema.get("items"))
        return [sample(items, root, tool=tool, name=name, now=now, depth=depth + 1) for _ in range(count)]
    if kind == "object":
        inner = properties(schema)
        return {
            key: sample(inner.get(key, {}), root, tool=tool, name=key, now=now, depth=depth + 1)
            for key in needed(schema)
        }
    raise NotTestable(f"could not exercise {tool}: no value can be made for its argument {name!r}")


def unusual(schema: Schema, root: Schema, *, tool: str, name: str, now: str) -> Any:
    """A value that the schema takes, where it can be another than the one that stands for none given."""
    form = resolve(as_schema(schema), root)
    default = form.get("default")
    if isinstance(default, bool):
        return not default
    if isinstance(default, int | float) and default < _number(form, "maximum", default + 1):
        return default + 1
    try:
        bare = {key: value for key, value in form.items() if key != "default"}
        return sample(bare, root, tool=tool, name=name, now=now)
    except NotTestable:
        return sample(form, root, tool=tool, name=name, now=now)


def held(form: Schema, inside: object, *, tool: str, now: str) -> dict[str, Any]:
    """What an argument holds by the schema that a record says of its inside: all of that which its own form takes."""
    root = as_schema(inside)
    return {
        name: unusual(inner, root, tool=tool, name=name, now=now)
        for name, inner in properties(root).items()
        if _takes(form, name, _kind(inner))
    }


def _takes(form: Schema, name: str, kind: str) -> bool:
    inner: Any = properties(form).get(name, form.get("additionalProperties", True))
    said = as_schema(inner).get("type")
    kinds = said if isinstance(said, list) else [said]
    counts = kind == "integer" and "number" in kinds
    return inner is not False and (said is None or kind in kinds or counts)


def _text(schema: Schema, *, tool: str, name: str, now: str) -> str:
    form = "uri" if name == "url" else str(schema.get("format", ""))
    # What a documented format or name stands for fits any pattern that this argument may rightly have.
    if "pattern" in schema and form not in _TEXTS:
        raise NotTestable(f"could not exercise {tool}: its argument {name!r} has a pattern and no example")
    day = datetime.fromisoformat(now).date().isoformat()
    text = _TEXTS.get(form, "conciliação de novembro").format(day=day)
    text = text.ljust(_size(schema, "minLength", 0, LONGEST, tool, name), "x")
    return text[: max(0, int(_number(schema, "maxLength", len(text))))]


def _kind(schema: Schema) -> str:
    """The type of a schema, the first where there are several: a text unless it says another."""
    kinds = schema.get("type", "string")
    named = [kind for kind in as_list(kinds) if isinstance(kind, str) and kind != "null"]
    return kinds if isinstance(kinds, str) else next(iter(named), "null")


def _number(schema: Schema, key: str, default: float) -> float:
    value = schema.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default


def _size(schema: Schema, key: str, default: int, limit: int, tool: str, name: str) -> int:
    size = _number(schema, key, default)
    if size > limit:
        raise NotTestable(f"could not exercise {tool}: its argument {name!r} wants {key} {str(size)[:20]}")
    return max(0, int(size))

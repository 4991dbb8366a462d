"""JSON Schemas of what a server may send, per revision, from the models of the SDK.

The models follow the specification's schema, but pydantic lets every optional member be null, and some parts
are left open. Here that is tightened again; references are written out, so that nothing is looked up while
judging.
"""

import sys
from collections.abc import Callable, Mapping
from types import ModuleType, UnionType
from typing import Any, get_args

from mcp_types import methods
from mcp_types.jsonrpc import JSONRPCNotification, JSONRPCRequest
from pydantic import TypeAdapter

from harness.wire.eras import META_SERVER, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION

Schema = dict[str, Any]
Key = tuple[str, str, str, object]

_INPUT_REQUIRED = "input_required"
_ERRORS: Mapping[object, str] = {
    MISSING_CLIENT_CAPABILITY: "MissingRequiredClientCapabilityError",
    UNSUPPORTED_VERSION: "UnsupportedProtocolVersionError",
}
_ONE_SCHEMA = ("items", "additionalProperties")
_MANY_SCHEMAS = ("anyOf", "oneOf", "allOf")
_WORDS = ("title", "description", "default")


def known_key(what: str, method: str, revision: str, kind: object) -> Key:
    """The key without what makes no difference, so that a server cannot make keys without end."""
    if what == "notification" and (method, revision) not in methods.SERVER_NOTIFICATIONS:
        method = ""
    if what == "request" and (method, revision) not in methods.SERVER_REQUESTS:
        method = ""
    if what == "error" and kind not in _ERRORS:
        kind = None
    return what, method, revision, kind


def schema_for(what: str, method: str, revision: str, kind: object) -> Schema:
    """The schema of a result, an item of a list, an error, a notification or a request, as `what` says.

    `kind` is the resultType of a result (the branch of its schema) and the code of an error whose data has a
    fixed shape. Raises KeyError for another `what` or a revision nobody released.
    """
    models = _models(revision)
    match what:
        case "result":
            return _schema(models, _result_model(models, method, revision, kind))
        case "item":
            schema = _schema(models, _result_model(models, method, revision, None))
            lists = [one for one in schema["properties"].values() if isinstance(one.get("items"), dict)]
            item: Schema = lists[0]["items"]
            return item
        case "error":
            return _error(models, kind)
        case "notification":
            return _schema(models, methods.SERVER_NOTIFICATIONS.get((method, revision), JSONRPCNotification))
        case "request":
            return _schema(models, methods.SERVER_REQUESTS.get((method, revision), JSONRPCRequest))
    raise KeyError(what)


def _models(revision: str) -> ModuleType:
    """The models of a revision: the module that the public tables take them from."""
    model: Any = methods.SERVER_RESULTS["tools/list", revision]
    return sys.modules[model.__module__]


def _result_model(models: ModuleType, method: str, revision: str, kind: object) -> Any:
    row: Any = methods.SERVER_RESULTS.get((method, revision), models.Result)
    if not isinstance(row, UnionType):
        return row
    # Never the union itself: the branch of the question takes anything.
    question = models.InputRequiredResult
    return next(arm for arm in get_args(row) if (arm is question) == (kind == _INPUT_REQUIRED))


def _error(models: ModuleType, code: object) -> Schema:
    schema = _schema(models, models.Error)
    if code not in _ERRORS or not hasattr(models, _ERRORS[code]):
        return schema
    shaped = _schema(models, getattr(models, _ERRORS[code]))
    return {"allOf": [schema, shaped["properties"]["error"]]}


def _schema(models: ModuleType, model: Any) -> Schema:
    raw = _raw(model)
    definitions: dict[str, Schema] = dict(raw.get("$defs", {}))
    # Any JSON is a JSONValue; written out it would have no end.
    definitions["JSONValue"] = {}
    if "RequestedSchema" in definitions:
        # The fields of a form are of the primitive kinds.
        primitive = _raw(models.PrimitiveSchemaDefinition)
        fields = {"type": "object", "additionalProperties": {"anyOf": primitive["anyOf"]}}
        definitions = _closed(definitions, "RequestedSchema", {"properties": fields}, primitive)
    if "ResultMetaObject" in definitions:
        server = _raw(models.Implementation)
        definitions = _closed(definitions, "ResultMetaObject", {META_SERVER: server}, server)
    return _written_out(raw, definitions)


def _raw(model: Any) -> Schema:
    return TypeAdapter(model).json_schema(by_alias=True)


def _closed(
    definitions: dict[str, Schema], name: str, properties: Mapping[str, Schema], source: Schema
) -> dict[str, Schema]:
    """The definitions with properties that the models leave open put into one of them."""
    open_one = definitions[name]
    closed = {**open_one, "properties": {**open_one["properties"], **properties}}
    return {**source.get("$defs", {}), **definitions, name: closed}


def _written_out(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    done: dict[str, Schema] = {}

    def walk(node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            name = node["$ref"].removeprefix("#/$defs/")
            if name not in done:
                done[name] = walk(definitions[name])
            return done[name]
        inner = {
            key: _inner(key, value, walk) for key, value in node.items() if key not in ("$defs", *_WORDS)
        }
        return _without_null(inner) if node.get("default", "") is None else inner

    written: Schema = walk(schema)
    return written


def _inner(key: str, value: Any, walk: Callable[[Any], Any]) -> Any:
    if key == "properties":
        return {name: walk(sub) for name, sub in value.items()}
    if key in _ONE_SCHEMA:
        return walk(value)
    if key in _MANY_SCHEMAS:
        return [walk(sub) for sub in value]
    return value


def _without_null(node: Schema) -> Schema:
    """An optional member may be missing. Pydantic writes that as null, which the specification never allows."""
    branches = [branch for branch in node.get("anyOf", ()) if branch != {"type": "null"}]
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    if not branches:
        return rest
    return {**rest, **branches[0]} if len(branches) == 1 else {**rest, "anyOf": branches}

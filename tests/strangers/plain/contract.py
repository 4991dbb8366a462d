"""The upstream's published contract, turned into a table of operations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

VERBS = ("get", "post", "put", "patch", "delete")
MAX_DEPTH = 32


@dataclass(frozen=True)
class Operation:
    """One operation of the API. `watched` is the field that makes it destructive when it changes, if any."""

    name: str
    title: str
    verb: str
    path: str
    scope: str | None
    permission: str | None
    access: str
    always_destructive: bool
    watched: str | None
    in_path: tuple[str, ...]
    in_query: tuple[str, ...]
    in_body: tuple[str, ...]
    has_body: bool
    takes_key: bool
    offered: bool
    schema: Mapping[str, Any]
    validator: Draft202012Validator

    @property
    def may_destroy(self) -> bool:
        """Whether some call of it needs a person's yes."""
        return self.always_destructive or self.watched is not None


@dataclass(frozen=True)
class Contract:
    """All operations by name; by path, the one that reads what stands there; those offered, last name first."""

    operations: Mapping[str, Operation]
    readers: Mapping[str, Operation]
    tools: tuple[Operation, ...]


def read_contract(document: Mapping[str, Any]) -> Contract:
    """Read an OpenAPI 3.1 document. Raises ValueError where it holds no operation."""
    operations: dict[str, Operation] = {}
    readers: dict[str, Operation] = {}
    for path, item in document.get("paths", {}).items():
        for verb in VERBS:
            if verb in item and "operationId" in item[verb]:
                operation = _operation(document, path, verb, item)
                operations[operation.name] = operation
                if verb == "get":
                    readers[path] = operation
    if not operations:
        raise ValueError("the upstream's /openapi.json describes no operation")
    offered = (operation for operation in operations.values() if operation.offered)
    return Contract(operations, readers, tuple(sorted(offered, key=lambda one: one.name, reverse=True)))


def _operation(document: Mapping[str, Any], path: str, verb: str, item: Mapping[str, Any]) -> Operation:
    raw = item[verb]
    about = raw.get("x-kadu", {})
    places: dict[str, list[str]] = {"path": [], "query": [], "header": []}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for listed in (*item.get("parameters", ()), *raw.get("parameters", ())):
        parameter = _inlined(document, listed)
        place, name = parameter["in"], parameter["name"]
        places.setdefault(place, []).append(name)
        if place in ("path", "query"):
            properties[name] = _described(parameter)
            if parameter.get("required") or place == "path":
                required.append(name)
    body = _inlined(document, raw.get("requestBody", {}))
    body_schema = body.get("content", {}).get("application/json", {}).get("schema", {})
    in_body = tuple(name for name in body_schema.get("properties", {}) if name not in properties)
    properties |= {name: body_schema["properties"][name] for name in in_body}
    required += [name for name in body_schema.get("required", ()) if name in in_body]
    takes_key = any(name.lower() == "x-idempotency-key" for name in places["header"])
    if takes_key:
        # KADU-IDM-01, KADU-IDM-03
        properties["idempotency_key"] = {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "description": "Opaque text, one per business operation; send the same one again on a retry.",
        }
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    destructive = about.get("destructive", "never")
    return Operation(
        name=raw["operationId"],
        title=about.get("title") or raw.get("summary") or raw["operationId"],
        verb=verb.upper(),
        path=path,
        scope=about.get("scope"),
        permission=about.get("permission"),
        access=about.get("access", "read"),
        always_destructive=destructive == "always",
        watched=destructive.get("when_changes") if isinstance(destructive, dict) else None,
        in_path=tuple(dict.fromkeys(places["path"])),
        in_query=tuple(dict.fromkeys(places["query"])),
        in_body=in_body,
        has_body=bool(body),
        takes_key=takes_key,
        offered=about.get("tool", True) is not False,
        schema=schema,
        validator=Draft202012Validator(schema),
    )


def _described(parameter: Mapping[str, Any]) -> dict[str, Any]:
    schema = dict(parameter.get("schema", {}))
    if "description" in parameter:
        schema.setdefault("description", parameter["description"])
    return schema


def _inlined(document: Mapping[str, Any], node: Any, depth: int = 0) -> Any:
    """The node with every local `$ref` replaced by its target; a cycle ends in a schema that takes all."""
    if depth > MAX_DEPTH:
        return {}
    if isinstance(node, list):
        return [_inlined(document, entry, depth + 1) for entry in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        target: Any = document
        for step in reference.removeprefix("#/").split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _inlined(document, {**target, **beside}, depth + 1)
    return {key: _inlined(document, value, depth + 1) for key, value in node.items()}

"""From the upstream's OpenAPI 3.1 contract to operations: what each tool takes and where its arguments go."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

IDEMPOTENCY_HEADER = "X-Idempotency-Key"
IDEMPOTENCY_ARGUMENT = "idempotency_key"
_METHODS = ("get", "post", "put", "patch", "delete")


class ContractError(Exception):
    """The contract cannot be used; the message says which part and why."""


@dataclass(frozen=True)
class Operation:
    """One operation of the upstream, which is one tool.

    `path_parameters`, `query_parameters` and `body_properties` say where each argument goes;
    `always_destructive` and `when_changes` (a field) whether it asks for a confirmation; `takes_key` whether
    it takes an idempotency key.
    """

    name: str
    method: str
    path: str
    title: str
    description: str
    scope: str | None
    permission: str | None
    access: str
    always_destructive: bool
    when_changes: str | None
    is_tool: bool
    path_parameters: frozenset[str]
    query_parameters: frozenset[str]
    body_properties: frozenset[str]
    has_body: bool
    takes_key: bool
    input_schema: Mapping[str, Any]

    @property
    def destructive(self) -> bool:
        """Whether a call of it may need a confirmation."""
        return self.always_destructive or self.when_changes is not None


@dataclass(frozen=True)
class Contract:
    """All operations, in the contract's order, by name."""

    operations: Mapping[str, Operation]

    def operation(self, name: str) -> Operation:
        """The operation of that name. Raises ContractError where there is none."""
        try:
            return self.operations[name]
        except KeyError:
            raise ContractError(f"the upstream's contract has no operation {name}") from None

    def tools(self) -> Iterator[Operation]:
        """The operations that are tools, in the contract's order."""
        return (operation for operation in self.operations.values() if operation.is_tool)

    def reading(self, operation: Operation) -> Operation | None:
        """The operation that reads the record which `operation` changes: GET at the same path."""
        same = (o for o in self.operations.values() if o.path == operation.path and o.method == "GET")
        return next(same, None)


def read_contract(document: object, extension: str) -> Contract:
    """The contract in an OpenAPI 3.1 document whose operations are described under the key `extension`.

    Raises ContractError where it is not one, or where an operation cannot be made one flat object.
    """
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        raise ContractError("the upstream's contract is not an OpenAPI document with paths")
    operations: dict[str, Operation] = {}
    for path, item in document["paths"].items():
        shared = item.get("parameters", [])
        for method in (m for m in item if m in _METHODS):
            raw = item[method]
            if "operationId" not in raw or extension not in raw:
                continue
            parameters = [_resolved(document, p) for p in (*shared, *raw.get("parameters", []))]
            operation = _operation(document, path, method, raw, raw[extension], parameters)
            if operation.name in operations:
                raise ContractError(f"the upstream's contract has the operation {operation.name} twice")
            operations[operation.name] = operation
    return Contract(operations)


def _operation(
    document: dict[str, Any],
    path: str,
    method: str,
    raw: dict[str, Any],
    facts: dict[str, Any],
    parameters: Iterable[dict[str, Any]],
) -> Operation:
    name = raw["operationId"]
    properties: dict[str, Any] = {}
    required: list[str] = []
    places: dict[str, set[str]] = {"path": set(), "query": set()}
    key: dict[str, Any] | None = None

    def add(argument: str, schema: object, is_required: bool) -> None:
        if argument in properties:
            raise ContractError(f"{name} has two arguments named {argument}")
        properties[argument] = schema
        if is_required:
            required.append(argument)

    for parameter in parameters:
        place = parameter["in"]
        if place == "header" and parameter["name"].lower() == IDEMPOTENCY_HEADER.lower():
            key = parameter
        elif place in places:
            places[place].add(parameter["name"])
            schema = dict(_inlined(document, parameter.get("schema", {})))
            if "description" in parameter:
                schema.setdefault("description", parameter["description"])
            add(parameter["name"], schema, bool(parameter.get("required")))
    body = _body(document, raw)
    for argument, schema in body.get("properties", {}).items():
        add(argument, schema, argument in body.get("required", ()))
    if key is not None:
        # IDM-01: the header of the contract is an optional argument of the tool.
        add(IDEMPOTENCY_ARGUMENT, _key_schema(document, key), False)

    destructive = facts.get("destructive", "never")
    return Operation(
        name=name,
        method=method.upper(),
        path=path,
        title=facts.get("title") or raw.get("summary") or name,
        description=raw.get("description") or raw.get("summary") or facts.get("title") or name,
        scope=facts.get("scope"),
        permission=facts.get("permission"),
        access=facts.get("access", "write"),
        always_destructive=destructive == "always",
        when_changes=destructive.get("when_changes") if isinstance(destructive, dict) else None,
        is_tool=facts.get("tool", True) is not False,
        path_parameters=frozenset(places["path"]),
        query_parameters=frozenset(places["query"]),
        body_properties=frozenset(body.get("properties", {})),
        has_body="requestBody" in raw,
        takes_key=key is not None,
        # MCP-14: JSON Schema 2020-12, the protocol's default dialect.
        input_schema={
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
            "additionalProperties": False,
        },
    )


def _key_schema(document: dict[str, Any], parameter: dict[str, Any]) -> dict[str, Any]:
    schema = dict(_inlined(document, parameter.get("schema", {})))
    if "description" in parameter:
        schema.setdefault("description", parameter["description"])
    # IDM-03: opaque text of 1 to 255 characters.
    return {**schema, "type": "string", "minLength": 1, "maxLength": 255}


def _body(document: dict[str, Any], raw: dict[str, Any]) -> dict[str, Any]:
    if "requestBody" not in raw:
        return {}
    body = _resolved(document, raw["requestBody"])
    schema = _inlined(document, body.get("content", {}).get("application/json", {}).get("schema", {}))
    merged: dict[str, Any] = {"properties": {}, "required": []}
    for part in (schema, *schema.get("allOf", ())):
        merged["properties"].update(part.get("properties", {}))
        merged["required"].extend(part.get("required", ()))
    return merged


def _resolved(document: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = _target(document, node["$ref"])
    return node


def _target(document: dict[str, Any], reference: str) -> dict[str, Any]:
    if not reference.startswith("#/"):
        raise ContractError(f"the upstream's contract refers outside itself: {reference}")
    node: Any = document
    for step in reference[2:].split("/"):
        step = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, dict) or step not in node:
            raise ContractError(f"the upstream's contract refers to what is not there: {reference}")
        node = node[step]
    if not isinstance(node, dict):
        raise ContractError(f"the upstream's contract refers to what is no object: {reference}")
    return node


def _inlined(document: dict[str, Any], node: Any, seen: tuple[str, ...] = ()) -> Any:
    """`node` with every reference replaced by what it refers to, so that a tool's schema stands alone."""
    if isinstance(node, list):
        return [_inlined(document, item, seen) for item in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        if reference in seen:
            raise ContractError(f"the upstream's contract has a schema within itself: {reference}")
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return {
            **_inlined(document, _target(document, reference), (*seen, reference)),
            **_inlined(document, beside, seen),
        }
    return {key: _inlined(document, value, seen) for key, value in node.items()}

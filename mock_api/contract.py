"""The contract of a product: one OpenAPI 3.1 file, read once, from which routes and validators are made."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from jsonschema import Draft202012Validator

from mock_api.errors import Mistake
from mock_api.jsons import write
from mock_api.references import inlined
from mock_api.routing import Router
from mock_api.validation import Parameters, compile_schema

Access = Literal["read", "write", "delete"]
LedgerClass = Literal["access", "register", "business"]

METHODS = ("get", "post", "put", "patch", "delete")
MOCK_ONLY = ("collection", "does", "filter", "parent")
"""Keys of an operation's extension that say how the mock does its part; they are not served."""


@dataclass(frozen=True)
class Parent:
    """Where an operation works below a record: the path names one of `collection`, its own have that `field`."""

    collection: str
    field: str


@dataclass(frozen=True)
class FrozenOperation:
    """One operation, compiled. `answers` maps a status ("200", "default") to the validator of its body."""

    id: str
    method: str
    template: str
    scope: str | None
    permission: str | None
    access: Access
    tool: bool
    does: str
    collection: str | None
    filter: Mapping[str, str]
    parent: Parent | None
    extension: Mapping[str, Any]
    path: Parameters
    query: Parameters
    headers: Parameters | None
    body: Draft202012Validator | None
    body_required: bool
    success: int
    answers: Mapping[str, Draft202012Validator | None]

    @property
    def ledger_class(self) -> LedgerClass:
        """How the ledger files it: the operations that are no tools are the registers."""
        if self.access == "read":
            return "access"
        return "business" if self.tool else "register"


@dataclass(frozen=True)
class Contract:
    """A product's contract. `document` is what the mock serves; scopes and permissions are sorted.

    `brand` and `labels` (field → words) are what screens call things, from `info`. `roots` are the first segments of all paths, `registers` the collections that are no business records.
    """

    product: str
    title: str
    version: str
    brand: str
    labels: Mapping[str, str]
    document: bytes
    operations: Mapping[str, FrozenOperation]
    router: Router[FrozenOperation]
    scopes: tuple[str, ...]
    permissions: tuple[str, ...]
    roots: frozenset[bytes]
    registers: frozenset[str]


def load(path: Path, product: str) -> Contract:
    """Read and compile a contract file. Raises Mistake, one sentence, where it cannot be used."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise Mistake(f"The contract {path} cannot be read: {error.strerror}.") from None
    try:
        document = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise Mistake(f"The contract {path} is not YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(document, dict):
        raise Mistake(f"The contract {path} is not an OpenAPI document: it holds no mapping.")
    try:
        return _compile(document, product)
    except Mistake as mistake:
        raise Mistake(f"The contract {path} cannot be used: {mistake}.") from None


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Loads what JSON can say: a date stays a text."""

    yaml_implicit_resolvers = {  # noqa: RUF012  (the name and type PyYAML reads)
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _compile(document: dict[str, Any], product: str) -> Contract:
    key = f"x-{product}"
    whole = inlined(document)
    operations: dict[str, FrozenOperation] = {}
    for method, template, shared, raw in _operations(whole):
        operation = _operation(method, template, [*shared, *raw.get("parameters", [])], raw, key)
        if operation.id in operations:
            raise Mistake(f"the operationId {operation.id} is there twice")
        operations[operation.id] = operation
    if not operations:
        raise Mistake("it has no operations")
    try:
        router = Router([(each.method, each.template, each) for each in operations.values()])
    except ValueError as error:
        raise Mistake(str(error)) from None
    for _, _, _, raw in _operations(document):
        raw[key] = {name: value for name, value in raw[key].items() if name not in MOCK_ONLY}
    info = document.get("info", {})
    return Contract(
        product=product,
        title=str(info.get("title", product)),
        version=str(info.get("version", "0")),
        brand=str(info.get(key, {}).get("brand", info.get("title", product))),
        labels=info.get(key, {}).get("labels", {}),
        document=write(document),
        operations=operations,
        router=router,
        scopes=tuple(sorted({each.scope for each in operations.values() if each.scope})),
        permissions=tuple(sorted({each.permission for each in operations.values() if each.permission})),
        roots=frozenset(each.template.split("/")[1].encode() for each in operations.values()),
        registers=frozenset(
            each.collection
            for each in operations.values()
            if each.collection and each.ledger_class == "register"
        ),
    )


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Any], dict[str, Any]]]:
    for template, item in document.get("paths", {}).items():
        for method in METHODS:
            if method in item:
                yield method.upper(), template, item.get("parameters", []), item[method]


def _operation(
    method: str, template: str, parameters: list[Any], raw: Mapping[str, Any], key: str
) -> FrozenOperation:
    name = raw.get("operationId")
    if not isinstance(name, str):
        raise Mistake(f"{method} {template} has no operationId")
    extension = raw.get(key)
    if not isinstance(extension, dict):
        raise Mistake(f"{name} has no {key}")
    missing = [each for each in ("scope", "permission", "access", "does") if each not in extension]
    if missing:
        raise Mistake(f"{key} of {name} lacks {', '.join(missing)}")
    if extension["access"] not in ("read", "write", "delete"):
        raise Mistake(f"{key}.access of {name} is neither read, write nor delete")
    parent = extension.get("parent")
    if parent is not None and set(parent) != {"collection", "field"}:
        raise Mistake(f"{key}.parent of {name} needs collection and field")
    places = {
        place: [each for each in parameters if each["in"] == place] for place in ("path", "query", "header")
    }
    in_template = [part[1:-1] for part in template.split("/") if part.startswith("{")]
    if sorted(in_template) != sorted(each["name"] for each in places["path"]):
        raise Mistake(f"{name} does not describe the parameters of its path {template}")
    body = raw.get("requestBody", {})
    body_schema = _json_schema(body)
    answers = {str(status): _json_schema(answer) for status, answer in raw.get("responses", {}).items()}
    successes = sorted(int(status) for status in answers if status.isdigit() and status.startswith("2"))
    if not successes:
        raise Mistake(f"{name} has no answer for success")
    return FrozenOperation(
        id=name,
        method=method,
        template=template,
        scope=extension["scope"],
        permission=extension["permission"],
        access=extension["access"],
        tool=extension.get("tool", True),
        does=extension["does"],
        collection=extension.get("collection"),
        filter=extension.get("filter", {}),
        parent=None if parent is None else Parent(**parent),
        extension=extension,
        path=Parameters.of(places["path"]),
        query=Parameters.of(places["query"]),
        headers=Parameters.of(places["header"], lower=True, closed=False) if places["header"] else None,
        body=None if body_schema is None else compile_schema(body_schema),
        body_required=body.get("required", False),
        success=successes[0],
        answers={
            status: None if schema is None else compile_schema(schema) for status, schema in answers.items()
        },
    )


def _json_schema(holder: Mapping[str, Any]) -> Mapping[str, Any] | None:
    schema: Mapping[str, Any] | None = holder.get("content", {}).get("application/json", {}).get("schema")
    return schema

"""The engine as such: it knows no product, its contract reading is strict, its tables fit."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.server.request_state import AESGCMRequestStateCodec

import reference_server.engine
from reference_server.engine.contract import ContractError, read_contract
from reference_server.engine.server import Engine
from reference_server.engine.upstream import Upstream
from reference_server.products.kadu import KADU

from .stub import CONTRACT, StubTransport, StubUpstream

ENGINE = sorted(Path(reference_server.engine.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("module", ENGINE, ids=lambda path: path.name)
def test_engine_names_no_product(module: Path) -> None:
    text = module.read_text().lower()
    assert "kadu" not in text
    assert "dunning" not in text


def document(operation: dict[str, Any], **components: Any) -> dict[str, Any]:
    """A contract of one operation."""
    described = {"operationId": "one", "x-kadu": {}, **operation}
    return {
        "openapi": "3.1.0",
        "paths": {"/v1/one/{id}": {"post": described}},
        "components": {"schemas": components},
    }


def with_body(schema: dict[str, Any]) -> dict[str, Any]:
    """An operation with that body."""
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


def test_references_are_inlined_and_combined_bodies_flattened() -> None:
    body = {
        "allOf": [
            {"$ref": "#/components/schemas/A"},
            {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
        ]
    }
    inner = {"properties": {"a": {"$ref": "#/components/schemas/B", "description": "here"}}}
    one = read_contract(document(with_body(body), A=inner, B={"type": "string"}), "x-kadu").operation("one")
    assert one.input_schema["properties"] == {
        "a": {"type": "string", "description": "here"},
        "b": {"type": "integer"},
    }
    assert one.input_schema["required"] == ["b"]
    assert one.body_properties == {"a", "b"}


def test_operations_not_described_are_left_out() -> None:
    plain = {"paths": {"/": {"get": {"operationId": "plain"}, "summary": "x"}}}
    assert list(read_contract(plain, "x-kadu").operations) == []


@pytest.mark.parametrize(
    "broken",
    [
        None,
        [],
        {},
        {"paths": []},
        document(with_body({"$ref": "https://example.com/x"})),
        document(with_body({"$ref": "#/components/schemas/None"})),
        document(with_body({"properties": {"a": {"$ref": "#/components/schemas/A"}}}), A={"items": {"$ref": "#/components/schemas/A"}}),
        document({"parameters": [{"name": "a", "in": "query"}], **with_body({"properties": {"a": {}}})}),
    ],
)  # fmt: skip
def test_unusable_contracts_are_refused(broken: Any) -> None:
    with pytest.raises(ContractError):
        read_contract(broken, "x-kadu")


def test_an_operation_twice_is_refused() -> None:
    twice = document({})
    twice["paths"]["/v1/two"] = twice["paths"]["/v1/one/{id}"]
    with pytest.raises(ContractError):
        read_contract(twice, "x-kadu")


def test_a_table_that_names_no_operation_is_refused() -> None:
    codec = AESGCMRequestStateCodec([b"k" * 32])
    row = replace(KADU.resources[0], operation="kadu_nothing_get")
    with pytest.raises(ContractError, match="kadu_nothing_get"):
        Engine(
            replace(KADU, resources=(row,)),
            read_contract(CONTRACT, "x-kadu"),
            Upstream(StubTransport(StubUpstream())),
            codec,
        )

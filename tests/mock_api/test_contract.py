"""Reading a contract: references, routes, and what makes one unusable."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mock_api import jsons
from mock_api.contract import load
from mock_api.errors import Mistake
from mock_api.references import inlined
from mock_api.routing import Router


def _contract(**operation: Any) -> dict[str, Any]:
    extension = {"scope": "s", "permission": "p", "access": "read", "does": "list", "collection": "c"}
    return {
        "openapi": "3.1.0",
        "paths": {
            "/v1/c": {
                "get": {"operationId": "c_list", "x-tiny": extension, "responses": {200: {}}, **operation}
            }
        },
    }


def _load(tmp_path: Path, document: Any) -> Any:
    path = tmp_path / "tiny.yaml"
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(document))
    return load(path, "tiny")


def test_a_date_in_the_file_stays_a_text(tmp_path: Path) -> None:
    text = yaml.safe_dump(_contract()) + "x-since: 2026-10-30\n"
    assert json.loads(_load(tmp_path, text).document)["x-since"] == "2026-10-30"


def test_scopes_permissions_and_classes_are_read(tmp_path: Path) -> None:
    contract = _load(tmp_path, _contract())
    assert (contract.scopes, contract.permissions) == (("s",), ("p",))
    assert contract.operations["c_list"].ledger_class == "access"


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ("a: [", "not YAML"),
        ("text", "no mapping"),
        ({"openapi": "3.1.0"}, "no operations"),
        (_contract(operationId=None), "no operationId"),
        (_contract(**{"x-tiny": None}), "no x-tiny"),
        (_contract(**{"x-tiny": {"scope": None, "permission": None, "does": "list"}}), "lacks access"),
        (_contract(responses={}), "no answer for success"),
        (_contract(responses={"400": {}}), "no answer for success"),
        (_contract(parameters=[{"name": "id", "in": "path"}]), "parameters of its path"),
        (_contract(parameters=[{"$ref": "#/none"}]), "#/none leads nowhere"),
        (_contract(parameters=[{"$ref": "other.yaml"}]), "other.yaml does not stay"),
        ({**_contract(), "a": {"$ref": "#/b"}, "b": {"x": {"$ref": "#/a"}}}, "in a circle"),
    ],
)
def test_an_unusable_contract_is_told_in_one_sentence(tmp_path: Path, document: Any, named: str) -> None:
    with pytest.raises(Mistake, match=r"^The contract .*\.$") as caught:
        _load(tmp_path, document)
    assert named in str(caught.value)


def test_what_stands_beside_a_reference_holds_as_well() -> None:
    document = {
        "a": {"type": "string", "description": "one"},
        "noted": {"$ref": "#/a", "description": "two"},
        "narrowed": {"$ref": "#/a", "minLength": 2},
    }
    whole = inlined(document)
    assert whole["noted"] == {"type": "string", "description": "two"}
    assert whole["narrowed"] == {"minLength": 2, "allOf": [document["a"]]}
    assert document["noted"] == {"$ref": "#/a", "description": "two"}


def test_a_literal_segment_wins_over_a_parameter() -> None:
    router = Router(
        [("GET", "/a/{id}", 1), ("GET", "/a/usage", 2), ("POST", "/a/{id}/b", 3), ("GET", "/a/usage/c", 4)]
    )
    assert router.match("GET", b"/a/usage").target == 2
    assert router.match("GET", b"/a/x").path == {"id": "x"}
    assert router.match("POST", b"/a/usage/b").path == {"id": "usage"}
    assert router.match("GET", b"/a/usage/b").allowed == ("POST",)
    assert router.match("GET", b"/a/").target is None
    assert router.match("GET", b"/a/x%2Fb").path == {"id": "x/b"}
    with pytest.raises(ValueError, match="twice"):
        Router([("GET", "/a", 1), ("GET", "/a", 2)])


@given(st.binary(max_size=60))
def test_any_path_is_found_or_not(path: bytes) -> None:
    match = Router([("GET", "/a/{id}", 1)]).match("GET", path)
    assert match.target in (None, 1)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(_JSON)
def test_json_survives_being_written_and_read(value: Any) -> None:
    assert jsons.read(jsons.write(value)) == value


@pytest.mark.parametrize(("depth", "fits"), [(jsons.DEPTH, True), (jsons.DEPTH + 1, False), (5000, False)])
def test_json_is_read_to_a_certain_depth(depth: int, fits: bool) -> None:
    text = b"[" * depth + b"]" * depth
    if fits:
        jsons.read(text)
    else:
        with pytest.raises(ValueError, match="nested"):
            jsons.read(text)


def test_half_a_surrogate_pair_is_no_text_and_a_whole_one_is() -> None:
    assert jsons.read(b'"\\ud83d\\ude00"') == "😀"
    assert jsons.read(b'"\\\\ud83d"') == "\\ud83d"
    for text in (b'"\\ud83d"', b'["a", {"\\uDE00": 1}]'):
        with pytest.raises(ValueError, match="surrogate"):
            jsons.read(text)


def test_brackets_inside_texts_are_no_depth() -> None:
    assert jsons.read(b'{"a": "' + b"[" * 500 + b'"}') == {"a": "[" * 500}

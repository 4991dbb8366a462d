"""Header values: the encodings that the specification gives as examples, and round trips."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.wire.header_values import decode, encode, parameter_headers, wrap


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("", ""),
        ("a\tb", "=?base64?YQli?="),
    ],
)
def test_encodes_what_does_not_fit_a_header(text: str, value: str) -> None:
    assert encode(text) == value


@given(st.text(st.characters(blacklist_categories=["Cs"])))
def test_what_is_encoded_is_decoded(text: str) -> None:
    assert decode(encode(text)) == text
    assert decode(wrap(text)) == text


@given(st.text())
def test_an_encoded_value_fits_a_header(text: str) -> None:
    value = encode(text)
    assert value.isascii()
    assert value == value.strip()
    assert not set(value) & set("\r\n\0")


@pytest.mark.parametrize("value", ["=?base64?a?=", "=?base64?YR==?=", "=?base64?/w==?=", "=?base64?a b=?="])
def test_what_is_no_canonical_base64_of_utf8_decodes_to_nothing(value: str) -> None:
    assert decode(value) is None


@pytest.mark.parametrize("value", ["=?BASE64?YQ==?=", "=?base64?YQ==", "=?base64?=", "plain"])
def test_what_is_not_wrapped_stands_for_itself(value: str) -> None:
    assert decode(value) == value


SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "x-mcp-header": "Count"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "ratio": {"type": "number", "x-mcp-header": "Ratio"},
        "bad": {"type": "string", "x-mcp-header": "not a token"},
        "deep": {"type": "object", "properties": {"key": {"type": "string", "x-mcp-header": "Deep-Key"}}},
        "plain": {"type": "string"},
    },
}


def test_marked_arguments_are_repeated_as_headers() -> None:
    arguments = {"region": "São", "count": 7, "dry": False, "deep": {"key": "k"}, "plain": "p"}
    assert dict(parameter_headers(SCHEMA, arguments)) == {
        "Mcp-Param-Region": "=?base64?U8Ojbw==?=",
        "Mcp-Param-Count": "7",
        "Mcp-Param-Dry": "false",
        "Mcp-Param-Deep-Key": "k",
    }


def test_arguments_without_a_header_form_stay_out() -> None:
    arguments = {"region": None, "count": 2**53, "ratio": 1.5, "bad": "x", "deep": "no object"}
    assert parameter_headers(SCHEMA, arguments) == ()

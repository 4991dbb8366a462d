"""JSON from strangers: strict, bounded, odd things noted."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.wire.json_text import DEPTH_LIMIT, depth_exceeds, parse

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(JSON)
def test_every_json_value_is_read_as_it_is(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        parsed = parse(text.encode())
        assert parsed.readable
        assert parsed.value == value
        assert parsed.notes == ()


@given(st.binary(max_size=200) | st.text('[]{}"\\,:tru1e. ').map(str.encode))
def test_nothing_raises(raw: bytes) -> None:
    parsed = parse(raw)
    assert parsed.readable or parsed.notes


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"NaN",
        b"[Infinity]",
        b"1e999",
        b"[1,]",
        b"{'a': 1}",
        b"\xff",
        b"1" * 5000,
        b"{} {}",
        b"\xed\xa0\x80",
    ],
)
def test_what_is_no_json_is_unreadable(raw: bytes) -> None:
    assert not parse(raw).readable


def test_a_member_that_stands_twice_is_noted() -> None:
    parsed = parse(b'{"a": {"b": 1, "c": 2, "b": 3}}')
    assert parsed.value == {"a": {"b": 3, "c": 2}}
    assert parsed.notes == ("an object has the member 'b' twice",)


def test_a_byte_order_mark_is_noted() -> None:
    parsed = parse(b'\xef\xbb\xbf{"a": 1}')
    assert parsed.value == {"a": 1}
    assert parsed.notes == ("the JSON begins with a byte order mark",)


def test_half_a_surrogate_pair_is_noted_and_becomes_text_that_can_be_written() -> None:
    parsed = parse(rb'{"a": "\ud83d", "b": "\ud83e\udd9c"}')
    assert parsed.value == {"a": "?", "b": "🦜"}
    assert parsed.notes == ("a string holds half of a surrogate pair",)


def test_nesting_is_read_up_to_the_limit_and_not_beyond() -> None:
    deepest = b"[" * DEPTH_LIMIT + b"]" * DEPTH_LIMIT
    assert parse(deepest).readable
    assert parse(b"[" + deepest + b"]").notes == (f"the JSON is nested deeper than {DEPTH_LIMIT} levels",)


def test_brackets_within_strings_and_side_by_side_are_no_depth() -> None:
    assert not depth_exceeds(json.dumps(["[" * 500, '"\\[' * 200]).encode(), 10)
    assert not depth_exceeds(b"[" + b"[[]]," * 1000 + b"{}]", 10)


@given(JSON)
def test_depth_is_measured_exactly(value: object) -> None:
    def depth(node: object) -> int:
        inner = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else None
        return 0 if inner is None else 1 + max((depth(one) for one in inner), default=0)

    raw = json.dumps(value).encode()
    assert not depth_exceeds(raw, max(1, depth(value)))
    if depth(value) > 1:
        assert depth_exceeds(raw, depth(value) - 1)


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 2_000_000,
        b'{"a":' * 500_000,
        b'"' + b'\\"' * 1_000_000 + b"[" * 300,
        b"[}" * 1_000_000,
        b"[{]}" * 500_000,
    ],
    ids=["arrays", "objects", "escapes", "mismatched", "interleaved"],
)
def test_hostile_nesting_is_refused_in_linear_time(raw: bytes) -> None:
    began = time.process_time()
    assert not parse(raw).readable
    assert time.process_time() - began < 2

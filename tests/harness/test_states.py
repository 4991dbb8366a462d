"""A state is changed in what it says, never only in how it is spelt."""

import base64
import json
import random

from hypothesis import given
from hypothesis import strategies as st

from harness.steps.confirmations import changed_states, respelt_states


@given(st.binary(min_size=24, max_size=200), st.integers())
def test_every_change_of_a_base64_state_changes_what_it_decodes_to(raw: bytes, seed: int) -> None:
    state = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    changed = changed_states(state, random.Random(seed))
    assert changed
    for other in changed:
        assert len(other) == len(state)
        assert base64.urlsafe_b64decode(other + "=" * (-len(other) % 4)) != raw


@given(st.binary(min_size=24, max_size=64), st.binary(min_size=32, max_size=32), st.integers())
def test_a_change_inside_a_json_envelope_is_never_another_spelling_of_the_same(
    data: bytes, mac: bytes, seed: int
) -> None:
    envelope = json.dumps({"data": base64.b64encode(data).decode(), "mac": mac.hex()})
    state = base64.b64encode(envelope.encode()).decode()
    for other in changed_states(state, random.Random(seed)):
        try:
            seen = json.loads(base64.b64decode(other))
            same = base64.b64decode(seen["data"]) == data and bytes.fromhex(seen["mac"]) == mac
        except (ValueError, KeyError):
            continue
        assert not same


def test_a_state_that_is_only_a_handle_is_changed_too() -> None:
    handle = "6f0c2d1e-0000-4000-8000-000000000000"
    assert all(other != handle for other in changed_states(handle, random.Random(1)))


@given(st.binary(min_size=24, max_size=200))
def test_a_state_spelt_otherwise_is_another_text_of_the_same(raw: bytes) -> None:
    state = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    others = respelt_states(state)
    assert others
    assert state not in others
    for other in others:
        bare = other.strip().rstrip("=").translate(str.maketrans("+/", "-_"))
        assert base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4)) == raw

"""The register of confirmations."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

ASKED = {"nonce": "n" * 16, "operation": "tiny_boxes_open", "expires_at": "2026-11-30T15:05:00Z"}


def test_a_confirmation_is_registered_once(world: Any, call: Any) -> None:
    first = call("POST", "/v1/confirmations", ASKED)
    assert first.status_code == 201
    assert {name: first.json()[name] for name in ASKED} == ASKED
    world.control("POST", "/clock", {"advance": 100 * 86400})
    for caller in (call, world.caller(1)):
        again = caller("POST", "/v1/confirmations", {**ASKED, "operation": "tiny_me_get"})
        assert (again.status_code, again.json()["errors"][0]["code"]) == (409, "confirmation_replayed")
    assert call("POST", "/v1/confirmations", {**ASKED, "nonce": "m" * 200}).status_code == 201


def test_of_twenty_at_once_one_is_registered(world: Any, call: Any) -> None:
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: call("POST", "/v1/confirmations", ASKED).status_code, range(20)))
    assert Counter(answers) == {201: 1, 409: 19}
    assert sum(entry["effect"] for entry in world.ledger()) == 1


def test_each_organization_has_its_own_register(mock: Any) -> None:
    for _ in range(2):
        assert mock.tenant().caller()("POST", "/v1/confirmations", ASKED).status_code == 201


def test_a_token_without_a_person_confirms_nothing(world: Any, call: Any) -> None:
    answer = world.caller(None)("POST", "/v1/confirmations", ASKED)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (403, "forbidden")
    assert call("POST", "/v1/confirmations", ASKED).status_code == 201


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"nonce": "n" * 15}, "nonce"),
        ({"nonce": "n" * 201}, "nonce"),
        ({"nonce": 1}, "nonce"),
        ({"operation": "tiny_none"}, "operation"),
        ({"expires_at": "amanhã"}, "expires_at"),
        ({"more": 1}, "more"),
    ],
)
def test_what_is_no_confirmation_is_refused(call: Any, change: Any, field: str) -> None:
    answer = call("POST", "/v1/confirmations", {**ASKED, **change})
    assert answer.status_code == 422
    assert field in answer.json()["errors"][0]["detail"]
    assert call("POST", "/v1/confirmations", ASKED).status_code == 201

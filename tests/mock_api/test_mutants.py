"""The mock's mutants: each says what it gets wrong, stands where it says, and tells its lie in a process of its own."""

import json
import re
from typing import Any

import httpx
import pytest

from mock_api.mutants import Mutant, lie, mutants

from .conftest import KADU, SECRET, Caller, Mock, World

KEYED = {"headers": {"X-Idempotency-Key": "disparo-2026-11-30"}}
NAMED = {"name": "Tesouraria", "description": "Boletos"}


def test_names_are_unique_and_lies_are_one_sentence() -> None:
    assert len({mutant.name for mutant in mutants()}) == len(mutants()) > 60
    for mutant in mutants():
        assert re.fullmatch(r"[A-Z][^.\n]*\.", mutant.lie), mutant.name
        assert re.fullmatch(r"(KADU|MCP)-([A-Z]+-)?\d\d", mutant.rule), mutant.name


def test_each_mutant_stands_in_places_that_exist() -> None:
    for mutant in mutants():
        assert mutant.parts, mutant.name
        for place, part in mutant.parts:
            owner, name = lie._found(place)
            assert getattr(owner, name) is not part, f"{mutant.name}: {place}"


def test_a_place_that_does_not_exist_is_no_place_for_a_lie() -> None:
    nowhere = Mutant("nowhere", "KADU-IDM-07", "Nothing.", (("mock_api.idempotency:NO_SUCH", 1),))
    with pytest.raises(AttributeError):
        lie.put_in_place(nowhere)


def test_the_program_lists_them(program: Any) -> None:
    process = program("--list-mutants", program=KADU)
    told, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (0, "")
    listed = json.loads(told)["mutants"]
    assert listed == [{"name": each.name, "rule": each.rule, "lie": each.lie} for each in mutants()]


def test_an_unknown_mutant_is_one_sentence(program: Any) -> None:
    process = program("--mutant", "never_heard_of", program=KADU)
    _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors.count("\n")) == (2, 1)
    assert "There is no mutant 'never_heard_of'" in errors


def after_thirteen_hours(mock: Mock) -> bool:
    """Whether a key still replays thirteen hours after its first call."""
    world: World = mock.tenant("treze horas")
    call: Caller = world.caller()
    first = call("POST", "/v1/workspaces", NAMED, **KEYED)
    world.control("POST", "/clock", {"advance": 13 * 3600})
    again = call("POST", "/v1/workspaces", NAMED, **KEYED)
    assert (first.status_code, again.status_code) == (201, 201)
    return bool(first.json()["id"] == again.json()["id"])


def test_a_mutant_lies_and_the_mock_without_one_does_not(kadu_mock: Mock, program: Any) -> None:
    process = program(
        "--mutant", "key_forgotten_after_twelve_hours", "--control-secret-file", "-", program=KADU
    )
    process.stdin.write(SECRET + "\n")
    process.stdin.flush()
    ready = json.loads(process.stdout.readline())
    bearer = {"authorization": f"Bearer {SECRET}"}
    with httpx.Client(base_url=ready["control_url"], headers=bearer) as control, httpx.Client() as http:
        assert not after_thirteen_hours(Mock(ready["api_url"], control, http))
    assert after_thirteen_hours(kadu_mock)

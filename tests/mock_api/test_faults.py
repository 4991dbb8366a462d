"""Faults: the API misbehaves as told, for one operation of one tenant."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest


def _arm(world: Any, operation: str, kind: str, times: int | None = None) -> str:
    made = world.control("POST", "/faults", {"operation": operation, "kind": kind, "times": times}, 201)
    assert set(made) == {"id"}
    return f"/faults/{made['id']}"


def _wait_for_holding(world: Any, fault: str, number: int) -> None:
    deadline = time.monotonic() + 10
    while world.control("GET", fault)["holding"] != number:
        assert time.monotonic() < deadline, "nothing came to be held"


def test_unavailable_runs_nothing_and_counts_down(world: Any, call: Any) -> None:
    fault = _arm(world, "tiny_boxes_create", "unavailable", 2)
    before = world.control("GET", "/state")["digest"]
    for _ in range(2):
        answer = call("POST", "/v1/boxes", {"name": "x"})
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (503, "unavailable")
    assert world.control("GET", "/state")["digest"] == before
    assert call("POST", "/v1/boxes", {"name": "x"}).status_code == 201
    assert world.control("GET", fault) == {
        "id": fault.rpartition("/")[2],
        "operation": "tiny_boxes_create",
        "kind": "unavailable",
        "times": 0,
        "taken": 2,
        "holding": 0,
    }
    assert [(entry["status"], entry["effect"]) for entry in world.ledger()] == [(503, False)] * 2 + [
        (201, True)
    ]


def test_a_fault_without_times_lasts_until_it_is_taken_away(world: Any, call: Any) -> None:
    fault = _arm(world, "tiny_me_get", "unavailable")
    assert [call("GET", "/v1/me").status_code for _ in range(3)] == [503] * 3
    world.control("DELETE", fault, expect=204)
    assert call("GET", "/v1/me").status_code == 200
    world.control("DELETE", fault, expect=404)
    world.control("GET", fault, expect=404)


def test_a_fault_strikes_its_operation_and_its_tenant_alone(mock: Any, world: Any, call: Any) -> None:
    _arm(world, "tiny_boxes_list", "unavailable")
    assert call("GET", "/v1/me").status_code == 200
    assert mock.tenant().caller()("GET", "/v1/boxes").status_code == 200
    assert call("GET", "/v1/boxes").status_code == 503


def test_a_dropped_response_is_work_done_and_recorded(world: Any, call: Any) -> None:
    _arm(world, "tiny_boxes_create", "drop_response", 1)
    with pytest.raises(httpx.RemoteProtocolError):
        call("POST", "/v1/boxes", {"name": "Perdida"})
    (entry,) = world.ledger()
    assert (entry["status"], entry["effect"]) == (201, True)
    assert call("GET", "/v1/boxes").json()["data"][0]["name"] == "Perdida"
    assert call("POST", "/v1/boxes", {"name": "x"}).status_code == 201


def test_a_refusal_is_answered_even_where_responses_are_dropped(world: Any, call: Any) -> None:
    _arm(world, "tiny_boxes_create", "drop_response", 1)
    assert call("POST", "/v1/boxes", {}).status_code == 422
    with pytest.raises(httpx.RemoteProtocolError):
        call("POST", "/v1/boxes", {"name": "x"})


def test_a_held_operation_is_checked_but_not_run_until_it_is_let_go(world: Any, call: Any) -> None:
    fault = _arm(world, "tiny_boxes_create", "hold", 1)
    assert call("POST", "/v1/boxes", {}).status_code == 422
    before = world.control("GET", "/state")["digest"]
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(call, "POST", "/v1/boxes", {"name": "Retida"})
        _wait_for_holding(world, fault, 1)
        assert world.control("GET", "/state")["digest"] == before
        assert [entry["status"] for entry in world.ledger()] == [422]
        assert call("GET", "/v1/me").status_code == 200
        assert call("POST", "/v1/boxes", {"name": "Passa"}).status_code == 201
        assert not held.done()
        world.control("POST", "/clock", {"advance": 60})
        world.control("DELETE", fault, expect=204)
        answer = held.result(10)
    assert answer.status_code == 201
    assert answer.json()["created_at"] == world.control("GET", "/clock")["now"]
    assert [entry["operation"] for entry in world.ledger()][-1] == "tiny_boxes_create"
    assert call("GET", "/v1/boxes").json()["data"][0]["name"] == "Retida"


def test_a_held_operation_goes_on_when_its_client_went_away(world: Any, call: Any) -> None:
    fault = _arm(world, "tiny_boxes_create", "hold")
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(
            call, "POST", "/v1/boxes", {"name": "Sozinha"}, timeout=httpx.Timeout(10, read=0.2)
        )
        _wait_for_holding(world, fault, 1)
        with pytest.raises(httpx.ReadTimeout):
            held.result(10)
    world.control("DELETE", fault, expect=204)
    deadline = time.monotonic() + 10
    while not world.ledger():
        assert time.monotonic() < deadline
    assert world.ledger()[0]["effect"] is True


def test_what_is_gathered_goes_on_when_all_of_it_is_there(world: Any, call: Any) -> None:
    fault = _arm(world, "*", "gather", 3)
    with ThreadPoolExecutor(3) as pool:
        some = [pool.submit(call, "GET", "/v1/me") for _ in range(3)]
        assert [one.result(10).status_code for one in some] == [200] * 3
    told = world.control("GET", fault)
    assert (told["taken"], told["times"], told["holding"]) == (3, 0, 0)
    assert call("POST", "/v1/boxes", {"name": "x"}).status_code == 201


def test_what_is_gathered_does_not_wait_for_ever(world: Any, call: Any) -> None:
    fault = _arm(world, "*", "gather", 3)
    assert call("GET", "/v1/me").status_code == 200
    assert call("GET", "/v1/boxes").status_code == 200
    assert world.control("GET", fault)["taken"] == 2


def test_what_is_held_ends_with_its_tenant_and_runs_nothing(mock: Any) -> None:
    world = mock.tenant()
    call = world.caller()
    fault = _arm(world, "tiny_boxes_create", "hold")
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(call, "POST", "/v1/boxes", {"name": "x"})
        _wait_for_holding(world, fault, 1)
        world.control("DELETE", "", expect=204)
        assert held.result(10).status_code == 401

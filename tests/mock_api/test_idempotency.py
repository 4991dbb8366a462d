"""Idempotency as a server under test sees it: by HTTP, by the header `X-Idempotency-Key`."""

import asyncio
import itertools
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

KEY = "disparo-2026-11-30"
REUSED = (409, "idempotency_key_reused")
IN_PROGRESS = (409, "idempotency_request_in_progress")
REPLAY_HEADER = "x-idempotent-replay"
WORKSPACES = "/v1/workspaces"
CREATE = "kadu_workspaces_create"
NAMED = {"name": "Tesouraria", "description": "Boletos"}
DAY = 86_400

_seeds = itertools.count()


@pytest.fixture
def world(kadu_mock: Any) -> Any:
    return kadu_mock.tenant(f"idempotência {next(_seeds)}")


@pytest.fixture
def call(world: Any) -> Any:
    return world.caller()


def keyed(caller: Any, path: str = WORKSPACES, body: Any = None, key: str = KEY, **options: Any) -> Any:
    method = options.pop("method", "POST")
    return caller(method, path, body, headers={"X-Idempotency-Key": key}, **options)


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["errors"][0]["code"]


def effects(world: Any) -> int:
    return sum(entry["effect"] for entry in world.ledger())


def advance(world: Any, seconds: float) -> None:
    world.control("POST", "/clock", {"advance": seconds})


def arm(world: Any, kind: str, times: int | None = None, operation: str = CREATE) -> str:
    made = world.control("POST", "/faults", {"operation": operation, "kind": kind, "times": times}, 201)
    return f"/faults/{made['id']}"


def wait_for_holding(world: Any, fault: str) -> None:
    deadline = time.monotonic() + 10
    while world.control("GET", fault)["holding"] == 0:
        assert time.monotonic() < deadline, "nothing came to be held"


def test_a_repetition_gives_the_first_answer_and_runs_nothing(world: Any, call: Any) -> None:
    first = keyed(call, body=NAMED)
    call("PATCH", f"{WORKSPACES}/{first.json()['id']}", {"name": "Outro nome"})
    before = world.control("GET", "/state")["digest"]
    again = keyed(call, body=NAMED)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert world.control("GET", "/state")["digest"] == before
    assert REPLAY_HEADER not in first.headers
    assert again.headers[REPLAY_HEADER] == "true"


def test_the_ledger_tells_a_replay_with_the_first_status_and_no_effect(world: Any, call: Any) -> None:
    for _ in range(2):
        keyed(call, body=NAMED)
    first, again = world.ledger()
    assert (first["replay"], first["effect"], first["status"]) == (False, True, 201)
    told = {"replay": True, "effect": False, "seq": 2}
    assert {**first, **told} == again


def test_neither_the_order_of_keys_nor_the_writing_of_json_makes_another_request(call: Any) -> None:
    first = keyed(call, body=NAMED)
    turned = b'{ "description": "Bolet\\u006fs", "name": "Tesouraria" }'
    assert keyed(call, content=turned).json() == first.json()


@pytest.mark.parametrize(
    ("path", "body", "method"),
    [
        (WORKSPACES, {**NAMED, "name": "Outra"}, "POST"),
        (WORKSPACES, {"name": NAMED["name"]}, "POST"),
        ("/v1/roles", {"name": "Papel", "permissions": ["agent.tasks.read"]}, "POST"),
        (f"{WORKSPACES}/{{0}}", NAMED, "PATCH"),
    ],
    ids=["another value", "one less", "another operation", "another operation with the same body"],
)
def test_other_arguments_are_refused_and_the_first_still_replays(
    world: Any, call: Any, path: str, body: Any, method: str
) -> None:
    first = keyed(call, body=NAMED)
    path = path.format(world.records["workspaces"][0]["id"])
    other = keyed(call, path, body, method=method)
    assert refusal(other) == REUSED
    assert REPLAY_HEADER not in other.headers
    assert keyed(call, body=NAMED).json() == first.json()
    assert [(entry["replay"], entry["effect"]) for entry in world.ledger()] == [
        (False, True),
        (False, False),
        (True, False),
    ]


def test_another_record_is_another_argument(world: Any, call: Any) -> None:
    one, two = (each["id"] for each in world.records["workspaces"][:2])
    assert keyed(call, f"{WORKSPACES}/{one}", NAMED, method="PATCH").status_code == 200
    assert refusal(keyed(call, f"{WORKSPACES}/{two}", NAMED, method="PATCH")) == REUSED


def test_another_operation_on_the_same_record_is_another_request(world: Any, call: Any) -> None:
    waiting = next(each for each in world.records["executions"] if each["state"] == "waiting")
    assert keyed(call, f"/v1/executions/{waiting['id']}/continue", {}).status_code == 200
    assert refusal(keyed(call, f"/v1/executions/{waiting['id']}/cancel", {})) == REUSED


def test_no_body_and_an_empty_one_are_the_same_request(world: Any, call: Any) -> None:
    waiting = next(each for each in world.records["executions"] if each["state"] == "waiting")
    path = f"/v1/executions/{waiting['id']}/cancel"
    assert keyed(call, path).status_code == 200
    assert keyed(call, path, {}).headers[REPLAY_HEADER] == "true"


def test_a_person_of_the_same_organization_gets_the_replay(world: Any, call: Any) -> None:
    first = keyed(call, body=NAMED)
    again = keyed(world.caller(1), body=NAMED)
    assert (again.json(), again.headers[REPLAY_HEADER]) == (first.json(), "true")
    assert world.ledger()[1]["person"] == world.people[1]["id"]


def test_another_organization_has_its_own_keys(kadu_mock: Any, world: Any, call: Any) -> None:
    same = {"same_as": {"tenant": world.id, "person": world.people[0]["id"]}}
    other = kadu_mock.tenant(f"outra {next(_seeds)}", people=[same])
    first, elsewhere = keyed(call, body=NAMED), keyed(other.caller(), body=NAMED)
    assert elsewhere.status_code == 201
    assert elsewhere.json()["id"] != first.json()["id"]
    assert REPLAY_HEADER not in elsewhere.headers
    assert (effects(world), effects(other)) == (1, 1)


def test_without_a_key_equal_calls_run_each_time(world: Any, call: Any) -> None:
    made = {call("POST", WORKSPACES, NAMED).json()["id"] for _ in range(2)}
    assert (len(made), effects(world)) == (2, 2)


def test_where_the_contract_knows_no_key_the_header_means_nothing(world: Any, call: Any) -> None:
    path = f"{WORKSPACES}/{world.records['workspaces'][0]['id']}"
    assert keyed(call, path, method="DELETE").status_code == 200
    # KADU-IDM-11
    again = keyed(call, path, method="DELETE")
    assert refusal(again) == (404, "not_found")
    assert REPLAY_HEADER not in again.headers
    assert [entry["replay"] for entry in world.ledger()] == [False, False]


@pytest.mark.parametrize("key", ["k", "k" * 255, " ".join("cheia de espaços"), 'a,b;c="d"'])
def test_keys_that_work(world: Any, call: Any, key: str) -> None:
    raw = {"X-Idempotency-Key": key.encode()}
    answers = [call("POST", WORKSPACES, NAMED, headers=raw) for _ in range(2)]
    assert [REPLAY_HEADER in answer.headers for answer in answers] == [False, True]
    assert world.ledger()[0]["headers"]["x-idempotency-key"] == key


@pytest.mark.parametrize("key", ["", "k" * 256])
def test_keys_of_another_length_are_refused_and_run_nothing(world: Any, call: Any, key: str) -> None:
    assert refusal(keyed(call, body=NAMED, key=key)) == (400, "bad_request")
    assert effects(world) == 0


def test_keys_differ_by_case(world: Any, call: Any) -> None:
    for key in ("chave", "Chave"):
        assert REPLAY_HEADER not in keyed(call, body=NAMED, key=key).headers
    assert effects(world) == 2


@pytest.mark.parametrize(
    ("after", "replays"),
    [(DAY - 60, True), (DAY - 0.001, True), (DAY, False), (DAY + 60, False)],
    ids=["23:59", "a millisecond before 24:00", "24:00", "24:01"],
)
def test_a_key_counts_for_24_hours(world: Any, call: Any, after: float, replays: bool) -> None:
    first = keyed(call, body=NAMED)
    advance(world, after)
    again = keyed(call, body=NAMED)
    assert (again.json() == first.json(), REPLAY_HEADER in again.headers) == (replays, replays)
    assert effects(world) == (1 if replays else 2)


def test_a_replay_does_not_lengthen_the_24_hours(world: Any, call: Any) -> None:
    keyed(call, body=NAMED)
    for after in (DAY / 2, DAY / 2):
        advance(world, after)
        last = keyed(call, body=NAMED)
    assert REPLAY_HEADER not in last.headers
    # What ran again is the first call of 24 hours of its own; other arguments had been welcome too.
    advance(world, DAY - 1)
    assert keyed(call, body=NAMED).json() == last.json()


def test_a_key_that_is_gone_may_stand_for_something_else(world: Any, call: Any) -> None:
    keyed(call, body=NAMED)
    advance(world, DAY)
    assert keyed(call, body={"name": "Outra"}).status_code == 201
    assert refusal(keyed(call, body=NAMED)) == REUSED


def test_the_24_hours_count_from_the_first_call_not_from_its_end(world: Any, call: Any) -> None:
    fault = arm(world, "hold", 1)
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(keyed, call, body=NAMED)
        wait_for_holding(world, fault)
        advance(world, DAY - 1)
        world.control("DELETE", fault, expect=204)
        first = held.result(10)
    assert keyed(call, body=NAMED).json() == first.json()
    advance(world, 1)
    assert REPLAY_HEADER not in keyed(call, body=NAMED).headers


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/executions/00000000-0000-4000-8000-00000000dead/cancel", 404, "not_found"),
        ("/v1/executions/{over}/cancel", 422, "unprocessable_entity"),
    ],
)
def test_an_error_of_the_operation_is_stored_and_replayed(
    world: Any, call: Any, path: str, status: int, code: str
) -> None:
    over = next(each for each in world.records["executions"] if each["state"] == "succeeded")
    path = path.format(over=over["id"])
    first = keyed(call, path, {})
    # Were it run now it would be done: the replay stays what the first call came to.
    if status == 422:
        world.control("PATCH", f"/records/executions/{over['id']}", {"state": "waiting"})
    again = keyed(call, path, {})
    assert refusal(first) == (status, code)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert [REPLAY_HEADER in answer.headers for answer in (first, again)] == [False, True]
    assert [
        (entry["status"], entry["code"], entry["replay"], entry["effect"]) for entry in world.ledger()
    ] == [(status, code, False, False), (status, code, True, False)]
    assert refusal(keyed(call, path, {"reason": "outra"})) == REUSED


def test_a_refused_request_stores_nothing(world: Any, call: Any) -> None:
    revoked = world.caller()
    world.control("DELETE", f"/tokens/{revoked.token['id']}", expect=204)
    unavailable = arm(world, "unavailable", 1)
    refused = [
        (keyed(call, body=NAMED), (503, "unavailable")),
        (keyed(revoked, body=NAMED), (401, "unauthorized")),
        (keyed(world.caller(without_scopes=["kadu/workspaces"]), body=NAMED), (403, "forbidden")),
        (keyed(call, body={"name": 7}), (422, "unprocessable_entity")),
        (keyed(call, content=b"{"), (400, "bad_request")),
        (keyed(call, WORKSPACES + "?x=1", NAMED), (400, "bad_request")),
        (keyed(call, content=b" " * 1_000_001), (413, "payload_too_large")),
    ]
    assert world.control("GET", unavailable)["taken"] == 1
    assert [refusal(answer) for answer, _ in refused] == [expected for _, expected in refused]
    # No attempt counts as the first call: the same key stands for what runs first.
    assert keyed(call, body=NAMED).status_code == 201
    assert [entry["replay"] for entry in world.ledger()] == [False] * (len(refused) + 1)


def test_a_replay_is_for_those_who_may_run_it(world: Any, call: Any) -> None:
    keyed(call, body=NAMED)
    answer = keyed(world.caller(1, without_scopes=["kadu/workspaces"]), body=NAMED)
    assert refusal(answer) == (403, "forbidden")
    assert REPLAY_HEADER not in answer.headers


def test_a_secret_shown_once_is_null_in_the_replay(world: Any, call: Any) -> None:
    webhook = world.records["webhooks"][0]["id"]
    made = {"url": "https://erp.exemplo.com.br/kadu", "events": ["execution.failed"]}
    for key, path, body in (
        ("criar", "/v1/webhooks", made),
        ("trocar", f"/v1/webhooks/{webhook}/rotate_secret", None),
    ):
        first, again = (keyed(call, path, body, key=key) for _ in range(2))
        assert first.json()["signing_secret"].startswith("whsec_")
        assert again.status_code == first.status_code
        assert again.json() == {**first.json(), "signing_secret": None}


def test_what_still_runs_is_in_progress_and_then_replays(world: Any, call: Any) -> None:
    fault = arm(world, "hold")
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(keyed, call, body=NAMED)
        wait_for_holding(world, fault)
        meanwhile = keyed(world.caller(1), body=NAMED)
        assert refusal(meanwhile) == IN_PROGRESS
        assert meanwhile.headers["retry-after"] == "2"
        assert REPLAY_HEADER not in meanwhile.headers
        assert refusal(keyed(call, body={"name": "Outra"})) == REUSED
        # Not a second time beside itself, however long it takes.
        advance(world, 2 * DAY)
        assert refusal(keyed(call, body=NAMED)) == IN_PROGRESS
        advance(world, -2 * DAY)
        world.control("DELETE", fault, expect=204)
        first = held.result(10)
    again = keyed(call, body=NAMED)
    assert (again.json(), again.headers[REPLAY_HEADER]) == (first.json(), "true")
    assert effects(world) == 1


def test_a_replay_is_not_held(world: Any, call: Any) -> None:
    first = keyed(call, body=NAMED)
    fault = arm(world, "hold")
    assert keyed(call, body=NAMED).json() == first.json()
    assert world.control("GET", fault)["taken"] == 0


def test_a_held_call_whose_client_went_away_replays_once_it_ran(world: Any, call: Any) -> None:
    fault = arm(world, "hold", 1)
    with ThreadPoolExecutor(1) as pool:
        lost = pool.submit(keyed, call, body=NAMED, timeout=httpx.Timeout(10, read=0.2))
        wait_for_holding(world, fault)
        with pytest.raises(httpx.ReadTimeout):
            lost.result(10)
    assert refusal(keyed(call, body=NAMED)) == IN_PROGRESS
    world.control("DELETE", fault, expect=204)
    deadline = time.monotonic() + 10
    while effects(world) == 0:
        assert time.monotonic() < deadline, "what was let go did not run"
    assert keyed(call, body=NAMED).headers[REPLAY_HEADER] == "true"
    assert effects(world) == 1


def test_after_an_answer_is_lost_the_retry_replays(world: Any, call: Any) -> None:
    arm(world, "drop_response", 1)
    with pytest.raises(httpx.RemoteProtocolError):
        keyed(call, body=NAMED)
    again = keyed(call, body=NAMED)
    assert (again.status_code, again.headers[REPLAY_HEADER]) == (201, "true")
    assert [(entry["status"], entry["effect"], entry["replay"]) for entry in world.ledger()] == [
        (201, True, False),
        (201, False, True),
    ]


async def _at_once(world: Any, number: int, caller: Any) -> list[httpx.Response]:
    headers = {"authorization": f"Bearer {caller.token['token']}", "x-idempotency-key": KEY}
    limits = httpx.Limits(max_connections=number)
    async with httpx.AsyncClient(base_url=world.mock.api_url, limits=limits, timeout=30) as client:
        asked = [client.post(WORKSPACES, json=NAMED, headers=headers) for _ in range(number)]
        return await asyncio.gather(*asked)


def test_of_200_equal_calls_at_once_one_has_an_effect(world: Any, call: Any) -> None:
    answers = asyncio.run(_at_once(world, 200, call))
    kinds = Counter(
        refusal(answer)
        if answer.status_code == 409
        else ("replay" if REPLAY_HEADER in answer.headers else "ran")
        for answer in answers
    )
    assert set(kinds) <= {"ran", "replay", IN_PROGRESS}
    assert (kinds["ran"], len(answers), effects(world)) == (1, 200, 1)
    assert len({answer.json()["id"] for answer in answers if answer.status_code == 201}) == 1


def test_of_200_equal_calls_during_a_hold_one_runs(world: Any, call: Any) -> None:
    fault = arm(world, "hold")

    async def all_of_them() -> list[httpx.Response]:
        asked = asyncio.create_task(_at_once(world, 200, call))
        deadline = time.monotonic() + 30
        while len(await asyncio.to_thread(world.ledger)) < 199:
            assert time.monotonic() < deadline, "the others are not answered while the first is held"
        assert world.control("GET", fault)["holding"] == 1
        world.control("DELETE", fault, expect=204)
        return await asked

    statuses = Counter(answer.status_code for answer in asyncio.run(all_of_them()))
    assert statuses == {409: 199, 201: 1}
    assert {entry["code"] for entry in world.ledger()} == {None, IN_PROGRESS[1]}
    assert effects(world) == 1
    assert keyed(call, body=NAMED).headers[REPLAY_HEADER] == "true"

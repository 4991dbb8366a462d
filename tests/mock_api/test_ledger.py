"""What the ledger tells of what was asked."""

from typing import Any


def test_an_entry_is_told_whole(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    headers = {"X-Idempotency-Key": "chave-ção".encode(), "X-Other": "1"}
    call("PATCH", f"/v1/boxes/{box}", {"name": "Outra"}, headers=headers)
    (entry,) = world.ledger()
    sent = entry.pop("headers")
    assert sent["x-idempotency-key"] == "chave-ção"
    assert sent["x-other"] == "1"
    assert "authorization" not in sent
    assert entry == {
        "seq": 1,
        "at": world.made["now"],
        "class": "business",
        "effect": True,
        "replay": False,
        "operation": "tiny_boxes_update",
        "method": "PATCH",
        "path": f"/v1/boxes/{box}",
        "query": {},
        "body": {"name": "Outra"},
        "arguments": {"id": box, "name": "Outra"},
        "status": 200,
        "code": None,
        "token": call.token["id"],
        "person": world.people[0]["id"],
        "client": call.token["client"]["name"],
        "approval": None,
    }


def test_entries_come_in_order_and_from_where_they_are_wanted(world: Any, call: Any) -> None:
    for path in ("/v1/me", "/v1/boxes", "/v1/boxes?limit=2"):
        call("GET", path)
    assert [entry["seq"] for entry in world.ledger()] == [1, 2, 3]
    assert [entry["operation"] for entry in world.ledger(after=1)] == ["tiny_boxes_list"] * 2
    assert world.ledger(after=2)[0]["query"] == {"limit": 2}
    assert world.ledger(after=2)[0]["arguments"] == {"limit": 2}
    assert world.ledger(after=3) == world.ledger(after=9) == []


def test_the_classes(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    nonce = {"nonce": "n" * 16, "operation": "tiny_boxes_open", "expires_at": "2026-11-30T15:00:00Z"}
    asked = [
        (call("GET", "/v1/boxes"), "access", False, None),
        (call("POST", "/v1/boxes", {"name": "x"}), "business", True, None),
        (call("POST", "/v1/boxes", {}), "business", False, "unprocessable_entity"),
        (call("POST", "/v1/confirmations", nonce), "register", True, None),
        (call("POST", "/v1/confirmations", nonce), "register", False, "confirmation_replayed"),
        (call("POST", f"/v1/boxes/{box}/open"), "business", True, None),
        (call("DELETE", f"/v1/boxes/{box}"), "business", True, None),
        (call("DELETE", f"/v1/boxes/{box}"), "business", False, "not_found"),
        (call("GET", "/v1/none"), "access", False, "not_found"),
        (call("POST", "/v1/none"), "business", False, "not_found"),
        (call("PUT", "/v1/boxes"), "business", False, "method_not_allowed"),
    ]
    told = [(entry["status"], entry["class"], entry["effect"], entry["code"]) for entry in world.ledger()]
    assert told == [(answer.status_code, *rest) for answer, *rest in asked]


def test_a_refused_request_is_told_with_what_it_asked(world: Any) -> None:
    call = world.caller(without_scopes=["tiny/boxes"])
    call("POST", "/v1/boxes?x=1", {"name": "x"})
    (entry,) = world.ledger()
    assert (entry["status"], entry["code"], entry["effect"]) == (403, "forbidden", False)
    assert (entry["body"], entry["arguments"]) == ({"name": "x"}, {"name": "x", "x": "1"})


def test_what_cannot_be_read_is_told_all_the_same(world: Any, call: Any) -> None:
    call("POST", "/v1/boxes", content=b"{")
    call("POST", "/v1/boxes", [1])
    broken, listed = world.ledger()
    assert (broken["body"], broken["arguments"], broken["code"]) == (None, {}, "bad_request")
    assert (listed["body"], listed["arguments"], listed["code"]) == ([1], {}, "unprocessable_entity")


def test_a_token_that_lost_its_power_is_told_and_an_unknown_one_is_not(
    mock: Any, world: Any, call: Any
) -> None:
    world.control("PATCH", f"/people/{world.people[0]['id']}", {"member": False})
    call("DELETE", f"/v1/boxes/{world.records['boxes'][0]['id']}")
    revoked = world.caller(1)
    world.control("DELETE", f"/tokens/{revoked.token['id']}", expect=204)
    revoked("GET", "/v1/me")
    mock.http.get(mock.api_url + "/v1/me", headers={"authorization": "Bearer none"})
    told = [(entry["operation"], entry["status"], entry["person"]) for entry in world.ledger()]
    assert told == [
        ("tiny_boxes_delete", 401, world.people[0]["id"]),
        ("tiny_me_get", 401, world.people[1]["id"]),
    ]


def test_a_token_without_a_person_is_told_as_such(world: Any) -> None:
    call = world.caller(None)
    call("GET", "/v1/me")
    assert (world.ledger()[0]["person"], world.ledger()[0]["token"]) == (None, call.token["id"])


def test_the_contract_and_the_control_plane_leave_no_entry(mock: Any, world: Any, call: Any) -> None:
    call("GET", "/openapi.json")
    world.control("GET", "/state")
    assert world.ledger() == []


def test_an_entry_stays_as_it_was_written(world: Any, call: Any) -> None:
    box = call("POST", "/v1/boxes", {"name": "x"}).json()["id"]
    before = world.ledger()
    call("PATCH", f"/v1/boxes/{box}", {"name": "y"})
    world.control("POST", "/clock", {"advance": 5})
    call("GET", "/v1/me")
    assert world.ledger()[:1] == before
    assert world.ledger()[2]["at"] > before[0]["at"]

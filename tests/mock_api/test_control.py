"""The routes of the control plane."""

import re
import time
from datetime import UTC, datetime
from typing import Any

import pytest

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def _refused(answer: Any, status: int, code: str) -> str:
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    message: str = answer.json()["error"]["message"]
    return message


@pytest.mark.parametrize("header", [None, "Bearer nada", "Bearer é", "Basic segredo-do-controle"])
def test_nothing_is_told_without_the_secret(mock: Any, world: Any, header: str | None) -> None:
    headers = {} if header is None else {"authorization": header.encode()}
    for path in ("/_control/health", f"/_control/tenants/{world.id}/state", "/none"):
        _refused(mock.http.get(str(mock.control.base_url) + path, headers=headers), 401, "unauthorized")


def test_health_counts_the_tenants(mock: Any, world: Any) -> None:
    before = mock.control.get("/_control/health").json()
    assert before == {"product": "tiny", "version": "7", "tenants": before["tenants"]}
    mock.tenant()
    assert mock.control.get("/_control/health").json()["tenants"] == before["tenants"] + 1


def test_the_api_knows_no_route_of_the_control_plane(mock: Any, call: Any) -> None:
    assert call("GET", "/_control/health").status_code == 404
    assert mock.control.get("/v1/me").status_code == 404


def test_a_tenant_is_told_whole(mock: Any) -> None:
    made = mock.tenant("abc", now="2026-11-30T12:00:00.123-03:00").made
    assert set(made) == {"id", "now", "organization", "people", "scopes", "records", "digest"}
    assert made["now"] == "2026-11-30T15:00:00.123Z"
    assert set(made["organization"]) == {"id", "name"}
    assert len(made["people"]) == 2
    for person in made["people"]:
        assert set(person) == {"id", "name", "email", "password", "permissions", "member"}
        assert (person["member"], len(person["permissions"])) == (True, 5)
    assert made["scopes"] == ["tiny/boxes", "tiny/notes"]
    assert {name: len(held) for name, held in made["records"].items()} == {
        "boxes": 2,
        "notes": 1,
        "organizations": 1,
    }


def test_a_tenant_may_end_others(mock: Any) -> None:
    first, second, third = mock.tenant("um"), mock.tenant("dois"), mock.tenant("três")
    held = mock.control.get("/_control/health").json()["tenants"]
    mock.tenant("quatro", ends=[first.id, "no such tenant", second.id, first.id])
    assert mock.control.get("/_control/health").json()["tenants"] == held - 1
    for tenant, status in ((first, 404), (second, 404), (third, 200)):
        assert mock.control.get(f"/_control/tenants/{tenant.id}/state").status_code == status


def test_a_tenant_may_come_with_a_token_for_each_person(mock: Any) -> None:
    made = mock.tenant("fichas", tokens=True).made
    assert [token["person"] for token in made["tokens"]] == [person["id"] for person in made["people"]]
    assert all(token["scopes"] == made["scopes"] for token in made["tokens"])


def test_changes_are_ledger_and_digest_at_one_moment(mock: Any) -> None:
    made = mock.tenant().made
    path = f"/_control/tenants/{made['id']}"
    told = mock.control.get(f"{path}/changes?after=0").json()
    assert told == {"entries": [], "digest": made["digest"]}
    assert mock.control.get(f"{path}/state").json()["digest"] == told["digest"]
    assert mock.control.get(f"{path}/changes?after=x").status_code == 400


def test_a_clock_starts_at_the_real_time(mock: Any) -> None:
    before = datetime.now(UTC)
    now = datetime.fromisoformat(mock.tenant().made["now"])
    assert abs((now - before).total_seconds()) < 5


def test_equal_seeds_give_equal_worlds_and_different_secrets(mock: Any) -> None:
    moment = "2026-11-30T15:00:00.000Z"
    one, two, other = (mock.tenant(seed, now=moment) for seed in ("igual", "igual", "outro"))

    def world(tenant: Any) -> Any:
        people = [{**person, "password": None} for person in tenant.people]
        created = tenant.caller()("POST", "/v1/boxes", {"name": "x"}).json()
        planted = tenant.control("POST", "/records/boxes", {"count": 2}, 201)
        return (
            people,
            tenant.made["organization"],
            tenant.records,
            created,
            planted,
            tenant.control("GET", "/state"),
        )

    first, second, third = world(one), world(two), world(other)
    assert first == second
    assert [part for part, alike in zip(first, third, strict=True) if part == alike] == []
    assert first[3]["id"] != third[3]["id"]
    assert one.id != two.id
    assert {person["password"] for person in one.people}.isdisjoint(
        person["password"] for person in two.people
    )
    assert one.token()["token"] != two.token()["token"]


def test_two_tenants_do_not_see_each_other(mock: Any) -> None:
    one, two = mock.tenant("um"), mock.tenant("dois")
    call, box = one.caller(), two.records["boxes"][0]["id"]
    of_none, of_other = call("GET", "/v1/boxes/none"), call("GET", f"/v1/boxes/{box}")
    assert (of_none.status_code, of_none.json()) == (of_other.status_code, of_other.json())
    assert call("DELETE", f"/v1/boxes/{box}").status_code == 404
    assert two.control("GET", f"/records/boxes/{box}")["id"] == box
    assert two.ledger() == []
    assert {entry["status"] for entry in one.ledger()} == {404}


def test_the_very_person_of_another_tenant_becomes_a_member(mock: Any) -> None:
    host = mock.tenant("anfitriã")
    person = host.people[1]
    guest = mock.tenant("visitada", people=[{}, {"same_as": {"tenant": host.id, "person": person["id"]}}])
    assert guest.people[1] == person
    assert guest.made["organization"]["id"] != host.made["organization"]["id"]
    assert guest.records["notes"][0]["by"] == person["id"]
    assert guest.caller(1)("GET", "/v1/me").json()["person"]["id"] == person["id"]
    guest.control("PATCH", f"/people/{person['id']}", {"member": False})
    assert host.caller(1)("GET", "/v1/me").status_code == 200


def test_a_guest_must_exist_and_come_once(mock: Any, world: Any) -> None:
    def create(*people: Any) -> Any:
        return mock.control.post("/_control/tenants", json={"seed": "s", "people": [*people]})

    same = {"same_as": {"tenant": world.id, "person": world.people[0]["id"]}}
    _refused(create({"same_as": {"tenant": world.id, "person": "none"}}), 404, "not_found")
    _refused(create({"same_as": {"tenant": "none", "person": "none"}}), 404, "not_found")
    _refused(create(same, same), 409, "conflict")
    assert create(same).status_code == 201


def test_the_number_of_people_is_as_asked(mock: Any) -> None:
    assert len(mock.tenant(people=[]).people) == 0
    assert len(mock.tenant(people=[{}] * 5).people) == 5


def test_a_tenants_tokens_die_with_it(mock: Any) -> None:
    tenant = mock.tenant()
    call = tenant.caller()
    tenant.control("DELETE", "", expect=204)
    assert call("GET", "/v1/me").status_code == 401
    for path in ("", "/state", "/ledger", "/clock", "/tokens"):
        method = "POST" if path == "/tokens" else "DELETE" if path == "" else "GET"
        body = {"person": None} if path == "/tokens" else None
        answer = mock.control.request(method, f"/_control/tenants/{tenant.id}{path}", json=body)
        _refused(answer, 404, "not_found")


def test_a_token_is_told_whole(world: Any) -> None:
    token = world.token(1, scopes=["tiny/notes", "tiny/boxes"], without_scopes=["tiny/notes"], client="Meu")
    assert set(token) == {"id", "token", "person", "scopes", "client"}
    assert (token["person"], token["scopes"]) == (world.people[1]["id"], ["tiny/boxes"])
    assert token["client"]["name"] == "Meu"
    assert len(token["token"]) >= 43
    assert world.token(scopes=None)["scopes"] == ["tiny/boxes", "tiny/notes"]
    assert world.token(scopes=[])["scopes"] == []
    assert world.token(client=None)["client"]["name"]
    assert world.token(client="Meu")["client"] == token["client"]


def test_permissions_are_given_and_taken(world: Any) -> None:
    path = f"/people/{world.people[0]['id']}"

    def change(**body: Any) -> Any:
        return world.control("PATCH", path, body)["permissions"]

    every = change()
    assert change(without_permissions=["boxes.read"]) == [each for each in every if each != "boxes.read"]
    assert change(without_permissions=["boxes.open"]) == ["boxes.write", "notes.read", "notes.write"]
    assert change(permissions=["boxes.read"]) == ["boxes.read"]
    assert change(permissions=None, without_permissions=["boxes.read"]) == [
        each for each in every if each != "boxes.read"
    ]
    assert change(permissions=None) == every
    world.control("PATCH", "/people/none", {}, 404)


def test_records_are_planted_read_changed_and_removed(world: Any) -> None:
    planted = world.control("POST", "/records/boxes", {"count": 3, "values": {"color": "blue"}}, 201)[
        "records"
    ]
    assert [box["color"] for box in planted] == ["blue"] * 3
    assert len({box["id"] for box in planted}) == 3
    listed = world.control("GET", "/records/boxes")["records"]
    assert [box["id"] for box in listed[:3]] == [box["id"] for box in planted[::-1]]
    one = planted[0]
    path = f"/records/boxes/{one['id']}"
    assert world.control("GET", path) == one
    assert world.control("PATCH", path, {"name": "Outra"}) == {**one, "name": "Outra"}
    assert world.control("PATCH", path, {"id": "x"}, 400)["error"]["code"] == "bad_request"
    world.control("DELETE", path, expect=204)
    for method in ("GET", "PATCH", "DELETE"):
        body = {"name": "x"} if method == "PATCH" else None
        assert world.control(method, path, body, 404)["error"]["code"] == "not_found"
    world.control("POST", "/records/none", {}, 404)
    world.control("GET", "/records/none", expect=404)


def test_a_planted_record_takes_the_id_it_is_given_once(world: Any) -> None:
    assert world.control("POST", "/records/boxes", {"values": {"id": "a"}}, 201)["records"][0]["id"] == "a"
    assert (
        world.control("POST", "/records/boxes", {"values": {"id": "a"}}, 409)["error"]["code"] == "conflict"
    )
    world.control("POST", "/records/boxes", {"values": {"id": "b"}, "count": 2}, 400)


def test_a_clock_stands_still_until_it_is_moved(world: Any) -> None:
    start = world.control("GET", "/clock")["now"]
    assert MOMENT.fullmatch(start)
    assert world.control("GET", "/clock")["now"] == start == world.made["now"]
    moved = world.control("POST", "/clock", {"advance": 90.5})["now"]
    assert (datetime.fromisoformat(moved) - datetime.fromisoformat(start)).total_seconds() == 90.5
    assert world.control("POST", "/clock", {"advance": -90.5})["now"] == start
    assert (
        world.control("POST", "/clock", {"set": "2028-02-29T12:00:00+03:00"})["now"]
        == "2028-02-29T09:00:00.000Z"
    )
    assert world.control("GET", "/clock")["now"] == "2028-02-29T09:00:00.000Z"


def test_a_clock_ticks_when_told_to(world: Any) -> None:
    world.control("POST", "/clock", {"set": "2030-01-01T00:00:00Z"})
    start = world.control("POST", "/clock", {"ticking": True})["now"]
    assert start.startswith("2030-01-01T00:00:0")
    deadline = time.monotonic() + 10
    while world.control("GET", "/clock")["now"] == start:
        assert time.monotonic() < deadline
    assert world.control("POST", "/clock", {"advance": 86400})["now"].startswith("2030-01-02T00:00:0")
    stopped = world.control("POST", "/clock", {"ticking": False})["now"]
    assert stopped.startswith("2030-01-02T00:00:0")
    assert [world.control("GET", "/clock")["now"] for _ in range(20)] == [stopped] * 20


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"advance": 1, "ticking": True},
        {"advance": "1"},
        {"advance": 1e15},
        {"advance": -1e11},
        {"set": "2026-11-30"},
        {"set": "2026-11-30T15:00:00"},
        {"set": "2026-02-30T15:00:00Z"},
        {"set": "9999-01-01T00:00:00Z"},
        {"set": "0001-01-01T00:00:00+12:00"},
        {"ticking": 1},
        {"now": "2026-11-30T15:00:00Z"},
    ],
)
def test_a_clock_is_not_moved_by_nonsense(world: Any, body: Any) -> None:
    before = world.control("GET", "/clock")
    assert world.control("POST", "/clock", body, 400)["error"]["code"] == "bad_request"
    assert world.control("GET", "/clock") == before


def test_each_tenant_has_a_time_of_its_own(mock: Any) -> None:
    host = mock.tenant("h")
    guest = mock.tenant("g", people=[{"same_as": {"tenant": host.id, "person": host.people[0]["id"]}}])
    before = guest.control("GET", "/clock")
    host.control("POST", "/clock", {"advance": 1000})
    assert guest.control("GET", "/clock") == before


def test_the_digest_of_the_state_is_of_every_record_and_of_no_register(world: Any, call: Any) -> None:
    def digest() -> str:
        value: str = world.control("GET", "/state")["digest"]
        return value

    before, box = digest(), world.records["boxes"][0]
    call("GET", "/v1/boxes")
    nonce = {"nonce": "n" * 16, "operation": "tiny_boxes_open", "expires_at": "2026-11-30T15:00:00Z"}
    assert call("POST", "/v1/confirmations", nonce).status_code == 201
    assert digest() == before
    world.control("PATCH", f"/records/boxes/{box['id']}", {"_made": "outra"})
    inner = digest()
    assert inner != before
    world.control("PATCH", f"/records/boxes/{box['id']}", {"name": "outra"})
    assert digest() not in (before, inner)
    state = world.control("GET", "/state")["records"]
    assert [each["name"] for each in state["boxes"] if each["id"] == box["id"]] == ["outra"]


@pytest.mark.parametrize(
    ("method", "path", "body", "named"),
    [
        ("POST", "/_control/tenants", {}, "seed"),
        ("POST", "/_control/tenants", {"seed": ""}, "seed"),
        ("POST", "/_control/tenants", {"seed": 1}, "seed"),
        ("POST", "/_control/tenants", {"seed": "s", "sede": 1}, "sede"),
        ("POST", "/_control/tenants", {"seed": "s", "now": "ontem"}, "RFC 3339"),
        ("POST", "/_control/tenants", {"seed": "s", "people": [{"name": "x"}]}, "name"),
        ("POST", "/_control/tenants", {"seed": "s", "people": [{}] * 51}, "people"),
        ("POST", "/_control/tenants", [], "object"),
        ("POST", "{t}/tokens", {}, "person"),
        ("POST", "{t}/tokens", {"person": None, "scope": []}, "scope"),
        ("POST", "{t}/tokens", {"person": None, "scopes": ["tiny/none"]}, "tiny/none"),
        ("POST", "{t}/tokens", {"person": None, "without_scopes": ["tiny/none"]}, "tiny/none"),
        ("PATCH", "{t}/people/{p}", {"permissions": ["none.read"]}, "none.read"),
        ("PATCH", "{t}/people/{p}", {"role": "x"}, "role"),
        ("POST", "{t}/records/boxes", {"count": 0}, "count"),
        ("POST", "{t}/records/boxes", {"count": 1001}, "count"),
        ("POST", "{t}/records/boxes", {"value": {}}, "value"),
        ("PATCH", "{t}/records/boxes/{b}", {}, "body"),
        ("POST", "{t}/faults", {"operation": "tiny_none", "kind": "hold"}, "tiny_none"),
        ("POST", "{t}/faults", {"operation": "tiny_me_get", "kind": "slow"}, "kind"),
        ("POST", "{t}/faults", {"operation": "tiny_me_get", "kind": "gather", "times": 2}, "gather"),
        ("POST", "{t}/faults", {"operation": "*", "kind": "gather"}, "gather"),
        ("POST", "{t}/faults", {"operation": "*", "kind": "hold"}, "no operationId"),
        ("POST", "{t}/faults", {"operation": "tiny_me_get", "kind": "hold", "times": 0}, "times"),
        ("GET", "{t}/ledger?after=x", None, "after"),
        ("GET", "{t}/ledger?since=1", None, "since"),
        ("GET", "{t}/clock", {"now": 1}, "no body"),
        ("DELETE", "{t}", {"now": 1}, "no body"),
    ],
)
def test_what_is_not_documented_is_a_bad_request_that_names_it(
    mock: Any, world: Any, method: str, path: str, body: Any, named: str
) -> None:
    tenant = f"/_control/tenants/{world.id}"
    full = path.replace("{t}", tenant).replace("{p}", world.people[0]["id"])
    full = full.replace("{b}", world.records["boxes"][0]["id"])
    assert named in _refused(mock.control.request(method, full, json=body), 400, "bad_request")


def test_what_cannot_be_read_is_a_bad_request(mock: Any) -> None:
    _refused(mock.control.post("/_control/tenants", content=b"{"), 400, "bad_request")
    told = _refused(mock.control.post("/_control/tenants", content=b" " * 4_000_001), 400, "bad_request")
    assert "longer than" in told


def test_there_are_no_other_routes(mock: Any, world: Any) -> None:
    for method, path in (
        ("GET", "/_control"),
        ("PUT", "/_control/tenants"),
        ("GET", f"/_control/tenants/{world.id}"),
    ):
        _refused(mock.control.request(method, path), 404, "not_found")
    world.control("POST", "/tokens", {"person": "none"}, 404)

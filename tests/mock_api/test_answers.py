"""The generic operations and who is calling, over HTTP."""

import uuid
from email.utils import parsedate_to_datetime
from typing import Any

import pytest


def _boxes(call: Any, **query: Any) -> list[dict[str, Any]]:
    boxes: list[dict[str, Any]] = call("GET", "/v1/boxes", params=query).json()["data"]
    return boxes


def test_me_tells_who_is_calling(world: Any) -> None:
    call = world.caller(0, client="Cliente Teste", without_scopes=["tiny/notes"])
    me = call("GET", "/v1/me").json()
    person, made = world.people[0], world.made
    assert me["person"] == {name: person[name] for name in ("id", "name", "email")}
    assert me["organization"] == {name: made["organization"][name] for name in ("id", "name")}
    assert me["scopes"] == ["tiny/boxes"]
    assert me["permissions"] == ["boxes.open", "boxes.read", "boxes.write", "notes.read", "notes.write"]
    assert me["client"] == call.token["client"]
    assert me["client"]["name"] == "Cliente Teste"
    assert me["token"]["id"] == call.token["id"]


def test_a_token_without_a_person_has_every_permission(world: Any) -> None:
    me = world.caller(None)("GET", "/v1/me").json()
    assert me["person"] is None
    assert "boxes.open" in me["permissions"]


def test_a_listing_is_newest_first_with_every_record_once(world: Any, call: Any) -> None:
    planted = world.control("POST", "/records/boxes", {"count": 5, "values": {"color": "blue"}}, 201)[
        "records"
    ]
    seen, cursor = list[str](), None
    while True:
        query = {"limit": 3, **({"cursor": cursor} if cursor else {})}
        page = call("GET", "/v1/boxes", params=query).json()
        seen += [box["id"] for box in page["data"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    expected = [box["id"] for box in planted][::-1]
    assert seen[:5] == expected
    assert len(seen) == len(set(seen)) == 7
    whole = call("GET", "/v1/boxes", params={"limit": 7}).json()
    assert ([box["id"] for box in whole["data"]], whole["next_cursor"]) == (seen, None)


def test_a_page_goes_on_where_it_was_when_its_last_record_is_gone(world: Any, call: Any) -> None:
    world.control("POST", "/clock", {"advance": 1})
    world.control("POST", "/records/boxes", expect=201)
    world.control("POST", "/clock", {"advance": 1})
    world.control("POST", "/records/boxes", expect=201)
    whole = [box["id"] for box in _boxes(call)]
    page = call("GET", "/v1/boxes", params={"limit": 2}).json()
    call("DELETE", f"/v1/boxes/{whole[1]}")
    rest = _boxes(call, cursor=page["next_cursor"])
    assert [box["id"] for box in rest] == whole[2:]


def test_a_listing_keeps_what_the_query_asks_for(world: Any, call: Any) -> None:
    world.control("POST", "/clock", {"set": "2031-05-02T00:01:00Z"})
    blue = world.control("POST", "/records/boxes", {"values": {"color": "blue"}}, 201)["records"][0]
    assert [box["id"] for box in _boxes(call, color="blue")] == [blue["id"]]
    assert len(_boxes(call, color="red")) == 2
    assert _boxes(call, open="true") == []
    assert len(_boxes(call, open="false")) == 3
    assert [box["id"] for box in _boxes(call, since="2031-05-02")] == [blue["id"]]
    assert _boxes(call, since="2031-05-03") == []


@pytest.mark.parametrize("cursor", ["x", "é", "WyJhIl0", "W10=", "bnVsbA", "a" * 300])
def test_a_cursor_that_no_listing_gave_is_a_bad_request(call: Any, cursor: str) -> None:
    answer = call("GET", "/v1/boxes", params={"cursor": cursor})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "bad_request"


def test_a_cursor_of_another_listing_is_a_bad_request(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    world.control("POST", "/records/notes", {"count": 60, "values": {"box_id": box}}, 201)
    cursor = call("GET", f"/v1/boxes/{box}/notes").json()["next_cursor"]
    assert cursor is not None
    assert call("GET", "/v1/boxes", params={"cursor": cursor}).status_code == 400


def test_a_record_is_made_changed_and_deleted_once(world: Any, call: Any) -> None:
    world.control("POST", "/clock", {"advance": 60})
    now = world.control("GET", "/clock")["now"]
    made = call("POST", "/v1/boxes", {"name": "Nova", "color": "blue"})
    assert made.status_code == 201
    box = made.json()
    assert uuid.UUID(box["id"]).version == 4
    assert (box["name"], box["color"], box["open"]) == ("Nova", "blue", False)
    assert box["created_at"] == box["updated_at"] == now
    world.control("POST", "/clock", {"advance": 60})
    changed = call("PATCH", f"/v1/boxes/{box['id']}", {"name": "Outra"}).json()
    assert changed == {**box, "name": "Outra", "updated_at": changed["updated_at"]}
    assert changed["updated_at"] > now
    assert call("GET", f"/v1/boxes/{box['id']}").json() == changed
    assert call("DELETE", f"/v1/boxes/{box['id']}").json() == {"id": box["id"], "deleted": True}
    for method in ("DELETE", "GET", "PATCH"):
        answer = call(method, f"/v1/boxes/{box['id']}")
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (404, "not_found")


def test_a_delete_whose_contract_says_204_has_no_body(world: Any, call: Any) -> None:
    answer = call("DELETE", f"/v1/notes/{world.records['notes'][0]['id']}")
    assert (answer.status_code, answer.content) == (204, b"")


def test_a_change_cannot_give_another_id(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]
    changed = call(
        "PATCH", f"/v1/boxes/{box['id']}", {"id": "x", "created_at": "2001-01-01T00:00:00.000Z"}
    ).json()
    assert (changed["id"], changed["created_at"]) == (box["id"], box["created_at"])


def test_records_below_another_belong_to_it_alone(world: Any, call: Any) -> None:
    first, second = (box["id"] for box in world.records["boxes"])
    made = call("POST", f"/v1/boxes/{first}/notes", {"text": "oi"}).json()
    assert made["box_id"] == first
    assert made["id"] in [note["id"] for note in call("GET", f"/v1/boxes/{first}/notes").json()["data"]]
    assert made["id"] not in [note["id"] for note in call("GET", f"/v1/boxes/{second}/notes").json()["data"]]
    for method in ("GET", "POST"):
        assert call(method, "/v1/boxes/nada/notes").status_code == 404


def test_internal_fields_never_leave(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    world.control("PATCH", f"/records/boxes/{box}", {"_hidden": "canário"})
    texts = [
        call("GET", "/v1/boxes").text,
        call("GET", f"/v1/boxes/{box}").text,
        call("POST", f"/v1/boxes/{box}/open").text,
        call("GET", "/v1/me").text,
        repr(world.control("GET", "/state")),
        repr(world.control("GET", "/records/boxes")),
        repr(world.made),
    ]
    for text in texts:
        assert "_hidden" not in text
        assert "_made" not in text
        assert "_tax" not in text


def test_a_behaviour_of_the_product_runs(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    opened = call("POST", f"/v1/boxes/{box}/open").json()
    assert (opened["open"], opened["opened_by"]) == (True, world.people[0]["id"])
    assert opened["url"] == f"https://publico.test/{box}"


def test_every_answer_carries_the_time_of_its_tenant(world: Any, call: Any) -> None:
    world.control("POST", "/clock", {"set": "2028-02-29T23:59:58.999Z"})
    for path, status in (("/v1/me", 200), ("/v1/boxes/x", 404), ("/v1/none", 404)):
        answer = call("GET", path)
        assert answer.status_code == status
        assert answer.headers.get_list("date") == ["Tue, 29 Feb 2028 23:59:58 GMT"]
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


def test_what_time_alone_moves_is_moved_before_an_answer(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    assert call("GET", f"/v1/boxes/{box}").json()["age"] == 0
    world.control("POST", "/clock", {"advance": 3 * 86400})
    assert world.control("GET", f"/records/boxes/{box}")["age"] == 3
    world.control("POST", "/clock", {"advance": 86400})
    assert call("GET", f"/v1/boxes/{box}").json()["age"] == 4


def test_the_contract_is_served_to_anybody_without_what_is_the_mocks_own(mock: Any) -> None:
    answer = mock.http.get(mock.api_url + "/openapi.json")
    document = answer.json()
    assert document["openapi"] == "3.1.0"
    extension = document["paths"]["/v1/boxes/{id}/notes"]["get"]["x-tiny"]
    assert extension == {
        "scope": "tiny/notes",
        "permission": "notes.read",
        "access": "read",
        "destructive": "never",
    }
    assert document["paths"]["/v1/boxes"]["get"]["parameters"][0] == {"$ref": "#/components/parameters/Limit"}
    assert abs(parsedate_to_datetime(answer.headers["date"]).timestamp()) > 0


def test_an_answer_outside_of_the_contract_is_an_error_where_answers_are_checked(
    world: Any, call: Any
) -> None:
    answer = call("GET", "/v1/wrong")
    assert answer.status_code == 500
    error = answer.json()["errors"][0]
    assert error["code"] == "outside_contract"
    assert "'right'" in error["detail"]
    assert world.ledger()[-1]["code"] == "outside_contract"

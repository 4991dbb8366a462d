"""What the API refuses, in which order, and with which words."""

import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

from mock_api.serving import HEAD_LIMIT


def _refused(answer: Any) -> tuple[int, str]:
    body = answer.json()
    assert body["status"] == answer.status_code
    for error in body["errors"]:
        assert set(error) == {"title", "code", "detail"}
        assert all(error.values())
    return answer.status_code, body["errors"][0]["code"]


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer nada", "Basic nada", "nada"])
def test_no_valid_token_is_401_with_a_challenge(mock: Any, header: str | None) -> None:
    headers = {} if header is None else {"authorization": header}
    for path in ("/v1/me", "/v1/none"):
        answer = mock.http.get(mock.api_url + path, headers=headers)
        assert _refused(answer) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "date" in answer.headers


def test_two_tokens_in_one_request_are_none(mock: Any, call: Any) -> None:
    token = call.token["token"]
    headers = [("authorization", f"Bearer {token}"), ("authorization", f"Bearer {token}")]
    assert mock.http.get(mock.api_url + "/v1/me", headers=headers).status_code == 401


def test_a_revoked_token_is_401(world: Any, call: Any) -> None:
    assert call("GET", "/v1/me").status_code == 200
    world.control("DELETE", f"/tokens/{call.token['id']}", expect=204)
    answer = call("GET", "/v1/me")
    assert _refused(answer) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"
    world.control("DELETE", f"/tokens/{call.token['id']}", expect=404)


def test_an_expired_token_is_401(world: Any, call: Any) -> None:
    world.control("POST", "/clock", {"advance": 3650 * 86400 - 1})
    assert call("GET", "/v1/me").status_code == 200
    world.control("POST", "/clock", {"advance": 1})
    assert call("GET", "/v1/me").status_code == 401


def test_who_is_no_longer_a_member_is_401_until_a_member_again(world: Any, call: Any) -> None:
    person, other = world.people[0]["id"], world.caller(1)
    world.control("PATCH", f"/people/{person}", {"member": False})
    assert _refused(call("GET", "/v1/me")) == (401, "unauthorized")
    assert other("GET", "/v1/me").status_code == 200
    world.control("PATCH", f"/people/{person}", {"member": True})
    assert call("GET", "/v1/me").status_code == 200


def test_the_scope_the_token_lacks_is_named(world: Any) -> None:
    answer = world.caller(without_scopes=["tiny/boxes"])("GET", "/v1/boxes")
    assert _refused(answer) == (403, "forbidden")
    assert "tiny/boxes" in answer.json()["errors"][0]["detail"]


def test_the_permission_the_role_lacks_is_named_from_that_moment_on(world: Any, call: Any) -> None:
    assert call("GET", "/v1/boxes").status_code == 200
    world.control("PATCH", f"/people/{world.people[0]['id']}", {"without_permissions": ["boxes.read"]})
    answer = call("GET", "/v1/boxes")
    assert _refused(answer) == (403, "forbidden")
    assert "boxes.read" in answer.json()["errors"][0]["detail"]
    assert call("POST", "/v1/boxes", {"name": "x"}).status_code == 201


def test_an_unknown_route_is_404_and_a_wrong_method_405(call: Any) -> None:
    for path in ("/v1/none", "/v1", "/", "/v1/boxes/", "/v1//boxes", "/v1/boxes/a%2Fopen/x"):
        assert _refused(call("GET", path)) == (404, "not_found")
    answer = call("PUT", "/v1/boxes")
    assert _refused(answer) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, POST"


def test_a_slash_inside_an_id_makes_no_other_route(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    assert call("POST", f"/v1/boxes/{box}%2Fopen").status_code == 405
    assert world.control("GET", f"/records/boxes/{box}")["open"] is False


def test_a_percent_encoded_path_means_the_same(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    encoded = f"%{ord(box[0]):02x}{box[1:]}"
    assert call("GET", f"/v1/%62oxes/{encoded}").json()["id"] == box


def test_an_id_no_record_can_have_is_not_found(world: Any, call: Any) -> None:
    world.control("POST", "/records/boxes", {"values": {"id": "9" * 101}}, 201)
    assert _refused(call("GET", "/v1/boxes/" + "9" * 101)) == (404, "not_found")


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=101",
        "limit=x",
        "limit=1.5",
        "limit=1&limit=2",
        "nada=1",
        "open=sim",
        "since=ontem",
        "limit",
    ],
)
def test_a_query_outside_of_the_contract_is_a_bad_request(call: Any, query: str) -> None:
    answer = call("GET", f"/v1/boxes?{query}")
    assert _refused(answer) == (400, "bad_request")
    named = query.partition("=")[0]
    assert named in answer.json()["errors"][0]["detail"] or query == "limit"


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b"\xff",
        b"nope",
        b'{"name": NaN}',
        b'{"name": 1e999}',
        b"[" * 100_000,
        b'{"name":' + b"[" * 70 + b"]" * 70 + b"}",
        b'{"name": ' + b"9" * 5000 + b"}",
        b'{"name": "\\uD800"}',
        b"",
    ],
)
def test_a_body_that_is_no_json_is_a_bad_request(call: Any, text: bytes) -> None:
    assert _refused(call("POST", "/v1/boxes", content=text)) == (400, "bad_request")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "'name'"),
        ({"name": ""}, "name"),
        ({"name": 7}, "name"),
        ({"name": "x", "color": "green"}, "color"),
        ({"name": "x", "since": "2026-13-01"}, "since"),
        ({"name": "x", "colour": "red"}, "'colour'"),
        ([], "object"),
        ({"name": "x", "_made": "y"}, "_made"),
    ],
)
def test_a_body_outside_of_the_contract_is_422_and_names_the_field(call: Any, body: Any, field: str) -> None:
    answer = call("POST", "/v1/boxes", body)
    assert _refused(answer) == (422, "unprocessable_entity")
    assert field in answer.json()["errors"][0]["detail"]


def test_a_body_that_is_no_object_is_422_whatever_the_contract_says(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    for body in ([], "x", 1, False):
        assert _refused(call("POST", f"/v1/boxes/{box}/notes", body)) == (422, "unprocessable_entity")
    assert call("POST", f"/v1/boxes/{box}/notes", {}).status_code == 201


def test_every_flaw_of_a_body_is_told(call: Any) -> None:
    errors = call("POST", "/v1/boxes", {"name": "", "color": "green"}).json()["errors"]
    assert [error["detail"].partition(":")[0] for error in errors] == ["color", "name"]


def test_internal_fields_cannot_be_set_even_where_more_is_allowed(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    assert call("PATCH", f"/v1/boxes/{box}", {"_made": "x"}).status_code == 422


def test_a_body_where_none_is_taken_is_a_bad_request(world: Any, call: Any) -> None:
    box = world.records["boxes"][0]["id"]
    assert call("POST", f"/v1/boxes/{box}/open", {"force": True}).status_code == 400
    assert call("POST", f"/v1/boxes/{box}/open", {}).status_code == 200


@pytest.mark.parametrize(("key", "status"), [("", 400), ("k", 201), ("k" * 255, 201), ("k" * 256, 400)])
def test_a_header_is_judged_by_the_contract(call: Any, key: str, status: int) -> None:
    answer = call("POST", "/v1/boxes", {"name": "x"}, headers={"x-idempotency-key": key})
    assert answer.status_code == status


def test_a_body_of_more_than_a_megabyte_is_413(call: Any) -> None:
    assert _refused(call("POST", "/v1/boxes", {"name": "x" * 1_000_000})) == (413, "payload_too_large")
    assert call("POST", "/v1/boxes", {"name": "x" * 900_000}).status_code == 201


def test_who_may_not_is_told_so_before_anything_is_judged(world: Any) -> None:
    call = world.caller(without_scopes=["tiny/boxes"])
    assert call("POST", "/v1/boxes", content=b"{").status_code == 403
    assert call("POST", "/v1/boxes", content=b"x" * 1_100_000).status_code == 403
    assert call("GET", "/v1/boxes?limit=0").status_code == 403


def test_a_refused_request_changes_nothing(world: Any, call: Any) -> None:
    before = world.control("GET", "/state")["digest"]
    call("POST", "/v1/boxes", {"name": ""})
    call("DELETE", "/v1/boxes/none")
    assert world.control("GET", "/state")["digest"] == before


def test_a_head_without_end_is_cut_off(mock: Any) -> None:
    where = urlsplit(mock.api_url)
    with socket.create_connection((where.hostname, where.port), timeout=10) as connection:
        connection.sendall(b"GET /v1/me HTTP/1.1\r\nhost: x\r\n")
        sent, answer = 0, b""
        while not answer and sent < 2_000_000:
            connection.sendall(b"x-long: " + b"a" * 8000 + b"\r\n")
            sent += 8000
            if sent > HEAD_LIMIT:
                answer = connection.recv(100)
        assert answer.startswith(b"HTTP/1.1 431 ")
    assert mock.http.get(mock.api_url + "/openapi.json").status_code == 200

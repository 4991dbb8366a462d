"""Presigned links: no token, no entry, and the tenant found by the link alone."""

from typing import Any


def _plant(world: Any, link: str) -> str:
    values = {"link": link, "name": f"Bytes de {link}"}
    box: str = world.control("POST", "/records/boxes", {"values": values}, 201)["records"][0]["id"]
    return box


def test_a_link_gives_bytes_without_a_token_until_it_ends(mock: Any, world: Any) -> None:
    _plant(world, "abc")
    world.control("POST", "/clock", {"set": "2029-12-31T23:59:59Z"})
    answer = mock.http.get(mock.api_url + "/links/abc")
    assert (answer.status_code, answer.content) == (200, b"Bytes de abc")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["date"] == "Mon, 31 Dec 2029 23:59:59 GMT"
    assert world.ledger() == []
    world.control("POST", "/clock", {"advance": 1})
    assert mock.http.get(mock.api_url + "/links/abc").status_code == 401


def test_each_link_is_its_own_tenants(mock: Any) -> None:
    one, two = mock.tenant("a"), mock.tenant("b")
    _plant(one, "de-um")
    _plant(two, "de-dois")
    assert mock.http.get(mock.api_url + "/links/de-um").content == b"Bytes de de-um"
    assert mock.http.get(mock.api_url + "/links/de-dois").content == b"Bytes de de-dois"
    one.control("DELETE", "", expect=204)
    assert mock.http.get(mock.api_url + "/links/de-um").status_code == 401


def test_bytes_are_put_to_a_link(mock: Any, world: Any) -> None:
    box = _plant(world, "put")
    assert mock.http.put(mock.api_url + "/links/put", content=b"x" * 2_000_000).status_code == 200
    assert world.control("GET", f"/records/boxes/{box}")["name"] == "x" * 2_000_000
    assert mock.http.put(mock.api_url + "/links/put", content=b"y" * 10_485_761).status_code == 401
    assert world.control("GET", f"/records/boxes/{box}")["name"] == "x" * 2_000_000


def test_what_is_no_link_is_refused_and_told_as_any_other(mock: Any, world: Any, call: Any) -> None:
    assert mock.http.get(mock.api_url + "/links/none").status_code == 401
    assert mock.http.put(mock.api_url + "/links/none", content=b"x").status_code == 401
    assert call("PUT", "/links/none", {"a": 1}).status_code == 404
    assert call("GET", "/links/none").status_code == 404
    assert [(entry["path"], entry["body"]) for entry in world.ledger()] == [
        ("/links/none", {"a": 1}),
        ("/links/none", None),
    ]

"""The server with stores and a clock of its own: what makes it another one."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.strangers.stub_api import StubApi, World
from tests.strangers.wire import FORMS, Came, Client

RUN = {"id": "task-1", "environment_id": "env-1", "urgent": True}


def said(answer: str, action: str = "accept") -> dict[str, Any]:
    return {"q1": {"action": action, "content": {"run_it": answer}}}


def told(came: Came) -> str:
    """The code of a refusal, from the one place where it stands."""
    assert came.result["isError"] is True
    code = str(came.result["structuredContent"]["error"]["code"])
    assert code.casefold() not in came.text.casefold()
    return code


@pytest.fixture
def world(api: StubApi) -> World:
    return api.world()


@pytest.fixture
def client(http: httpx.Client, own_clock: str, world: World) -> Client:
    return Client(http, own_clock, world.token, "2026", FORMS)


@pytest.fixture
def state(client: Client) -> str:
    return str(client.call("kadu_tasks_run", RUN).result["requestState"])


def test_a_state_says_nothing_and_is_unpadded(client: Client, state: str) -> None:
    other = str(client.call("kadu_tasks_run", RUN).result["requestState"])
    assert other != state
    assert len(base64.urlsafe_b64decode(state + "=")) == 32
    assert len(state) % 4 == 3


def test_a_yes_runs_without_the_register_and_is_used_once(client: Client, world: World, state: str) -> None:
    world.register_is_down = True
    came = client.call("kadu_tasks_run", RUN, state=state, answers=said("y"))
    assert came.result["isError"] is False
    assert told(client.call("kadu_tasks_run", RUN, state=state, answers=said("y"))) == "confirmation_replayed"
    assert len(world.changes) == 1
    assert world.used == set()


def test_the_clock_of_the_upstream_is_not_looked_at(client: Client, world: World, state: str) -> None:
    world.wait(days=2)
    client.call("kadu_tasks_run", RUN, state=state, answers=said("y"))
    assert len(world.changes) == 1


def test_twenty_at_once_run_once(client: Client, world: World, state: str) -> None:
    with ThreadPoolExecutor(20) as pool:
        came = list(
            pool.map(lambda _: client.call("kadu_tasks_run", RUN, state=state, answers=said("y")), range(20))
        )
    assert len(world.changes) == 1
    assert sorted(one.result["isError"] for one in came) == [False] + [True] * 19


@pytest.mark.parametrize(
    "answers",
    [said("n"), said("maybe"), said("y", "decline"), said("y", "cancel"), {"q1": {"action": "accept"}}],
)
def test_whatever_is_no_yes_is_a_no(client: Client, world: World, state: str, answers: Any) -> None:
    assert told(client.call("kadu_tasks_run", RUN, state=state, answers=answers)) == "USER_DECLINED"
    again = client.call("kadu_tasks_run", RUN, state=state, answers=said("y"))
    assert again.result["resultType"] == "input_required"
    assert world.changes == []


@pytest.mark.parametrize("answers", [{}, {"other": {"action": "accept", "content": {"run_it": "y"}}}])
def test_no_answer_is_asked_again(client: Client, state: str, answers: Any) -> None:
    came = client.call("kadu_tasks_run", RUN, state=state, answers=answers)
    assert came.result["resultType"] == "input_required"
    assert came.result["requestState"] != state


def test_another_token_of_the_same_person_is_asked(
    api: StubApi, http: httpx.Client, own_clock: str, state: str
) -> None:
    other = api.world()
    client = Client(http, own_clock, other.token, "2026", FORMS)
    came = client.call("kadu_tasks_run", RUN, state=state, answers=said("y"))
    assert came.result["resultType"] == "input_required"
    assert other.changes == []


def test_a_token_without_a_person_may_be_asked_where_forms_are_shown(
    api: StubApi, http: httpx.Client, own_clock: str
) -> None:
    nobody = api.world(person=None)
    came = Client(http, own_clock, nobody.token, "2026", FORMS).call("kadu_tasks_run", RUN)
    assert came.result["resultType"] == "input_required"


def test_answers_are_plain_json_without_a_session(client: Client) -> None:
    came = client.ask("tools/list")
    assert came.http.headers["content-type"] == "application/json; charset=utf-8"
    assert "mcp-session-id" not in came.http.headers


def test_three_tools_are_its_own_and_need_nobody(client: Client, world: World) -> None:
    names = {tool["name"] for tool in client.ask("tools/list").result["tools"]}
    assert {"clock_read", "cents_format", "kadu_glossary_list"} <= names
    amount = client.call("cents_format", {"cents": 123456})
    assert amount.result["structuredContent"] == {"amount": "R$ 1234.56"}
    assert world.changes == []


def test_what_is_not_of_the_product_is_listed_and_read_beside_it(client: Client) -> None:
    words = client.ask("resources/list").result["resources"][0]["uri"]
    template = client.ask("resources/templates/list").result["resourceTemplates"][0]["uriTemplate"]
    assert (words, template) == ("words://own-clock/all", "words://own-clock/{word}")
    [all_of_them] = client.ask("resources/read", {"uri": words}).result["contents"]
    [one] = client.ask("resources/read", {"uri": template.format(word="execution")}).result["contents"]
    assert f"execution: {one['text']}" in all_of_them["text"]
    missing = client.ask("resources/read", {"uri": template.format(word="colour")})
    assert missing.error["code"] == -32602


def test_every_connection_serves_once(client: Client) -> None:
    assert client.ask("tools/list").http.headers["connection"] == "close"


@pytest.mark.parametrize(
    ("written", "served"),
    [
        ("KOBANA://kadu/me", "kobana://kadu/me"),
        ("kobana://kadu/x/../me", "kobana://kadu/me"),
        ("kobana://kadu/./x/%2E%2e/me", "kobana://kadu/me"),
        (" kobana://kadu/m\te\n", "kobana://kadu/me"),
    ],
)
def test_addresses_are_brought_into_one_form(client: Client, written: str, served: str) -> None:
    header = f"=?base64?{base64.b64encode(written.encode()).decode()}?="
    came = client.ask("resources/read", {"uri": written}, headers={"Mcp-Name": header})
    [content] = came.result["contents"]
    assert content["uri"] == served
    assert set(json.loads(content["text"])["data"]) == {"item"}


@pytest.mark.parametrize(
    "written",
    [
        "kobana://kadu/%6de",
        "kobana://KADU/me",
        "kobana://kadu/me/",
        "kobana://kadu/me/.",
        "kobana://kadu/me?a",
    ],
)
def test_other_spellings_are_not_found(client: Client, written: str) -> None:
    assert client.ask("resources/read", {"uri": written}).error["code"] == -32602


def test_what_is_too_long_is_refused_by_http(client: Client, world: World) -> None:
    long = client.ask("resources/read", {"uri": "kobana://kadu/tasks/" + "a" * 10_000})
    assert (long.http.status_code, long.message) == (414, {})
    huge = client.call("kadu_tasks_run", RUN, state="a" * 100_000, answers=said("y"))
    assert (huge.http.status_code, huge.message) == (413, {})
    assert world.changes == []


def test_arguments_that_do_not_fit_are_invalid_params(client: Client, world: World) -> None:
    assert client.call("kadu_workspaces_create", {"name": 1}).error["code"] == -32602
    for key in (" k", "k ", "k\r\nX: 1"):
        came = client.call("kadu_workspaces_create", {"name": "n", "idempotency_key": key})
        assert came.error["code"] == -32602
    assert world.changes == []


def test_a_page_that_does_not_exist_is_invalid_params(client: Client) -> None:
    assert client.ask("tools/list", {"cursor": "page-99"}).error["code"] == -32602

"""The stranger's prompts: who sees which, what they take, what they say."""

from typing import Any

import pytest

from tests.strangers.conftest import ClientOf, Tenant
from tests.strangers.stub_api import StubApi
from tests.strangers.test_offer import everything
from tests.strangers.wire import Came, Client

GOOD: dict[str, dict[str, str]] = {
    "review_failed_executions": {},
    "explain_execution": {"execution_id": "e-1"},
    "monthly_usage_report": {"month": "2026-11"},
    "check_task_readiness": {"task_id": "t-1", "environment_id": "n-1"},
}
PERMISSIONS = {
    "review_failed_executions": ["agent.executions.read", "agent.execution_logs.read"],
    "explain_execution": [
        "agent.executions.read",
        "agent.execution_events.read",
        "agent.execution_todos.read",
    ],
    "monthly_usage_report": ["agent.usage.read"],
    "check_task_readiness": ["agent.tasks.read", "agent.task_readiness.read", "agent.environments.read"],
}
SCOPES = {
    "review_failed_executions": ["kadu/executions"],
    "explain_execution": ["kadu/executions"],
    "monthly_usage_report": ["kadu/usage"],
    "check_task_readiness": ["kadu/tasks", "kadu/environments"],
}
NO_DAYS = (
    *(
        "",
        "2026-10-1",
        "01/10/2026",
        "20261001",
        "ontem",
        "2026-10",
        "2026-13-01",
        "2026-02-30",
        "0000-01-01",
    ),
    *("2026-10-01 ", "2026-W40-4", "2026-10-01T00:00:00Z", "2026-10-01\n", "٢٠٢٦-١٠-٠١"),
)
NO_MONTHS = (
    *(
        "",
        "2026-13",
        "2026-00",
        "2026-1",
        "202610",
        "10-2026",
        "2026-10-01",
        "outubro",
        "0000-01",
        "2026-10\n",
    ),
    "٢٠٢٦-١٠",
)


@pytest.fixture(params=["2025", "2026"])
def client(request: pytest.FixtureRequest, tenant: Tenant) -> Client:
    return tenant.another(era=request.param)


def listed(client: Client) -> set[str]:
    """The names of all prompts this caller sees."""
    return {prompt["name"] for prompt in everything(client, "prompts/list", "prompts")}


def got(client: Client, name: str, arguments: Any) -> Came:
    return client.ask("prompts/get", {"name": name, "arguments": arguments})


def said(came: Came) -> str:
    """The text of the first message."""
    text = came.result["messages"][0]["content"]["text"]
    assert isinstance(text, str)
    return text


def test_exactly_four_are_listed_in_pages_with_their_arguments(client: Client) -> None:
    first = client.ask("prompts/list").result
    assert len(first["prompts"]) == 3
    if client.era == "2026":
        assert (first["ttlMs"], first["cacheScope"]) == (0, "private")
    prompts = everything(client, "prompts/list", "prompts")
    assert {
        prompt["name"]: {one["name"]: one.get("required", False) for one in prompt["arguments"]}
        for prompt in prompts
    } == {
        "review_failed_executions": {"since": False},
        "explain_execution": {"execution_id": True},
        "monthly_usage_report": {"month": True},
        "check_task_readiness": {"task_id": True, "environment_id": True},
    }
    assert all(argument["title"] for prompt in prompts for argument in prompt["arguments"])


def test_without_any_scope_all_are_gone(tenant: Tenant) -> None:
    assert listed(tenant.another(scopes=[])) == set()


@pytest.mark.parametrize("right", sorted({one for needed in SCOPES.values() for one in needed}))
def test_a_scope_taken_hides_what_rests_on_it(tenant: Tenant, right: str) -> None:
    client = tenant.another(without_scopes=[right])
    left = {name for name, needed in SCOPES.items() if right not in needed}
    assert listed(client) == left
    codes = {name: got(client, name, GOOD[name]).message.get("error", {}).get("code") for name in GOOD}
    assert codes == {name: None if name in left else -32602 for name in GOOD}


@pytest.mark.parametrize("right", sorted({one for needed in PERMISSIONS.values() for one in needed}))
def test_a_permission_taken_hides_what_rests_on_it(tenant: Tenant, right: str) -> None:
    tenant.without_permission(right)
    assert listed(tenant.client) == {name for name, needed in PERMISSIONS.items() if right not in needed}


def test_what_the_contract_lacks_hides_too(api: StubApi, client_of: ClientOf) -> None:
    client = client_of(api.world())
    assert listed(client) == set()
    assert got(client, "monthly_usage_report", {"month": "2026-11"}).error["code"] == -32602


def test_a_hidden_prompt_is_answered_as_an_unknown_one(tenant: Tenant) -> None:
    client = tenant.another(without_scopes=["kadu/usage"])
    hidden = got(client, "monthly_usage_report", GOOD["monthly_usage_report"])
    assert hidden.error == got(client, "no_such_prompt", {}).error


@pytest.mark.parametrize("params", [{}, {"name": 7}, {"name": ""}, {"name": ["explain_execution"]}])
def test_a_name_that_is_none_is_invalid(client: Client, params: dict[str, Any]) -> None:
    headers = {"Mcp-Name": str(params["name"])} if "name" in params else {}
    error = client.ask("prompts/get", params, headers=headers).error
    assert error["code"] in (-32602, -32020)
    assert client.era == "2026" or error["code"] == -32602


@pytest.mark.parametrize("name", sorted(GOOD))
def test_the_user_speaks_first_and_names_only_tools_it_rests_on(
    tenant: Tenant, client: Client, name: str
) -> None:
    came = got(client, name, GOOD[name])
    assert [message["role"] for message in came.result["messages"]] == ["user", "assistant"]
    assert all(value in said(came) for value in GOOD[name].values())
    assert "{" not in said(came)
    named = {word.strip(",.:") for word in said(came).split() if word.startswith("kadu_")}
    tools = {tool["name"]: tool["annotations"] for tool in everything(client, "tools/list", "tools")}
    assert named
    assert all(tools[tool] == {"readOnlyHint": True} for tool in named)
    assert tenant.effects() == []


@pytest.mark.parametrize(
    ("now", "day"),
    [
        ("2026-10-31T15:00:00Z", "24/10/2026"),
        ("2028-03-05T15:00:00Z", "27/02/2028"),
        ("2027-01-03T02:59:59Z", "26/12/2026"),
        ("2027-01-03T03:00:00Z", "27/12/2026"),
    ],
)
def test_a_week_back_is_counted_in_brasilia(tenant: Tenant, client: Client, now: str, day: str) -> None:
    tenant.control("/clock", set=now)
    assert day in said(client.ask("prompts/get", {"name": "review_failed_executions"}))


@pytest.mark.parametrize(
    ("since", "day"),
    [("2026-10-09", "09/10/2026"), ("2028-02-29", "29/02/2028"), ("0101-01-01", "01/01/0101")],
)
def test_a_day_given_is_the_day_said(client: Client, since: str, day: str) -> None:
    assert f"on {day} or later" in said(got(client, "review_failed_executions", {"since": since}))


@pytest.mark.parametrize(
    ("month", "words"),
    [
        ("2026-11", "November 2026 (2026-11: from 01/11/2026 to 30/11/2026)"),
        ("2028-02", "February 2028 (2028-02: from 01/02/2028 to 29/02/2028)"),
        ("9999-12", "December 9999 (9999-12: from 01/12/9999 to 31/12/9999)"),
    ],
)
def test_a_month_comes_in_words_with_its_days(client: Client, month: str, words: str) -> None:
    assert words in said(got(client, "monthly_usage_report", {"month": month}))


@pytest.mark.parametrize("since", [*NO_DAYS, 20261001, None])
def test_a_day_out_of_its_format_is_invalid(client: Client, since: Any) -> None:
    assert got(client, "review_failed_executions", {"since": since}).error["code"] == -32602


@pytest.mark.parametrize("month", [*NO_MONTHS, 202610, None])
def test_a_month_out_of_its_format_is_invalid(client: Client, month: Any) -> None:
    assert got(client, "monthly_usage_report", {"month": month}).error["code"] == -32602


@pytest.mark.parametrize("value", ["", " ", "a\nb", "x" * 201, 7, None, ["e-1"]])
def test_an_id_that_can_be_none_is_invalid(client: Client, value: Any) -> None:
    assert got(client, "explain_execution", {"execution_id": value}).error["code"] == -32602


def test_an_id_is_only_text(client: Client) -> None:
    assert "execution {since}{0} to" in said(got(client, "explain_execution", {"execution_id": "{since}{0}"}))


@pytest.mark.parametrize(
    ("name", "missing"), [(name, argument) for name in sorted(GOOD) for argument in GOOD[name]]
)
def test_a_required_argument_that_is_missing_is_invalid(client: Client, name: str, missing: str) -> None:
    left = {argument: value for argument, value in GOOD[name].items() if argument != missing}
    assert got(client, name, left).error["code"] == -32602


def test_arguments_are_an_object_and_unknown_ones_do_not_matter(client: Client) -> None:
    assert got(client, "review_failed_executions", []).error["code"] == -32602
    assert got(client, "review_failed_executions", None).error["code"] == -32602
    assert said(got(client, "explain_execution", {"execution_id": "e-1", "more": 1}))

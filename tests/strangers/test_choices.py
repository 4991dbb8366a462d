"""Each choice of the plain stranger is another side of an open question: here is what a caller sees of it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.strangers.conftest import Mock, Tenant, start, stop
from tests.strangers.plain.choices import SIDES, Choices
from tests.strangers.wire import Came, Client

# Four servers are enough: on two, every question falls on a side that is not the usual one, but for what hides another.
ASIDE = ("rights", "register_down_at_question")
ALONE = {"seal": "key", "deletions": "none"}, {"handshake": "before_headers"}
USUAL = [*ASIDE, *(name for one in ALONE for name in one)]
SECOND = {name: sides[1] for name, sides in SIDES.items() if name not in USUAL}
LAST = {name: sides[-1] for name, sides in SIDES.items() if len(sides) > 2 or name in ASIDE}
PERMISSION = "agent.workspaces.create"


@pytest.fixture(scope="module")
def urls(mock: Mock) -> Iterator[dict[str, str]]:
    """The URL of a server for each `name:side`."""
    found, processes = {}, []
    for chosen in (SECOND, LAST, *ALONE):
        text = ",".join(f"{name}:{side}" for name, side in chosen.items())
        process, url = start(mock.api, CHOICES=text)
        processes.append(process)
        found |= dict.fromkeys(text.split(","), url)
    yield found
    for process in processes:
        stop(process)


class Chosen:
    """A tenant before a server that made a choice."""

    def __init__(self, tenant: Tenant, urls: dict[str, str]) -> None:
        self.tenant, self._urls = tenant, urls

    def client(self, choice: str, era: str = "2026", **rights: Any) -> Client:
        """A client of the server that chose so."""
        client = self.tenant.another(era, **rights) if rights else self.tenant.client
        return replace(client, url=self._urls[choice], era=era)

    def run(self) -> dict[str, Any]:
        """Arguments for kadu_tasks_run."""
        return {"id": self.tenant.newest("tasks"), "environment_id": self.tenant.newest("environments")}

    def answered(self, client: Client, **answer: Any) -> Came:
        """The question about a task, answered so."""
        state = client.call("kadu_tasks_run", self.run()).result["requestState"]
        answers = {"run_decision": answer} if answer else {}
        return client.call("kadu_tasks_run", self.run(), state=state, answers=answers)


@pytest.fixture
def chosen(tenant: Tenant, urls: dict[str, str]) -> Chosen:
    return Chosen(tenant, urls)


def kind(came: Came) -> str:
    """What came, in a word: the kind of a result, the code of a refusal, an error, an HTTP status."""
    if not came.message:
        return f"http {came.http.status_code}"
    if "error" in came.message:
        return str(came.error["code"])
    return came.code if came.result.get("isError") else str(came.result.get("resultType", "complete"))


def test_a_choice_that_there_is_none_of_is_told() -> None:
    for text in ("form:round", "colour:blue", "form"):
        with pytest.raises(ValueError, match=f"no choice {text}"):
            Choices(text)


def test_what_made_a_difference_is_written_down_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    choices = Choices("form:boolean,batch:error", log)
    assert [choices.stands("form"), choices.of("listen"), choices.of("batch")] == [
        "boolean",
        "refused",
        "error",
    ]
    assert not log.exists()
    assert [choices.of("form"), choices.of("form")] == ["boolean", "boolean"]
    assert log.read_text() == "form:boolean\n"


@pytest.mark.parametrize(
    ("choice", "yes", "no"), [("form:boolean", True, False), ("form:enum_names", "1", "0")]
)
def test_the_form_is_another(chosen: Chosen, choice: str, yes: Any, no: Any) -> None:
    client = chosen.client(choice)
    assert kind(chosen.answered(client, action="accept", content={"decision": no})) != "complete"
    assert chosen.tenant.effects() == []
    assert kind(chosen.answered(client, action="accept", content={"decision": yes})) == "complete"
    assert len(chosen.tenant.effects()) == 1


@pytest.mark.parametrize(
    ("choice", "answer", "what"),
    [
        ("unclear_answer:declined", {}, "USER_DECLINED"),
        ("unclear_answer:declined", {"action": "accept", "content": {"decision": 3}}, "USER_DECLINED"),
        ("unclear_answer:invalid", {}, "-32602"),
        ("unclear_answer:invalid", {"action": "accept"}, "-32602"),
        ("explicit_no:question", {"action": "accept", "content": {"decision": False}}, "input_required"),
        ("explicit_no:invalid", {"action": "accept", "content": {"decision": "0"}}, "-32602"),
        ("malformed_answer:question", {"action": "perhaps"}, "input_required"),
        ("malformed_answer:declined", {"action": "perhaps"}, "USER_DECLINED"),
    ],
)
def test_what_is_no_clear_yes_is_taken_as_chosen(
    chosen: Chosen, choice: str, answer: dict[str, Any], what: str
) -> None:
    assert kind(chosen.answered(chosen.client(choice), **answer)) == what
    assert chosen.tenant.effects() == []


def test_a_first_call_is_asked_about_whatever_was_chosen(chosen: Chosen) -> None:
    for choice in ("unclear_answer:declined", "unclear_answer:invalid"):
        assert kind(chosen.client(choice).call("kadu_tasks_run", chosen.run())) == "input_required"


def test_what_is_too_long_is_refused_by_http(chosen: Chosen) -> None:
    client = chosen.client("long_state:http")
    assert kind(client.call("kadu_tasks_run", chosen.run(), state="a" * 100_000, answers={})) == "http 413"
    uri = "kobana://kadu/tasks/" + "a" * 10_000
    assert kind(chosen.client("long_id:http").ask("resources/read", {"uri": uri})) == "http 414"


def test_a_used_yes_is_replayed_however_old(chosen: Chosen) -> None:
    client, run = chosen.client("used_and_expired:replayed"), chosen.run()
    state = client.call("kadu_tasks_run", run).result["requestState"]
    yes = {"run_decision": {"action": "accept", "content": {"decision": True}}}
    assert kind(client.call("kadu_tasks_run", run, state=state, answers=yes)) == "complete"
    chosen.tenant.wait(360)
    assert kind(client.call("kadu_tasks_run", run, state=state, answers=yes)) == "confirmation_replayed"
    unused = client.call("kadu_tasks_run", run).result["requestState"]
    chosen.tenant.wait(360)
    assert kind(client.call("kadu_tasks_run", run, state=unused, answers=yes)) == "input_required"
    assert len(chosen.tenant.effects()) == 1


def test_another_token_of_the_same_person_is_asked(chosen: Chosen) -> None:
    client, run = chosen.client("other_token:asked"), chosen.run()
    state = client.call("kadu_tasks_run", run).result["requestState"]
    yes = {"run_decision": {"action": "accept", "content": {"decision": True}}}
    other = chosen.client("other_token:asked", without_scopes=[])
    assert kind(other.call("kadu_tasks_run", run, state=state, answers=yes)) == "input_required"
    assert kind(client.call("kadu_tasks_run", run, state=state, answers=yes)) == "complete"


def test_nobody_is_asked_where_forms_are_shown(chosen: Chosen) -> None:
    client = chosen.client("nobody_with_forms:asked", person=None)
    assert kind(client.call("kadu_tasks_run", chosen.run())) == "input_required"
    without = replace(client, capabilities={})
    assert kind(without.call("kadu_tasks_run", chosen.run())) == "confirmation_required"


def test_without_the_register_nothing_is_asked(chosen: Chosen) -> None:
    client = chosen.client("register_down_at_question:unavailable")
    chosen.tenant.control("/faults", operation="confirmations_create", kind="unavailable", times=1)
    assert kind(client.call("kadu_tasks_run", chosen.run())) == "confirmation_unavailable"
    assert kind(client.call("kadu_tasks_run", chosen.run())) == "input_required"


def test_a_record_that_is_not_there_is_not_asked_about(chosen: Chosen) -> None:
    client = chosen.client("missing_record:not_found")
    missing = {"id": "00000000-0000-4000-8000-00000000dead"}
    assert kind(client.call("kadu_environments_delete", missing)) == "NOT_FOUND"


def test_only_what_may_be_run_is_listed(chosen: Chosen) -> None:
    client = chosen.client("listing:permitted", without_scopes=["kadu/workspaces"])
    names, cursor = set(), None
    while True:
        page = client.ask("tools/list", {"cursor": cursor} if cursor else {}).result
        assert page["cacheScope"] == "private"
        names |= {tool["name"] for tool in page["tools"]}
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert "kadu_tasks_get" in names
    assert "kadu_workspaces_get" not in names


@pytest.mark.parametrize(
    ("choice", "what"),
    [
        ("not_allowed:invalid_params", "-32602"),
        ("not_allowed:http", "http 403"),
        ("rights:left_to_the_api", "FORBIDDEN"),
    ],
)
def test_what_is_not_allowed_is_refused_as_chosen(
    chosen: Chosen, urls: dict[str, str], mock: Mock, choice: str, what: str
) -> None:
    process = None
    if choice == "not_allowed:http":
        # Where rights are left to the API, this question never comes up.
        process, url = start(mock.api, CHOICES=choice)
        urls = {**urls, choice: url}
    client = Chosen(chosen.tenant, urls).client(choice)
    chosen.tenant.without_permission(PERMISSION)
    assert kind(client.call("kadu_workspaces_create", {"name": "Tesouraria"})) == what
    assert chosen.tenant.effects() == []
    if process is not None:
        stop(process)


def test_rights_left_to_the_api_are_looked_at_after_the_yes(chosen: Chosen) -> None:
    client, run = chosen.client("rights:left_to_the_api"), chosen.run()
    chosen.tenant.without_permission("agent.tasks.run")
    state = client.call("kadu_tasks_run", run).result["requestState"]
    yes = {"run_decision": {"action": "accept", "content": {"decision": "1"}}}
    assert kind(client.call("kadu_tasks_run", run, state=state, answers=yes)) == "FORBIDDEN"


def test_arguments_that_nobody_knows_are_left_out(chosen: Chosen) -> None:
    client = chosen.client("further_arguments:ignored")
    assert kind(client.call("kadu_workspaces_create", {"name": "Tesouraria", "colour": 7})) == "complete"
    [effect] = chosen.tenant.effects()
    assert effect["arguments"] == {"name": "Tesouraria"}


def test_bad_arguments_and_unknown_tools(chosen: Chosen) -> None:
    assert kind(chosen.client("bad_arguments:invalid_params").call("kadu_workspaces_create")) == "-32602"
    old = chosen.client("unknown_tool_2025:error_result", "2025")
    assert kind(old.call("no_such_tool")) == "UNKNOWN_TOOL"
    assert kind(replace(old, era="2026").call("no_such_tool")) == "-32602"


@pytest.mark.parametrize("key", ["conciliação-🔑", " edges "])
def test_odd_keys_are_sent_and_replayed(chosen: Chosen, key: str) -> None:
    arguments = {"name": "Tesouraria", "idempotency_key": key}
    client = chosen.client("odd_keys:sent")
    first = client.call("kadu_workspaces_create", arguments)
    assert kind(first) == "complete"
    assert client.call("kadu_workspaces_create", arguments).text == first.text
    bare = client.call("kadu_workspaces_create", {"name": "Outra", "idempotency_key": key.strip() + "x"})
    assert kind(bare) == "complete"
    assert len(chosen.tenant.effects()) == 2
    assert (
        kind(client.call("kadu_workspaces_create", {**arguments, "idempotency_key": "a\r\nb: c"})) == "-32602"
    )


@pytest.mark.parametrize(
    "spelling", ["KOBANA://kadu/me", "kobana://kadu/%6de", "kobana://kadu/x/../me", "kobana://kadu/me/"]
)
def test_other_spellings_are_served(chosen: Chosen, spelling: str) -> None:
    came = chosen.client("spellings:served").ask("resources/read", {"uri": spelling})
    assert json.loads(came.result["contents"][0]["text"])["document"]["person"]


@pytest.mark.parametrize("address", ["kobana://kadu/tasks/", "kobana://kadu/me/more", "kobana://kadu//me"])
def test_what_is_no_spelling_of_anything_is_not_found(chosen: Chosen, address: str) -> None:
    assert kind(chosen.client("spellings:served").ask("resources/read", {"uri": address})) == "-32602"


def test_an_empty_since_is_a_week_ago(chosen: Chosen) -> None:
    client = chosen.client("since_empty:a_week")
    texts = [
        client.ask("prompts/get", {"name": "review_failed_executions", "arguments": given}).result["messages"]
        for given in ({}, {"since": ""})
    ]
    assert texts[0] == texts[1]


def test_completions_fall_on_the_other_side(chosen: Chosen) -> None:
    client = chosen.client("months:running")
    chosen.tenant.control("/clock", set="2026-11-30T15:00:00Z")
    month = {"name": "month", "value": ""}
    asked = {"ref": {"type": "ref/prompt", "name": "monthly_usage_report"}, "argument": month}
    values = client.ask("completion/complete", asked).result["completion"]["values"]
    assert (values[0], values[-1], len(values)) == ("2025-12", "2026-11", 12)
    unknown = {**asked, "argument": {"name": "colour", "value": ""}}
    assert client.ask("completion/complete", unknown).result["completion"]["values"] == []


def test_listening_is_acknowledged_and_silent(chosen: Chosen, http: httpx.Client) -> None:
    client = chosen.client("listen:acknowledged")
    about = {"protocolVersion": "2026-07-28", "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in about.items()}
    params = {"notifications": {"toolsListChanged": True}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": params}
    headers = {
        "Authorization": f"Bearer {client.token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
    }
    with http.stream("POST", client.url, json=message, headers=headers) as answer:
        assert answer.status_code == 200
        told = ""
        for piece in answer.iter_text():
            told += piece
            if "acknowledged" in told:
                break
    assert '"notifications": {}' in told


def test_requests_that_are_none_are_refused_as_chosen(chosen: Chosen, http: httpx.Client) -> None:
    client = chosen.client("missing_meta:mismatch")
    key = "io.modelcontextprotocol/"
    assert client.ask("tools/list", meta={f"{key}protocolVersion": None}).error["code"] == -32020
    assert client.ask("tools/list", meta={f"{key}clientCapabilities": None}).error["code"] == -32602
    headers: dict[str, str | None] = {"Content-Type": "application/json"}
    assert kind(chosen.client("batch:http").post([{"jsonrpc": "2.0"}], headers)) == "http 400"
    unknown = chosen.client("error_status:ok").ask("prompts/get", {"name": "no_such_prompt"})
    assert (unknown.http.status_code, unknown.error["code"]) == (200, -32602)
    for verb in ("GET", "DELETE"):
        assert http.request(verb, chosen.client("other_verbs:not_found").url).status_code == 404


def test_a_day_is_asked_about_in_words(chosen: Chosen) -> None:
    run = {**chosen.run(), "reference_date": "2026-10-30"}
    asked = chosen.client("days_asked:words").call("kadu_tasks_run", run).result["inputRequests"]
    assert "reference_date = October 30, 2026" in asked["run_decision"]["params"]["message"]


def test_a_refusal_carries_what_finds_it_in_a_log(chosen: Chosen) -> None:
    client = chosen.client("not_found_data:with_request")
    uri = "kobana://kadu/tasks/00000000-0000-4000-8000-00000000dead"
    first, second = (client.ask("resources/read", {"uri": uri}).error["data"] for _ in range(2))
    assert first.keys() == second.keys() == {"uri", "request", "at"}
    assert first["request"] != second["request"]


def test_a_long_id_is_refused_by_http_and_told_why(chosen: Chosen) -> None:
    uri = "kobana://kadu/tasks/" + "a" * 10_000
    came = chosen.client("long_id:http_with_error", era="2025").ask("resources/read", {"uri": uri})
    assert (came.http.status_code, came.error["code"]) == (400, -32600)


def test_me_is_what_the_documents_name(chosen: Chosen) -> None:
    came = chosen.client("me_document:named").ask("resources/read", {"uri": "kobana://kadu/me"})
    document = json.loads(came.result["contents"][0]["text"])["document"]
    assert document.keys() == {"person", "organization", "scopes"}


def test_a_download_is_told_in_words_or_beside_another_address(chosen: Chosen) -> None:
    file = {"id": chosen.tenant.newest("files")}
    told = chosen.client("download:words").call("kadu_files_download", file).text
    assert told.startswith("Download ")
    held = json.loads(chosen.client("download:beside_another").call("kadu_files_download", file).text)
    assert held["about"].endswith(f"/v1/files/{file['id']}")


def test_how_to_check_comes_with_advice(chosen: Chosen) -> None:
    client = chosen.client("check_with:with_advice", era="2025")
    told = json.loads(client.call("kadu_tasks_run", chosen.run()).text)
    assert told["approval"]["check_with"].keys() == {"tool", "arguments", "when"}


def test_tools_of_another_product_are_listed(chosen: Chosen) -> None:
    client = chosen.client("other_tools:another_product")
    assert kind(client.call("ledger_books_close", {"id": "1"})) == "FORBIDDEN"


def test_schemas_come_in_parts(chosen: Chosen) -> None:
    listed = chosen.client("schemas:in_parts").ask("tools/list").result["tools"]
    assert all(
        tool["inputSchema"]["$ref"] == "#/$defs/Arguments"
        for tool in listed
        if tool["name"].startswith("kadu")
    )


def test_a_question_is_sealed_by_its_key(chosen: Chosen) -> None:
    client = chosen.client("seal:key")
    asked = client.call("kadu_tasks_run", chosen.run())
    [key] = asked.result["inputRequests"]
    assert "requestState" not in asked.result
    assert len(key) > 20


def test_deletions_are_not_offered(chosen: Chosen) -> None:
    refused = chosen.client("deletions:none").call("kadu_tasks_delete", {"id": chosen.tenant.newest("tasks")})
    assert refused.error["code"] == -32602


def test_what_is_no_json_is_refused_by_http(chosen: Chosen, http: httpx.Client) -> None:
    client = chosen.client("no_json:http")
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {client.token}"}
    answer = http.post(client.url, content=b"{", headers=headers)
    assert (answer.status_code, answer.content) == (400, b"")


def test_a_version_that_nobody_knows_is_told_first(chosen: Chosen) -> None:
    stated = {"io.modelcontextprotocol/protocolVersion": "2026-07-29"}
    came = chosen.client("other_version:unknown").ask("tools/list", meta=stated)
    assert (came.http.status_code, came.error["code"]) == (400, -32022)


def test_a_request_of_before_the_header_is_taken_for_one(chosen: Chosen) -> None:
    came = chosen.client("handshake:before_headers").ask("tools/list", headers={"MCP-Protocol-Version": None})
    assert "resultType" not in came.result
    old = chosen.client("handshake:before_headers", era="2025")
    hello = {"protocolVersion": "2025-11-25", "clientInfo": {}, "capabilities": {}}
    assert old.ask("initialize", hello).result["protocolVersion"] == "2025-03-26"


def test_a_log_line_tells_which_headers_were_read(chosen: Chosen) -> None:
    came = chosen.client("log_line:headers", era="2025").call("kadu_me_get", {})
    assert "x-idempotent-replay" in came.before[0]["params"]["data"]
    assert "x-idempotent-replay" not in came.text

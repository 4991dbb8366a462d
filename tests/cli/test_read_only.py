"""`--read-only`: a real system is read, by a token that was given, and nothing else is ever sent to it."""

import json
from pathlib import Path

import pytest

from harness.actors.reading_only import READING_METHODS, READING_TOOL, refusal
from harness.exchanges import HttpRequest
from harness.record import read
from harness.wire.header_values import wrap
from harness.wire.requests import Overrides, request

OUT = Path("kadu-conformance-report") / "run.ndjson"
URL = "http://x/mcp"

WRITING = """\
Feature: Writing
  @KADU-CNF-01
  Rule: R
    @read-only
    Scenario: A call that acts
      Given an assistant
      When the assistant calls the unknown tool kadu_tasks_run
      Then nothing ran

    @read-only
    Scenario: A look at the ledger
      Given an assistant
      When the assistant asks for server/discover
      Then nothing ran

    @read-only
    Scenario: Somebody else's token
      Given an assistant
      When the colleague's assistant reads me
      Then nothing ran
"""


def test_a_real_system_is_judged_without_a_mock(cli, real, read_only):
    said = cli(*read_only, "--rule", "MCP-03")
    assert (said.code, said.err) == (0, ""), said
    record = read(OUT)
    assert record.footer["rules"]["MCP-03"]["verdict"] == "passed"
    assert record.header["controls"] == {"time": "none"}
    assert {headers.get("authorization") for method, headers, _ in real.seen if method == "POST"} == {
        "Bearer the-token-of-somebody"
    }
    assert "the-token-of-somebody" not in OUT.read_text(encoding="utf-8")


def test_the_token_can_come_from_a_file(cli, real, tmp_path):
    (tmp_path / "token").write_text("the-token-of-a-file\n", encoding="utf-8")
    said = cli("run", "--read-only", "--url", real.url, "--token-file", "token", "--rule", "MCP-03")
    assert said.code == 0, said
    assert real.seen[-1][1]["authorization"] == "Bearer the-token-of-a-file"


def test_everything_that_is_sent_in_a_whole_run_reads(cli, real, read_only):
    said = cli(*read_only)
    assert said.code == 1, said
    sent = real.messages
    assert len(sent) > 50
    assert {message["method"] for message in sent} <= READING_METHODS
    assert all(READING_TOOL.fullmatch(m["params"]["name"]) for m in sent if m["method"] == "tools/call")
    scenarios = read(OUT).scenarios
    assert all("read-only" in scenario["tags"] for scenario in scenarios)
    # Of what is tagged nothing needs the mock: the tag says so.
    assert not [scenario["id"] for scenario in scenarios if "needs the mock" in (scenario["reason"] or "")]
    assert not [scenario["id"] for scenario in scenarios if scenario["verdict"] == "errored"]


def test_what_needs_the_mock_or_acts_is_not_testable_and_not_sent(cli, real, read_only, tmp_path):
    features = tmp_path / "writing"
    features.mkdir()
    (features / "a.feature").write_text(WRITING, encoding="utf-8")
    said = cli(*read_only, "--features", str(features))
    assert said.code == 3, said
    reasons = {scenario["name"]: scenario["reason"] for scenario in read(OUT).scenarios}
    assert reasons["A call that acts"] == (
        "--read-only sends no call of 'kadu_tasks_run', only of tools named get or list"
    )
    assert reasons["A look at the ledger"].startswith("needs the mock: ")
    assert reasons["Somebody else's token"].startswith("needs the mock: ")
    assert "tools/call" not in {message["method"] for message in real.messages}


def test_a_rule_without_a_scenario_that_only_reads_is_refused(cli, read_only, refused):
    refused(cli(*read_only, "--rule", "KADU-CNF"), "none carries the tag @read-only")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ([], "--read-only needs a token of yours: --token-file FILE, or --token-env NAME."),
        (["--token-env", "A", "--token-file", "b"], "--read-only needs a token of yours"),
        (["--token-env", "KADU_NO_SUCH"], "No token is in the environment variable KADU_NO_SUCH."),
        (["--token-env", "KADU_BAD"], "is no token: a word of printable ASCII was expected."),
        (["--token-file", "nowhere"], "The token cannot be read from nowhere: No such file"),
        (["--token-file", "empty"], "The file empty holds no token"),
        (["--token-env", "KADU_BAD", "--api-port", "80"], "--api-port does not go with --read-only"),
        (["--token-env", "KADU_BAD", "--command", "x"], "--command does not go with --read-only"),
        (["--token-env", "KADU_BAD", "--api-host", "::"], "--api-host does not go with --read-only"),
    ],
)
def test_what_does_not_fit(cli, refused, monkeypatch, tmp_path, options, part):
    monkeypatch.setenv("KADU_BAD", "two words")
    (tmp_path / "empty").touch()
    refused(cli("run", "--read-only", "--url", URL, *options), part)


def test_a_token_is_for_read_only_alone(cli, refused):
    refused(cli("run", "--url", URL, "--token-env", "X"), "--token-file and --token-env go with --read-only")


def call(name: str, **overrides: object) -> HttpRequest:
    change = Overrides(**overrides)
    return request("2026", "tools/call", {"name": name, "arguments": {}}, id=1, url=URL, overrides=change)


@pytest.mark.parametrize("name", ["kadu_me_get", "kadu_executions_events_list", "get_of_list_get"])
def test_reading_tools_may_be_called(name):
    assert refusal(call(name)) is None


@pytest.mark.parametrize(
    "name",
    [
        "kadu_tasks_run",
        "kadu_tasks_delete",
        "kadu_get_tasks",
        "_get",
        "kadu_me_get ",
        "kadu_me_get\n",
        "",
        "list",
    ],
)
def test_no_other_tool_may_be_called(name):
    assert "only of tools named get or list" in (refusal(call(name)) or "")


@pytest.mark.parametrize("method", sorted(READING_METHODS))
def test_methods_that_read_may_be_sent(method):
    assert refusal(request("2026", method, {}, id=1, url=URL)) is None


RUN = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "kadu_tasks_run"}}


@pytest.mark.parametrize(
    "built",
    [
        request("2026", "tasks/cancel", {}, id=1, url=URL),
        request("2026", "tools/list", {}, id=1, url=URL, overrides=Overrides(http_method="DELETE")),
        call("kadu_me_get", set_headers={"Mcp-Name": "kadu_tasks_run"}),
        call("kadu_me_get", set_headers={"mcp-name": wrap("kadu_tasks_run")}),
        call("kadu_me_get", set_headers={"Mcp-Method": "tasks/cancel"}),
        call("kadu_me_get", body=json.dumps([RUN]).encode()),
        call("kadu_me_get", body=json.dumps(RUN).encode()),
        call("kadu_me_get", body=b'{"method": "tools/list", "method": "tools/call"}'),
        call("kadu_me_get", body=b'{"method": "tools/call"'),
        call("kadu_me_get", body=b"\xff"),
        call("kadu_me_get", body=b"7"),
        call("kadu_me_get", set_params={"name": {"kadu_me_get": 1}}),
    ],
)
def test_nothing_that_could_act_in_any_reading_is_sent(built):
    assert refusal(built) is not None

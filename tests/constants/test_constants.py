"""Each constant server answers as it says, in both eras."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

PROGRAM = Path(__file__).parent / "constant_server.py"
MODES = ["http400", "invalid_params", "empty_object", "empty_lists", "echo", "yes"]
META = "io.modelcontextprotocol/"
Ask = Callable[..., httpx.Response]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def started(mode: str, port: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(PROGRAM), mode, str(port)])


@pytest.fixture(scope="session")
def urls() -> Iterator[dict[str, str]]:
    """Every mode, running."""
    ports = {mode: free_port() for mode in MODES}
    processes = {mode: started(mode, port) for mode, port in ports.items()}
    for mode, port in ports.items():
        while True:
            assert processes[mode].poll() is None, mode
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except ConnectionRefusedError:
                continue
            break
    yield {mode: f"http://127.0.0.1:{port}/mcp" for mode, port in ports.items()}
    for process in processes.values():
        process.terminate()
        process.wait(timeout=10)


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=10, trust_env=False) as client:
        yield client


@pytest.fixture
def ask(urls: dict[str, str], http: httpx.Client) -> Ask:
    def send(mode: str, method: str, params: Any = None, era: str = "2026") -> httpx.Response:
        message = {"jsonrpc": "2.0", "id": "an id", "method": method, "params": params or {}}
        headers = {"MCP-Protocol-Version": "2026-07-28" if era == "2026" else "2025-11-25"}
        return http.post(urls[mode], json=message, headers=headers)

    return send


@pytest.fixture
def say(ask: Ask) -> Callable[..., dict[str, Any]]:
    """The result the liar gives to a tools/call; with forms in 2026."""

    def call(name: str, arguments: dict[str, Any], era: str = "2026", **more: Any) -> dict[str, Any]:
        params = {"name": name, "arguments": arguments, **more}
        if era == "2026":
            params["_meta"] = {META + "clientCapabilities": {"elicitation": {}}}
        result = ask("yes", "tools/call", params, era).json()["result"]
        assert isinstance(result, dict)
        return result

    return call


ERAS = pytest.mark.parametrize("era", ["2025", "2026"])
YES = {"confirm": {"action": "accept", "content": {"confirm": True}}}


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_http400_refuses_everything(urls: dict[str, str], http: httpx.Client, method: str) -> None:
    assert http.request(method, urls["http400"]).status_code == 400


@pytest.mark.parametrize(("era", "status"), [("2025", 200), ("2026", 400)])
def test_invalid_params_answers_with_the_id(ask: Ask, era: str, status: int) -> None:
    came = ask("invalid_params", "tools/list", era=era)
    assert came.status_code == status
    assert (came.json()["id"], came.json()["error"]["code"]) == ("an id", -32602)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_empty_object_is_all_it_says(urls: dict[str, str], http: httpx.Client, method: str) -> None:
    came = http.request(method, urls["empty_object"])
    assert (came.status_code, came.json()) == (200, {})


def test_echo_sends_back_what_came(urls: dict[str, str], http: httpx.Client) -> None:
    assert http.post(urls["echo"], content=b"\x00 anything").content == b"\x00 anything"


@ERAS
@pytest.mark.parametrize(
    ("method", "member"),
    [
        ("tools/list", "tools"),
        ("tools/call", "content"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("resources/read", "contents"),
        ("prompts/list", "prompts"),
        ("prompts/get", "messages"),
    ],
)
def test_empty_lists_has_nothing(ask: Ask, era: str, method: str, member: str) -> None:
    result = ask("empty_lists", method, era=era).json()["result"]
    assert result.pop(member) == []
    if era == "2025":
        assert result == {}
    else:
        assert result.pop("resultType") == "complete"
        hinted = method not in ("tools/call", "prompts/get")
        assert result == ({"ttlMs": 0, "cacheScope": "private"} if hinted else {})


@pytest.mark.parametrize("mode", ["empty_lists", "yes"])
def test_the_handshakes_are_proper(ask: Ask, urls: dict[str, str], http: httpx.Client, mode: str) -> None:
    result = ask(mode, "initialize", {"protocolVersion": "2099-01-01"}, "2025").json()["result"]
    assert result["protocolVersion"] == "2025-11-25"
    assert set(result["capabilities"]) == {"tools", "resources", "prompts", "completions"}
    assert "2026-07-28" in ask(mode, "server/discover").json()["result"]["supportedVersions"]
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert http.post(urls[mode], json=notification).status_code == 202


def test_the_liar_offers_all_that_is_documented(ask: Ask) -> None:
    tools = ask("yes", "tools/list").json()["result"]["tools"]
    keyed = [tool["name"] for tool in tools if "idempotency_key" in tool["inputSchema"]["properties"]]
    dangerous = {tool["name"] for tool in tools if tool["annotations"]["destructiveHint"]}
    assert len(set(keyed)) == 28
    assert {tool["name"] for tool in tools if tool["name"].endswith("_delete")} < dangerous
    assert len(dangerous) - len([name for name in dangerous if name.endswith("_delete")]) == 8
    assert len(ask("yes", "resources/list").json()["result"]["resources"]) == 3
    assert len(ask("yes", "resources/templates/list").json()["result"]["resourceTemplates"]) == 11
    assert len(ask("yes", "prompts/list").json()["result"]["prompts"]) == 4


@ERAS
def test_the_liar_says_that_a_write_went_well(say: Callable[..., dict[str, Any]], era: str) -> None:
    arguments = {"name": "W", "idempotency_key": f"key of {era}"}
    first, again = (say("kadu_workspaces_create", arguments, era) for _ in range(2))
    assert first == again
    assert json.loads(first["content"][0]["text"])["name"] == "W"
    other = say("kadu_workspaces_create", arguments | {"name": "V"}, era)
    assert other["isError"] is True
    assert "IDEMPOTENCY_KEY_REUSED" in other["content"][0]["text"]


def test_the_liar_asks_and_then_says_done(say: Callable[..., dict[str, Any]]) -> None:
    run = {"id": "task-1", "environment_id": "env-1"}
    asked = say("kadu_tasks_run", run)
    assert asked["resultType"] == "input_required"
    assert "task-1" in asked["inputRequests"]["confirm"]["params"]["message"]
    state = asked["requestState"]
    other = say("kadu_tasks_run", run | {"id": "task-2"}, requestState=state, inputResponses=YES)
    assert other["resultType"] == "input_required"
    done = say("kadu_tasks_run", run, requestState=state, inputResponses=YES)
    assert json.loads(done["content"][0]["text"])["status"] == "done"
    again = say("kadu_tasks_run", run, requestState=state, inputResponses=YES)
    assert "confirmation_replayed" in again["content"][0]["text"]


@pytest.mark.parametrize(
    "answer", [{"action": "decline"}, {"action": "accept", "content": {"confirm": False}}]
)
def test_the_liar_takes_a_no(say: Callable[..., dict[str, Any]], answer: dict[str, Any]) -> None:
    state = say("kadu_tasks_delete", {"id": "t"})["requestState"]
    told = say("kadu_tasks_delete", {"id": "t"}, requestState=state, inputResponses={"confirm": answer})
    assert "USER_DECLINED" in told["content"][0]["text"]


def test_the_liar_gives_a_link_to_who_shows_no_forms(say: Callable[..., dict[str, Any]]) -> None:
    told = json.loads(say("kadu_tasks_delete", {"id": "t"}, "2025")["content"][0]["text"])
    assert told["status"] == "approval_required"
    assert told["approval"]["resource_uri"].endswith(told["approval"]["id"])


@ERAS
def test_the_liar_reads_whatever_is_named(ask: Ask, era: str) -> None:
    params = {"uri": "kobana://kadu/tasks/t1"}
    (content,) = ask("yes", "resources/read", params, era).json()["result"]["contents"]
    assert json.loads(content["text"])["id"] == "t1"
    text = ask("yes", "prompts/get", {"name": "explain_execution", "arguments": {"execution_id": "e1"}}, era)
    assert "e1" in text.json()["result"]["messages"][0]["content"]["text"]
    assert ask("yes", "completion/complete", era=era).json()["result"]["completion"]["values"]


def test_a_dead_port_refuses_and_stays_taken() -> None:
    port = free_port()
    command = [sys.executable, str(PROGRAM), "dead", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"held\n"
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port), timeout=1)
            with pytest.raises(OSError, match="in use"):
                socket.create_server(("127.0.0.1", port))
        finally:
            process.terminate()


def test_a_port_in_use_is_exit_2() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run([sys.executable, str(PROGRAM), "echo", port], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"in use" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [[], ["yes"], ["nothing", "1"], ["yes", "port"]])
def test_wrong_usage_is_exit_2(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, str(PROGRAM), *arguments], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"MODE PORT" in done.stderr

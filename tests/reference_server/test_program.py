"""The program: what it says when it starts, how it ends, and the SDK's own client talking to it."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

from .stub import StubUpstream

PROGRAM = [sys.executable, "-m", "reference_server", "--product", "kadu"]
CLEAN = {k: v for k, v in os.environ.items() if k not in ("KADU_API_URL", "REFERENCE_STATE_KEY")}


@contextmanager
def listening(app: Any) -> Iterator[str]:
    """The stub on a free port."""
    config = uvicorn.Config(app, log_level="error", lifespan="off", date_header=False)
    server = uvicorn.Server(config)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield url
        server.should_exit = True
        thread.join()


@contextmanager
def running(
    *options: str, first_line: str = "", **environment: str
) -> Iterator[tuple[dict[str, Any], subprocess.Popen[str]]]:
    """The program, with its ready line."""
    process = subprocess.Popen(
        [*PROGRAM, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=CLEAN | environment,
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(first_line)
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, process.stderr and process.stderr.read()
        yield json.loads(line), process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture(scope="module")
def stub() -> Iterator[tuple[StubUpstream, str]]:
    """The stub and its URL."""
    upstream = StubUpstream()
    with listening(upstream) as url:
        yield upstream, url


async def talk(url: str, mode: Any) -> list[dict[str, Any]]:
    """List, read, prompt, complete and call with the SDK's client; the message of each question it was asked."""
    questions: list[str] = []

    async def agree(_: Any, params: Any) -> ElicitResult:
        questions.append(params.message)
        return ElicitResult(action="accept", content={"confirm": True})

    headers = {"Authorization": "Bearer token-1"}
    async with httpx2.AsyncClient(headers=headers) as http, Client(
        streamable_http_client(url, http_client=http), mode=mode, elicitation_callback=agree
    ) as client:  # fmt: skip
        tools = await client.list_tools()
        resources = await client.list_resources()
        read = await client.read_resource("kobana://kadu/tasks/tasks-1")
        prompt = await client.get_prompt("explain_execution", {"execution_id": "executions-1"})
        prompts = await client.list_prompts()
        run = await client.call_tool("kadu_tasks_run", {"id": "tasks-1", "environment_id": "e"})
        assert len(tools.tools) > 30
        assert len(resources.resources) == 3
        assert len(prompts.prompts) == 4
        assert json.loads(read.contents[0].text)["id"] == "tasks-1"
        assert "executions-1" in prompt.messages[0].content.text
        return [
            {
                "questions": questions,
                "error": run.structured_content if run.is_error else None,
                "text": run.content[0].text,
            }
        ]


@pytest.mark.parametrize("mode", ["auto", "2026-07-28", "legacy"])
def test_the_sdks_own_client(stub: tuple[StubUpstream, str], mode: str) -> None:
    upstream, upstream_url = stub
    before = len(upstream.effects())
    with running(KADU_API_URL=upstream_url) as (ready, _):
        (seen,) = asyncio.run(talk(ready["url"], mode))
    ran = len(upstream.effects()) - before
    if mode == "legacy":
        assert (seen["error"], seen["questions"], ran) == (None, [], 0)
        assert json.loads(seen["text"])["status"] == "approval_required"
    else:
        assert (seen["error"], ran, len(seen["questions"])) == (None, 1, 1)


def test_ready_line_and_sigterm(stub: tuple[StubUpstream, str]) -> None:
    with running("--upstream", stub[1]) as (ready, process):
        assert set(ready) == {"ready", "url"}
        assert ready["ready"] is True
        assert ready["url"].startswith("http://127.0.0.1:")
        assert ready["url"].endswith("/mcp")
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_the_mutants_are_listed_without_an_upstream_by_what_is_served_of_them(
    stub: tuple[StubUpstream, str],
) -> None:
    listed = subprocess.run(
        [*PROGRAM, "--list-mutants"], capture_output=True, text=True, env=CLEAN, check=True, timeout=30
    )
    with running("--upstream", stub[1], "--mutants") as (ready, _):
        served = [{key: one[key] for key in ("name", "rule", "lie")} for one in ready["mutants"]]
    assert json.loads(listed.stdout) == {"ready": True, "mutants": served}
    assert len(served) > 100


def test_end_of_stdin_ends_it_where_asked(stub: tuple[StubUpstream, str]) -> None:
    with running("--upstream", stub[1], "--exit-with-stdin") as (_, process):
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(5) == 0


def test_the_upstream_may_be_told_later_on_standard_input(stub: tuple[StubUpstream, str]) -> None:
    with running("--upstream", "-", "--exit-with-stdin", first_line=f"{stub[1]}\n") as (ready, process):
        asyncio.run(talk(ready["url"], "2026-07-28"))
        # Its input stays open, and somebody still waits on it.
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.mark.parametrize("line", ["", "no URL\n", "ftp://x\n"])
def test_a_first_line_that_is_no_upstream_is_refused(line: str) -> None:
    done = subprocess.run(
        [*PROGRAM, "--upstream", "-"], input=line, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "reference_server: the first line of standard input is not the base URL of an API"
    ]


def test_mutants_are_served_beside_the_correct_server(stub: tuple[StubUpstream, str]) -> None:
    with running("--upstream", stub[1], "--mutants") as (ready, _):
        assert {"name", "rule", "lie", "urls"} == set(ready["mutants"][0])
        by_name = {mutant["name"]: mutant["urls"][0] for mutant in ready["mutants"]}
        # One lies about confirmations and one about messages: what is asked here they answer as the correct one.
        for url in (ready["url"], by_name["confirmation_replays"], by_name["origin_ignored"]):
            asyncio.run(talk(url, "2026-07-28"))


def test_mutants_are_not_served_unasked(stub: tuple[StubUpstream, str]) -> None:
    with running("--upstream", stub[1]) as (ready, _):
        url = ready["url"].replace("/mcp", "/mutants/confirmation_replays/mcp")
        assert httpx2.post(url).status_code == 404


def test_replicas_share_a_key(stub: tuple[StubUpstream, str], tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("0123456789abcdef" * 4)
    arguments = {"name": "kadu_tasks_run", "arguments": {"id": "tasks-1", "environment_id": "e"}}
    headers = {"authorization": "Bearer token-1", "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call",
               "mcp-name": "kadu_tasks_run", "accept": "application/json"}  # fmt: skip
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}  # fmt: skip

    def call(url: str, **rest: Any) -> dict[str, Any]:
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {**arguments, "_meta": meta, **rest},
        }
        result: dict[str, Any] = httpx2.post(url, json=message, headers=headers).json()["result"]
        return result

    with running("--upstream", stub[1], "--state-key-file", str(key)) as (one, _), \
         running("--upstream", stub[1], REFERENCE_STATE_KEY=key.read_text()) as (two, _), \
         running("--upstream", stub[1]) as (stranger, _):  # fmt: skip
        state = call(one["url"])["requestState"]
        yes = {"confirmation": {"action": "accept", "content": {"confirm": True}}}
        assert call(stranger["url"], requestState=state, inputResponses=yes)["resultType"] == "input_required"
        assert call(two["url"], requestState=state, inputResponses=yes)["resultType"] == "complete"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "KADU_API_URL"),
        (["--upstream", "ftp://x"], "--upstream"),
        (["--upstream", "http://x:port"], "http://x:port"),
        (["--upstream", "http:///v1"], "http:///v1"),
        (["--upstream", "http://x", "--port", "70000"], "port 70000"),
        (["--upstream", "http://x", "--port", "x"], "--port"),
        (["--upstream", "http://x", "--state-key-file", "/nothing/here"], "/nothing/here"),
        (["--upstream", "http://x", "--state-key-file", os.devnull], "0 bytes"),
        (["--upstream", "http://x", "--host", "192.0.2.1"], "192.0.2.1"),
    ],
)
def test_bad_usage_is_one_sentence_and_exit_2(options: list[str], said: str) -> None:
    ended = subprocess.run(
        [*PROGRAM, *options], capture_output=True, text=True, env=CLEAN, check=False, timeout=20
    )
    assert ended.returncode == 2
    assert said in ended.stderr
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr


def test_port_in_use() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        options = ["--upstream", "http://x", "--port", str(taken.getsockname()[1])]
        ended = subprocess.run(
            [*PROGRAM, *options], capture_output=True, text=True, env=CLEAN, check=False, timeout=20
        )
    assert ended.returncode == 2
    assert "cannot listen" in ended.stderr


def test_upstream_that_does_not_answer() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        ended = subprocess.run(
            [*PROGRAM, "--upstream", url], capture_output=True, text=True, env=CLEAN, check=False, timeout=30
        )
    assert ended.returncode == 2
    assert f"no contract at {url}/openapi.json" in ended.stderr

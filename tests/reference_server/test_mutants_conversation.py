"""A mutant lies, and does not stumble: none fails by an accident that its rule would then be credited with."""

import json
import logging
from typing import Any

import httpx
import pytest
from mcp.server.request_state import AESGCMRequestStateCodec

from reference_server.engine.contract import Contract, read_contract
from reference_server.engine.http import HttpSettings, Shell, application
from reference_server.engine.server import Engine
from reference_server.engine.upstream import Upstream
from reference_server.mutants import Mutant, mutants
from reference_server.mutants.wire import Wire
from reference_server.products.kadu import KADU

from .conftest import Peer
from .stub import CONTRACT, StubTransport, StubUpstream

pytestmark = pytest.mark.anyio
RUN = {"id": "tasks-1", "environment_id": "environments-1"}
YES = {"confirmation": {"action": "accept", "content": {"confirm": True}}}
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tools/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("prompts/list", {}),
    ("resources/read", {"uri": "kobana://kadu/me"}),
    ("resources/read", {"uri": "kobana://kadu/tasks/tasks-1"}),
    ("resources/read", {"uri": "kobana://kadu/executions/executions-1/events"}),
    ("resources/read", {"uri": "kobana://kadu/tasks/nobody"}),
    ("resources/read", {"uri": "kobana://kadu/unheard_of"}),
    ("prompts/get", {"name": "review_failed_executions"}),
    ("prompts/get", {"name": "monthly_usage_report", "arguments": {"month": "2026-09"}}),
    ("prompts/get", {"name": "nobody_knows"}),
    ("tools/call", {"name": "kadu_me_get", "arguments": {}}),
    ("tools/call", {"name": "nobody_knows", "arguments": {}}),
    ("tools/call", {"name": "kadu_tasks_update", "arguments": {"id": "tasks-1", "name": "Nova"}}),
    ("nothing/of_the_kind", {}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "monthly_usage_report"},
            "argument": {"name": "month", "value": ""},
        },
    ),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "kobana://kadu/tasks/{id}"},
            "argument": {"name": "id", "value": "tasks"},
        },
    ),
)


@pytest.fixture(scope="module")
def contract() -> Contract:
    """The stub's contract, read once."""
    return read_contract(CONTRACT, "x-kadu")


# A lie of one of these chapters can stumble in what belongs to it; any other in all that is asked.
CHAPTERS = {"KADU-RES": "resources/", "KADU-PRM": "prompts/", "KADU-CMP": "completion/"}


async def post(peer: Peer, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request, whatever it is."""
    asked = dict(params)
    if peer.modern:
        asked["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        }
    response = await peer.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": asked})
    told: dict[str, Any] = response.json()
    return told


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.name)
async def test_a_mutant_serves_a_conversation_without_stumbling(
    mutant: Mutant, contract: Contract, caplog: pytest.LogCaptureFixture
) -> None:
    chapter = CHAPTERS.get(mutant.rule[:8], "tools/" if mutant.rule.startswith("KADU") else "")
    upstream = Upstream(StubTransport(StubUpstream()))
    codec = AESGCMRequestStateCodec([b"k" * 32])
    engine = Engine(mutant.edit(KADU), contract, upstream, codec, mutant.parts)
    shell = mutant.shell(engine, HttpSettings())
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    with caplog.at_level(logging.ERROR):
        async with shell.run():
            transport = httpx.ASGITransport(application({"/mcp": shell}))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:4100") as http:
                # What is no lie about messages does the same in both eras.
                for modern in (True,) if mutant.shell is Shell else (True, False):
                    peer = Peer(http, shell, modern)
                    await post(peer, "server/discover" if modern else "initialize", {} if modern else hello)
                    for method, params in ASKED:
                        if not method.startswith(chapter):
                            continue
                        assert "jsonrpc" in await post(peer, method, params)
                peer = Peer(http, shell, True)
                first = await post(peer, "tools/call", {"name": "kadu_tasks_run", "arguments": RUN})
                state = (first.get("result") or {}).get("requestState")
                again = {"name": "kadu_tasks_run", "arguments": RUN, "inputResponses": YES}
                await post(peer, "tools/call", again | ({} if state is None else {"requestState": state}))
    assert caplog.records == []


async def test_a_wire_that_changes_nothing_is_the_shell(contract: Contract, modern: bool) -> None:
    answers: list[list[tuple[int, str | None, str]]] = []
    for kind in (Shell, Wire):
        upstream = Upstream(StubTransport(StubUpstream()))
        codec = AESGCMRequestStateCodec([b"k" * 32])
        shell = kind(Engine(KADU, contract, upstream, codec), HttpSettings())
        async with shell.run():
            transport = httpx.ASGITransport(application({"/mcp": shell}))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:4100") as http:
                sent = [{"jsonrpc": "2.0", "id": "é", "method": method, "params": p} for method, p in ASKED]
                unusual: list[Any] = [b"{no json", [sent[0], sent[0]], {"jsonrpc": "2.0", "method": "a/b"}]
                told = [await Peer(http, shell, modern).post(one) for one in (*sent, *unusual)]
                told.append(await Peer(http, shell, modern, token=None).post(sent[0]))
                answers.append([(r.status_code, r.headers.get("www-authenticate"), r.text) for r in told])
    parsed = [[(status, extra, json.loads(text or "null")) for status, extra, text in one] for one in answers]
    assert parsed[0] == parsed[1]

"""Many parallel calls with one idempotency key through the reference server; KADU_SOAK=1 does it more often."""

import asyncio
import os
from collections import Counter
from typing import Any

import pytest

from .programs import Program, StartProgram, Upstream, path_of, server_words
from .wire import WAIT, Wire

ROUNDS = 20 if os.environ.get("KADU_SOAK") == "1" else 1
CALLS = 200
IN_PROGRESS = "IDEMPOTENCY_REQUEST_IN_PROGRESS"
TOOL = "kadu_workspaces_create"
_META = "io.modelcontextprotocol/"


class Client:
    """An MCP client of the 2026 era, which keeps as many connections as it needs."""

    def __init__(self, url: str, token: str) -> None:
        self._path = path_of(url)
        self.wire = Wire(
            url,
            authorization=f"Bearer {token}",
            accept="application/json, text/event-stream",
            mcp_protocol_version="2026-07-28",
            mcp_method="tools/call",
            mcp_name=TOOL,
        )

    async def create(self, name: str, key: str) -> dict[str, Any]:
        """Create a workspace; the result of the tool."""
        meta = {_META + "protocolVersion": "2026-07-28", _META + "clientCapabilities": {}}
        params = {"name": TOOL, "arguments": {"name": name, "idempotency_key": key}, "_meta": meta}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = await self.wire.send("POST", self._path, body=message)
        result: dict[str, Any] = answer.json()["result"]
        return result


def _code(result: dict[str, Any]) -> str | None:
    return result["structuredContent"]["error"]["code"] if result.get("isError") else None


@pytest.mark.parametrize("held", [False, True], ids=["free", "held"])
def test_of_many_calls_with_one_key_one_has_an_effect(mock: Program, start: StartProgram, held: bool) -> None:
    async def main() -> None:
        server = start(server_words(mock.ready["api_url"]))
        async with Upstream(mock.ready) as upstream:
            world = await upstream.control("POST", "", {"seed": "uma chave", "tokens": True})
            tenant = world["id"]
            client = Client(server.ready["url"], world["tokens"][0]["token"])
            async with client.wire:
                for turn in range(ROUNDS):
                    await _round(upstream, tenant, client, f"area-{turn}", held)

    asyncio.run(main())


async def _round(upstream: Upstream, tenant: str, client: Client, name: str, held: bool) -> None:
    before = (await upstream.ledger(tenant))[-1:]
    faults = f"/{tenant}/faults"
    fault = {"operation": TOOL, "kind": "hold", "times": 1}
    fault_id = (await upstream.control("POST", faults, fault))["id"] if held else ""
    calls = [asyncio.create_task(client.create(name, name)) for _ in range(CALLS)]
    if held:
        waiting = set(calls)
        while len(waiting) > 1:
            done, waiting = await asyncio.wait(waiting, timeout=WAIT, return_when=asyncio.FIRST_COMPLETED)
            assert done
            assert {_code(each.result()) for each in done} == {IN_PROGRESS}
        assert (await upstream.control("GET", f"{faults}/{fault_id}"))["holding"] == 1
        await upstream.control("DELETE", f"{faults}/{fault_id}")
    results = await asyncio.gather(*calls)
    codes = Counter(_code(each) for each in results)
    assert (codes == {None: 1, IN_PROGRESS: CALLS - 1}) if held else (codes.keys() <= {None, IN_PROGRESS}), (
        codes
    )
    first = next(each for each in results if _code(each) is None)
    # From now on it is over: all replay.
    results += await asyncio.gather(*(client.create(name, name) for _ in range(CALLS)))
    assert all(each == first for each in results if _code(each) is None)
    assert [_code(each) for each in results[CALLS:]] == [None] * CALLS
    entries = await upstream.ledger(tenant, after=before[0]["seq"] if before else 0)
    of_tool = [each for each in entries if each["operation"] == TOOL]
    assert len(of_tool) == 2 * CALLS
    assert [each["effect"] for each in of_tool].count(True) == 1
    assert all(each["effect"] or each["replay"] or each["status"] == 409 for each in of_tool)
    named = [each for each in await upstream.records(tenant, "workspaces") if each["name"] == name]
    assert len(named) == 1

"""The official clients, TypeScript and Python, against the reference server in each era they speak."""

import asyncio
import json
import subprocess
from typing import Any, Literal

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult, PromptReference, TextContent, TextResourceContents

from tests.official.conftest import HERE, SECONDS, Tenant
from tests.official.visit import Visit

Mode = Literal["auto", "legacy", "2026-07-28"]


@pytest.mark.parametrize(
    ("client", "modern"),
    [
        ({"line": "v2", "mode": "auto"}, True),
        ({"line": "v2", "mode": {"pin": "2026-07-28"}}, True),
        ({"line": "v2", "mode": "legacy"}, False),
        ({"line": "v1"}, False),
    ],
    ids=["v2-auto", "v2-2026", "v2-legacy", "v1"],
)
def test_the_typescript_client(node: str, tenant: Tenant, client: dict[str, Any], modern: bool) -> None:
    visit = Visit(tenant)
    done = subprocess.run(
        [node, str(HERE / "client.mjs")],
        input=json.dumps({**visit.plan(), **client}),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    visit.judge(json.loads(done.stdout), modern)


@pytest.mark.parametrize(("mode", "modern"), [("auto", True), ("2026-07-28", True), ("legacy", False)])
def test_the_python_client(tenant: Tenant, mode: Mode, modern: bool) -> None:
    visit = Visit(tenant)
    visit.judge(asyncio.run(python_client(visit.plan(), mode)), modern)


async def python_client(plan: dict[str, Any], mode: Mode) -> dict[str, Any]:
    """What the Python client sees on this errand, told as the TypeScript one tells it."""
    asked: list[dict[str, Any]] = []

    async def agree(_: Any, params: Any) -> ElicitResult:
        properties = list(params.requested_schema["properties"])
        asked.append({"message": params.message, "properties": properties})
        return ElicitResult(action="accept", content={properties[0]: True})

    headers = {"authorization": f"Bearer {plan['token']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=SECONDS, trust_env=False) as http, Client(
        streamable_http_client(plan["url"], http_client=http), mode=mode, elicitation_callback=agree
    ) as client:  # fmt: skip
        resource = (await client.read_resource(plan["uri"])).contents[0]
        prompt = (await client.get_prompt(plan["prompt"]["name"], plan["prompt"]["arguments"])).messages[0]
        completed = await client.complete(
            PromptReference(name=plan["prompt"]["name"]), {"name": plan["argument"], "value": ""}
        )
        seen = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "resources": [one.uri for one in (await client.list_resources()).resources],
            "templates": [
                one.uri_template for one in (await client.list_resource_templates()).resource_templates
            ],
            "prompts": [one.name for one in (await client.list_prompts()).prompts],
            "completed": completed.completion.values,
        }
        came = await client.call_tool(plan["call"]["name"], plan["call"]["arguments"])
    block = came.content[0]
    assert isinstance(block, TextContent)
    assert isinstance(resource, TextResourceContents)
    assert isinstance(prompt.content, TextContent)
    return {
        **seen,
        "resource": json.loads(resource.text),
        "prompt": prompt.content.text,
        "call": {"failed": came.is_error, "body": json.loads(block.text)},
        "asked": asked,
    }

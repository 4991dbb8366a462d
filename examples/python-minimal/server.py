"""A minimal MCP server for Kadu on the official Python SDK: three tools, one document, the caller's own token.

It keeps some rules and not others: it is where a team starts, not where it ends. Run it under the harness:

    kadu-conformance run --command "python examples/python-minimal/server.py"
"""

import json
import os
from typing import Annotated, Any
from urllib.parse import quote

import httpx2
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import ToolAnnotations
from pydantic import Field

API = os.environ["KADU_API_URL"]
server = MCPServer("kadu-minimal", instructions="Reads and creates workspaces of Kadu.")
upstream = httpx2.AsyncClient(base_url=API, timeout=10, trust_env=False)


async def ask(
    ctx: Context, method: str, path: str, *, body: Any = None, key: str | None = None
) -> dict[str, Any]:
    """One request upstream under the caller's own token. Raises ResourceError with the API's code.

    The SDK tells callers the words of that error, of a tool as well as of a document; of any other it tells nothing.
    """
    headers = {"Authorization": (ctx.headers or {}).get("authorization", "")}
    if key is not None:
        headers["X-Idempotency-Key"] = key
    answer = await upstream.request(method, path, json=body, headers=headers)
    told: dict[str, Any] = answer.json()
    if answer.status_code >= 400:
        refusal = ResourceNotFoundError if answer.status_code == 404 else ResourceError
        raise refusal(str(told["errors"][0]["code"]).upper())
    return told


@server.tool(annotations=ToolAnnotations(read_only_hint=True, destructive_hint=False))
async def kadu_me_get(ctx: Context) -> dict[str, Any]:
    """Who is calling: person, organization, scopes."""
    return await ask(ctx, "GET", "/v1/me")


@server.tool(annotations=ToolAnnotations(read_only_hint=True, destructive_hint=False))
async def kadu_workspaces_get(id: str, ctx: Context) -> dict[str, Any]:
    """One workspace."""
    return await ask(ctx, "GET", f"/v1/workspaces/{quote(id, safe='')}")


@server.tool(annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False))
async def kadu_workspaces_create(
    name: str,
    ctx: Context,
    idempotency_key: Annotated[str | None, Field(min_length=1, max_length=255)] = None,
) -> dict[str, Any]:
    """Create a workspace."""
    return await ask(ctx, "POST", "/v1/workspaces", body={"name": name}, key=idempotency_key)


@server.resource("kobana://kadu/workspaces/{id}", mime_type="application/json")
async def workspace(id: str, ctx: Context) -> str:
    """A workspace as a document."""
    return json.dumps(await ask(ctx, "GET", f"/v1/workspaces/{quote(id, safe='')}"))


if __name__ == "__main__":
    app = server.streamable_http_app(stateless_http=True, json_response=True)
    uvicorn.run(
        app, host=os.environ.get("HOST", "127.0.0.1"), port=int(os.environ["PORT"]), log_level="warning"
    )

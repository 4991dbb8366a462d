"""A bare server on the official SDK: one tool, a fixed answer, nothing asked of anybody. What the SDK itself costs."""

import asyncio
import json
import sys

import uvicorn
from mcp.server.lowlevel import Server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

ANSWER = json.loads(sys.argv[1])


async def list_tools(_ctx: object, _params: object) -> ListToolsResult:
    """The one tool."""
    return ListToolsResult(tools=[Tool(name="kadu_me_get", input_schema={"type": "object"})])


async def call_tool(_ctx: object, _params: object) -> CallToolResult:
    """The fixed answer."""
    return CallToolResult(
        content=[TextContent(type="text", text=json.dumps(ANSWER))], structured_content=ANSWER
    )


async def main() -> None:
    """Serve on a free port, which the first line of output names."""
    server = Server(
        "bare",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda _name: {"type": "object"},
    )
    app = server.streamable_http_app(stateless_http=True, json_response=True)
    config = uvicorn.Config(app, port=0, log_level="warning", access_log=False, lifespan="on")
    running = uvicorn.Server(config)
    task = asyncio.create_task(running.serve())
    while not running.started:
        await asyncio.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    sys.stdout.write(json.dumps({"url": f"http://127.0.0.1:{port}/mcp"}) + "\n")
    sys.stdout.flush()
    await task


asyncio.run(main())

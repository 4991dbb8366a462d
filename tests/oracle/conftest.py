"""A server of the SDK that answers every method, on a free port: what it sends is the measure of a valid message."""

import asyncio
import base64
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import mcp_types as types
import pytest
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError

BYTES = base64.b64encode(b"bytes").decode()
ICON = types.Icon(src="https://example.com/i.png", mime_type="image/png", sizes=["any"])
NOTED = types.Annotations(audience=["user"], priority=0.5, last_modified="2026-01-01T00:00:00Z")
BLOCKS = [
    types.TextContent(type="text", text="ação", annotations=NOTED, _meta={"a.b/c": 1}),
    types.ImageContent(type="image", data=BYTES, mime_type="image/png"),
    types.AudioContent(type="audio", data=BYTES, mime_type="audio/wav"),
    types.ResourceLink(type="resource_link", uri="test://a", name="a", size=3, icons=[ICON]),
    types.EmbeddedResource(type="resource", resource=types.TextResourceContents(uri="test://a", text="")),
    types.EmbeddedResource(type="resource", resource=types.BlobResourceContents(uri="test://b", blob=BYTES)),
]
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"$ref": "#/$defs/b"}},
    "$defs": {"b": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
}


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    hints = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, title="T")
    tools = [
        types.Tool(
            name="full", title="F", description="d", input_schema=SCHEMA, annotations=hints, icons=[ICON]
        ),
        types.Tool(name="plain", input_schema={"type": "object"}, output_schema=SCHEMA, _meta={"x": None}),
    ]
    return types.ListToolsResult(tools=tools, next_cursor="next")


async def call_tool(ctx: Any, params: Any) -> types.CallToolResult | types.InputRequiredResult:
    if params.name == "ask":
        fields = {
            "sure": {"type": "boolean", "title": "Sure?", "default": False},
            "how": {"type": "string", "enum": ["a", "b"]},
            "many": {"type": "array", "items": {"type": "string", "enum": ["a"]}},
            "count": {"type": "integer", "minimum": 0},
        }
        form = types.ElicitRequestFormParams(
            message="Sure?", requested_schema={"type": "object", "properties": fields, "required": ["sure"]}
        )
        link = types.ElicitRequestURLParams(message="Go", url="https://example.com/", elicitation_id="e")
        questions = {"form": types.ElicitRequest(params=form), "link": types.ElicitRequest(params=link)}
        return types.InputRequiredResult(input_requests=questions, request_state="sealed")
    if params.name == "unknown":
        raise MCPError(types.INVALID_PARAMS, "no such tool", {"name": params.name})
    if params.name == "fails":
        return types.CallToolResult(content=[BLOCKS[0]], is_error=True)
    await ctx.session.report_progress(1, total=2, message="half")
    return types.CallToolResult(content=list(BLOCKS), structured_content={"a": [1, None, {"b": 1.5}]})


async def list_resources(ctx: Any, params: Any) -> types.ListResourcesResult:
    one = types.Resource(
        uri="test://a", name="a", title="A", mime_type="text/plain", size=1, annotations=NOTED
    )
    return types.ListResourcesResult(resources=[one, types.Resource(uri="urn:x", name="x")])


async def list_templates(ctx: Any, params: Any) -> types.ListResourceTemplatesResult:
    one = types.ResourceTemplate(uri_template="test://{id}/b{?c,d}", name="a", icons=[ICON])
    return types.ListResourceTemplatesResult(resource_templates=[one])


async def read_resource(ctx: Any, params: Any) -> types.ReadResourceResult:
    text = types.TextResourceContents(uri=params.uri, text="{}", mime_type="application/json")
    return types.ReadResourceResult(contents=[text, types.BlobResourceContents(uri=params.uri, blob=BYTES)])


async def list_prompts(ctx: Any, params: Any) -> types.ListPromptsResult:
    argument = types.PromptArgument(name="a", description="d", required=True)
    return types.ListPromptsResult(
        prompts=[types.Prompt(name="p", arguments=[argument]), types.Prompt(name="q")]
    )


async def get_prompt(ctx: Any, params: Any) -> types.GetPromptResult:
    messages = [types.PromptMessage(role="user", content=block) for block in BLOCKS]
    return types.GetPromptResult(description="d", messages=messages)


async def complete(ctx: Any, params: Any) -> types.CompleteResult:
    values = [str(number) for number in range(100)]
    return types.CompleteResult(completion=types.Completion(values=values, total=150, has_more=True))


async def empty(ctx: Any, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


def sdk_server() -> Server[Any]:
    server: Server[Any] = Server(
        "witness",
        version="1",
        title="Witness",
        instructions="none",
        icons=[ICON],
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_subscriptions_listen=ListenHandler(InMemorySubscriptionBus()),
    )
    for method in ("resources/subscribe", "resources/unsubscribe"):
        server.add_request_handler(method, types.SubscribeRequestParams, empty)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, empty)
    return server


@pytest.fixture(scope="session", params=[True, False], ids=["json", "events"])
def sdk_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of the server; once it answers in JSON, once in events where it can."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        app = sdk_server().streamable_http_app(json_response=request.param, stateless_http=True)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=asyncio.run, args=(server.serve([listener]),))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive()

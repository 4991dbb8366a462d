"""The oracle catches results that are not valid and names what is wrong, and accuses none that is."""

from typing import Any

import pytest

from harness.oracle import judge
from tests.oracle.messages import HINTS, NEW, OLD, TEXT, response, tool, verdict

BOTH: list[tuple[str, dict[str, Any], str]] = [
    (
        "tools/call",
        {"content": [TEXT], "isError": "yes"},
        'result.isError is the string "yes", not a boolean',
    ),
    ("tools/call", {"content": [TEXT], "isError": 1}, "result.isError is the number 1, not a boolean"),
    ("tools/call", {}, "result lacks content"),
    ("tools/call", {"content": None}, "result.content is null, not an array"),
    ("tools/call", {"content": ["t"]}, 'result.content[0] is the string "t", not an object'),
    ("tools/call", {"content": [TEXT, {"type": "text"}]}, "result.content[1] lacks text"),
    ("tools/call", {"content": [{"text": "t"}]}, "result.content[0] lacks type"),
    (
        "tools/call",
        {"content": [{"type": "text", "text": None}]},
        "result.content[0].text is null, not a string",
    ),
    (
        "tools/call",
        {"content": [{"type": "hologram"}]},
        'result.content[0].type is "hologram", which is none of "text", "image", "audio", "resource_link", "resource"',
    ),
    (
        "tools/call",
        {"content": [{**TEXT, "annotations": {"priority": 2}}]},
        "result.content[0].annotations.priority is 2, more than 1",
    ),
    (
        "tools/call",
        {"content": [{**TEXT, "annotations": {"audience": ["bot"]}}]},
        'result.content[0].annotations.audience[0] is "bot", which is none of "assistant", "user"',
    ),
    ("tools/call", {"content": [TEXT], "_meta": None}, "result._meta is null, not an object"),
    (
        "tools/call",
        {"content": [{"type": "image", "data": "no base64!", "mimeType": "image/png"}]},
        "result.content[0].data is no base64",
    ),
    (
        "tools/call",
        {"content": [{"type": "resource", "resource": {"uri": "a/b", "text": ""}}]},
        'result.content[0].resource.uri is "a/b", which is no absolute URI',
    ),
    (
        "tools/call",
        {"content": [{"type": "resource", "resource": {"uri": "a:b"}}]},
        "result.content[0].resource lacks text",
    ),
    ("tools/list", {"tools": [{"name": "t"}], **HINTS}, "result.tools[0] lacks inputSchema"),
    ("tools/list", {"tools": [tool(inputSchema={})], **HINTS}, "result.tools[0].inputSchema lacks type"),
    (
        "tools/list",
        {"tools": [tool(inputSchema={"type": "array"})], **HINTS},
        'result.tools[0].inputSchema.type is "array", not "object"',
    ),
    ("tools/list", {"tools": [tool(title=None)], **HINTS}, "result.tools[0].title is null, not a string"),
    (
        "tools/list",
        {"tools": [tool(), tool()], **HINTS},
        'result.tools[1].name is "t", which stands in the list before',
    ),
    (
        "tools/list",
        {"tools": [tool(icons=[{"src": "i.png"}])], **HINTS},
        'result.tools[0].icons[0].src is "i.png", which is no absolute URI',
    ),
    (
        "tools/list",
        {"tools": [tool(annotations={"destructiveHint": "true"})], **HINTS},
        'result.tools[0].annotations.destructiveHint is the string "true", not a boolean',
    ),
    ("tools/list", {"tools": {}, **HINTS}, "result.tools is an object, not an array"),
    ("tools/list", {"tools": [], "nextCursor": None, **HINTS}, "result.nextCursor is null, not a string"),
    (
        "resources/list",
        {"resources": [{"uri": "/a", "name": "a"}], **HINTS},
        'result.resources[0].uri is "/a", which is no absolute URI',
    ),
    ("resources/list", {"resources": [{"uri": "a:b"}], **HINTS}, "result.resources[0] lacks name"),
    (
        "resources/list",
        {"resources": [{"uri": "a:b", "name": "a"}, {"uri": "a:b", "name": "b"}], **HINTS},
        'result.resources[1].uri is "a:b", which stands in the list before',
    ),
    (
        "resources/templates/list",
        {"resourceTemplates": [{"uriTemplate": "a:{b", "name": "a"}], **HINTS},
        "result.resourceTemplates[0].uriTemplate is no URI template",
    ),
    (
        "resources/read",
        {"contents": [{"uri": "a:b", "blob": "%"}], **HINTS},
        "result.contents[0].blob is no base64",
    ),
    ("resources/read", {"contents": [{"uri": "a:b"}], **HINTS}, "result.contents[0] lacks text"),
    ("resources/read", {"contents": [{"text": ""}], **HINTS}, "result.contents[0] lacks uri"),
    (
        "prompts/list",
        {"prompts": [{"name": "p", "arguments": [{}]}], **HINTS},
        "result.prompts[0].arguments[0] lacks name",
    ),
    (
        "prompts/get",
        {"messages": [{"role": "system", "content": TEXT}]},
        'result.messages[0].role is "system", which is none of "assistant", "user"',
    ),
    (
        "prompts/get",
        {"messages": [{"role": "user", "content": [TEXT]}]},
        "result.messages[0].content is an array, not an object",
    ),
    (
        "completion/complete",
        {"completion": {"values": ["a"] * 101}},
        "result.completion.values has 101 items, more than 100",
    ),
    (
        "completion/complete",
        {"completion": {"values": [1]}},
        "result.completion.values[0] is the number 1, not a string",
    ),
    (
        "completion/complete",
        {"completion": {"values": [], "total": 1.5}},
        "result.completion.total is the number 1.5, not an integer",
    ),
]
ONLY_NEW: list[tuple[str, dict[str, Any], str]] = [
    ("tools/list", {"tools": [], **HINTS, "ttlMs": "5"}, 'result.ttlMs is the string "5", not an integer'),
    ("tools/list", {"tools": [], **HINTS, "ttlMs": -1}, "result.ttlMs is -1, less than 0"),
    ("resources/read", {"contents": [], "cacheScope": "private"}, "result lacks ttlMs"),
    (
        "tools/list",
        {"tools": [], **HINTS, "cacheScope": "shared"},
        'result.cacheScope is "shared", which is none of "private", "public"',
    ),
    ("server/discover", {"capabilities": {}, **HINTS}, "result lacks supportedVersions"),
    (
        "server/discover",
        {"supportedVersions": [NEW], "capabilities": {"tools": {"listChanged": "no"}}, **HINTS},
        'result.capabilities.tools.listChanged is the string "no", not a boolean',
    ),
    (
        "tools/call",
        {"content": [], "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s"}}},
        'result._meta["io.modelcontextprotocol/serverInfo"] lacks version',
    ),
    (
        "tools/call",
        {"content": [], "resultType": "task"},
        'result.resultType is "task", which is none of complete, input_required',
    ),
    (
        "tools/call",
        {"content": [], "resultType": ["complete"]},
        'result.resultType is ["complete"], which is none of complete, input_required',
    ),
    ("no/such", {"resultType": None}, "result.resultType is null, which is none of complete, input_required"),
]
ONLY_OLD: list[tuple[str, dict[str, Any], str]] = [
    (
        "tools/call",
        {"content": [], "structuredContent": [1]},
        "result.structuredContent is an array, not an object",
    ),
    ("initialize", {"protocolVersion": OLD, "capabilities": {}}, "result lacks serverInfo"),
    (
        "initialize",
        {"protocolVersion": 1, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}},
        "result.protocolVersion is the number 1, not a string",
    ),
]


@pytest.mark.parametrize(
    ("version", "method", "result", "violation"),
    [(version, *case) for version in (OLD, NEW) for case in BOTH]
    + [(NEW, *case) for case in ONLY_NEW]
    + [(OLD, *case) for case in ONLY_OLD],
)
def test_what_is_not_valid_is_named(
    version: str, method: str, result: dict[str, Any], violation: str
) -> None:
    assert verdict(method, version, result) == [violation]


def test_a_result_without_its_type_is_named_in_the_revision_that_wants_one() -> None:
    assert judge("tools/call", NEW, response({"content": []})) == ["result lacks resultType"]
    assert judge("tools/call", OLD, response({"content": []})) == []


def form(fields: Any, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": fields}
    params = {"message": "m", "requestedSchema": schema, **more}
    return {"requestState": "s", "inputRequests": {"ask": {"method": "elicitation/create", "params": params}}}


PLACE = "result.inputRequests.ask"


@pytest.mark.parametrize(
    ("result", "violation"),
    [
        ({}, "result has neither inputRequests nor requestState"),
        ({"requestState": 7}, "result.requestState is the number 7, not a string"),
        ({"requestState": None}, "result.requestState is null, not a string"),
        ({"inputRequests": {"ask": {}}}, f"{PLACE} lacks method"),
        (
            {"inputRequests": {"ask": {"method": "tools/call"}}},
            f'{PLACE}.method is "tools/call", which is none of "sampling/createMessage", "roots/list", "elicitation/create"',
        ),
        ({"inputRequests": {"ask": {"method": "elicitation/create"}}}, f"{PLACE} lacks params"),
        (form({}, message=None), f"{PLACE}.params.message is null, not a string"),
        (form({}, mode="paper"), f'{PLACE}.params.mode is "paper", which is none of "form", "url"'),
        (form([]), f"{PLACE}.params.requestedSchema.properties is an array, not an object"),
        (
            form({"a": {"type": "object"}}),
            f'{PLACE}.params.requestedSchema.properties.a.type is "object", '
            'which is none of "string", "integer", "number", "boolean", "array"',
        ),
        (
            form({"a": {"type": "boolean", "default": "no"}}),
            f'{PLACE}.params.requestedSchema.properties.a.default is the string "no", not a boolean',
        ),
        (
            {
                "inputRequests": {
                    "ask": {
                        "method": "elicitation/create",
                        "params": {"mode": "url", "message": "m", "url": "/a"},
                    }
                }
            },
            f'{PLACE}.params.url is "/a", which is no absolute URI',
        ),
    ],
)
@pytest.mark.parametrize("method", ["tools/call", "prompts/get", "resources/read"])
def test_questions_are_judged_by_their_own_branch(
    method: str, result: dict[str, Any], violation: str
) -> None:
    assert judge(method, NEW, response({"resultType": "input_required", **result})) == [violation]


@pytest.mark.parametrize(
    "method", ["tools/list", "server/discover", "completion/complete", "prompts/list", "no/such"]
)
def test_only_three_methods_may_ask(method: str) -> None:
    asked = response({"resultType": "input_required", "requestState": "s"})
    assert judge(method, NEW, asked) == [
        f'result.resultType is "input_required", which must not answer {method}'
    ]

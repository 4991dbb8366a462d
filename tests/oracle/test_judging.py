"""The oracle catches what is not valid and names it, and accuses nothing that is."""

import copy
import json
import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp_types.methods import SERVER_NOTIFICATIONS, SERVER_REQUESTS, SERVER_RESULTS

from harness.oracle import VIOLATIONS, Oracle, judge
from harness.oracle.schemas import known_key, schema_for

OLD, NEW = "2025-11-25", "2026-07-28"
TEXT = {"type": "text", "text": "t"}
HINTS = {"ttlMs": 0, "cacheScope": "private"}
BASE64 = "Ynl0ZXM="


def response(result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": result}


def verdict(method: str, version: str, result: Any) -> list[str]:
    typed = {"resultType": "complete"} if version == NEW and isinstance(result, dict) else {}
    return judge(method, version, response({**typed, **result} if isinstance(result, dict) else result))


def tool(**more: Any) -> dict[str, Any]:
    return {"name": "t", "inputSchema": {"type": "object"}, **more}


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


@pytest.mark.parametrize(
    ("version", "error", "violations"),
    [
        (OLD, {"code": -32002, "message": "m", "data": {"uri": "x"}}, []),
        (NEW, {"code": -32602, "message": "m", "data": [1]}, []),
        (NEW, {"code": "x", "message": "m"}, ['error.code is the string "x", not an integer']),
        (NEW, {"code": [1], "message": "m"}, ["error.code is an array, not an integer"]),
        (NEW, {"code": 1}, ["error lacks message"]),
        (NEW, "broken", ['error is the string "broken", not an object']),
        (NEW, {"code": -32022, "message": "m"}, ["error lacks data"]),
        (
            NEW,
            {"code": -32022, "message": "m", "data": {"supported": NEW}},
            ['error.data.supported is the string "2026-07-28", not an array', "error.data lacks requested"],
        ),
        (NEW, {"code": -32021, "message": "m", "data": {}}, ["error.data lacks requiredCapabilities"]),
        (NEW, {"code": -32022, "message": "m", "data": {"supported": [NEW], "requested": "x"}}, []),
        (OLD, {"code": -32022, "message": "m"}, []),
    ],
)
def test_errors_are_judged(version: str, error: Any, violations: list[str]) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "error": error}
    assert sorted(judge("tools/call", version, message)) == sorted(violations)


@pytest.mark.parametrize(
    ("message", "violation"),
    [
        ({"id": 1, "result": {"content": []}}, 'jsonrpc is not "2.0"'),
        (
            {"jsonrpc": "2.0", "id": True, "result": {"content": []}},
            "id is true, which is neither string nor integer",
        ),
        (
            {"jsonrpc": "2.0", "id": None, "result": {"content": []}},
            "id is null, which is neither string nor integer",
        ),
        (
            {"jsonrpc": "2.0", "id": [], "error": {"code": 1, "message": ""}},
            "id is [], which is neither string nor integer",
        ),
        (response([]), "result is no object"),
    ],
)
def test_the_envelope_is_judged(message: dict[str, Any], violation: str) -> None:
    assert judge("tools/call", OLD, message) == [violation]


def test_an_error_without_a_readable_id_is_not_accused() -> None:
    assert (
        judge("tools/call", NEW, {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "m"}})
        == []
    )
    assert judge("tools/call", NEW, {"jsonrpc": "2.0", "error": {"code": -32600, "message": "m"}}) == []


def note(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


@pytest.mark.parametrize(
    ("version", "other", "violation"),
    [
        (
            NEW,
            note("notifications/progress", progressToken=1, progress="x"),
            'params.progress is the string "x", not a number',
        ),
        (OLD, note("notifications/progress", progress=1), "params lacks progressToken"),
        (
            NEW,
            note("notifications/message", level="loud", data=1),
            'params.level is "loud", which is none of "alert"',
        ),
        (NEW, note("notifications/resources/updated"), "params lacks uri"),
        (OLD, {"method": "notifications/tools/list_changed"}, "the message lacks jsonrpc"),
        (
            NEW,
            {"jsonrpc": "2.0", "method": "notifications/of/an/extension", "params": []},
            "params is an array, not an object",
        ),
    ],
)
def test_notifications_are_judged(version: str, other: dict[str, Any], violation: str) -> None:
    result = {"content": [], "resultType": "complete"}
    (found,) = judge("tools/call", version, response(result), [other])
    assert found.startswith(f"notification {other['method']}: {violation}")


@pytest.mark.parametrize(
    "other",
    [
        note("notifications/of/an/extension", anything=1),
        note("notifications/message", level="info", data=None),
        {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
    ],
)
@pytest.mark.parametrize("version", [OLD, NEW])
def test_good_notifications_are_not_accused(version: str, other: dict[str, Any]) -> None:
    assert judge("tools/call", version, response({"content": [], "resultType": "complete"}), [other]) == []


def test_requests_of_the_server_belong_to_the_handshake_era() -> None:
    result = response({"content": [], "resultType": "complete"})
    roots = {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
    asks = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {"message": "m"}}
    assert judge("tools/call", OLD, result, [roots]) == []
    assert judge("tools/call", OLD, result, [asks]) == [
        "request elicitation/create: params lacks requestedSchema"
    ]
    assert judge("tools/call", NEW, result, [roots]) == [
        "roots/list is a request of the server, which this revision does not have"
    ]


def test_members_the_revision_does_not_know_are_no_violation() -> None:
    content = [{**TEXT, "x": 1, "_meta": {"a/b": None}}]
    extra = {"content": content, "x": {"y": None}, "_meta": {"a.b/c": [1], "x": None}}
    for version in (OLD, NEW):
        assert verdict("tools/call", version, extra) == []
        assert verdict("tools/list", version, {"tools": [tool(x=1, _meta={})], **HINTS, "x": None}) == []
        assert verdict("no/such", version, {"x": 1}) == []


def test_a_schema_of_a_tool_may_hold_anything_schemas_hold() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"default": None, "enum": [None, 1]}},
        "oneOf": [{}],
        "$defs": {"x": True},
    }
    for version in (OLD, NEW):
        assert (
            verdict(
                "tools/list", version, {"tools": [tool(inputSchema=schema, outputSchema=schema)], **HINTS}
            )
            == []
        )


def test_at_most_ten_violations_are_told_and_kept() -> None:
    assert len(verdict("tools/call", NEW, {"content": [{}] * 500})) == VIOLATIONS == 10
    assert len(verdict("tools/list", NEW, {"tools": [{}] * 500, **HINTS})) == 10
    oracle = Oracle()
    others = [note(f"notifications/x{number}") | {"params": []} for number in range(20)]
    assert len(oracle.judge("tools/call", OLD, response({"content": [{}] * 500}), others)) == 10
    assert len(oracle.judge("tools/call", OLD, response({"content": []}), others)) == 10
    assert all(len(known) <= 10 for known in oracle._verdicts.values())


def test_long_values_are_cut_in_what_is_told() -> None:
    (found,) = verdict("tools/call", NEW, {"content": [], "isError": "x" * 5000})
    assert found.startswith('result.isError is the string "xxx')
    assert len(found) < 200


def test_an_unknown_version_is_judged_as_the_newest_handshake_revision() -> None:
    assert judge("tools/call", "2099-01-01", response({"content": None})) == [
        "result.content is null, not an array"
    ]


def test_equal_parts_are_judged_once_and_alike() -> None:
    oracle = Oracle()
    tools = [tool(name=f"t{n}", title=None if n % 2 else "t") for n in range(10)]
    first = oracle.judge("tools/list", OLD, response({"tools": tools}))
    assert len(first) == 5
    judged: list[Any] = []
    original = oracle._validator

    def spy(key: Any) -> Any:
        judged.append(key[0])
        return original(key)

    oracle._validator = spy  # type: ignore[method-assign]
    assert oracle.judge("tools/list", OLD, response({"tools": tools})) == first
    assert judged == []
    shorter = oracle.judge("tools/list", OLD, response({"tools": tools[:4]}))
    assert (len(shorter), judged) == (2, ["result"])


def test_what_is_remembered_is_bounded_and_so_are_validators() -> None:
    oracle = Oracle()
    answer = response({"content": []})
    for number in range(300):
        others = [note(f"notifications/x{number}")]
        oracle.judge(
            "tools/call", OLD, {"jsonrpc": "2.0", "id": 1, "error": {"code": number, "message": "m"}}, others
        )
        oracle.judge("tools/call", OLD, answer, [{"jsonrpc": "2.0", "id": 1, "method": f"x{number}"}])
    assert len(oracle._validators) == 4


def test_every_schema_can_be_made_and_holds_no_reference() -> None:
    keys = [
        ("result", method, version, kind)
        for method, version in SERVER_RESULTS
        for kind in ("complete", "input_required")
    ]
    keys += [("notification", *pair, None) for pair in SERVER_NOTIFICATIONS]
    keys += [("request", *pair, None) for pair in SERVER_REQUESTS]
    keys += [("error", "", version, code) for version in (OLD, NEW) for code in (None, -32021, -32022)]
    for key in keys:
        text = json.dumps(schema_for(*known_key(*key)))
        assert "$ref" not in text
        assert '"null"' not in text


SEEDS: list[tuple[str, dict[str, Any]]] = [
    ("tools/call", {"content": [TEXT], "isError": False, "structuredContent": {"a": 1}}),
    ("tools/list", {"tools": [tool(annotations={"readOnlyHint": True})], **HINTS}),
    ("prompts/get", {"messages": [{"role": "user", "content": TEXT}]}),
    ("resources/read", {"contents": [{"uri": "a:b", "blob": BASE64}], **HINTS}),
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(SEEDS), st.dictionaries(st.text("xyz", min_size=1), JSON, max_size=3))
def test_unknown_members_never_make_a_good_message_bad(
    seed: tuple[str, dict[str, Any]], extra: dict[str, Any]
) -> None:
    method, result = seed
    for version in (OLD, NEW):
        assert verdict(method, version, {**extra, **copy.deepcopy(result)}) == []


NAMES = st.sampled_from(
    [
        *("content", "tools", "resources", "contents", "messages", "completion", "values", "inputRequests"),
        *("type", "text", "uri", "resource", "icons", "code", "data", "method", "mode", "resultType", ""),
    ]
)
KINDS = st.sampled_from(["complete", "input_required", "text", "resource", "url", "elicitation/create"])
MESSY = st.recursive(
    JSON | KINDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@example("tools/call", {"": [1], "resultType": "complete"}, None, NEW)
@given(
    st.sampled_from(sorted({method for method, _ in SERVER_RESULTS})),
    MESSY | st.fixed_dictionaries({"resultType": KINDS}, optional={"inputRequests": MESSY, "content": MESSY}),
    MESSY,
    st.sampled_from([OLD, NEW, "?"]),
)
def test_judging_never_raises(method: str, result: Any, other: Any, version: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "result": result, "error": other}
    others = [{"method": other, "id": result}, {"method": "notifications/message", "params": other}]
    for sentence in judge(method, version, message, others):
        assert 0 < len(sentence) < 1000
    judge(method, version, {"id": other, "error": other})


def test_deep_values_are_judged_without_trouble() -> None:
    deep: Any = 1
    for _ in range(125):
        deep = {"a": [deep]}
    for version in (OLD, NEW):
        assert (
            verdict("tools/call", version, {"content": [], "structuredContent": deep, "_meta": {"a": deep}})
            == []
        )


def test_the_libraries_are_imported_with_the_first_message_only() -> None:
    code = "import sys, harness.oracle; print([name for name in ('mcp_types', 'jsonschema', 'pydantic') if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_long_list_is_judged_fast() -> None:
    fields = {f"p{n}": {"type": "string", "description": "d" * 50} for n in range(8)}
    tools = [tool(name=f"t{n}", inputSchema={"type": "object", "properties": fields}) for n in range(60)]
    oracle, answer = Oracle(), response({"tools": tools, "resultType": "complete", **HINTS})
    oracle.judge("tools/list", NEW, response({"tools": [], "resultType": "complete", **HINTS}))
    began = time.process_time()
    assert oracle.judge("tools/list", NEW, answer) == []
    assert time.process_time() - began < 0.1

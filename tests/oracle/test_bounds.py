"""The oracle leaves alone what is not its own, tells and keeps a bounded amount, and never raises."""

import copy
import json
import subprocess
import sys
import time
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from mcp_types.methods import SERVER_NOTIFICATIONS, SERVER_REQUESTS, SERVER_RESULTS

from harness.oracle import VIOLATIONS, Oracle, judge
from harness.oracle.schemas import known_key, schema_for
from tests.oracle.messages import BASE64, HINTS, NEW, OLD, TEXT, note, response, tool, verdict


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

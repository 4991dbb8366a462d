"""MCP-14: what is wrong with an inputSchema is the server's, what nobody can tell is not testable."""

from typing import Any

import pytest

from harness.checks.protocol import expect_schemas
from harness.exchanges import Exchange, HttpRequest
from harness.verdicts import NotTestable, RuleBroken

LISTED = Exchange(1, "client", "tools/list", HttpRequest("POST", "http://x", ()), None, None, 0.0)
ODD = {"type": "object", "$schema": "https://example.com/mine", "properties": 7}


def listed(*schemas: Any) -> list[tuple[dict[str, Any], Exchange]]:
    return [({"name": f"tool_{n}", "inputSchema": schema}, LISTED) for n, schema in enumerate(schemas)]


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def test_valid_schemas_of_known_dialects_are_fine() -> None:
    expect_schemas(
        listed({"type": "object"}, {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"})
    )


@pytest.mark.parametrize(("schema", "why"), [(ODD, "the dialect"), (nested(400), "nested too deeply")])
def test_what_cannot_be_judged_accuses_nobody(schema: Any, why: str) -> None:
    with pytest.raises(NotTestable, match=why):
        expect_schemas(listed({"type": "object"}, schema))


@pytest.mark.parametrize("schema", [None, {}, {"type": "array"}, {"type": "object", "properties": 7}])
def test_what_is_wrong_is_the_servers_whatever_else_cannot_be_judged(schema: Any) -> None:
    with pytest.raises(RuleBroken, match="the inputSchema of tool_1 is not valid"):
        expect_schemas(listed(ODD, schema))

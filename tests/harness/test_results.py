"""The code of a result is found where servers put it, and never where it is only talked about."""

from typing import Any

import pytest

from harness.checks.results import codes_of, expect_code
from harness.verdicts import RuleBroken
from tests.harness.answers import answered

KNOWN = ("USER_DECLINED", "NOT_FOUND", "confirmation_replayed")


def text(words: str) -> dict[str, Any]:
    return {"isError": True, "content": [{"type": "text", "text": words}]}


@pytest.mark.parametrize(
    "result",
    [
        {"isError": True, "content": [], "structuredContent": {"code": "NOT_FOUND"}},
        {"isError": True, "content": [], "structuredContent": {"error": {"code": "NOT_FOUND"}}},
        {"isError": True, "content": [], "structuredContent": {"errors": [{"code": "NOT_FOUND"}]}},
        text('{"error": {"code": "NOT_FOUND", "message": "USER_DECLINED is another thing"}}'),
        text("NOT_FOUND: there is no such record"),
        text("Error (NOT_FOUND)."),
    ],
)
def test_the_code_is_found(result: dict[str, Any]) -> None:
    expect_code(answered(result), "NOT_FOUND", KNOWN)


@pytest.mark.parametrize(
    "result",
    [
        text("the record was NOT_FOUND_HERE"),
        text("not found"),
        text("NOT_FOUND or USER_DECLINED"),
        {"isError": False, "content": [], "structuredContent": {"code": "NOT_FOUND"}},
        {"content": [{"type": "text", "text": "NOT_FOUND"}]},
        {"isError": "yes", "content": [{"type": "text", "text": "NOT_FOUND"}]},
    ],
)
def test_another_code_or_no_error_breaks_the_rule(result: dict[str, Any]) -> None:
    with pytest.raises(RuleBroken):
        expect_code(answered(result), "NOT_FOUND", KNOWN)


def test_text_that_is_no_document_holds_words_only() -> None:
    assert codes_of(answered(text("[" * 100_000)), KNOWN) == set()

"""When a repetition is the first answer again, and when only its secret is gone."""

import json
from typing import Any

import pytest

from harness.checks.answers import expect_same, expect_same_but_secret
from harness.exchanges import Exchange
from harness.verdicts import RuleBroken
from tests.harness import answers


def answered(body: dict[str, Any], **more: Any) -> Exchange:
    content = [{"type": "text", "text": json.dumps(body)}]
    return answers.answered({"content": content, "structuredContent": body, **more})


FIRST = {"id": "w-1", "signing_secret": "whsec_abc", "events": [{"name": "a"}]}


def test_the_same_body_is_the_same_in_any_order() -> None:
    expect_same(answered(FIRST), answered(dict(reversed(list(FIRST.items())))))


@pytest.mark.parametrize(
    "second",
    [
        answered({**FIRST, "id": "w-2"}),
        answered({**FIRST, "replayed": True}),
        answered({**FIRST, "signing_secret": None}),
        answered(FIRST, isError=True),
    ],
)
def test_another_body_or_another_outcome_is_not(second: Exchange) -> None:
    with pytest.raises(RuleBroken):
        expect_same(answered(FIRST), second)


def test_a_secret_that_became_null_is_gone() -> None:
    expect_same_but_secret(answered(FIRST), answered({**FIRST, "signing_secret": None}))


@pytest.mark.parametrize(
    "second",
    [
        FIRST,
        {key: value for key, value in FIRST.items() if key != "signing_secret"},
        {**FIRST, "signing_secret": "••••"},
        {**FIRST, "signing_secret": ""},
        {**FIRST, "signing_secret": None, "id": "w-2"},
        {**FIRST, "signing_secret": None, "events": []},
    ],
)
def test_a_secret_that_is_shown_masked_or_left_out_is_not_null(second: dict[str, Any]) -> None:
    with pytest.raises(RuleBroken):
        expect_same_but_secret(answered(FIRST), answered(second))


def test_a_secret_that_is_null_in_one_place_and_shown_in_another_is_not_gone() -> None:
    body = {**FIRST, "signing_secret": None}
    second = answers.answered(
        {"content": [{"type": "text", "text": json.dumps(FIRST)}], "structuredContent": body}
    )
    with pytest.raises(RuleBroken):
        expect_same_but_secret(answered(FIRST), second)
    expect_same_but_secret(answered(FIRST), second, gone=False)

"""Whatever is asked for: no crash, no leak, the right code in each era, and after it the server still answers."""

import string
from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.exchanges import ERAS, Era, Exchange
from harness.settings import Settings
from harness.verdicts import Finding
from harness.wire.eras import ERA_TABLES, INVALID_PARAMS
from harness.world import World, open_world

from .programs import judged

EXAMPLES = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
LEAKS = ("Traceback", 'File "', "site-packages", "Authorization", "Bearer ", "openapi", "127.0.0.1")


@pytest.fixture(scope="module")
def running() -> Iterator[Settings]:
    with judged() as ready:
        yield ready


@pytest.fixture(scope="module", params=ERAS)
def world(running: Settings, request: pytest.FixtureRequest) -> Iterator[World]:
    era: Era = request.param
    opened = open_world(running, f"properties@{era}", era, "KADU-RES-08")
    yield opened
    opened.close()


def check(world: World, exchange: Exchange, *allowed: int) -> None:
    """A result, or an error of an allowed code; a valid message; nothing told that is nobody's business."""
    assert exchange.answer is not None, exchange.problem
    assert exchange.message is not None, exchange.malformed
    error = exchange.error
    assert error is None or error["code"] in allowed, error
    body = exchange.answer.body.decode()
    foreign = world.tenant_of("a stranger's assistant").organization["id"]
    secrets = [*LEAKS, foreign, *(token.value for token in world.tenant.first_tokens)]
    assert not [secret for secret in secrets if secret in body]
    still: list[Finding] = list(world.findings)
    assert still == []
    again = world.client().request("resources/read", {"uri": world.product.uri_prefix + "me"})
    assert again.result is not None


def not_found(world: World) -> int:
    return ERA_TABLES[world.era].not_found_code


rows = st.sampled_from(
    ["me", "tasks/", "executions/", "workspaces/", "operation_approvals", "", "secrets/", "x"]
)
odd = st.text(st.characters(codec="utf-8"), max_size=40) | st.text(
    "/%.?#&=;:@\\ " + string.hexdigits, max_size=40
)


@EXAMPLES
@given(row=rows, tail=odd)
def test_any_address_is_read_or_not_found(world: World, row: str, tail: str) -> None:
    uri = world.product.uri_prefix + row + tail
    check(world, world.client().request("resources/read", {"uri": uri}), not_found(world), INVALID_PARAMS)


@EXAMPLES
@given(uri=odd)
def test_what_is_no_address_of_ours_is_not_found(world: World, uri: str) -> None:
    exchange = world.client().request("resources/read", {"uri": uri})
    check(world, exchange, not_found(world), INVALID_PARAMS)
    assert exchange.error is not None


def _is_month(text: str) -> bool:
    try:
        return len(text) == 7 and text.isascii() and bool(date.fromisoformat(text + "-01"))
    except ValueError:
        return False


months = (
    st.from_regex(r"[0-9]{1,5}[-/. ]?[0-9]{0,3}", fullmatch=True)
    | odd
    | st.dates().map(lambda day: f"{day:%Y-%m}")
)


@EXAMPLES
@given(month=months)
def test_a_month_is_taken_exactly_when_it_is_one(world: World, month: str) -> None:
    exchange = world.client().request(
        "prompts/get", {"name": "monthly_usage_report", "arguments": {"month": month}}
    )
    check(world, exchange, INVALID_PARAMS)
    assert (exchange.error is None) == _is_month(month), month


def _is_date(text: str) -> bool:
    try:
        return (
            len(text) == 10
            and text[4] == text[7] == "-"
            and text.isascii()
            and bool(date.fromisoformat(text))
        )
    except ValueError:
        return False


days = (
    st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", fullmatch=True)
    | odd.filter(bool)
    | st.dates().map(date.isoformat)
)


@EXAMPLES
@given(since=days)
def test_a_date_is_taken_exactly_when_it_is_one(world: World, since: str) -> None:
    exchange = world.client().request(
        "prompts/get", {"name": "review_failed_executions", "arguments": {"since": since}}
    )
    check(world, exchange, INVALID_PARAMS)
    assert (exchange.error is None) == _is_date(since), since


@EXAMPLES
@given(name=st.sampled_from(["execution_id", "task_id", "month", "since", "", "x"]) | odd, typed=odd)
def test_any_completion_is_a_list_or_invalid(world: World, name: str, typed: str) -> None:
    for reference in (
        {"type": "ref/prompt", "name": "explain_execution"},
        {"type": "ref/resource", "uri": world.product.uri_prefix + "tasks/{id}"},
    ):
        params = {"ref": reference, "argument": {"name": name, "value": typed}}
        exchange = world.client().request("completion/complete", params)
        check(world, exchange, INVALID_PARAMS)
        if exchange.result is not None:
            values = exchange.result["completion"]["values"]
            assert len(values) <= 100
            assert all(typed.casefold() in value.casefold() for value in values)

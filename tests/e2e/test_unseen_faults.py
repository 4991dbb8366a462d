"""A register that fails shows nothing of a server that never asks it, and everything of one that does."""

import secrets
from collections.abc import Iterator

import httpx
import pytest

from harness.settings import Settings
from harness.steps.approvals import cannot_register, cannot_store, failed_unseen, well_again
from harness.steps.console import record_changes, record_is_deleted
from harness.verdicts import NotTestable
from harness.world import Call, World, open_world
from tests.programs import mock_api

WORKSPACES, CONFIRMATIONS, APPROVALS = "/v1/workspaces", "/v1/confirmations", "/v1/operation_approvals"


@pytest.fixture(scope="module")
def upstream() -> Iterator[Settings]:
    """A mock API, and nobody before it."""
    secret = secrets.token_urlsafe(32)
    with mock_api(secret) as mock:
        yield Settings("kadu", (), ("http://127.0.0.1:9/mcp",), mock["api_url"], mock["control_url"], secret)


@pytest.fixture
def world(upstream: Settings) -> Iterator[World]:
    opened = open_world(upstream, "unseen faults", "2026", "KADU-UNA-03")
    yield opened
    opened.close()


def ask(world: World, path: str) -> int:
    """POST something to the API as the assistant's token; the status that came."""
    token = world.token_of("the assistant").value
    headers = {"authorization": f"Bearer {token}"}
    body = {"name": "Tesouraria"}
    answer = httpx.post(world.settings.api_url + path, headers=headers, json=body, trust_env=False)
    return answer.status_code


def test_without_a_fault_there_is_nothing_to_excuse(world: World) -> None:
    assert failed_unseen(world) is None


def test_a_register_that_nobody_asked_shows_nothing(world: World) -> None:
    cannot_register(world)
    assert "confirmations_create" in str(failed_unseen(world))
    assert ask(world, WORKSPACES) == 201
    assert "confirmations_create" in str(failed_unseen(world))
    well_again(world)
    assert failed_unseen(world) is None


def test_a_register_that_was_asked_shows_what_its_failing_does(world: World) -> None:
    cannot_register(world)
    assert ask(world, CONFIRMATIONS) == 503
    assert failed_unseen(world) is None


def test_what_ran_was_not_stored_anywhere(world: World) -> None:
    cannot_store(world)
    assert "operation_approvals_create" in str(failed_unseen(world))
    assert ask(world, WORKSPACES) == 201
    assert failed_unseen(world) is None


def test_an_approval_that_was_refused_is_judged(world: World) -> None:
    cannot_store(world)
    assert ask(world, APPROVALS) == 503
    assert failed_unseen(world) is None


def test_a_record_that_a_server_took_away_is_no_fault_of_ours(world: World) -> None:
    world.story.call = Call("kadu_environments_delete", {"id": world.tenant.records["environments"][0]["id"]})
    record_is_deleted(world)
    for late in (record_is_deleted, lambda world: record_changes(world, "name")):
        with pytest.raises(NotTestable, match="gone before its time"):
            late(world)
    world.story.call = Call("kadu_environments_delete", {})
    with pytest.raises(NotTestable, match="asks for no id"):
        record_is_deleted(world)

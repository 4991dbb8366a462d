"""Completions: recent ids under the permission of their listing, months, limits, and nothing rather than an error."""

from datetime import UTC, datetime
from typing import Any

import pytest

from .conftest import MakePeer, Peer
from .stub import StubUpstream, error

pytestmark = pytest.mark.anyio
PREFIX = "kobana://kadu/"
SOURCES = [
    ({"type": "ref/prompt", "name": "explain_execution"}, "execution_id", "executions"),
    ({"type": "ref/prompt", "name": "check_task_readiness"}, "task_id", "tasks"),
    ({"type": "ref/prompt", "name": "check_task_readiness"}, "environment_id", "environments"),
    *(
        ({"type": "ref/resource", "uri": f"{PREFIX}{name}/{{id}}"}, "id", name)
        for name in ("operation_approvals", "workspaces", "activities", "tasks", "executions", "memories",
                     "environments", "schedules")
    ),
    *(
        ({"type": "ref/resource", "uri": f"{PREFIX}executions/{{id}}/{name}"}, "id", "executions")
        for name in ("events", "logs", "todos")
    ),
]  # fmt: skip
MONTH = ({"type": "ref/prompt", "name": "monthly_usage_report"}, "month")
EXECUTION = ({"type": "ref/prompt", "name": "explain_execution"}, "execution_id")


async def complete(peer: Peer, ref: dict[str, str], name: str, value: str = "") -> dict[str, Any]:
    """The completion of an argument."""
    params = {"ref": ref, "argument": {"name": name, "value": value}}
    completion: dict[str, Any] = (await peer.result("completion/complete", params))["completion"]
    return completion


@pytest.mark.parametrize(("ref", "name", "collection"), SOURCES)
async def test_ids_newest_first_filtered_by_what_is_typed(
    connect: MakePeer, upstream: StubUpstream, modern: bool, ref: Any, name: str, collection: str
) -> None:
    peer = await connect(modern=modern)
    both = [f"{collection}-2", f"{collection}-1"]
    assert (await complete(peer, ref, name))["values"] == both
    found = await complete(peer, ref, name, f"{collection}-1")
    assert found == {"values": [f"{collection}-1"], "total": 1, "hasMore": False}
    assert (await complete(peer, ref, name, "nothing"))["values"] == []
    upstream.holders["token-1"].permissions.discard(f"agent.{collection}.read")
    assert await complete(peer, ref, name) == {"values": [], "total": 0, "hasMore": False}


async def test_at_most_a_hundred(connect: MakePeer, upstream: StubUpstream, modern: bool) -> None:
    upstream.records["executions"] = [{"id": f"e-{n:03d}"} for n in reversed(range(150))]
    found = await complete(await connect(modern=modern), *EXECUTION)
    assert found["values"] == [f"e-{n:03d}" for n in range(149, 49, -1)]
    assert found["hasMore"] is True
    assert "total" not in found


async def test_a_rare_prefix_is_looked_for_beyond_the_first_page(
    connect: MakePeer, upstream: StubUpstream
) -> None:
    upstream.records["executions"] = [{"id": f"e-{n:03d}"} for n in reversed(range(350))]
    peer = await connect()
    assert await complete(peer, *EXECUTION, "e-007") == {"values": ["e-007"], "total": 1, "hasMore": False}
    wide = await complete(peer, *EXECUTION, "e-1")
    assert (len(wide["values"]), wide["hasMore"]) == (100, True)


async def test_two_pages_together_give_no_more_than_a_hundred(
    connect: MakePeer, upstream: StubUpstream
) -> None:
    upstream.records["executions"] = [{"id": f"{'a' if n % 5 < 3 else 'b'}-{n:03d}"} for n in range(200)]
    found = await complete(await connect(), *EXECUTION, "a")
    assert (len(found["values"]), found["total"], found["hasMore"]) == (100, 120, True)


async def test_pages_are_not_followed_for_ever(connect: MakePeer, upstream: StubUpstream) -> None:
    upstream.records["executions"] = [{"id": f"e-{n:04d}"} for n in reversed(range(2000))]
    found = await complete(await connect(), *EXECUTION, "e-0007")
    assert (found["values"], found["hasMore"]) == ([], True)
    assert len([a for a in upstream.asked if a.path == "/v1/executions"]) == 5


@pytest.mark.parametrize(
    ("now", "first", "last"),
    [
        (datetime(2026, 11, 30, 15, tzinfo=UTC), "2026-11", "2025-12"),
        (datetime(2027, 1, 31, 15, tzinfo=UTC), "2027-01", "2026-02"),
        (datetime(2028, 12, 31, 15, tzinfo=UTC), "2028-12", "2028-01"),
    ],
)
async def test_months(
    connect: MakePeer, upstream: StubUpstream, now: datetime, first: str, last: str
) -> None:
    upstream.now = now
    values = (await complete(await connect(), *MONTH))["values"]
    assert (len(values), values[0], values[-1]) == (12, first, last)
    assert values == sorted(set(values), reverse=True)


async def test_months_filtered(connect: MakePeer) -> None:
    assert (await complete(await connect(), *MONTH, "2025"))["values"] == ["2025-12"]


async def test_no_source_gives_nothing(connect: MakePeer, modern: bool) -> None:
    peer = await connect(modern=modern)
    review = {"type": "ref/prompt", "name": "review_failed_executions"}
    for ref, name in (
        (review, "since"),
        (review, "nothing"),
        ({"type": "ref/resource", "uri": PREFIX + "me"}, "id"),
        ({"type": "ref/resource", "uri": PREFIX + "tasks/{id}"}, "other"),
    ):
        assert await complete(peer, ref, name) == {"values": [], "total": 0, "hasMore": False}


@pytest.mark.parametrize("ref", [{"type": "ref/prompt", "name": "x"}, {"type": "ref/resource", "uri": "x"}])
async def test_reference_to_nothing(connect: MakePeer, modern: bool, ref: Any) -> None:
    params = {"ref": ref, "argument": {"name": "id", "value": ""}}
    assert (await (await connect(modern=modern)).error("completion/complete", params))["code"] == -32602


async def test_the_upstream_forbids_or_fails(connect: MakePeer, upstream: StubUpstream, modern: bool) -> None:
    peer = await connect(modern=modern)
    upstream.faults["/v1/executions"] = error(403, "forbidden")
    assert (await complete(peer, *EXECUTION))["values"] == []
    params = {"ref": EXECUTION[0], "argument": {"name": EXECUTION[1], "value": ""}}
    for fault in ((0, None), error(500, "x"), (200, b"[]")):
        upstream.faults["/v1/executions"] = fault
        assert (await peer.error("completion/complete", params))["code"] == -32603

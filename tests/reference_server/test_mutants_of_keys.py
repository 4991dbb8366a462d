"""Mutants of idempotency, destructive tools and approvals: what of their lies can be seen without a mock."""

from typing import Any

import pytest

from reference_server.engine.server import Parts
from reference_server.mutants import mutants

from .conftest import MakePeer
from .stub import StubUpstream

pytestmark = pytest.mark.anyio
BY_NAME = {mutant.name: mutant for mutant in mutants()}
KEY = "Disparo-1"


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("", KEY),
        ("key_never_sent", None),
        ("key_under_another_header", None),
        ("key_of_capitals_lowered", KEY.lower()),
        ("key_percent_encoded", KEY),
        ("shortest_key_refused", KEY),
    ],
)
async def test_how_a_key_travels(
    connect: MakePeer, upstream: StubUpstream, name: str, sent: str | None
) -> None:
    peer = await connect(parts=BY_NAME[name].parts if name else Parts())
    await peer.call("kadu_tasks_update", {"id": "tasks-1", "name": "Tesouraria", "idempotency_key": KEY})
    [asked] = upstream.effects()
    assert asked.headers.get("x-idempotency-key") == sent


def test_every_rule_of_these_chapters_that_a_server_can_break_has_a_mutant() -> None:
    told = {mutant.rule for mutant in mutants()}
    wanted = {f"KADU-DST-{number:02d}" for number in range(1, 7)}
    wanted |= {f"KADU-IDM-{number:02d}" for number in range(1, 16)}
    wanted |= {f"KADU-UNA-{number:02d}" for number in range(1, 5)}
    wanted |= {f"KADU-TRK-{number:02d}" for number in range(1, 4)}
    # KADU-APR-03 only advises; who opens a link, the rights and the secrets of Continue, and the settings are the
    # upstream's alone, and so are the mutants of them.
    ours = {3, 12, 13, 15, 16, 18}
    wanted |= {f"KADU-APR-{number:02d}" for number in range(1, 20) if number not in ours}
    assert wanted <= told


async def test_a_marked_tool_runs_unasked(connect: MakePeer, upstream: StubUpstream) -> None:
    run: dict[str, Any] = {"id": "tasks-1", "environment_id": "environments-1"}
    for name, effects in (("with_forms_runs_unasked", 1), ("runs_and_asks", 2)):
        peer = await connect(elicitation={}, parts=BY_NAME[name].parts)
        await peer.call("kadu_tasks_run", run)
        assert len(upstream.effects()) == effects
    honest = await connect(elicitation={})
    await honest.call("kadu_tasks_run", run)
    assert len(upstream.effects()) == 2

"""Many decisions at once: an approval is decided once. `KADU_SOAK=1` repeats each race more often."""

import asyncio
import os
from collections import Counter
from typing import Any

import pytest

ROUNDS = 200 if os.environ.get("KADU_SOAK") == "1" else 10
CROWD = 50


def _task(desk: Any) -> dict[str, Any]:
    return desk.tenant.records["tasks"][desk.run_arguments["id"]]


async def _opened(desk: Any, person: Any) -> tuple[dict[str, Any], Any]:
    made = await desk.ask_run()
    return made, await person.open(made["url"])


@pytest.mark.parametrize("held", [False, True], ids=["free", "held"])
def test_of_fifty_continues_one_runs(desk: Any, held: bool) -> None:
    async def main() -> None:
        person = await desk.inside()
        for done in range(1, ROUNDS + 1):
            made, screen = await _opened(desk, person)
            form = screen.form("Continuar")
            fault = desk.tenant.faults.arm("kadu_tasks_run", "hold", None) if held else None
            crowd = [asyncio.create_task(person.send(form)) for _ in range(CROWD)]
            if fault is not None:
                while not fault.holding:
                    await asyncio.sleep(0)
                assert (await desk.read(made))["status"] == "pending"
                desk.tenant.faults.disarm(fault.id)
                assert fault.taken == 1
            pages = await asyncio.gather(*crowd)
            assert Counter(page.status for page in pages) == {200: 1, 409: CROWD - 1}
            assert all("Operação executada" in page.text for page in pages)
            assert (await desk.read(made))["status"] == "executed"
            assert desk.effects() == done

    asyncio.run(main())


def test_continue_and_cancel_at_once_agree(desk: Any) -> None:
    async def main() -> None:
        person = await desk.inside()
        for turn in range(ROUNDS):
            made, screen = await _opened(desk, person)
            before = desk.effects()
            forms = [screen.form(("Continuar", "Cancelar")[(each + turn) % 2]) for each in range(CROWD)]
            pages = await asyncio.gather(*(person.send(form) for form in forms))
            assert Counter(page.status for page in pages) == {200: 1, 409: CROWD - 1}
            read = await desk.read(made)
            assert read["status"] in ("executed", "declined")
            assert desk.effects() - before == (read["status"] == "executed")

    asyncio.run(main())


def test_a_cancel_during_a_continue_waits_and_changes_nothing(desk: Any) -> None:
    async def main() -> None:
        person = await desk.inside()
        made, screen = await _opened(desk, person)
        fault = desk.tenant.faults.arm("kadu_tasks_run", "hold", 1)
        going = asyncio.create_task(person.send(screen.form("Continuar")))
        while not fault.holding:
            await asyncio.sleep(0)
        cancel = asyncio.create_task(person.send(screen.form("Cancelar")))
        desk.pass_time(3600)  # pressed in time: what runs on does not expire
        assert (await desk.read(made))["status"] == "pending"
        desk.tenant.faults.disarm(fault.id)
        assert ((await going).status, (await cancel).status) == (200, 409)
        assert (await desk.read(made))["status"] == "executed"

    asyncio.run(main())


def test_a_continue_that_is_cut_off_leaves_it_to_decide(desk: Any) -> None:
    async def main() -> None:
        person = await desk.inside()
        made, screen = await _opened(desk, person)
        fault = desk.tenant.faults.arm("kadu_tasks_run", "hold", 1)
        going = asyncio.create_task(person.send(screen.form("Continuar")))
        while not fault.holding:
            await asyncio.sleep(0)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        assert (await person.send(screen.form("Continuar"))).status == 200
        assert ((await desk.read(made))["status"], desk.effects()) == ("executed", 1)

    asyncio.run(main())


def test_a_change_beside_a_continue_is_before_or_after_it(desk: Any) -> None:
    async def main() -> None:
        person = await desk.inside()
        seen = Counter[str]()
        for turn in range(ROUNDS):
            made, screen = await _opened(desk, person)
            before = desk.effects()
            change = desk.api("PATCH", f"/v1/tasks/{_task(desk)['id']}", {"instructions": f"Versão {turn}"})
            sends = [person.send(screen.form("Continuar")) for _ in range(5)]
            acts = [change, *sends] if turn % 2 else [*sends, change]
            await asyncio.gather(*acts)
            read = await desk.read(made)
            seen[read["status"]] += 1
            runs = [e for e in desk.ledger()[before:] if e["operation"] == "kadu_tasks_run" and e["effect"]]
            assert len(runs) == (read["status"] == "executed")
            if read["status"] == "failed":
                assert read["error"]["code"] == "subject_changed"
        assert set(seen) == {"executed", "failed"}

    asyncio.run(main())


def test_time_beside_a_continue_is_before_or_after_it(desk: Any) -> None:
    async def main() -> None:
        person = await desk.inside()
        for turn in range(ROUNDS):
            made, screen = await _opened(desk, person)
            before = desk.effects()

            async def tick() -> None:
                desk.pass_time(900)

            sends = [person.send(screen.form("Continuar")) for _ in range(5)]
            await asyncio.gather(*([tick(), *sends] if turn % 2 else [*sends, tick()]))
            read = await desk.read(made)
            assert read["status"] == ("expired" if turn % 2 else "executed")
            assert desk.effects() - before == (read["status"] == "executed")

    asyncio.run(main())

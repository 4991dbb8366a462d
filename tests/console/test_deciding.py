"""Deciding by the link: Continue, Cancel, time, authority, a changed subject, a secret shown once."""

import asyncio
from typing import Any

import pytest

MASK = "••••••••"


def _executions(desk: Any) -> int:
    return len(desk.tenant.records["executions"])


def test_continue_runs_the_operation_as_stored(desk: Any) -> None:
    async def main() -> None:
        before = _executions(desk)
        asked = {**desk.run_arguments, "parameters": {}, "reference_date": "2026-10-01"}
        made = await desk.ask("kadu_tasks_run", **asked)
        person = await desk.inside()
        page = await person.send((await person.open(made["url"])).form("Continuar"))
        assert page.status == 200
        assert "Operação executada" in page.text
        assert _executions(desk) == before + 1
        read = await desk.read(made)
        assert read["status"] == "executed"
        assert read["decided_at"] == "2026-11-30T15:00:00.000Z"
        assert read["result"]["reference_date"] == "2026-10-01"
        assert read["result"]["id"] in desk.tenant.records["executions"]
        (entry,) = desk.ledger()
        assert entry["approval"] == made["id"]
        assert (entry["operation"], entry["arguments"], entry["effect"]) == ("kadu_tasks_run", asked, True)
        assert (entry["method"], entry["path"]) == ("POST", f"/v1/tasks/{asked['id']}/run")
        assert (entry["status"], entry["code"], entry["token"]) == (201, None, desk.token.id)
        assert entry["person"] == desk.people[0]["id"]

    asyncio.run(main())


def test_cancel_runs_nothing_for_good(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        screen = await person.open(made["url"])
        page = await person.send(screen.form("Cancelar"))
        assert (page.status, "Operação cancelada" in page.text) == (200, True)
        late = await person.send(screen.form("Continuar"))
        assert late.status == 409
        read = await desk.read(made)
        assert (read["status"], read["result"], read["error"]) == ("declined", None, None)
        assert desk.ledger() == []

    asyncio.run(main())


def test_a_second_decision_changes_nothing(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        screen = await person.open(made["url"])
        await person.send(screen.form("Continuar"))
        decided = await desk.read(made)
        for button in ("Continuar", "Cancelar"):
            assert (await person.send(screen.form(button))).status == 409
        again = await person.open(made["url"])
        assert (again.status, again.offers("Continuar"), again.offers("Cancelar")) == (200, False, False)
        assert await desk.read(made) == decided
        assert desk.effects() == 1

    asyncio.run(main())


@pytest.mark.parametrize(("seconds", "status"), [(899.999, "executed"), (900, "expired"), (86400, "expired")])
def test_the_link_lives_for_fifteen_minutes(desk: Any, seconds: float, status: str) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        screen = await person.open(made["url"])
        desk.pass_time(seconds)
        if seconds > 80000:  # the session is over by then
            await person.enter(desk.people[0])
            assert (await person.send(screen.form("Continuar"))).status == 403
        else:
            page = await person.send(screen.form("Continuar"))
            assert page.status == (200 if status == "executed" else 409)
        assert (await desk.read(made))["status"] == status
        assert desk.effects() == (status == "executed")

    asyncio.run(main())


def test_past_its_time_it_reads_as_expired_everywhere(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        desk.pass_time(900)
        listed = (await desk.api("GET", "/v1/operation_approvals")).json()["data"]
        assert [each["status"] for each in listed] == ["expired"]
        assert (await desk.read(made))["decided_at"] is None
        page = await person.open(made["url"])
        assert (page.status, page.offers("Continuar"), "O link venceu" in page.text) == (200, False, True)
        assert made["id"] in (await person.open("/settings/approvals?tab=expired")).source
        assert made["id"] not in (await person.open("/settings/approvals")).source
        desk.pass_time(-600)
        assert (await desk.read(made))["status"] == "expired"

    asyncio.run(main())


def _revoked(desk: Any) -> None:
    desk.token.revoked = True


def _without_permission(desk: Any) -> None:
    desk.tenant.people[desk.people[0]["id"]].permissions -= {"agent.tasks.run"}


def _left(desk: Any) -> None:
    desk.tenant.people[desk.people[0]["id"]].member = False


@pytest.mark.parametrize(
    ("lose", "code"),
    [(_revoked, "unauthorized"), (_without_permission, "forbidden"), (_left, "unauthorized")],
)
@pytest.mark.parametrize("opened", [True, False], ids=["after opening", "before opening"])
def test_authority_is_that_of_the_moment(desk: Any, lose: Any, code: str, opened: bool) -> None:
    async def main() -> None:
        made, before = await desk.ask_run(), _executions(desk)
        if not opened:
            lose(desk)
        person = await desk.inside()
        screen = await person.open(made["url"])
        if opened:
            lose(desk)
        page = await person.send(screen.form("Continuar"))
        assert (page.status, code in page.text, "Nada mudou" in page.text) == (200, True, True)
        stored = desk.tenant.records["operation_approvals"][made["id"]]
        assert (stored["status"], stored["error"]["code"], stored["result"]) == ("failed", code, None)
        assert (_executions(desk), desk.effects()) == (before, 0)
        (entry,) = desk.ledger()
        assert (entry["approval"], entry["code"]) == (made["id"], code)

    asyncio.run(main())


def test_another_token_being_revoked_does_not_matter(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        desk.issue().revoked = True
        await person.send((await person.open(made["url"])).form("Continuar"))
        assert (await desk.read(made))["status"] == "executed"

    asyncio.run(main())


def test_an_operation_that_fails_leaves_its_error_readable(desk: Any) -> None:
    async def main() -> None:
        over = next(e for e in desk.tenant.records["executions"].values() if e["state"] == "succeeded")
        made, person = await desk.ask("kadu_executions_cancel", id=over["id"]), await desk.inside()
        page = await person.send((await person.open(made["url"])).form("Continuar"))
        read = await desk.read(made)
        assert read["status"] == "failed"
        assert read["error"]["code"] == "unprocessable_entity"
        assert "succeeded" in read["error"]["detail"]
        assert read["error"]["detail"] in page.text
        assert desk.effects() == 0

    asyncio.run(main())


def test_a_service_that_is_down_fails_it(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        screen = await person.open(made["url"])
        desk.tenant.faults.arm("kadu_tasks_run", "unavailable", None)
        await person.send(screen.form("Continuar"))
        assert (await desk.read(made))["error"]["code"] == "unavailable"

    asyncio.run(main())


def _task(desk: Any) -> dict[str, Any]:
    return desk.tenant.records["tasks"][desk.run_arguments["id"]]


CHANGES = {
    "a shown field": (lambda desk: _task(desk).update(instructions="Outra coisa"), True),
    "its time of change only": (
        lambda desk: _task(desk).update(updated_at="2026-11-30T15:00:01.000Z"),
        False,
    ),
    "a field that is not shown": (lambda desk: _task(desk).update(endpoint=None), False),
    "the environment beside it": (lambda desk: desk.newest("environments").update(name="Outro"), True),
    "another task": (
        lambda desk: next(t for t in desk.tenant.records["tasks"].values() if t is not _task(desk)).update(
            name="Outra"
        ),
        False,
    ),
    "the task is gone": (lambda desk: desk.tenant.records["tasks"].pop(_task(desk)["id"]), True),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_the_page_showed_must_still_be_so(desk: Any, change: str) -> None:
    do, matters = CHANGES[change]

    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        screen = await person.open(made["url"])
        do(desk)
        page = await person.send(screen.form("Continuar"))
        read = await desk.read(made)
        if not matters:
            assert (read["status"], desk.effects()) == ("executed", 1)
            return
        assert (read["status"], read["error"]["code"]) == ("failed", "subject_changed")
        assert "subject_changed" in page.text
        assert desk.effects() == 0
        assert desk.ledger() == []
        assert not (await person.open(made["url"])).offers("Continuar")
        assert (await person.send(screen.form("Continuar"))).status == 409
        assert desk.effects() == 0

    asyncio.run(main())


def test_a_change_before_the_opening_does_not_matter(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        _task(desk).update(instructions="Outra coisa")
        screen = await person.open(made["url"])
        assert "Outra coisa" in screen.text
        await person.send(screen.form("Continuar"))
        assert (await desk.read(made))["status"] == "executed"

    asyncio.run(main())


def test_a_stale_tab_does_not_decide_on_what_another_showed(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        stale = await person.open(made["url"])
        _task(desk).update(instructions="Outra coisa")
        await person.open(made["url"])
        await person.send(stale.form("Continuar"))
        assert (await desk.read(made))["error"]["code"] == "subject_changed"

    asyncio.run(main())


@pytest.mark.parametrize("operation", ["kadu_webhooks_rotate_secret", "kadu_webhooks_create"])
def test_a_secret_is_in_clear_once(desk: Any, operation: str) -> None:
    arguments = {
        "kadu_webhooks_rotate_secret": {"id": desk.newest("webhooks")["id"]},
        "kadu_webhooks_create": {"url": "https://erp.exemplo.com.br/x", "events": ["todo.created"]},
    }[operation]

    async def main() -> None:
        made, person = await desk.ask(operation, **arguments), await desk.inside()
        page = await person.send((await person.open(made["url"])).form("Continuar"))
        read = await desk.read(made)
        secret = desk.tenant.records["webhooks"][read["result"]["id"]]["_signing_secret"]
        assert page.source.count(secret) == 1
        assert read["result"]["signing_secret"] == MASK
        assert secret not in str(desk.tenant.records["operation_approvals"])
        assert secret not in desk.tenant.ledger.after(0).decode()
        for url in (
            made["url"],
            f"/settings/approvals/{made['id']}",
            "/settings/approvals?tab=executed",
        ):
            again = await person.open(url)
            assert (again.status, secret in again.source) == (200, False)
            assert (MASK in again.text) == ("tab" not in url)
        answer = await desk.api("GET", "/v1/operation_approvals")
        assert secret not in answer.text

    asyncio.run(main())


def test_the_result_stays_what_was_returned(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        await person.send((await person.open(made["url"])).form("Continuar"))
        desk.pass_time(600)
        read = await desk.read(made)
        assert read["result"]["state"] == "queued"
        assert desk.tenant.records["executions"][read["result"]["id"]]["state"] == "succeeded"

    asyncio.run(main())


def test_a_deletion_by_link_deletes(desk: Any) -> None:
    async def main() -> None:
        gone = desk.newest("environments")["id"]
        made, person = await desk.ask("kadu_environments_delete", id=gone), await desk.inside()
        screen = await person.open(made["url"])
        assert "Excluir o ambiente" in screen.text
        await person.send(screen.form("Continuar"))
        assert gone not in desk.tenant.records["environments"]
        assert (await desk.read(made))["result"] == {"id": gone, "deleted": True}

    asyncio.run(main())


def test_two_links_with_one_key_run_once(desk: Any) -> None:
    async def main() -> None:
        person, before = await desk.inside(), _executions(desk)
        made = [await desk.ask_run(idempotency_key="disparo") for _ in range(2)]
        for each in made:
            await person.send((await person.open(each["url"])).form("Continuar"))
        first, second = [await desk.read(each) for each in made]
        assert first["status"] == second["status"] == "executed"
        assert first["result"] == second["result"]
        assert _executions(desk) == before + 1
        assert [entry["replay"] for entry in desk.ledger()] == [False, True]
        assert desk.ledger()[0]["headers"] == {"x-idempotency-key": "disparo"}
        assert "idempotency_key" not in desk.ledger()[0]["arguments"]

    asyncio.run(main())

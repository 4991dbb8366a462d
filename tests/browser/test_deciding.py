"""A person decides by the link, in a real browser: once, alone, in time, and on what this very page showed."""

import json
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Error, Page, expect

from tests.browser.conftest import Visit, log_in
from tests.browser.desk import Desk
from tests.programs import SECONDS

Picture = Callable[[Page, str], None]


def button(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def heading(page: Page, words: str) -> None:
    """The outcome has these words."""
    expect(page.get_by_role("status").get_by_text(words, exact=True)).to_be_visible()


def call(url: str, token: str, tool: str, arguments: dict[str, str]) -> dict[str, str]:
    """Call a destructive tool in the era that knows no question in the chat; gives the approval."""
    params = {"name": tool, "arguments": arguments}
    answer = httpx.post(
        url,
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
        headers={
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25",
        },
        timeout=SECONDS,
        trust_env=False,
    )
    told = json.loads(answer.raise_for_status().json()["result"]["content"][0]["text"])
    assert told["status"] == "approval_required"
    approval: dict[str, str] = told["approval"]
    return approval


def test_from_the_call_of_a_tool_to_its_outcome(
    desk: Desk, reference_server: str, visit: Visit, picture: Picture
) -> None:
    approval = call(reference_server, desk.token, "kadu_tasks_run", desk.run)
    page = visit()
    page.goto(approval["url"])
    expect(page).to_have_title("Entrar · Kadu")
    picture(page, "login")
    log_in(page, desk.people[0])

    expect(page).to_have_url(approval["url"])
    expect(page.get_by_role("heading", level=1)).to_have_text("Executar a tarefa")
    shown = page.get_by_role("main")
    for words in (desk.people[0]["name"], desk.newest("tasks")["name"], *desk.run.values(), approval["id"]):
        expect(shown).to_contain_text(words)
    picture(page, "approval")
    assert desk.effects() == []

    button(page, "Continuar")
    heading(page, "Operação executada")
    picture(page, "executed")
    assert desk.effects() == [("kadu_tasks_run", desk.run)]
    expect(page.get_by_role("button", name="Continuar")).to_have_count(0)


def test_cancel_runs_nothing(desk: Desk, visit: Visit, picture: Picture) -> None:
    asked = desk.ask("kadu_environments_delete", id=desk.newest("environments")["id"])
    page = visit(desk.people[0], asked.url)
    expect(page.get_by_text("Não pode ser desfeito.")).to_be_visible()
    picture(page, "approval-delete")
    button(page, "Cancelar")
    heading(page, "Operação cancelada")
    picture(page, "declined")
    assert (desk.status(asked), desk.effects()) == ("declined", [])


def test_a_link_decides_within_its_time_alone(desk: Desk, visit: Visit, picture: Picture) -> None:
    late, in_time = desk.ask_run(), desk.ask_run()
    page = visit(desk.people[0], late.url)
    desk.pass_time(899)
    button(page, "Cancelar")
    heading(page, "Operação cancelada")
    page.goto(in_time.url)
    expect(page.get_by_text("falta menos de 1 minuto para decidir")).to_be_visible()
    desk.pass_time(2)
    button(page, "Continuar")
    heading(page, "O link venceu")
    picture(page, "expired")
    assert (desk.status(in_time), desk.effects()) == ("expired", [])


def test_a_double_click_runs_it_once(desk: Desk, visit: Visit) -> None:
    asked = desk.ask_run()
    page = visit(desk.people[0], asked.url)
    page.get_by_role("button", name="Continuar").dblclick()
    heading(page, "Operação executada")
    assert desk.effects() == [("kadu_tasks_run", desk.run)]


def test_pressing_again_while_it_runs_runs_nothing_more(desk: Desk, visit: Visit, picture: Picture) -> None:
    asked = desk.ask_run()
    fault = desk.hold("kadu_tasks_run")
    page = visit(desk.people[0], asked.url)
    pressed = page.get_by_role("button", name="Continuar")
    pressed.scroll_into_view_if_needed()
    box = pressed.bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*middle)
    desk.await_held(fault)
    with page.expect_request(f"{asked.url}/continue"):
        page.mouse.click(*middle)
    desk.control("DELETE", f"faults/{fault}")
    heading(page, "Operação executada")
    expect(page.get_by_role("status")).to_contain_text("ela não mudou nada")
    picture(page, "too-late")
    assert desk.effects() == [("kadu_tasks_run", desk.run)]


@pytest.mark.parametrize(
    ("first", "then", "runs"), [("Continuar", "Cancelar", 1), ("Cancelar", "Continuar", 0)]
)
def test_a_page_from_before_the_decision_decides_nothing(
    desk: Desk, visit: Visit, first: str, then: str, runs: int
) -> None:
    asked = desk.ask_run()
    page = visit(desk.people[0], asked.url)
    other = page.context.new_page()
    other.goto(asked.url)
    button(page, first)
    expect(page.get_by_role("status")).to_be_visible()
    decided = desk.status(asked)
    button(other, then)
    expect(other.get_by_text("ela não mudou nada")).to_be_visible()
    assert desk.status(asked) == decided
    assert len(desk.effects()) == runs


def test_a_stale_tab_does_not_decide_on_what_another_one_showed(
    desk: Desk, visit: Visit, picture: Picture
) -> None:
    asked = desk.ask_run()
    stale = visit(desk.people[0], asked.url)
    desk.change("tasks", name="Pagar tudo agora")
    fresh = stale.context.new_page()
    fresh.goto(asked.url)
    expect(fresh.get_by_text("Pagar tudo agora").first).to_be_visible()

    button(stale, "Continuar")
    heading(stale, "A operação falhou")
    expect(stale.get_by_text("subject_changed")).to_be_visible()
    picture(stale, "subject-changed")
    assert (desk.error(asked), desk.effects()) == ("subject_changed", [])
    button(fresh, "Continuar")
    heading(fresh, "A operação falhou")
    assert desk.effects() == []


def test_what_the_person_may_no_longer_do_fails(desk: Desk, visit: Visit, picture: Picture) -> None:
    asked = desk.ask_run()
    page = visit(desk.people[0], asked.url)
    desk.control("PATCH", f"people/{desk.people[0]['id']}", {"without_permissions": ["agent.tasks.run"]})
    button(page, "Continuar")
    heading(page, "A operação falhou")
    picture(page, "failed")
    assert (desk.error(asked), desk.effects()) == ("forbidden", [])


def test_another_person_sees_what_an_unknown_link_shows(desk: Desk, visit: Visit, picture: Picture) -> None:
    asked = desk.ask_run()
    page = visit()
    page.goto(asked.url)
    log_in(page, desk.people[1])
    expect(page.get_by_role("heading", level=1)).to_have_text("Página não encontrada")
    picture(page, "not-there")
    seen = page.locator("body").inner_text()
    page.goto(asked.url.rsplit("/", 1)[0] + "/" + "x" * 43)
    assert page.locator("body").inner_text() == seen
    assert (desk.status(asked), desk.effects()) == ("pending", [])


def test_a_wrong_password_leads_nowhere(desk: Desk, visit: Visit, picture: Picture) -> None:
    asked = desk.ask_run()
    page = visit()
    page.goto(asked.url)
    log_in(page, {**desk.people[0], "password": "outra"})
    expect(page.get_by_role("alert")).to_have_text("E-mail ou senha não conferem.")
    expect(page.get_by_label("E-mail")).to_have_value(desk.people[0]["email"])
    expect(page.get_by_label("Senha")).to_have_value("")
    expect(page.get_by_label("Senha")).to_be_focused()
    picture(page, "login-refused")
    page.get_by_label("Senha").fill(desk.people[0]["password"])
    page.keyboard.press("Enter")
    expect(page).to_have_url(asked.url)


def test_a_secret_is_shown_once_and_gone_for_good(desk: Desk, visit: Visit, picture: Picture) -> None:
    asked = desk.ask("kadu_webhooks_rotate_secret", id=desk.newest("webhooks")["id"])
    page = visit(desk.people[0], asked.url)
    button(page, "Continuar")
    box = page.get_by_role("region", name="Copie agora")
    secret = box.locator("dd").inner_text()
    assert len(secret) > 20
    picture(page, "secret")

    page.reload()  # sends the form once more, as people's browsers do after a question
    heading(page, "Operação executada")
    expect(box).to_have_count(0)
    picture(page, "secret-gone")
    assert secret not in page.content()
    for address in (asked.url, f"{desk.mock.url}/settings/approvals/{asked.id}"):
        page.goto(address)
        heading(page, "Operação executada")
        assert secret not in page.content()
    assert len(desk.effects()) == 1


def test_the_way_back_does_not_lead_to_a_secret(desk: Desk, visit: Visit) -> None:
    asked = desk.ask("kadu_webhooks_rotate_secret", id=desk.newest("webhooks")["id"])
    page = visit(desk.people[0], asked.url)
    button(page, "Continuar")
    secret = page.get_by_role("region", name="Copie agora").locator("dd").inner_text()
    page.get_by_role("link", name="Ver em Configurações").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Aprovações")
    # What a form came to is no page to go back to: the browser would have to send the form again, and asks.
    with pytest.raises(Error, match="ERR_CACHE_MISS"):
        page.go_back(wait_until="commit")
    assert secret not in page.locator("body").inner_text()

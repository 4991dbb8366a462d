"""Everybody can use the pages: by keyboard, by ear, on a phone, in the light and in the dark."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Visit, log_in
from tests.browser.desk import Desk
from tests.browser.looks import accessible, focus, ground, too_faint, width

Picture = Callable[[Page, str], None]


def walk(desk: Desk, visit: Visit, look: Callable[[Page, str], None], **options: Any) -> None:
    """Show every kind of page: the one that is looked at, and its name."""
    asked = desk.ask("kadu_webhooks_rotate_secret", id=desk.newest("webhooks")["id"])
    failed = desk.ask_run()
    page = visit(**options)
    page.goto(asked.url)
    look(page, "login")
    log_in(page, {**desk.people[0], "password": "outra"})
    expect(page.get_by_role("alert")).to_be_visible()
    look(page, "login-refused")
    log_in(page, desk.people[0])
    expect(page.get_by_role("button", name="Continuar")).to_be_visible()
    look(page, "approval")
    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("region", name="Copie agora")).to_be_visible()
    look(page, "executed")
    page.goto(f"{desk.mock.url}/settings/approvals")
    look(page, "settings")
    page.goto(f"{desk.mock.url}/settings/approvals/{failed.id}")
    look(page, "row")
    page.goto(f"{desk.mock.url}/settings/approvals?tab=declined")
    look(page, "settings-empty")
    page.goto(failed.url)
    desk.change("tasks", name="Outra coisa")
    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("status")).to_be_visible()
    look(page, "failed")
    page.goto(f"{desk.mock.url}/approvals/nada")
    look(page, "not-there")


def test_names_headings_and_contrast(desk: Desk, visit: Visit, picture: Picture) -> None:
    seen: dict[str, Any] = {}

    def look(page: Page, name: str) -> None:
        nameless, roles = accessible(page)
        assert nameless == [], name
        assert roles["heading 1"] == 1, name
        assert roles["main"] == 1, name
        assert page.title().endswith(" · Kadu"), name
        assert page.locator("html").get_attribute("lang") == "pt-BR", name
        seen[name] = roles
        assert too_faint(page) == {}, name
        day = ground(page)
        page.emulate_media(color_scheme="dark")
        assert too_faint(page) == {}, f"{name} in the dark"
        assert ground(page) < 60 < 200 < day, name
        if name in ("approval", "executed", "settings"):
            picture(page, f"dark-{name}")
        page.emulate_media(color_scheme="light")

    walk(desk, visit, look)
    assert seen["login"]["textbox"] == 2
    assert seen["login"]["button"] == 1
    assert seen["login-refused"]["alert"] == 1
    assert seen["approval"]["button"] == 3
    assert seen["executed"]["status"] == 1
    assert seen["settings"]["table"] == 1
    assert seen["settings"]["link"] >= 6


def test_nothing_scrolls_sideways_on_a_phone(desk: Desk, visit: Visit, picture: Picture) -> None:
    def look(page: Page, name: str) -> None:
        assert width(page) == (380, 380), name
        if name in ("login", "approval", "executed", "settings"):
            picture(page, f"phone-{name}")

    walk(desk, visit, look, **PHONE)


def test_the_keyboard_alone_logs_in_and_cancels(desk: Desk, visit: Visit) -> None:
    asked = desk.ask_run()
    page = visit()
    page.goto(asked.url)
    expect(page.get_by_label("E-mail")).to_be_focused()
    page.keyboard.type(desk.people[0]["email"])
    page.keyboard.press("Tab")
    expect(page.get_by_label("Senha")).to_be_focused()
    page.keyboard.type(desk.people[0]["password"])
    page.keyboard.press("Enter")
    expect(page).to_have_url(asked.url)

    way = []
    for _ in range(12):
        page.keyboard.press("Tab")
        at = focus(page)
        assert at["ring"] >= 2, at
        assert at["inside"], at
        way.append(at["name"])
        if at["name"] == "Cancelar":
            break
    # Between these are the boxes that scroll, where the records of this organization need some.
    assert way[:4] == ["Ir para o conteúdo", "Kadu", "Configurações › Aprovações", "Sair"]
    assert way[-2:] == ["Continuar", "Cancelar"]
    assert desk.effects() == []
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Operação cancelada")
    assert (desk.status(asked), desk.effects()) == ("declined", [])

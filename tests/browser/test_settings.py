"""Settings › Approvals in a real browser: five tabs, each just its own, and rows that open to be read only."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.desk import Asked, Desk

TABS = {
    "expired": "Expiradas",
    "executed": "Executadas",
    "declined": "Canceladas",
    "failed": "Com falha",
    "pending": "Pendentes",
}


def one_of_each(desk: Desk, visit: Visit) -> tuple[Page, dict[str, Asked]]:
    """An approval in every state, and the page of the person who brought them there."""
    made = {"expired": desk.ask_run()}
    desk.pass_time(901)
    made |= {status: desk.ask_run() for status in ("executed", "declined", "failed", "pending")}
    page = visit(desk.people[0], made["executed"].url)
    page.get_by_role("button", name="Continuar").click()
    page.goto(made["declined"].url)
    page.get_by_role("button", name="Cancelar").click()
    page.goto(made["failed"].url)
    desk.change("tasks", name="Outra coisa")
    page.get_by_role("button", name="Continuar").click()
    page.get_by_role("link", name="Configurações › Aprovações", exact=True).click()
    return page, made


def test_each_tab_holds_its_own_and_a_row_is_read_only(
    desk: Desk, visit: Visit, picture: Callable[[Page, str], None]
) -> None:
    page, made = one_of_each(desk, visit)
    tabs = page.get_by_role("navigation", name="Situação")
    for status, words in TABS.items():
        tabs.get_by_role("link", name=words).click()
        expect(tabs.locator("[aria-current=page]")).to_have_text(words)
        rows = page.locator("[data-approval]")
        expect(rows).to_have_count(1)
        expect(rows).to_have_attribute("data-approval", made[status].id)
        if status in ("pending", "executed"):
            picture(page, f"settings-{status}")
        # Anywhere on the row, as somebody would press it with a thumb.
        rows.locator("td").last.click(force=True)
        expect(page).to_have_url(f"{desk.mock.url}/settings/approvals/{made[status].id}")
        expect(page.get_by_role("heading", level=1)).to_have_text("Executar a tarefa")
        assert page.get_by_role("button").all_inner_texts() == ["Sair"]
        if status == "failed":
            picture(page, "settings-row")
        page.get_by_role("link", name="‹ Aprovações").click()
        expect(tabs.locator("[aria-current=page]")).to_have_text(words)
    assert len(desk.effects()) == 1


def test_others_see_none_of_it(desk: Desk, visit: Visit) -> None:
    asked = desk.ask_run()
    page = visit(desk.people[1], f"{desk.mock.url}/settings/approvals")
    expect(page.get_by_text("Nenhuma aprovação espera por você.")).to_be_visible()
    page.goto(f"{desk.mock.url}/settings/approvals/{asked.id}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Página não encontrada")


def test_whoever_leaves_is_out(desk: Desk, visit: Visit) -> None:
    page = visit(desk.people[0], f"{desk.mock.url}/settings/approvals")
    page.get_by_role("button", name="Sair").click()
    expect(page).to_have_title("Entrar · Kadu")
    # The way back may lead to a picture of the page that the browser kept; nothing on it works any more.
    page.go_back(wait_until="commit")
    page.goto(f"{desk.mock.url}/settings/approvals?tab=executed")
    expect(page).to_have_title("Entrar · Kadu")

"""What outsiders write is text on every page, and no script runs even where markup got through."""

from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PHONE, Visit
from tests.browser.desk import Desk, Mock, session
from tests.browser.looks import width

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)></dd></dl>"
TURNED = "relat\u202efdp.exe\u2066\u200b"
LONG = "0123456789" * 1000
CLIENT = "<b onclick=alert(3)>Claude</b>\u202e"


def open_hostile(mock: Mock, visit: Visit, **options: object) -> tuple[Page, Desk]:
    desk = Desk(mock, "hostil", CLIENT)
    desk.change("tasks", name=f"{MARKUP} {TURNED}", parameters_schema={"type": "object"})
    asked = desk.ask(
        "kadu_tasks_run", **desk.run, parameters={"a": MARKUP, "b": TURNED, "c": LONG, MARKUP: "x"}
    )
    return visit(desk.people[0], asked.url, **options), desk


def test_hostile_text_is_shown_as_text(
    mock: Mock, visit: Visit, picture: Callable[[Page, str], None]
) -> None:
    page, desk = open_hostile(mock, visit)
    main = page.get_by_role("main")
    expect(main).to_contain_text(MARKUP)
    expect(main).to_contain_text(LONG)
    expect(main).to_contain_text("relatU+202Efdp.exeU+2066U+200B")
    expect(main).to_contain_text("<b onclick=alert(3)>Claude</b>U+202E pediu esta operação em seu nome")
    assert page.locator("script, img, b, [onclick], [onerror]").count() == 0
    assert not set("\u202e\u2066\u200b") & set(page.content())
    assert width(page)[0] == width(page)[1]
    picture(page, "approval-hostile")

    page.get_by_role("button", name="Continuar").click()
    expect(page.get_by_role("status")).to_contain_text("Operação executada")
    expect(main).to_contain_text(LONG)
    assert page.locator("script, img, b, [onclick], [onerror]").count() == 0
    ((_, arguments),) = desk.effects()
    assert arguments["parameters"]["c"] == LONG
    page.goto(f"{desk.mock.url}/settings/approvals?tab=executed")
    expect(page.locator("[data-approval]")).to_contain_text("<b onclick=alert(3)>Claude</b>U+202E")


def test_hostile_text_fits_a_phone(mock: Mock, visit: Visit, picture: Callable[[Page, str], None]) -> None:
    page, _ = open_hostile(mock, visit, **PHONE)
    expect(page.get_by_role("button", name="Continuar")).to_be_visible()
    picture(page, "phone-hostile")
    assert width(page) == (380, 380)


def test_the_policy_stops_markup_that_got_through(desk: Desk, mock: Mock, browser: Browser) -> None:
    context = browser.new_context()
    context.add_cookies([session(mock, desk.people[0])])
    page = context.new_page()
    page.goto(desk.ask_run().url)
    expect(page.get_by_role("button", name="Continuar")).to_be_visible()
    refused = page.evaluate(
        """() => new Promise(done => {
          const refused = new Set();
          const awaited = ['script-src-elem', 'script-src-attr', 'style-src-elem', 'img-src', 'form-action'];
          document.addEventListener('securitypolicyviolation', event => {
            refused.add(event.effectiveDirective);
            if (awaited.every(each => refused.has(each))) done([...refused].sort());
          });
          setTimeout(() => done([...refused].sort()), 5000);
          const script = document.createElement('script');
          script.textContent = 'window.ran = 1';
          document.body.append(script);
          document.body.insertAdjacentHTML('beforeend', `
            <button id="trap" onclick="window.ran = 2">x</button>
            <style>h1 { color: rgb(1, 2, 3) }</style><img src="/login">
            <form method="post" action="http://elsewhere.invalid/"><button id="away">y</button></form>`);
          document.getElementById('trap').click();
          document.getElementById('away').click();
        })"""
    )
    assert refused == ["form-action", "img-src", "script-src-attr", "script-src-elem", "style-src-elem"]
    assert page.evaluate("window.ran") is None
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") != "rgb(1, 2, 3)"
    context.close()

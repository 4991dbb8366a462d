"""Who gets in, where the login leads, and what a page gives away to whom."""

import asyncio
from typing import Any

import httpx
import pytest

EVIL = [
    "https://mau.exemplo/",
    "//mau.exemplo/",
    "/\\mau.exemplo",
    "/approvals//mau.exemplo",
    "/approvals/../login",
    "/approvals/x\r\nset-cookie: a=b",
    "javascript:alert(1)",
    "/login",
    "",
]


async def _raw(desk: Any, method: str, path: str, **options: Any) -> httpx.Response:
    async with desk.browser().http as http:
        return await http.request(method, path, **options)


def test_a_link_goes_through_the_login_and_back(desk: Any) -> None:
    async def main() -> None:
        made, browser = await desk.ask_run(), desk.browser()
        first = await browser.http.get(made["url"])
        link = made["url"].removeprefix("http://kadu.exemplo")
        assert first.status_code == 303
        assert first.headers["location"] == f"/login?next={link.replace('/', '%2F')}"
        page = await browser.enter(desk.people[0], at=made["url"])
        assert (page.status, page.offers("Continuar")) == (200, True)
        assert "Executar a tarefa" in page.text

    asyncio.run(main())


def test_a_link_that_is_none_goes_through_the_login_alike(desk: Any) -> None:
    async def main() -> None:
        made = await desk.ask_run()
        known = await _raw(desk, "GET", made["url"])
        unknown = await _raw(desk, "GET", "/approvals/" + "x" * 43)
        assert (known.status_code, known.content) == (unknown.status_code, unknown.content)
        page = await desk.browser().enter(desk.people[0], at="/approvals/" + "x" * 43)
        assert page.status == 404

    asyncio.run(main())


@pytest.mark.parametrize("target", EVIL)
def test_the_login_leads_nowhere_else(desk: Any, target: str) -> None:
    async def main() -> None:
        browser = desk.browser()
        page = await browser.open("/login?next=" + httpx.QueryParams({"n": target})["n"].replace("\r\n", ""))
        assert page.form("Entrar").fields["next"] == "/settings/approvals"
        form = {"email": desk.people[0]["email"], "password": desk.people[0]["password"], "next": target}
        answer = await browser.http.post("/login", data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, "/settings/approvals")
        assert (await browser.http.get("/login", params={"next": target})).headers["location"] == (
            "/settings/approvals"
        )

    asyncio.run(main())


@pytest.mark.parametrize(
    "change", [{"password": "errada"}, {"password": ""}, {"email": "nao@exemplo.com.br"}]
)
def test_a_wrong_login_begins_no_session(desk: Any, change: dict[str, str]) -> None:
    async def main() -> None:
        browser = desk.browser()
        page = await browser.enter({**desk.people[0], **change})
        assert page.status == 422
        assert "E-mail ou senha não conferem" in page.text
        assert desk.people[0]["password"] not in page.source
        assert not browser.http.cookies
        assert (await browser.http.get("/settings/approvals")).status_code == 303

    asyncio.run(main())


def test_guessing_is_slowed_down_for_that_address_alone(desk: Any) -> None:
    async def main() -> None:
        guesser, wrong = desk.browser(), {**desk.people[0], "password": "errada"}
        told = [(await guesser.enter(wrong)).status for _ in range(11)]
        assert told == [422] * 10 + [429]
        assert (await desk.browser().enter(desk.people[0])).status == 429
        assert (await desk.browser().enter(desk.people[1])).status == 200

    asyncio.run(main())


@pytest.mark.parametrize(
    ("public", "secure"), [("http://kadu.exemplo", False), ("https://kadu.exemplo", True)]
)
def test_the_cookie_is_for_this_site_alone(desk_at: Any, public: str, secure: bool) -> None:
    desk = desk_at(public)
    form = {"email": desk.people[0]["email"].upper(), "password": desk.people[0]["password"]}
    answer = asyncio.run(_raw(desk, "POST", "/login", data=form))
    name, *flags = answer.headers["set-cookie"].split("; ")
    assert name.startswith(f"console_session={desk.tenant.id}.")
    assert flags == ["Path=/", "HttpOnly", "SameSite=Lax", *(["Secure"] if secure else [])]
    assert name.partition(".")[2] not in str(desk.tenant.sessions)


def test_a_session_idles_out_by_the_clock_of_its_tenant(desk: Any) -> None:
    async def main() -> None:
        browser = await desk.inside()
        for _ in range(3):
            desk.pass_time(8 * 3600 - 1)
            assert (await browser.http.get("/settings/approvals")).status_code == 200
        desk.pass_time(8 * 3600)
        assert (await browser.http.get("/settings/approvals")).status_code == 303
        assert desk.tenant.sessions == {}

    asyncio.run(main())


def test_leaving_ends_the_session(desk: Any) -> None:
    async def main() -> None:
        browser = await desk.inside()
        cookie = browser.http.cookies["console_session"]
        assert (
            await browser.send((await browser.open("/settings/approvals")).form("Sair"), csrf="x")
        ).status == 403
        page = await browser.send((await browser.open("/settings/approvals")).form("Sair"))
        assert page.offers("Entrar")
        assert not browser.http.cookies
        again = await _raw(
            desk, "GET", "/settings/approvals", headers={"cookie": f"console_session={cookie}"}
        )
        assert again.status_code == 303

    asyncio.run(main())


@pytest.mark.parametrize("cookie", ["", "x", ".", "x.y", "console", "{tenant}.", "{tenant}." + "a" * 43])
def test_a_made_up_cookie_is_none(desk: Any, cookie: str) -> None:
    value = cookie.replace("{tenant}", desk.tenant.id)
    answer = asyncio.run(
        _raw(desk, "GET", "/settings/approvals", headers={"cookie": f"console_session={value}"})
    )
    assert answer.status_code == 303


def test_a_deleted_tenant_ends_its_sessions(desk: Any) -> None:
    async def main() -> None:
        browser = await desk.inside()
        desk.tenants.delete(desk.tenant)
        assert (await browser.http.get("/settings/approvals")).status_code == 303
        assert (await browser.enter(desk.people[0])).status == 422

    asyncio.run(main())


def test_one_address_in_two_organizations_enters_where_its_password_fits(desk: Any) -> None:
    async def main() -> None:
        twin = desk.tenants.create(desk.tenant.seed, desk.tenant.clock.now(), [None, None])
        record = next(iter(twin.people.values()))
        assert record.record["email"] == desk.people[0]["email"]
        browser = await desk.inside()
        assert len(desk.tenant.sessions) == 1
        assert twin.sessions == {}
        made = await desk.ask_run()
        assert (await browser.open(made["url"])).offers("Continuar")
        stranger = desk.browser()
        await stranger.enter({"email": record.record["email"], "password": record.password})
        assert (await stranger.open(made["url"])).status == 404

    asyncio.run(main())


def test_one_person_of_two_organizations_decides_in_both(desk: Any) -> None:
    async def main() -> None:
        person = next(iter(desk.tenant.people.values()))
        second = desk.tenants.create("outra", desk.tenant.clock.now(), [person])
        made, browser = await desk.ask_run(), desk.browser()
        await browser.enter(desk.people[0])
        assert list(second.sessions)
        await browser.send((await browser.open(made["url"])).form("Continuar"))
        assert (await desk.read(made))["status"] == "executed"
        assert made["id"] in (await browser.open("/settings/approvals?tab=executed")).source

    asyncio.run(main())


def test_for_anybody_else_a_link_is_no_link(desk: Any) -> None:
    async def main() -> None:
        made = await desk.ask_run()
        colleague = await desk.inside(1)
        hidden = await colleague.http.get(made["url"])
        unknown = await colleague.http.get("/approvals/" + "x" * 43)
        assert (hidden.status_code, hidden.content) == (404, unknown.content)
        assert dict(hidden.headers) == dict(unknown.headers)
        own = (await (await desk.inside()).open(made["url"])).form("Continuar")
        for action in (own.action, own.action.replace("continue", "cancel")):
            answer = await colleague.http.post(action, data=own.fields)
            assert (answer.status_code, answer.content) == (404, unknown.content)
        detail = await colleague.http.get(f"/settings/approvals/{made['id']}")
        assert (detail.status_code, detail.content) == (404, unknown.content)
        assert (await desk.read(made))["status"] == "pending"

    asyncio.run(main())


def test_a_bearer_token_opens_no_page_and_decides_nothing(desk: Any) -> None:
    async def main() -> None:
        made = await desk.ask_run()
        link = made["url"].removeprefix("http://kadu.exemplo")
        own = (await (await desk.inside()).open(made["url"])).form("Continuar")
        bearer = {"authorization": f"Bearer {desk.token.value}"}
        for path in (link, "/settings/approvals", f"/settings/approvals/{made['id']}"):
            answer = await _raw(desk, "GET", path, headers=bearer)
            assert (answer.status_code, answer.content) == (303, b"")
        for verb in ("continue", "cancel"):
            for form in ({}, own.fields):
                answer = await _raw(desk, "POST", f"{link}/{verb}", headers=bearer, data=form)
                assert answer.status_code == 403
        assert ((await desk.read(made))["status"], desk.effects()) == ("pending", 0)

    asyncio.run(main())


@pytest.mark.parametrize("verb", ["continue", "cancel"])
@pytest.mark.parametrize("csrf", [None, "", "0" * 64, "ç", "of another session"])
def test_a_form_without_the_proof_of_its_session_decides_nothing(
    desk: Any, verb: str, csrf: str | None
) -> None:
    async def main() -> None:
        made, browser = await desk.ask_run(), await desk.inside()
        form = (await browser.open(made["url"])).form({"continue": "Continuar", "cancel": "Cancelar"}[verb])
        other = (await (await desk.inside()).open(made["url"])).form("Continuar").fields["csrf"]
        page = await browser.send(form, csrf=other if csrf == "of another session" else csrf)
        assert page.status == 403
        assert (await desk.read(made))["status"] == "pending"
        assert (await browser.send(form)).status == 200

    asyncio.run(main())


@pytest.mark.parametrize("shown", [None, "", ".", "abc", "0" * 64 + "." + "0" * 64, "of another approval"])
def test_a_form_must_say_what_its_page_showed(desk: Any, shown: str | None) -> None:
    async def main() -> None:
        made, browser = await desk.ask_run(), await desk.inside()
        form = (await browser.open(made["url"])).form("Continuar")
        other = (await browser.open((await desk.ask_run())["url"])).form("Continuar").fields["shown"]
        page = await browser.send(form, shown=other if shown == "of another approval" else shown)
        assert page.status == 403
        assert ((await desk.read(made))["status"], desk.effects()) == ("pending", 0)

    asyncio.run(main())


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_form_from_another_site_decides_nothing(desk: Any, site: str) -> None:
    async def main() -> None:
        made, browser = await desk.ask_run(), await desk.inside()
        form = (await browser.open(made["url"])).form("Continuar")
        answer = await browser.http.post(form.action, data=form.fields, headers={"sec-fetch-site": site})
        assert answer.status_code == 403
        assert (await desk.read(made))["status"] == "pending"
        login = {"email": desk.people[1]["email"], "password": desk.people[1]["password"]}
        answer = await _raw(desk, "POST", "/login", data=login, headers={"sec-fetch-site": site})
        assert answer.status_code == 403

    asyncio.run(main())


def test_no_get_head_or_prefetch_decides(desk: Any) -> None:
    async def main() -> None:
        made, browser = await desk.ask_run(), await desk.inside()
        link = made["url"]
        for headers in ({}, {"sec-purpose": "prefetch;prerender"}, {"purpose": "prefetch"}):
            for method in ("GET", "HEAD"):
                answer = await browser.http.request(method, link, headers=headers)
                assert answer.status_code == 200
                assert (method == "HEAD") == (answer.content == b"")
                for verb in ("continue", "cancel"):
                    answer = await browser.http.request(method, f"{link}/{verb}", headers=headers)
                    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
        for query in ("?decision=continue", "?continue=1"):
            assert (await browser.http.get(link + query)).status_code == 200
        for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "POST"):
            assert (await browser.http.request(method, link)).status_code == 405
        assert ((await desk.read(made))["status"], desk.effects()) == ("pending", 0)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"a=" + b"x" * 64_000, "application/x-www-form-urlencoded", 413),
        (b'{"csrf": "x"}', "application/json", 415),
        (b"csrf=%ff", "application/x-www-form-urlencoded", 400),
        (b"csrf=\xff", "application/x-www-form-urlencoded", 400),
        (b"&".join(b"a=1" for _ in range(30)), "application/x-www-form-urlencoded", 400),
    ],
)
def test_a_form_that_cannot_be_read_is_refused(desk: Any, body: bytes, kind: str, status: int) -> None:
    async def main() -> None:
        made, browser = await desk.ask_run(), await desk.inside()
        answer = await browser.http.post(
            made["url"] + "/continue", content=body, headers={"content-type": kind}
        )
        assert answer.status_code == status
        assert (await desk.read(made))["status"] == "pending"

    asyncio.run(main())

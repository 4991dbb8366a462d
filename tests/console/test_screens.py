"""What the pages say: the facts of an approval, the tabs, untrusted text, headers, accessibility."""

import asyncio
import re
from typing import Any

import pytest

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "quotes": "\"'><img src=x onerror=alert(1)>",
    "template": "{{ 7 * 7 }}{% raw %}${7*7}",
    "entities": "&lt;b&gt; &amp; &#60;",
    "closing": "</dd></dl></main>",
    "bidi": "fatura\u202egnp.exe",
    "isolates": "\u2066abc\u2069\u200f",
    "invisible": "pa\u200bgar\u00ad\ufeff",
    "tags": "a\U000e0041",
}


def _shown(text: str) -> str:
    hidden = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
    return hidden.sub(lambda match: f"U+{ord(match[0]):04X}", text)


def test_the_screen_says_what_will_happen(desk: Any) -> None:
    async def main() -> None:
        desk.newest("tasks").update(name="Baixar canários", instructions="Instrução do canário")
        desk.newest("environments").update(name="Gaiola", systems=["Poleiro"])
        token = desk.issue(client="Assistente de Prova")
        made = await desk.ask_run(
            token,
            parameters={"limite_centavos": 4321},
            reference_date="2026-10-01",
            idempotency_key="chave-77",
        )
        desk.pass_time(65)
        page = await (await desk.inside()).open(made["url"])
        assert ("h1", {}) in page.tags
        for said in (
            "Executar a tarefa",
            desk.people[0]["name"],
            desk.people[0]["email"],
            "Assistente de Prova",
            "30/11/2026 às 12:00:00 (UTC−3)",
            "30/11/2026 às 12:15:00 (UTC−3)",
            "faltam 13 minutos",
            "Baixar canários",
            "Instrução do canário",
            "Gaiola",
            "Poleiro",
            "kadu_tasks_run",
            made["id"],
        ):
            assert said in page.text, said
        assert {"datetime": made["created_at"]} in [given for tag, given in page.tags if tag == "time"]
        assert {"datetime": made["expires_at"]} in [given for tag, given in page.tags if tag == "time"]
        for name, value in made["arguments"].items():
            assert name in page.facts
            assert name in page.text
            if isinstance(value, str):
                assert value in page.text
        assert '"limite_centavos": 4321' in page.text
        assert page.offers("Continuar")
        assert page.offers("Cancelar")

    asyncio.run(main())


def test_references_are_shown_by_name(desk: Any) -> None:
    async def main() -> None:
        execution = desk.newest("executions")
        task = desk.tenant.records["tasks"][execution["task_id"]]
        task["name"] = "Tarefa do canário"
        made = await desk.ask("kadu_executions_cancel", id=execution["id"], reason="Duplicada")
        person = await desk.inside()
        screen = await person.open(made["url"])
        for said in ("Cancelar a execução", execution["state"], "Tarefa do canário", task["id"], "Duplicada"):
            assert said in screen.text
        task["name"] = "Outro nome"
        await person.send(screen.form("Continuar"))
        assert (await desk.read(made))["error"]["code"] == "subject_changed"

    asyncio.run(main())


def test_what_is_new_affects_no_record(desk: Any) -> None:
    async def main() -> None:
        made = await desk.ask(
            "kadu_webhooks_create", url="https://a.exemplo.com.br/", events=["todo.created"]
        )
        page = await (await desk.inside()).open(made["url"])
        assert "Nenhum registro existente" in page.text
        assert "https://a.exemplo.com.br/" in page.text

    asyncio.run(main())


def test_a_record_that_went_is_said_to_be_gone(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        del desk.tenant.records["tasks"][made["arguments"]["id"]]
        screen = await person.open(made["url"])
        assert "Este registro não existe mais" in screen.text
        await person.send(screen.form("Continuar"))
        read = await desk.read(made)
        assert (read["status"], read["error"]["code"]) == ("failed", "not_found")

    asyncio.run(main())


def test_every_destructive_tool_has_a_screen_and_runs(desk_at: Any, product: Any) -> None:
    given: dict[str, Any] = {
        "authentication": "hmac",
        "url": "https://novo.exemplo.com.br/x",
        "events": ["todo.created"],
    }

    async def main() -> None:
        seen = 0
        for each in product.contract.operations.values():
            if each.extension["destructive"] == "never":
                continue
            desk = desk_at("http://kadu.exemplo")
            person, known = await desk.inside(), {**given, **desk.run_arguments}
            arguments = {}
            if "id" in each.path.kinds:
                arguments["id"] = desk.newest(each.collection)["id"]
            schema = each.body.schema if each.body is not None else {}
            wanted = set(schema.get("required", ())) | (
                {"url"} if each.id == "kadu_webhooks_update" else set()
            )
            arguments.update({name: known[name] for name in wanted})
            made = await desk.ask(each.id, **arguments)
            screen = await person.open(made["url"])
            assert each.extension["title"] in screen.text
            for field in each.extension["subject"]:
                assert field in screen.facts, (each.id, field)
            await person.send(screen.form("Continuar"))
            read = await desk.read(made)
            assert read["status"] == "executed", (each.id, read["error"])
            assert desk.effects() == 1
            seen += 1
        assert seen >= 18

    asyncio.run(main())


@pytest.mark.parametrize("kind", HOSTILE)
def test_untrusted_text_is_text(desk: Any, kind: str) -> None:
    text = HOSTILE[kind]

    async def main() -> None:
        desk.newest("executions")["error"] = {"code": "x", "message": text}
        desk.tenant.records["tasks"][desk.newest("executions")["task_id"]]["name"] = text
        for person in desk.tenant.people.values():
            person.record["name"] = text
        desk.tenant.organization["name"] = text
        token = desk.issue(client=text)
        made = await desk.ask(
            "kadu_executions_continue", token, id=desk.newest("executions")["id"], instructions=text
        )
        person = await desk.inside()
        screen = await person.open(made["url"])
        pages = [screen, await person.open("/settings/approvals")]
        pages.append(await person.open(f"/settings/approvals/{made['id']}"))
        pages.append(await person.send(screen.form("Continuar")))
        for page in pages:
            assert page.status == 200
            assert " ".join(_shown(text).split()) in page.text
            assert not {tag for tag, _ in page.tags} & {"script", "img", "b", "iframe", "object"}
            assert not any(name.startswith("on") for _, given in page.tags for name in given)
            assert not re.search("[\u00ad\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]", page.source)

    asyncio.run(main())


def test_a_long_argument_scrolls_in_its_box(desk: Any) -> None:
    async def main() -> None:
        text = "x" * 3999
        made = await desk.ask(
            "kadu_executions_continue", id=desk.newest("executions")["id"], instructions=text
        )
        page = await (await desk.inside()).open(made["url"])
        assert page.facts["instructions"] == text
        boxes = [given for tag, given in page.tags if given.get("class") == "scroll"]
        assert {"class": "scroll", "role": "region", "aria-label": "Instruções", "tabindex": "0"} in boxes

    asyncio.run(main())


def test_each_tab_has_just_its_own(desk: Any) -> None:
    async def main() -> None:
        person = await desk.inside()
        by_tab = {"Expiradas": [await desk.ask_run()]}
        desk.pass_time(900)
        for tab, button, lose in (
            ("Executadas", "Continuar", False),
            ("Canceladas", "Cancelar", False),
            ("Com falha", "Continuar", True),
        ):
            made = await desk.ask_run()
            screen = await person.open(made["url"])
            if lose:
                desk.newest("tasks")["name"] = "Outro nome"
            await person.send(screen.form(button))
            by_tab[tab] = [made]
        by_tab["Pendentes"] = [await desk.ask_run(), await desk.ask_run()][::-1]
        await desk.ask_run(desk.issue(1))
        first = await person.open("/settings/approvals")
        assert first.current == ["Pendentes"]
        assert [name for name in first.links if name in by_tab] == [
            "Pendentes",
            "Executadas",
            "Canceladas",
            "Com falha",
            "Expiradas",
        ]
        for tab, made in by_tab.items():
            page = await person.open(first.links[tab])
            assert page.current == [tab]
            rows = [given["data-approval"] for tag, given in page.tags if tag == "tr" and given]
            assert rows == [each["id"] for each in made]
            detail = await person.open(f"/settings/approvals/{rows[0]}")
            assert detail.status == 200
            assert [form.button for form in detail.forms] == ["Sair"]
            assert ("se decide pelo link" in detail.text) == (tab == "Pendentes")
        assert (await person.open("/settings/approvals?tab=nenhuma")).status == 404
        assert (await person.open("/settings")).current == ["Pendentes"]

    asyncio.run(main())


def test_the_settings_hold_only_that_persons(desk: Any) -> None:
    async def main() -> None:
        made = await desk.ask_run()
        page = await (await desk.inside(1)).open("/settings/approvals")
        assert made["id"] not in page.source
        assert "Nenhuma aprovação espera por você" in page.text

    asyncio.run(main())


def test_many_rows_come_in_pages(desk: Any) -> None:
    async def main() -> None:
        made = [(await desk.ask_run())["id"] for _ in range(51)]
        person = await desk.inside()
        first = await person.open("/settings/approvals")
        second = await person.open(first.links["Mais antigas"])
        rows = [
            given["data-approval"]
            for page in (first, second)
            for tag, given in page.tags
            if tag == "tr" and given
        ]
        assert rows == made[::-1]
        assert second.links["Mais recentes"] == "/settings/approvals?tab=pending&page=1"
        for odd in ("0", "-1", "x", "9" * 9):
            assert (await person.open(f"/settings/approvals?page={odd}")).status == 200

    asyncio.run(main())


def test_every_page_keeps_to_itself(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        form = (await person.open(made["url"])).form("Continuar")
        answers = [
            await desk.browser().http.get("/login"),
            await desk.browser().http.get(made["url"]),
            await person.http.get(made["url"]),
            await person.http.post(form.action, data=form.fields),
            await person.http.get("/settings/approvals"),
            await person.http.get(f"/settings/approvals/{made['id']}"),
            await person.http.get("/approvals/nenhuma"),
            await person.http.put("/approvals/nenhuma"),
        ]
        for answer in answers:
            headers = answer.headers
            assert headers["cache-control"] == "no-store"
            assert headers["x-frame-options"] == "DENY"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["x-content-type-options"] == "nosniff"
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["content-type"] == "text/html; charset=utf-8"
            assert " style=" not in answer.text
            assert "http://" not in answer.text.replace(made["url"], "")
        style = await person.http.get("/console/console.css")
        assert (style.status_code, style.headers["content-type"]) == (200, "text/css; charset=utf-8")
        assert "url(" not in style.text

    asyncio.run(main())


def test_pages_tell_the_time_of_their_tenant(desk: Any) -> None:
    async def main() -> None:
        person = await desk.inside()
        assert (await person.http.get("/settings/approvals")).headers[
            "date"
        ] == "Mon, 30 Nov 2026 15:00:00 GMT"

    asyncio.run(main())


def test_pages_can_be_used_by_anybody(desk: Any) -> None:
    async def main() -> None:
        made, person = await desk.ask_run(), await desk.inside()
        pages = [await desk.browser().open("/login"), await person.open(made["url"])]
        pages += [await person.open("/settings/approvals"), await person.open("/approvals/nenhuma")]
        for page in pages:
            tags = [tag for tag, _ in page.tags]
            assert tags.count("h1") == tags.count("main") == 1
            assert ("html", {"lang": "pt-BR"}) in page.tags
            ids = [given["id"] for _, given in page.tags if "id" in given]
            assert len(ids) == len(set(ids))
            named = [given["aria-labelledby"] for _, given in page.tags if "aria-labelledby" in given]
            assert set(named) <= set(ids)
            labels = {given["for"] for tag, given in page.tags if tag == "label"}
            inputs = [given for tag, given in page.tags if tag == "input" and given.get("type") != "hidden"]
            assert {given["id"] for given in inputs} == labels
            assert all(form.method == "post" for form in page.forms)

    asyncio.run(main())


def _luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_stands_out_from_its_ground(desk: Any) -> None:
    async def main() -> str:
        return (await desk.browser().http.get("/console/console.css")).text

    colors = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", asyncio.run(main())))
    pairs = [(text, ground) for text in ("ink", "soft", "brand", "bad") for ground in ("paper", "ground")]
    pairs += [("wait", "wait-ground"), ("good", "good-ground"), ("bad", "bad-ground"), ("ink", "note-ground")]
    pairs += [("paper", "brand"), ("paper", "bad"), ("bad-dark", "bad-ground"), ("ink", "good-ground")]
    for text, ground in pairs:
        light, dark = sorted((_luminance(colors[text]), _luminance(colors[ground])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)

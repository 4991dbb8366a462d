"""A tenant of Kadu in this process, its API, and people with browsers in front of its console."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest

from mock_api.api import Api
from mock_api.product import Product, load_product
from mock_api.tenants import Tenant, Tenants, Token

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
BASE = "http://kadu.exemplo"


@dataclass
class Form:
    """A form of a page: where it goes, its fields, the text of its button."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    button: str = ""


class Page(HTMLParser):
    """A page as somebody reads it: visible text, forms by their buttons, links, facts by the name of the API."""

    def __init__(self, answer: httpx.Response) -> None:
        super().__init__()
        self.status, self.source = answer.status_code, answer.text
        self.forms: list[Form] = []
        self.links: dict[str, str] = {}
        self.current: list[str] = []
        self.facts: dict[str, str] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._text: list[str] = []
        self._inside: list[tuple[str, dict[str, str | None], int]] = []
        self.feed(answer.text)

    @property
    def text(self) -> str:
        """The visible text, its white space as single blanks."""
        return " ".join("".join(self._text).split())

    def form(self, button: str) -> Form:
        (found,) = (each for each in self.forms if each.button == button)
        return found

    def offers(self, button: str) -> bool:
        return any(each.button == button for each in self.forms)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        if tag == "form":
            self.forms.append(Form(given.get("action") or "", given.get("method") or "get"))
        elif tag == "input":
            self.forms[-1].fields[given.get("name") or ""] = given.get("value") or ""
        if tag not in ("input", "meta", "link", "br"):
            self._inside.append((tag, given, len(self._text)))
        if tag in ("dd", "dt", "p", "td", "li", "h1", "h2", "h3", "a", "button"):
            self._text.append(" ")

    def handle_data(self, data: str) -> None:
        if not any(tag in ("title", "style") for tag, _, _ in self._inside):
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        name, given, start = self._inside.pop()
        assert name == tag, f"{name} is closed by {tag}"
        inner = "".join(self._text[start:]).strip()
        if tag == "button":
            self.forms[-1].button = inner
        elif tag == "a":
            self.links[inner] = given.get("href") or ""
            if "aria-current" in given:
                self.current.append(inner)
        elif tag == "dd":
            self.facts.setdefault(self._inside[-1][1].get("data-field") or "", inner)


class Browser:
    """Somebody's browser: keeps cookies, follows redirects, sends forms as they are on the page."""

    def __init__(self, app: Api) -> None:
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=BASE)

    async def open(self, url: str) -> Page:
        return Page(await self.http.get(url, follow_redirects=True))

    async def send(self, form: Form, **changes: str | None) -> Page:
        fields = {name: value for name, value in {**form.fields, **changes}.items() if value is not None}
        return Page(await self.http.post(form.action, data=fields, follow_redirects=True))

    async def enter(self, person: dict[str, str], at: str = "/login") -> Page:
        page = await self.open(at)
        return await self.send(page.form("Entrar"), email=person["email"], password=person["password"])


class Desk:
    """One tenant, its API, its people."""

    def __init__(self, product: Product, public_url: str = BASE) -> None:
        self.tenants = Tenants(product, public_url)
        self.app = Api(self.tenants, check_answers=True)
        self.tenant: Tenant = self.tenants.create("aprovações", NOW, [None, None])
        self.people = [
            {**{name: each.record[name] for name in ("id", "name", "email")}, "password": each.password}
            for each in self.tenant.people.values()
        ]
        self.token: Token = self.issue()

    def issue(self, person: int | None = 0, **options: Any) -> Token:
        behind = None if person is None else self.people[person]["id"]
        scopes = options.get("scopes", self.tenants.product.contract.scopes)
        return self.tenants.issue(self.tenant, behind, scopes, options.get("client"))

    def browser(self) -> Browser:
        return Browser(self.app)

    async def inside(self, person: int = 0) -> Browser:
        browser = self.browser()
        assert (await browser.enter(self.people[person])).status == 200
        return browser

    async def api(
        self, method: str, path: str, body: Any = None, token: Token | None = None
    ) -> httpx.Response:
        headers = {"authorization": f"Bearer {(token or self.token).value}"}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=self.app), base_url=BASE) as http:
            return await http.request(method, path, json=body, headers=headers)

    async def ask(self, operation: str, token: Token | None = None, **arguments: Any) -> dict[str, Any]:
        body = {"operation": operation, "arguments": arguments}
        answer = await self.api("POST", "/v1/operation_approvals", body, token)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def ask_run(self, token: Token | None = None, **more: Any) -> dict[str, Any]:
        return await self.ask("kadu_tasks_run", token, **{**self.run_arguments, **more})

    @property
    def run_arguments(self) -> dict[str, str]:
        return {"id": self.newest("tasks")["id"], "environment_id": self.newest("environments")["id"]}

    async def read(self, approval: dict[str, Any], token: Token | None = None) -> dict[str, Any]:
        answer = await self.api("GET", f"/v1/operation_approvals/{approval['id']}", token=token)
        assert answer.status_code == 200, answer.text
        read: dict[str, Any] = answer.json()
        return read

    def newest(self, collection: str) -> dict[str, Any]:
        return max(self.tenant.records[collection].values(), key=lambda each: each["created_at"])

    def pass_time(self, seconds: float) -> None:
        self.tenant.clock.advance(seconds)

    def ledger(self, kind: str = "business") -> list[dict[str, Any]]:
        entries = json.loads(self.tenant.ledger.after(0))
        return [each for each in entries if each["class"] == kind]

    def effects(self) -> int:
        """How many business effects there were."""
        return sum(each["effect"] for each in self.ledger())


@pytest.fixture(scope="session")
def product() -> Product:
    return load_product("kadu")


@pytest.fixture
def desk(product: Product) -> Iterator[Desk]:
    return Desk(product)


@pytest.fixture
def desk_at(product: Product) -> Callable[[str], Desk]:
    """A desk whose URLs begin otherwise."""
    return lambda public_url: Desk(product, public_url)

"""The person actor: somebody at a browser, on the console that decides approvals.

Works by what a page shows: labels, buttons, forms. A password goes to the console's own origin only; an address that
points anywhere else is a finding, and nothing is sent there.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from harness.exchanges import Exchange, HttpRequest, origin_of
from harness.transport import Transport
from harness.verdicts import Finding, NotTestable, RuleBroken

REDIRECTS = 5
_IN_CLEAR = re.compile(r"[!-~]{16,}")
CONTINUE = ("continuar", "continue", "confirmar", "aprovar")
CANCEL = ("cancelar", "cancel", "recusar")


@dataclass(frozen=True)
class Form:
    """A form of a page: where it goes, what it carries, and the words on its buttons with what each adds."""

    action: str
    method: str
    fields: Mapping[str, str]
    password: str | None
    login: str | None
    buttons: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Page:
    """A page as somebody sees it: its address, its status, its words, its forms and links.

    `secrets` are the values of fields that are called so, in clear.
    """

    url: str
    status: int
    text: str
    forms: Sequence[Form]
    links: Mapping[str, str]
    exchange: Exchange
    secrets: frozenset[str] = frozenset()

    @property
    def asks_for_login(self) -> bool:
        """True when the page asks for a password."""
        return any(form.password for form in self.forms)

    def button(self, words: Sequence[str]) -> tuple[Form, Mapping[str, str]] | None:
        """The form and the fields of the button that says one of these words."""
        for form in self.forms:
            for label, added in form.buttons.items():
                if label.strip().casefold() in words:
                    return form, added
        return None


@dataclass
class Person:
    """Somebody with a login, at a browser of their own. `origins` are those of the console."""

    email: str
    password: str
    origins: Sequence[str]
    transport: Transport
    record: Callable[[Exchange], None]
    number: Callable[[], int]
    timeout: float
    cookies: dict[str, str] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)

    def open(self, url: str) -> Page:
        """Open an address, logging in where the console asks for it. Raises RuleBroken where it leads elsewhere."""
        page = self.get(url)
        if page.asks_for_login:
            page = self.log_in(page)
        return page

    def get(self, url: str, headers: Sequence[tuple[str, str]] = ()) -> Page:
        """Open an address as it is, following the console's own redirects."""
        return self._follow("GET", url, b"", tuple(headers))

    def log_in(self, page: Page) -> Page:
        """Fill in and send the login form of a page."""
        form = next(form for form in page.forms if form.password)
        if form.login is None or form.password is None:
            raise NotTestable("the login form has no field for a name")
        fields = {**form.fields, form.login: self.email, form.password: self.password}
        return self._submit(form, fields)

    def press(self, page: Page, words: Sequence[str]) -> Page:
        """Press the button of a page that says one of these words. Raises NotTestable where there is none."""
        found = page.button(words)
        if found is None and page.status >= 400:
            raise RuleBroken(
                Finding(
                    "the link leads to nothing that can be decided",
                    expected=f"a page with the button {words[0]!r}",
                    actual=f"HTTP {page.status}: {page.text[:300]}",
                    exchange=page.exchange.number,
                )
            )
        if found is None:
            shown = [label for form in page.forms for label in form.buttons]
            raise NotTestable(f"the page has no button {words[0]!r}: it has {shown or 'none'}")
        form, added = found
        return self._submit(form, {**form.fields, **added})

    def prepared(self, page: Page, words: Sequence[str]) -> HttpRequest:
        """The request that pressing a button would send, for sending it in a race."""
        found = page.button(words)
        if found is None:
            raise NotTestable(f"the page has no button {words[0]!r}")
        form, added = found
        self._check(form.action)
        body = urlencode({**form.fields, **added}).encode()
        return HttpRequest(form.method, form.action, self.headers(_FORM), body)

    def _submit(self, form: Form, fields: Mapping[str, str]) -> Page:
        if form.method == "GET":
            return self._follow("GET", f"{form.action.split('?')[0]}?{urlencode(fields)}", b"", ())
        return self._follow("POST", form.action, urlencode(fields).encode(), _FORM)

    def _follow(self, method: str, url: str, body: bytes, headers: tuple[tuple[str, str], ...]) -> Page:
        for _ in range(REDIRECTS + 1):
            self._check(url)
            exchange = self._send(HttpRequest(method, url, self.headers(headers), body))
            if exchange.answer is None:
                raise RuleBroken(
                    Finding(
                        "the console does not answer",
                        expected="a page",
                        actual=exchange.problem or "",
                        exchange=exchange.number,
                    )
                )
            location = exchange.answer.header("location")
            if exchange.answer.status not in (301, 302, 303, 307, 308) or location is None:
                page = _page(url, exchange)
                self.secrets.update(page.secrets)
                return page
            url = _joined(url, location)
            if exchange.answer.status not in (307, 308):
                method, body, headers = "GET", b"", ()
        raise RuleBroken(Finding("the console redirects without end", expected="a page", actual=url))

    def _check(self, url: str) -> None:
        origin = origin_of(url) or "what is no URL"
        if origin not in self.origins:
            raise RuleBroken(
                Finding(
                    "an address leads away from the console; nothing was sent there",
                    expected=f"an address at {' or '.join(self.origins)}",
                    # The address itself may be a secret, and where it leads to is none.
                    actual=f"an address at {origin[:200]}, which is none of the console's",
                )
            )

    def headers(self, more: tuple[tuple[str, str], ...] = ()) -> tuple[tuple[str, str | bytes], ...]:
        """What this browser sends: its cookies, and whatever a request adds."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        base: tuple[tuple[str, str | bytes], ...] = (("accept", "text/html"), *more)
        return (*base, ("cookie", cookies)) if cookies else base

    def _send(self, request: HttpRequest) -> Exchange:
        sent = self.transport.send(request, timeout=self.timeout)
        path = urlsplit(request.url).path
        exchange = Exchange(
            number=self.number(),
            actor="person",
            label=f"{request.method} {path}"[:200],
            request=request,
            answer=sent.answer,
            problem=sent.problem,
            seconds=sent.seconds,
        )
        for name, value in () if sent.answer is None else sent.answer.headers:
            if name == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key.strip()] = rest.partition(";")[0].strip()
                self.secrets.add(self.cookies[key.strip()])
        self.secrets.discard("")
        self.record(exchange)
        return exchange


_FORM = (("content-type", "application/x-www-form-urlencoded"),)


def _page(url: str, exchange: Exchange) -> Page:
    answer = exchange.answer
    parsed = LexborHTMLParser("" if answer is None else answer.body.decode("utf-8", "replace"))
    forms = [_form(url, form) for form in parsed.css("form")]
    links = {_words(link): _joined(url, _attribute(link, "href")) for link in parsed.css("a")}
    told = {_words(value) for value in parsed.css('[data-field$="secret"] dd')}
    parsed.strip_tags(["script", "style", "template", "head"])
    return Page(
        url=url,
        status=exchange.status or 0,
        text="" if parsed.body is None else _words(parsed.body),
        forms=forms,
        links=links,
        exchange=exchange,
        secrets=frozenset(value for value in told if _IN_CLEAR.fullmatch(value)),
    )


def _form(url: str, form: LexborNode) -> Form:
    fields: dict[str, str] = {}
    buttons: dict[str, dict[str, str]] = {}
    password = login = None
    for control in form.css("input, button, textarea, select"):
        kind = _attribute(control, "type", "submit" if control.tag == "button" else "text").lower()
        name, value = _attribute(control, "name"), _attribute(control, "value")
        if kind == "submit":
            label = _words(control) if control.tag == "button" else value
            buttons[label] = {name: value} if name else {}
        elif name and kind not in ("checkbox", "radio", "file", "reset", "button"):
            fields[name] = value
            password = name if kind == "password" else password
            login = name if kind in ("text", "email") and login is None else login
    return Form(
        action=_joined(url, _attribute(form, "action") or url),
        method=_attribute(form, "method", "get").upper(),
        fields=fields,
        password=password,
        login=login,
        buttons=buttons,
    )


def _joined(base: str, address: str) -> str:
    """The address, absolute; as it is where it is no URL at all."""
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _attribute(node: LexborNode, name: str, default: str = "") -> str:
    value = node.attributes.get(name)
    return default if value is None else value


def _words(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ").split())

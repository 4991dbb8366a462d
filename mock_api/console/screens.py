"""What each page of the console does."""

import hmac
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from mock_api import approvals
from mock_api.approval_decisions import Decision, decline, proceed
from mock_api.approval_subjects import NAMES, affected, digest
from mock_api.calls import Record
from mock_api.console import facts, words
from mock_api.console.pages import page
from mock_api.console.sessions import COOKIE, FAILURE_WINDOW, Attempts, Sessions, Visitor
from mock_api.console.visible import visible
from mock_api.tenants import Person, Tenant, Tenants

HOME = "/settings/approvals"
PAGE_SIZE = 50
_LINK = re.compile(r"/approvals/([A-Za-z0-9_-]{1,200})")
_LOCAL = re.compile(
    r"/approvals/[A-Za-z0-9_-]{1,200}|/settings/approvals(/[0-9a-f-]{1,40}|\?tab=[a-z]{1,20})?"
)
"""The only pages a login leads on to; any other address is refused, so it never leads elsewhere."""

Fields = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True)
class Asked:
    """A request: the path as it came, its parameters, the query, the form of a POST, who asks."""

    raw_path: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str]
    visitor: Visitor | None


@dataclass(frozen=True)
class Reply:
    """An answer. `tenant` is whose time it is told at; `bare` leaves the headers of pages away."""

    status: int
    body: bytes = b""
    fields: Fields = ()
    tenant: Tenant | None = None
    bare: bool = False


Handler = Callable[[Asked], Awaitable[Reply]]


class Screens:
    """The pages of one console."""

    def __init__(self, tenants: Tenants) -> None:
        self.sessions = Sessions(tenants)
        self._tenants = tenants
        self._contract = tenants.product.contract
        self._attempts = Attempts()
        self._secure = tenants.public_url.startswith("https:")

    # ------------------------------------------------------------- coming and going

    async def login_form(self, asked: Asked) -> Reply:
        """The login, or where it leads for who is in already."""
        target = _target(asked.query)
        if asked.visitor is not None:
            return _to(target, asked.visitor.tenant)
        return self._login_page(200, target)

    async def login(self, asked: Asked) -> Reply:
        """Begin a session with e-mail and password. Whoever is in already changes over."""
        target, email = _target(asked.form), asked.form.get("email", "").strip()
        if not self._attempts.may_try(email):
            wait = (b"retry-after", b"%d" % FAILURE_WINDOW.total_seconds())
            problem = "Muitas tentativas. Espere um minuto e tente de novo."
            return replace(self._login_page(429, target, email, problem), fields=(wait,))
        found = self._found(email, asked.form.get("password", ""), target)
        if found is None:
            self._attempts.fail(email)
            return self._login_page(422, target, email, "E-mail ou senha não conferem.")
        if asked.visitor is not None:
            self.sessions.end(asked.visitor)
        tenant, person = found
        return _to(target, tenant, self._set_cookie(self.sessions.begin(tenant, person)))

    async def logout(self, asked: Asked) -> Reply:
        """End the session."""
        if asked.visitor is None:
            return _to("/login")
        if not self.sessions.proves(asked.form.get("csrf", ""), asked.visitor, "csrf"):
            return self.refused(asked.visitor)
        self.sessions.end(asked.visitor)
        return _to("/login", asked.visitor.tenant, self._set_cookie(""))

    # ------------------------------------------------------------- one approval, by its link

    async def approval(self, asked: Asked) -> Reply:
        """The screen of a link: to decide on while it is pending, the outcome after that."""
        if asked.visitor is None:
            return _to_login(asked.raw_path)
        found = self._linked(asked.visitor, asked.path["link"])
        if found is None:
            return self.nothing(asked.visitor)
        tenant, approval = found
        if approval["status"] == approvals.PENDING:
            return self._pending(asked.visitor, tenant, approval, asked.path["link"])
        return self._outcome(asked.visitor, tenant, approval)

    async def proceed(self, asked: Asked) -> Reply:
        """Continue: run the operation now, and show a secret of its result this once."""

        async def decide(visitor: Visitor, tenant: Tenant, approval: Record) -> Decision | None:
            shown, _, proof = asked.form.get("shown", "").partition(".")
            if not self.sessions.proves(proof, visitor, "shown", approval["id"], shown):
                return None
            return await proceed(tenant, approval, shown)

        return await self._decided(asked, decide)

    async def cancel(self, asked: Asked) -> Reply:
        """Cancel: nothing runs."""

        async def decide(_visitor: Visitor, tenant: Tenant, approval: Record) -> Decision | None:
            return await decline(tenant, approval)

        return await self._decided(asked, decide)

    async def _decided(
        self, asked: Asked, decide: Callable[[Visitor, Tenant, Record], Awaitable[Decision | None]]
    ) -> Reply:
        """The outcome of a form; nothing is decided without a session and this session's own form."""
        visitor = asked.visitor
        if visitor is None:
            return self._message(403, "Sua sessão terminou", _ENTER, None, _came_from(asked.path["link"]))
        found = self._linked(visitor, asked.path["link"])
        if found is None:
            return self.nothing(visitor)
        tenant, approval = found
        proven = self.sessions.proves(asked.form.get("csrf", ""), visitor, "csrf")
        decision = await decide(visitor, tenant, approval) if proven else None
        if decision is None:
            return self.refused(visitor, f"/approvals/{asked.path['link']}")
        return self._outcome(visitor, tenant, approval, decision)

    def _pending(self, visitor: Visitor, tenant: Tenant, approval: Record, link: str) -> Reply:
        contract, flat = self._contract, approval["arguments"]
        operation = contract.operations[approval["operation"]]
        shown = affected(contract, tenant.records, operation, flat)
        seen = digest(shown)
        return self._page(
            200,
            "approval",
            visitor,
            tenant,
            approval=approval,
            link=link,
            shown=f"{seen}.{self.sessions.proof(visitor, 'shown', approval['id'], seen)}",
            left=words.left(tenant.clock.now(), approval["expires_at"]),
            deletes=operation.access == "delete",
            client=visible(approval["client"]["name"]),
            request=facts.request(approval, tenant.organization["name"]),
            subjects=facts.subjects(contract, shown),
            arguments=facts.values(contract, flat),
        )

    def _outcome(
        self, visitor: Visitor, tenant: Tenant, approval: Record, decision: Decision | None = None
    ) -> Reply:
        late = decision is not None and not decision.decided
        clear = {} if decision is None else decision.secrets
        return self._read_only(409 if late else 200, visitor, tenant, approval, late=late, clear=clear)

    # ------------------------------------------------------------- settings

    async def settings(self, asked: Asked) -> Reply:
        """Leads to the only settings there are."""
        return _to(HOME, None if asked.visitor is None else asked.visitor.tenant)

    async def approvals(self, asked: Asked) -> Reply:
        """One tab of a person's own approvals, newest first."""
        visitor, tab = asked.visitor, asked.query.get("tab", approvals.PENDING)
        if visitor is None:
            return _to_login(f"{HOME}?tab={tab}")
        if tab not in words.TABS:
            return self.nothing(visitor)
        rows = [(tenant, each) for tenant, each in self._own(visitor) if each["status"] == tab]
        number = asked.query.get("page", "1")
        at = int(number) if re.fullmatch("[1-9][0-9]{0,5}", number) else 1
        start = (at - 1) * PAGE_SIZE
        return self._page(
            200,
            "settings",
            visitor,
            visitor.tenant,
            tab=tab,
            tabs=words.TABS,
            empty=words.EMPTY[tab],
            rows=[
                (row, visible(row["client"]["name"]), self._about(tenant, row))
                for tenant, row in rows[start : start + PAGE_SIZE]
            ],
            newer=at - 1 if at > 1 else None,
            older=at + 1 if start + PAGE_SIZE < len(rows) else None,
        )

    async def one_approval(self, asked: Asked) -> Reply:
        """One of a person's own approvals, to read only (KADU-APR-15)."""
        visitor = asked.visitor
        if visitor is None:
            return _to_login(asked.raw_path)
        for tenant in self.sessions.homes(visitor):
            tenant.catch_up()
            approval = approvals.held(tenant.records).get(asked.path["id"])
            if approval is not None and approvals.is_of(approval, visitor.id):
                return self._read_only(200, visitor, tenant, approval, back=True)
        return self.nothing(visitor)

    # ------------------------------------------------------------- refusals

    def nothing(self, visitor: Visitor | None) -> Reply:
        """The page that is not there. KADU-APR-13: the same for every link that is not the visitor's."""
        body = page("nothing", brand=self._contract.brand)
        return Reply(404, body, tenant=None if visitor is None else visitor.tenant)

    def refused(self, visitor: Visitor | None, back: str = HOME) -> Reply:
        """A form that is not this session's own, or came from another site."""
        text = "O formulário não é desta sessão ou foi alterado. Nada foi decidido: abra a página de novo."
        return self._message(403, "Formulário recusado", text, visitor, back)

    def wrong_method(self, visitor: Visitor | None, allowed: str) -> Reply:
        """A method that a page does not offer."""
        reply = self._message(405, "Isto não se faz aqui", "Esta página não oferece esse método.", visitor)
        return replace(reply, fields=((b"allow", allowed.encode("ascii")),))

    def unreadable(self, visitor: Visitor | None, status: int) -> Reply:
        """A form that cannot be read."""
        return self._message(status, "Formulário ilegível", "O que foi enviado não pôde ser lido.", visitor)

    # ------------------------------------------------------------- inside

    def _found(self, email: str, password: str, target: str) -> tuple[Tenant, Person] | None:
        """Whose login that is: where the link it leads to belongs, else the newest organization."""
        known = [
            (tenant, person)
            for tenant, person in self._tenants.accounts(email)
            if hmac.compare_digest(person.password.encode(), password.encode())
        ]
        match = _LINK.fullmatch(target)
        for tenant, person in known if match else []:
            if match is not None and approvals.by_link(tenant.records, match[1]) is not None:
                return tenant, person
        return known[0] if known else None

    def _linked(self, visitor: Visitor, link: str) -> tuple[Tenant, Record] | None:
        """The approval behind a link, for its own person and nobody else (KADU-APR-13)."""
        for tenant in self.sessions.homes(visitor):
            tenant.catch_up()
            approval = approvals.by_link(tenant.records, link)
            if approval is not None and approvals.is_of(approval, visitor.id):
                return tenant, approval
        return None

    def _own(self, visitor: Visitor) -> list[tuple[Tenant, Record]]:
        """Every approval of the visitor, newest first (KADU-APR-18)."""
        own: list[tuple[Tenant, Record]] = []
        for tenant in self.sessions.homes(visitor):
            tenant.catch_up()
            own += [(tenant, each) for each in approvals.of_person(tenant.records, visitor.id)]
        return sorted(own, key=lambda each: str(each[1]["created_at"]), reverse=True)

    def _about(self, tenant: Tenant, approval: Record) -> Markup | None:
        """The name of what an approval is about, where it has one now."""
        operation = self._contract.operations.get(approval["operation"])
        if operation is None:
            return None
        shown = affected(self._contract, tenant.records, operation, approval["arguments"])
        fields = shown[0].fields if shown else ()
        named = next((each.value for each in fields if each.field in NAMES), None)
        return visible(named) if isinstance(named, str) else None

    def _read_only(
        self,
        status: int,
        visitor: Visitor,
        tenant: Tenant,
        approval: Record,
        *,
        late: bool = False,
        back: bool = False,
        clear: Mapping[str, Any] | None = None,
    ) -> Reply:
        contract, error = self._contract, approval["error"]
        heading, text = words.OUTCOMES.get(approval["status"], ("", ""))
        if error is not None:
            text = words.FAILURES.get(error["code"], text)
        return self._page(
            status,
            "outcome",
            visitor,
            tenant,
            approval=approval,
            heading=heading,
            text=text,
            late=late,
            back=back,
            secrets=facts.values(contract, clear or {}),
            error=None if error is None else (error["code"], visible(error["detail"])),
            request=facts.request(approval, tenant.organization["name"]),
            result=facts.result(contract, approval["result"]),
            arguments=facts.values(contract, approval["arguments"]),
        )

    def _page(self, status: int, name: str, visitor: Visitor, tenant: Tenant, **data: Any) -> Reply:
        body = page(
            name,
            brand=self._contract.brand,
            person=visible(visitor.person.record["name"]),
            organization=visible(tenant.organization["name"]),
            csrf=self.sessions.proof(visitor, "csrf"),
            **data,
        )
        return Reply(status, body, tenant=tenant)

    def _message(
        self, status: int, heading: str, text: str, visitor: Visitor | None, back: str = HOME
    ) -> Reply:
        body = page("message", brand=self._contract.brand, heading=heading, text=text, back=back)
        return Reply(status, body, tenant=None if visitor is None else visitor.tenant)

    def _login_page(self, status: int, target: str, email: str = "", problem: str = "") -> Reply:
        body = page("login", brand=self._contract.brand, target=target, email=email, problem=problem)
        return Reply(status, body)

    def _set_cookie(self, value: str) -> Fields:
        text = f"{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax"
        text += "; Secure" if self._secure else ""
        text += "" if value else "; Max-Age=0"
        return ((b"set-cookie", text.encode("ascii")),)


_ENTER = "Entre de novo e abra o link outra vez. Nada foi decidido."


def _target(of: Mapping[str, str]) -> str:
    """Where a login leads: a page of ours, never another site."""
    target = of.get("next", HOME)
    return target if _LOCAL.fullmatch(target) else HOME


def _came_from(link: str) -> str:
    return f"/login?next={quote(_target({'next': f'/approvals/{link}'}), safe='')}"


def _to_login(target: str) -> Reply:
    return _to(f"/login?next={quote(_target({'next': target}), safe='')}")


def _to(target: str, tenant: Tenant | None = None, fields: Fields = ()) -> Reply:
    return Reply(303, b"", ((b"location", target.encode("ascii")), *fields), tenant)

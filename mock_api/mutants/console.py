"""Lies of the console: who gets in, what the screen of a link shows, what the settings hold, where a secret shows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from mock_api import approval_decisions, approvals, asgi
from mock_api.approval_decisions import Decision, proceed
from mock_api.approval_subjects import affected
from mock_api.calls import Outcome, Record, Records
from mock_api.console import facts
from mock_api.console.app import Console
from mock_api.console.screens import Asked, Reply, Screens
from mock_api.console.sessions import COOKIE, Visitor
from mock_api.generic import newest_first
from mock_api.mutants.deciding import digest_now
from mock_api.mutants.lie import Lie, instead_of
from mock_api.tenants import Tenant

_approval, _linked, _own = Screens.approval, Screens._linked, Screens._own
_outcome, _one, _reply = Screens._outcome, Screens.one_approval, Console._reply
_pending, _pressed = approvals.pending, Screens._pending
_text = facts._text
_parted, _continued = approval_decisions._parted, Screens.proceed


class NoLoginAsked(Lie):
    """A link opens without a login, for whoever has it."""

    rule = "KADU-APR-06"

    @staticmethod
    @instead_of("mock_api.console.screens:Screens.approval")
    async def approval(screens: Screens, asked: Asked) -> Reply:
        for tenant in screens._tenants:
            approval = approvals.by_link(tenant.records, asked.path["link"])
            if asked.visitor is None and approval is not None:
                owner = tenant.people[approval["person"]["id"]]
                visitor = screens.sessions.visitor(screens.sessions.begin(tenant, owner))
                return await _approval(screens, replace(asked, visitor=visitor))
        return await _approval(screens, asked)


class LoginLeadsHome(Lie):
    """The login does not come back to the link."""

    rule = "KADU-APR-06"

    @staticmethod
    @instead_of("mock_api.console.screens:_target")
    def target(_of: Mapping[str, str]) -> str:
        return "/settings/approvals"


class ScreenWithoutWords(Lie):
    """The screen does not say in words what will happen."""

    rule = "KADU-APR-07"

    @staticmethod
    @instead_of("mock_api.approvals:pending")
    def pending(operation: str, _title: str, *more: Any) -> tuple[Record, str]:
        return _pending(operation, "Confirmar", *more)


class ScreenWithAnotherClient(Lie):
    """The screen names another client than the one that asked."""

    rule = "KADU-APR-07"

    @staticmethod
    @instead_of("mock_api.approvals:pending")
    def pending(
        operation: str, title: str, arguments: Any, person: Record, client: Mapping[str, str], *more: Any
    ) -> tuple[Record, str]:
        return _pending(operation, title, arguments, person, {**client, "name": "Assistente"}, *more)


class ScreenWithoutArguments(Lie):
    """The screen does not show the arguments."""

    rule = "KADU-APR-07"

    @staticmethod
    @instead_of("mock_api.console.facts:values")
    def none(_contract: Any, _of: Mapping[str, Any]) -> list[facts.Fact]:
        return []


class ScreenWithoutTheInside(Lie):
    """The screen does not show what an argument holds that holds others."""

    rule = "KADU-APR-07"

    @staticmethod
    @instead_of("mock_api.console.facts:_text")
    def text(value: Any) -> tuple[str, bool]:
        return ("{…}", True) if isinstance(value, dict) else _text(value)


class ScreenWithoutItsSubject(Lie):
    """The screen does not show the record that is affected."""

    rule = "KADU-APR-07"

    @staticmethod
    @instead_of("mock_api.console.facts:subjects")
    def subjects(_contract: Any, _shown: Any) -> list[facts.Subject]:
        return []


class ScreenWithOldData(Lie):
    """The screen shows what is affected as it was when the call was made."""

    rule = "KADU-APR-07"
    seen: ClassVar[dict[str, Any]] = {}

    @staticmethod
    @instead_of("mock_api.approval_requests:affected")
    def asked(*of: Any) -> Any:
        found = affected(*of)
        ScreenWithOldData.seen[repr(of[3])] = found
        return found

    @staticmethod
    @instead_of("mock_api.console.screens:affected")
    def shown(*of: Any) -> Any:
        return ScreenWithOldData.seen[repr(of[3])]


class AnybodyOpensTheLink(Lie):
    """Whoever has a session opens the link."""

    rule = "KADU-APR-13"

    @staticmethod
    @instead_of("mock_api.console.screens:Screens._linked")
    def linked(_screens: Screens, visitor: Visitor, link: str) -> tuple[Tenant, Record] | None:
        approval = approvals.by_link(visitor.tenant.records, link)
        return None if approval is None else (visitor.tenant, approval)


class OthersLinkIsForbidden(Lie):
    """The link of somebody else is refused as forbidden, so it shows that it exists."""

    rule = "KADU-APR-13"

    @staticmethod
    @instead_of("mock_api.console.screens:Screens.approval")
    async def approval(screens: Screens, asked: Asked) -> Reply:
        reply = await _approval(screens, asked)
        known = asked.visitor and approvals.by_link(asked.visitor.tenant.records, asked.path["link"])
        return screens.refused(asked.visitor) if known and reply.status == 404 else reply


class TokenIsASession(Lie):
    """A bearer token opens the pages of the console."""

    rule = "KADU-APR-13"

    @staticmethod
    @instead_of("mock_api.console.app:Console._reply")
    async def reply(console: Console, scope: asgi.Scope, receive: asgi.Receive) -> Reply:
        screens = console._screens
        token = screens._tenants.token(asgi.bearer(asgi.headers_of(scope)))
        if token is not None and token.person is not None:
            cookie = screens.sessions.begin(token.tenant, token.tenant.people[token.person])
            pair = (b"cookie", f"{COOKIE}={cookie}".encode("ascii"))
            scope = {**scope, "headers": [*scope["headers"], pair]}
        return await _reply(console, scope, receive)


class LatestTabCounts(Lie):
    """What counts is what the tab showed that was opened last."""

    rule = "KADU-APR-14"
    latest: ClassVar[dict[str, str]] = {}

    @staticmethod
    @instead_of("mock_api.console.screens:Screens._pending")
    def pending(screens: Screens, visitor: Visitor, tenant: Tenant, approval: Record, link: str) -> Reply:
        LatestTabCounts.latest[approval["id"]] = digest_now(tenant, approval)
        return _pressed(screens, visitor, tenant, approval, link)

    @staticmethod
    @instead_of("mock_api.console.screens:proceed")
    async def proceed(tenant: Tenant, approval: Record, _shown: str) -> Decision:
        return await proceed(tenant, approval, LatestTabCounts.latest[approval["id"]])


def _told_as(own: list[tuple[Tenant, Record]], status: str, other: str) -> list[tuple[Tenant, Record]]:
    """The approvals, those of one status told as of another."""
    return [(tenant, {**each, "status": other} if each["status"] == status else each) for tenant, each in own]


class FailedAmongCancelled(Lie):
    """Failed approvals stand among the cancelled ones."""

    rule = "KADU-APR-15"

    @staticmethod
    @instead_of("mock_api.console.screens:Screens._own")
    def own(screens: Screens, visitor: Visitor) -> list[tuple[Tenant, Record]]:
        return _told_as(_own(screens, visitor), approvals.FAILED, approvals.DECLINED)


class ExecutedOnTwoTabs(Lie):
    """Executed approvals stay among the pending ones as well."""

    rule = "KADU-APR-15"

    @staticmethod
    @instead_of("mock_api.console.screens:Screens._own")
    def own(screens: Screens, visitor: Visitor) -> list[tuple[Tenant, Record]]:
        own = _own(screens, visitor)
        done = [one for one in own if one[1]["status"] == approvals.EXECUTED]
        return [*own, *_told_as(done, approvals.EXECUTED, approvals.PENDING)]


class ExpiredOnNoTab(Lie):
    """Expired approvals stand on no tab."""

    rule = "KADU-APR-15"

    @staticmethod
    @instead_of("mock_api.console.screens:Screens._own")
    def own(screens: Screens, visitor: Visitor) -> list[tuple[Tenant, Record]]:
        return [one for one in _own(screens, visitor) if one[1]["status"] != approvals.EXPIRED]


class RowDecides(Lie):
    """A row of the settings opens with the buttons to decide."""

    rule = "KADU-APR-15"

    @staticmethod
    @instead_of("mock_api.console.screens:Screens.one_approval")
    async def one_approval(screens: Screens, asked: Asked) -> Reply:
        for tenant, approval in [] if asked.visitor is None else _own(screens, asked.visitor):
            here = approval["id"] == asked.path["id"] and approval["status"] == approvals.PENDING
            if here and asked.visitor is not None:
                return screens._pending(asked.visitor, tenant, approval, approval["id"])
        return await _one(screens, asked)


class SecretKept(Lie):
    """A secret is kept in the result in clear."""

    rule = "KADU-APR-16"

    @staticmethod
    @instead_of("mock_api.approval_decisions:_parted")
    def parted(outcome: Outcome) -> tuple[Any, dict[str, Any]]:
        result, secrets = _parted(outcome)
        return ({**result, **secrets} if secrets else result), secrets


class SecretShownAfterReloading(Lie):
    """The screen of a link shows its secret as often as it is opened."""

    rule = "KADU-APR-16"
    decisions: ClassVar[dict[str, Decision]] = {}

    @staticmethod
    @instead_of("mock_api.console.screens:Screens._outcome")
    def outcome(
        screens: Screens, visitor: Visitor, tenant: Tenant, approval: Record, decision: Decision | None = None
    ) -> Reply:
        decisions = SecretShownAfterReloading.decisions
        if decision is not None:
            decisions[approval["id"]] = decision
        return _outcome(screens, visitor, tenant, approval, decisions.get(approval["id"]))


class SecretNeverShown(Lie):
    """A secret is masked even right after Continue."""

    rule = "KADU-APR-16"

    @staticmethod
    @instead_of("mock_api.approval_decisions:_parted")
    def parted(outcome: Outcome) -> tuple[Any, dict[str, Any]]:
        return _parted(outcome)[0], {}


class SecretInItsRow(Lie):
    """The row of the settings shows the secret in clear."""

    rule = "KADU-APR-16"
    secrets: ClassVar[dict[str, Mapping[str, Any]]] = {}

    @staticmethod
    @instead_of("mock_api.console.screens:proceed")
    async def proceed(tenant: Tenant, approval: Record, shown: str) -> Decision:
        decision = await proceed(tenant, approval, shown)
        SecretInItsRow.secrets[approval["id"]] = decision.secrets
        return decision

    @staticmethod
    @instead_of("mock_api.console.screens:Screens.one_approval")
    async def one_approval(screens: Screens, asked: Asked) -> Reply:
        reply = await _one(screens, asked)
        told = repr(SecretInItsRow.secrets.get(asked.path["id"])).encode()
        return replace(reply, body=reply.body.replace(b"</main>", b"<p>" + told + b"</p></main>"))


class OpeningRuns(Lie):
    """Opening a link runs the operation."""

    rule = "KADU-APR-17"

    @staticmethod
    @instead_of("mock_api.console.screens:Screens.approval")
    async def approval(screens: Screens, asked: Asked) -> Reply:
        found = asked.visitor and screens._linked(asked.visitor, asked.path["link"])
        if found:
            await proceed(*found, digest_now(*found))
        return await _approval(screens, asked)


class SettingsOfEverybody(Lie):
    """The settings hold the approvals of everybody in the organization."""

    rule = "KADU-APR-18"

    @staticmethod
    @instead_of("mock_api.approvals:of_person")
    def of_person(records: Records, _person: str) -> list[Record]:
        return newest_first(approvals.held(records))

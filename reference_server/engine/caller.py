"""Who is calling, asked of the upstream once for each incoming request and never remembered beyond it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .contract import Operation
from .upstream import Answer, Upstream, UpstreamUnavailable


class NotRecognized(Exception):
    """The upstream does not know the token."""


@dataclass(frozen=True)
class Caller:
    """The caller of one request. `person` is None where nobody of the organization stands behind the token.

    `now` is the upstream's time in this very request.
    """

    token: str = field(repr=False)
    person: str | None
    organization: str
    scopes: frozenset[str]
    permissions: frozenset[str]
    now: datetime


class Callers:
    """Finds out who holds a token."""

    def __init__(self, upstream: Upstream, me: Operation) -> None:
        self._upstream = upstream
        self._me = me

    async def identify(self, token: str) -> Caller:
        """The caller behind the token. Raises NotRecognized, or UpstreamUnavailable where nobody can tell."""
        answer = await self._upstream.ask(self._me.method, self._me.path, token=token)
        if answer.status == 401:
            raise NotRecognized
        if not answer.ok:
            raise UpstreamUnavailable(f"status {answer.status} to who is calling")
        return _caller(token, answer)


def _caller(token: str, answer: Answer) -> Caller:
    body = answer.body if isinstance(answer.body, dict) else {}
    person, organization = body.get("person"), body.get("organization")
    if not isinstance(organization, dict) or not isinstance(organization.get("id"), str):
        raise UpstreamUnavailable("who is calling came without an organization")
    known = person.get("id") if isinstance(person, dict) else None
    return Caller(
        token=token,
        person=known if isinstance(known, str) else None,
        organization=organization["id"],
        scopes=_texts(body.get("scopes")),
        permissions=_texts(body.get("permissions")),
        now=answer.now,
    )


def _texts(value: Any) -> frozenset[str]:
    return (
        frozenset(item for item in value if isinstance(item, str)) if isinstance(value, list) else frozenset()
    )


class Visibility:
    """What a caller may run, and so what is shown to it."""

    def may_run(self, caller: Caller, operation: Operation) -> bool:
        """Whether the token's scope and the person's role both allow the operation."""
        # RES-05, TLS-02: the scope and the permission, each on its own.
        return self.has_scope(caller, operation) and self.has_permission(caller, operation)

    def has_scope(self, caller: Caller, operation: Operation) -> bool:
        """Whether the token holds the operation's scope."""
        return operation.scope is None or operation.scope in caller.scopes

    def has_permission(self, caller: Caller, operation: Operation) -> bool:
        """Whether the person's role holds the operation's permission."""
        return operation.permission is None or operation.permission in caller.permissions

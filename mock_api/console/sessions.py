"""Who is looking at the console: sessions by cookie, their proofs in forms, and how often a login may fail."""

import hashlib
import hmac
import secrets
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta

from mock_api import clock
from mock_api.tenants import Person, Session, Tenant, Tenants

COOKIE = "console_session"
IDLE = timedelta(hours=8)
"""How long a session lives unused, by the clock of its tenant."""
MOST_SESSIONS = 500
"""How many sessions an organization has at most; the oldest go first."""
MOST_FAILURES = 10
FAILURE_WINDOW = timedelta(seconds=60)
"""An address whose logins failed so often within this time waits, by the clock of the machine."""
MOST_ADDRESSES = 10_000


@dataclass(frozen=True)
class Visitor:
    """A person with a session. `key` names the session and is no secret of it."""

    tenant: Tenant
    person: Person
    key: str

    @property
    def id(self) -> str:
        """The person's id."""
        return str(self.person.record["id"])


class Sessions:
    """The sessions of one console; they are kept with their tenants and die with them."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants
        self._secret = secrets.token_bytes(32)

    def begin(self, tenant: Tenant, person: Person) -> str:
        """A new session; gives the value of its cookie."""
        value = f"{tenant.id}.{secrets.token_urlsafe(32)}"
        while len(tenant.sessions) >= MOST_SESSIONS:
            del tenant.sessions[next(iter(tenant.sessions))]
        tenant.sessions[_digest(value)] = Session(str(person.record["id"]), tenant.clock.now())
        return value

    def visitor(self, cookie: str) -> Visitor | None:
        """Who has that cookie; its session is used by this, or over when it was idle for too long."""
        tenant = self._tenants.get(cookie.partition(".")[0])
        key = _digest(cookie)
        session = None if tenant is None else tenant.sessions.get(key)
        if tenant is None or session is None:
            return None
        now = tenant.clock.now()
        if now - session.seen >= IDLE:
            del tenant.sessions[key]
            return None
        session.seen = now
        return Visitor(tenant, tenant.people[session.person], key)

    def end(self, visitor: Visitor) -> None:
        """Forget a session."""
        visitor.tenant.sessions.pop(visitor.key, None)

    def homes(self, visitor: Visitor) -> list[Tenant]:
        """The organizations of that very person: the one of the session first."""
        others = [
            tenant
            for tenant, person in self._tenants.accounts(visitor.person.record["email"])
            if tenant is not visitor.tenant
            and person.record["id"] == visitor.id
            and person.password == visitor.person.password
        ]
        return [visitor.tenant, *others]

    def proof(self, visitor: Visitor, *about: str) -> str:
        """What only this console can put into a form of that session, about these things."""
        message = "\0".join((visitor.key, *about)).encode()
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()

    def proves(self, given: str, visitor: Visitor, *about: str) -> bool:
        """Whether a form carries that proof."""
        return hmac.compare_digest(given.encode(), self.proof(visitor, *about).encode())


class Attempts:
    """Failed logins by e-mail address; they slow down whoever guesses."""

    def __init__(self) -> None:
        self._failed: dict[str, deque[datetime]] = {}

    def may_try(self, email: str) -> bool:
        """Whether a login with that address is looked at now."""
        failed = self._failed.get(email.casefold(), deque())
        since = clock.now() - FAILURE_WINDOW
        while failed and failed[0] <= since:
            failed.popleft()
        return len(failed) < MOST_FAILURES

    def fail(self, email: str) -> None:
        """Count a failure."""
        while len(self._failed) >= MOST_ADDRESSES:
            del self._failed[next(iter(self._failed))]
        self._failed.setdefault(email.casefold(), deque(maxlen=MOST_FAILURES)).append(clock.now())


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()

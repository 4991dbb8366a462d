"""Tenants: one organization each, with its people, tokens, records, clock, faults, ledger and registers."""

import asyncio
import hashlib
import secrets
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from mock_api import approvals
from mock_api.calls import Record, Records, Refusal
from mock_api.confirmations import Confirmations
from mock_api.faults import Faults
from mock_api.idempotency import Idempotency
from mock_api.jsons import read, write
from mock_api.ledger import Ledger
from mock_api.product import Product
from mock_api.tenant_clock import TenantClock

ORGANIZATIONS = "organizations"
CLIENTS = ("Assistente Aurora", "Painel Ipê", "Copiloto Jacarandá", "Estúdio Maré", "Agente Sabiá")
TOKEN_LIFE = timedelta(days=3650)
"""Long enough that no scenario outlives its token by moving the clock; an expired token is refused."""


@dataclass
class Person:
    """A person as a member of one organization. `record` has id, name and email."""

    record: Record
    password: str
    permissions: frozenset[str]
    member: bool = True


@dataclass(frozen=True)
class Client:
    """The MCP client a token was issued to."""

    id: str
    name: str


@dataclass(eq=False)
class Token:
    """A bearer token. `person` is None where no person of the organization stands behind it."""

    id: str
    value: str
    tenant: "Tenant"
    person: str | None
    scopes: frozenset[str]
    client: Client
    expires_at: datetime
    revoked: bool = False


@dataclass
class Session:
    """A person's session on the console: whose, and when it was last used, by the tenant's clock."""

    person: str
    seen: datetime


@dataclass(frozen=True)
class Caller:
    """Who is calling, and what that caller may do at this moment."""

    token: Token
    person: Record | None
    scopes: frozenset[str]
    permissions: frozenset[str]


@dataclass(eq=False)
class Tenant:
    """All that belongs to one organization, which is itself a record of the collection `organizations`.

    `sessions` are those of the console, by the digest of their cookie; `deciding` are the approvals being decided
    at this moment, by id; `made` is how many ids `new_id` gave.
    """

    id: str
    seed: str
    product: Product
    public_url: str
    organization: Record
    people: dict[str, Person]
    records: Records
    clock: TenantClock
    tokens: dict[str, Token] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    ledger: Ledger = field(default_factory=Ledger)
    confirmations: Confirmations = field(default_factory=Confirmations)
    idempotency: Idempotency = field(default_factory=Idempotency)
    sessions: dict[str, Session] = field(default_factory=dict)
    deciding: dict[str, asyncio.Event] = field(default_factory=dict)
    closed: bool = False
    made: int = 0
    _caught_up: datetime | None = None

    def new_id(self) -> str:
        """A fresh id of a record, equal for equal seeds and equal histories."""
        self.made += 1
        digest = hashlib.sha256(f"{self.seed}\0made\0{self.made}".encode()).digest()
        return str(uuid.UUID(bytes=digest[:16], version=4))

    def completed(self, collection: str, values: Record) -> Record:
        """A full record of a collection: generated, then overlaid with the values."""
        seed = f"{self.seed}\0{collection}\0{self.made}"
        return self.product.complete(collection, seed, self.clock.now(), self.records, values)

    def catch_up(self) -> datetime:
        """Move along what moves by time alone, and give the tenant's time."""
        now = self.clock.now()
        if now != self._caught_up:
            self._caught_up = now
            if self.product.advance is not None:
                self.product.advance(self.records, now)
        approvals.expire(self.records, now, self.deciding)
        return now

    def caller(self, token: Token) -> Caller:
        """Who is behind a token now. Raises Refusal 401: revoked, expired, or its person is a member no more."""
        if self.closed or token.revoked or self.clock.now() >= token.expires_at:
            raise Refusal(401, "unauthorized", "The token is not valid any more.")
        if token.person is None:
            return Caller(token, None, token.scopes, frozenset(self.product.contract.permissions))
        person = self.people[token.person]
        if not person.member:
            raise Refusal(401, "unauthorized", "The person is no longer a member of the organization.")
        return Caller(token, person.record, token.scopes, person.permissions)


class Tenants:
    """Every tenant of this mock, and which tenant each token belongs to."""

    def __init__(self, product: Product, public_url: str = "http://127.0.0.1") -> None:
        self.product = product
        self.public_url = public_url
        self._tenants: dict[str, Tenant] = {}
        self._tokens: dict[str, Token] = {}
        self._accounts: dict[str, list[tuple[Tenant, Person]]] = {}

    def __len__(self) -> int:
        return len(self._tenants)

    def __iter__(self) -> Iterator[Tenant]:
        return iter(self._tenants.values())

    def get(self, tenant_id: str) -> Tenant | None:
        """The tenant of that id."""
        return self._tenants.get(tenant_id)

    def token(self, value: str) -> Token | None:
        """The token of that text, valid or revoked; its tenant's `caller` tells which."""
        return self._tokens.get(value)

    def accounts(self, email: str) -> list[tuple[Tenant, Person]]:
        """Who has that e-mail address, and where: the newest organization first."""
        return self._accounts.get(email.casefold(), [])[::-1]

    def create(self, seed: str, now: datetime, guests: list[Person | None]) -> Tenant:
        """Make a tenant with one person for each item: a new one for None, else that very person.

        Raises ValueError when that would make somebody a member twice.
        """
        clock = TenantClock(now)
        world = self.product.generate(seed, clock.now(), len(guests))
        records, people = world.records, dict[str, Person]()
        every = frozenset(self.product.contract.permissions)
        for made, guest in zip(world.people, guests, strict=True):
            if guest is None:
                people[made["id"]] = Person(made, secrets.token_urlsafe(12), every)
            else:
                people[guest.record["id"]] = Person(dict(guest.record), guest.password, every)
                records = _replaced(records, made["id"], guest.record)
        if len(people) != len(guests):
            raise ValueError(
                "one person would be a member twice: take another seed, or name each person once"
            )
        records.setdefault(ORGANIZATIONS, {})[world.organization["id"]] = world.organization
        tenant = Tenant(
            id=uuid.UUID(bytes=secrets.token_bytes(16), version=4).hex,
            seed=seed,
            product=self.product,
            public_url=self.public_url,
            organization=world.organization,
            people=people,
            records=records,
            clock=clock,
        )
        self._admit(tenant)
        return tenant

    def _admit(self, tenant: Tenant) -> None:
        """Make a tenant, its people and its tokens known."""
        self._tenants[tenant.id] = tenant
        self._tokens.update({token.value: token for token in tenant.tokens.values()})
        for person in tenant.people.values():
            self._accounts.setdefault(person.record["email"].casefold(), []).append((tenant, person))

    def delete(self, tenant: Tenant) -> None:
        """Forget a tenant. Its tokens die with it, and what its faults held is let go and refused."""
        del self._tenants[tenant.id]
        for token in tenant.tokens.values():
            del self._tokens[token.value]
        for person in tenant.people.values():
            email = person.record["email"].casefold()
            left = [each for each in self._accounts.pop(email) if each[0] is not tenant]
            if left:
                self._accounts[email] = left
        tenant.closed = True
        tenant.faults.disarm_all()

    def close(self) -> None:
        """Forget every tenant."""
        for tenant in list(self._tenants.values()):
            self.delete(tenant)

    def issue(self, tenant: Tenant, person: str | None, scopes: Iterable[str], client: str | None) -> Token:
        """Issue a token of a tenant to a client of that name, or one of ours."""
        name = client if client is not None else CLIENTS[len(tenant.tokens) % len(CLIENTS)]
        token = Token(
            id=secrets.token_hex(8),
            value=secrets.token_urlsafe(32),
            tenant=tenant,
            person=person,
            scopes=frozenset(scopes),
            client=Client(str(uuid.uuid5(uuid.NAMESPACE_URL, f"urn:mcp-client:{name}")), name),
            expires_at=tenant.clock.now() + TOKEN_LIFE,
        )
        tenant.tokens[token.id] = self._tokens[token.value] = token
        return token


def _replaced(records: Records, old: str, guest: Record) -> Records:
    """The records with another person in the place of the one of the id `old`, wherever that id stands."""
    replaced: Records = read(write(records).replace(old.encode(), guest["id"].encode()))
    for held in replaced.values():
        if guest["id"] in held:
            held[guest["id"]].update(guest)
    return replaced

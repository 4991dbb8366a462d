"""The world of one scenario: its actors, the story so far, what they exchanged, what was found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from harness.actors.client import FORMS, Client, Lane
from harness.actors.upstream import ControlPlane, Tenant, Token, Upstream
from harness.checks.questions import Question
from harness.exchanges import ERAS, Era, Exchange
from harness.ledger import LedgerEntry
from harness.oracle import judge
from harness.product import Product, load
from harness.settings import Settings
from harness.transport import Transport
from harness.verdicts import Finding, HarnessFault

SCHEMA_RULE = "MCP-18"


@dataclass(frozen=True)
class Call:
    """A tool call as the story tells it: the tool and its arguments."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass
class Story:
    """What the steps of one scenario pass on: the last caller, call, answer and question."""

    client: Client | None = None
    call: Call | None = None
    exchange: Exchange | None = None
    exchanges: list[Exchange] = field(default_factory=list)
    question: Question | None = None
    asked: list[tuple[Call, Exchange]] = field(default_factory=list)
    confirmed: dict[str, Any] | None = None
    record: tuple[str, Mapping[str, Any]] | None = None
    notes: dict[str, Any] = field(default_factory=dict)


class World:
    """Everything one scenario run can reach. Made by `open_world`, ended by `close`."""

    def __init__(self, settings: Settings, transport: Transport, scenario: str, era: Era, rule: str) -> None:
        self.settings, self.transport, self.scenario, self.era, self.rule = (
            settings,
            transport,
            scenario,
            era,
            rule,
        )
        self.product: Product = load(settings.product)
        self.exchanges: list[Exchange] = []
        self.findings: list[Finding] = []
        self.redactions: set[str] = {settings.control_secret} if settings.control_secret else set()
        control = ControlPlane(
            transport, settings.control_url, settings.control_secret, timeout=settings.timeout
        )
        self.upstream = Upstream(control, self.redactions)
        self.capabilities: Mapping[str, Any] = FORMS
        self.story = Story()
        self._lane = Lane(settings.urls)
        self._tenants: dict[str, Tenant] = {}
        self._clients: dict[str, Client] = {}
        self._tokens: dict[str, Token] = {}
        self._schemas: dict[str, dict[str, Mapping[str, Any]]] = {}
        self._marks: dict[str, int] = {}
        self._digests: dict[str, str] = {}

    # Tenants and callers

    @property
    def tenant(self) -> Tenant:
        """The scenario's own tenant."""
        return self._tenant("home")

    @property
    def tenant_id(self) -> str | None:
        """The id of the scenario's own tenant, None while none was made."""
        home = self._tenants.get("home")
        return None if home is None else home.id

    def _tenant(self, name: str) -> Tenant:
        if name not in self._tenants:
            seed = f"{self.settings.seed}/{self.scenario}/{name}"
            people: list[dict[str, Any]] = [{}, {}]
            if name == "other organization":
                home = self.tenant
                people = [{"same_as": {"tenant": home.id, "person": home.people[0]["id"]}}, {}]
            made = self.upstream.tenant(seed, people=people)
            self._tenants[name] = made
            self._marks[name], self._digests[name] = 0, made.digest()
        return self._tenants[name]

    def tenant_of(self, caller: str) -> Tenant:
        """The tenant a caller belongs to."""
        return self._tenant(CALLERS[caller][0])

    def token_of(self, caller: str) -> Token:
        """The token of a caller, minted when first needed."""
        if caller not in self._tokens:
            home, person = CALLERS[caller]
            tenant = self._tenant(home)
            self._tokens[caller] = tenant.token(None if person is None else tenant.people[person]["id"])
        return self._tokens[caller]

    def use_token(self, caller: str, token: Token) -> None:
        """Give a caller this token from now on."""
        self._tokens[caller] = token
        self._clients.pop(caller, None)

    def client(self, caller: str = "the assistant") -> Client:
        """The assistant of that caller, made when first needed."""
        if caller not in self._clients:
            self._clients[caller] = self.new_client(self.token_of(caller).value)
        return self._clients[caller]

    def new_client(self, token: str | None) -> Client:
        """An assistant with any token, or none."""
        return Client(
            era=self.era,
            token=token,
            transport=self.transport,
            lane=self._lane,
            record=self.record,
            number=self.next_number,
            timeout=self.settings.timeout,
            capabilities=self.capabilities,
            schema_of=self._known_schema,
        )

    @property
    def other_era(self) -> Era:
        """The era that this scenario does not speak."""
        return next(era for era in ERAS if era != self.era)

    def in_other_era(self) -> Client:
        """An assistant of the same token that speaks the other era."""
        client = self.new_client(self.token_of("the assistant").value)
        client.era = self.other_era
        return client

    def declare(self, capabilities: Mapping[str, Any]) -> None:
        """What assistants made from now on declare."""
        self.capabilities = capabilities
        self._clients.clear()

    # Evidence

    def next_number(self) -> int:
        """The number of the next exchange."""
        return len(self.exchanges) + 1

    def record(self, exchange: Exchange) -> None:
        """Keep an exchange as evidence, and judge it by its revision's schema."""
        self.exchanges.append(exchange)
        self._redact(exchange)
        if exchange.method is None or exchange.status is None:
            return
        version = exchange.version or ""
        found = list(exchange.malformed) if exchange.message is not None or exchange.status == 200 else []
        if exchange.message is not None:
            found += judge(exchange.method, version, exchange.message, exchange.others)
        for violation in found:
            self.findings.append(
                Finding(
                    "a message is not valid for its revision",
                    expected=f"a message valid for {version}",
                    actual=violation,
                    exchange=exchange.number,
                    rule=SCHEMA_RULE,
                )
            )

    def _redact(self, exchange: Exchange) -> None:
        # What opens a door is a secret, whoever minted it.
        seen = [(exchange.result or {}).get("requestState")]
        if exchange.answer is not None:
            seen += [exchange.answer.header("mcp-session-id"), exchange.answer.header("set-cookie")]
        self.redactions.update(one for one in seen if isinstance(one, str) and one)

    def schemas(self, caller: str = "the assistant") -> Mapping[str, Mapping[str, Any]]:
        """The tools that the server lists for a caller, by name."""
        if caller not in self._schemas:
            listed = self.client(caller).items("tools/list", "tools")
            self._schemas[caller] = {str(tool.get("name")): tool for tool, _ in listed}
        return self._schemas[caller]

    def _known_schema(self, tool: str) -> Mapping[str, Any] | None:
        # Only what was listed already: a call lists nothing by itself.
        for listed in self._schemas.values():
            schema = listed.get(tool, {}).get("inputSchema")
            if isinstance(schema, Mapping):
                return schema
        return None

    def effects(self, home: str = "home") -> list[LedgerEntry]:
        """The business effects in a tenant since its last mark."""
        entries = self._tenants[home].ledger(after=self._marks[home])
        return [entry for entry in entries if entry.kind == "business" and entry.effect]

    def tenants(self) -> Mapping[str, Tenant]:
        """Every tenant this scenario made, by its name in the story."""
        return self._tenants

    def changed(self, home: str) -> bool:
        """True when a business record of the tenant differs from the last mark."""
        return self._tenants[home].digest() != self._digests[home]

    def mark(self) -> None:
        """What happened so far is accounted for; `effects` and `changed` start anew."""
        for name, tenant in self._tenants.items():
            entries = tenant.ledger(after=self._marks[name])
            self._marks[name] = max((entry.seq for entry in entries), default=self._marks[name])
            self._digests[name] = tenant.digest()

    def look_anew(self) -> None:
        """Records move with time (a running execution ends): from now on they are compared with how they are now."""
        for name, tenant in self._tenants.items():
            self._digests[name] = tenant.digest()

    # The story

    @property
    def answer(self) -> Exchange:
        """The last answer of the story. Raises HarnessFault where the feature asks before anything was sent."""
        if self.story.exchange is None:
            raise HarnessFault("The scenario looks at an answer before anything was asked.")
        return self.story.exchange

    @property
    def call(self) -> Call:
        """The call the story is about. Raises HarnessFault where there is none."""
        if self.story.call is None:
            raise HarnessFault("The scenario speaks of a call before one was made.")
        return self.story.call

    @property
    def question(self) -> Question:
        """The question the story is about. Raises HarnessFault where none was asked for."""
        if self.story.question is None:
            raise HarnessFault("The scenario answers a question before one was asked.")
        return self.story.question

    @property
    def caller(self) -> Client:
        """The assistant that spoke last."""
        return self.story.client or self.client()

    def close(self, keep: bool = False) -> None:
        """Take the tenants down, unless they are to be kept."""
        if not keep:
            for tenant in self._tenants.values():
                tenant.close()


CALLERS: Mapping[str, tuple[str, int | None]] = {
    "the assistant": ("home", 0),
    "the person's other assistant": ("home", 0),
    "the colleague's assistant": ("home", 1),
    "the assistant in the other organization": ("other organization", 0),
    "a stranger's assistant": ("elsewhere", 0),
    "an assistant of nobody": ("home", None),
}
"""Who may call: the tenant and the person (by position) behind each."""


@cache
def _transport() -> Transport:
    # One pool of connections for the whole process: what a scenario costs is mostly what it sends.
    return Transport()


def open_world(settings: Settings, scenario: str, era: Era, rule: str) -> World:
    """The world for one scenario run; its tenant depends on seed, scenario and era alone."""
    return World(settings, _transport(), scenario, era, rule)

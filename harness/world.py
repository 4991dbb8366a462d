"""The world of one scenario: its actors, the story so far, what they exchanged, what was found."""

import atexit
import importlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from harness.actors.client import FORMS, Client, Lane
from harness.actors.upstream import ControlPlane, Tenant, Token, Upstream
from harness.checks.questions import Question
from harness.controls.faketime import ProcessClock
from harness.exchanges import ERAS, Era, Exchange
from harness.ledger import LedgerEntry
from harness.oracle import judge
from harness.oracle.unsaid import reserved_code
from harness.product import Product, load
from harness.settings import Address, Settings
from harness.transport import Transport
from harness.verdicts import Finding, HarnessFault, NotTestable

SCHEMA_RULE, CODE_RULE = "MCP-18", "MCP-11"
"""The rules that every message is judged by, whatever its scenario is about."""
# In JSON, and in JSON within a text of JSON.
_CALLED_SECRET = re.compile(rb"secret\\{0,3}\"\s{0,9}:\s{0,9}\\{0,3}\"([!#-\[\]-~]{16,})")
NEEDS_MOCK = "needs the mock: a real system is only read, by the one token that was given"


@dataclass(frozen=True)
class Call:
    """A tool call as the story tells it: the tool and its arguments."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Look:
    """What happened in one tenant since its last mark: business effects, and whether any record differs."""

    home: str
    effects: tuple[LedgerEntry, ...]
    changed: bool
    last: int
    digest: str


@dataclass
class Story:
    """What the steps of one scenario pass on: the last caller, call, answer and question.

    `asked_at` is when the last question was asked for, on our monotonic clock; `moved` whether time was moved since.
    """

    client: Client | None = None
    call: Call | None = None
    exchange: Exchange | None = None
    exchanges: list[Exchange] = field(default_factory=list)
    question: Question | None = None
    asked: list[tuple[Call, Exchange]] = field(default_factory=list)
    asked_at: float = 0.0
    moved: bool = False
    confirmed: dict[str, Any] | None = None
    record: tuple[str, Mapping[str, Any]] | None = None
    notes: dict[str, Any] = field(default_factory=dict)


Offer = Mapping[str, Mapping[str, Any]]
"""Tools as a server lists them, by name."""


@dataclass(frozen=True)
class Process:
    """What the scenario runs of one process share: connections, what a server offers to who holds everything, and the
    ids of tenants whose scenarios have ended, and by tool and form the answers after which a call was seen to run."""

    transport: Transport
    offered: dict[tuple[tuple[str, ...], str], Offer]
    leaving: list[str]
    learned: dict[tuple[str, str], tuple[Any, ...]]


class World:
    """Everything one scenario run can reach. Made by `open_world`, ended by `close`."""

    def __init__(self, settings: Settings, process: "Process", scenario: str, era: Era, rule: str) -> None:
        self.settings, self.scenario, self.era, self.rule = settings, scenario, era, rule
        self._process, self.learned = process, process.learned
        self.transport, self._offered = process.transport, process.offered
        self.product: Product = load(settings.product)
        self.exchanges: list[Exchange] = []
        self.findings: list[Finding] = []
        self.redactions: set[str] = set(settings.secrets)
        control = ControlPlane(
            self.transport, settings.control_url, settings.control_secret, timeout=settings.timeout
        )
        self._upstream = Upstream(control, self.redactions, process.leaving)
        self.capabilities: Mapping[str, Any] = FORMS
        self.story = Story()
        self._lane = Lane(settings.urls)
        self._tenants: dict[str, Tenant] = {}
        self._clients: dict[str, Client] = {}
        self._tokens: dict[str, Token] = {}
        self._schemas: dict[str, Offer] = {}
        self._marks: dict[str, int] = {}
        self._digests: dict[str, str] = {}

    # Tenants and callers

    @property
    def upstream(self) -> Upstream:
        """What makes tenants. Raises NotTestable where there is no mock: a real system is read and not controlled."""
        if self.settings.read_only:
            raise NotTestable(NEEDS_MOCK)
        return self._upstream

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
            self._marks[name], self._digests[name] = 0, made.first_digest
        return self._tenants[name]

    def tenant_of(self, caller: str) -> Tenant:
        """The tenant a caller belongs to."""
        return self._tenant(CALLERS[caller][0])

    def token_of(self, caller: str) -> Token:
        """The token of a caller, minted when first needed."""
        if caller not in self._tokens:
            if self.settings.read_only and caller == "the assistant":
                return Token("", self.settings.token, None, "", ())
            home, person = CALLERS[caller]
            tenant = self._tenant(home)
            first = person is not None and caller not in SECOND_TOKEN
            self._tokens[caller] = (
                tenant.first_tokens[person or 0]
                if first
                else tenant.token(None if person is None else tenant.people[person]["id"])
            )
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
            headers=self.settings.headers,
            reading_only=self.settings.read_only,
        )

    def aside(self, name: str) -> "World":
        """A world of the same server with tenants of its own, for what has to be tried out: no evidence of this one."""
        return World(self.settings, self._process, f"{self.scenario} ({name})", self.era, self.rule)

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
        code = (exchange.error or {}).get("code")
        why = reserved_code(code, version)
        if why is not None:
            said = "an error has a code that its revision does not use"
            self._complain(exchange, CODE_RULE, said, f"a code of {version}", why)
        for violation in found:
            said = "a message is not valid for its revision"
            self._complain(exchange, SCHEMA_RULE, said, f"a message valid for {version}", violation)

    def _complain(self, exchange: Exchange, rule: str, said: str, expected: str, actual: str) -> None:
        self.findings.append(
            Finding(said, expected=expected, actual=actual, exchange=exchange.number, rule=rule)
        )

    def _redact(self, exchange: Exchange) -> None:
        # What opens a door is a secret, whoever minted it; so is what the upstream calls one.
        seen = [(exchange.result or {}).get("requestState")]
        if exchange.answer is not None:
            seen += [found.decode() for found in _CALLED_SECRET.findall(exchange.answer.body)]
            seen += [exchange.answer.header("mcp-session-id"), exchange.answer.header("set-cookie")]
        self.redactions.update(one for one in seen if isinstance(one, str) and one)

    def schemas(self, caller: str = "the assistant") -> Offer:
        """The tools that the server offers to a caller, by name: what arguments are built from.

        A caller who holds everything is offered the same in every tenant, so one listing serves a whole process.
        """
        if caller not in self._schemas:
            key = (self.settings.urls, self.era) if self._holds_everything(caller) else None
            listed = self._offered.get(key) if key is not None else None
            self._schemas[caller] = self.list_tools(caller) if listed is None else listed
            if key is not None:
                self._offered[key] = self._schemas[caller]
        return self._schemas[caller]

    def list_tools(self, caller: str = "the assistant") -> Offer:
        """The tools that the server lists for a caller now, by name."""
        self._schemas[caller] = {
            str(tool.get("name")): tool for tool, _ in self.client(caller).items("tools/list", "tools")
        }
        return self._schemas[caller]

    def _holds_everything(self, caller: str) -> bool:
        if self.settings.read_only:
            # There is one token only, so one listing is everybody's.
            return True
        home, person = CALLERS[caller]
        return (
            not self._tenant(home).lessened
            and person is not None
            and set(self.token_of(caller).scopes) == set(self._tenant(home).scopes)
        )

    def _known_schema(self, tool: str) -> Mapping[str, Any] | None:
        # Only what was listed already: a call lists nothing by itself.
        for listed in self._schemas.values():
            schema = listed.get(tool, {}).get("inputSchema")
            if isinstance(schema, Mapping):
                return schema
        return None

    def look(self, home: str = "home") -> Look:
        """What happened in a tenant since its last mark."""
        entries, digest = self.tenants()[home].changes(after=self._marks[home])
        effects = [entry for entry in entries if entry.kind == "business" and entry.effect]
        last = max((entry.seq for entry in entries), default=self._marks[home])
        return Look(home, tuple(effects), digest != self._digests[home], last, digest)

    def looks(self) -> list[Look]:
        """What happened in every tenant of the scenario since the last mark. Raises NotTestable without a mock."""
        return [self.look(home) for home in self.tenants()]

    def tenants(self) -> Mapping[str, Tenant]:
        """Every tenant this scenario made, by its name in the story. Raises NotTestable without a mock."""
        if self.settings.read_only:
            raise NotTestable(NEEDS_MOCK)
        return self._tenants

    def mark(self, looks: Iterable[Look] | None = None) -> None:
        """What was seen (all that happened so far, unless told) is accounted for; the next look starts there."""
        for look in self.looks() if looks is None else looks:
            self._marks[look.home], self._digests[look.home] = look.last, look.digest

    def look_anew(self) -> None:
        """Records move with time (a running execution ends): from now on they are compared with how they are now."""
        for look in self.looks():
            self._digests[look.home] = look.digest

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

    def close(self) -> None:
        """Take the tenants down."""
        self.leave()
        self._upstream.close()

    def leave(self) -> None:
        """The tenants are not needed any more: the next scenario's request for one takes them down with it."""
        for tenant in self._tenants.values():
            self._upstream.leave(tenant)
        self._tenants.clear()


CALLERS: Mapping[str, tuple[str, int | None]] = {
    "the assistant": ("home", 0),
    "the person's other assistant": ("home", 0),
    "the colleague's assistant": ("home", 1),
    "the assistant in the other organization": ("other organization", 0),
    "a stranger's assistant": ("elsewhere", 0),
    "an assistant of nobody": ("home", None),
}
"""Who may call: the tenant and the person (by position) behind each."""

SECOND_TOKEN = ("the person's other assistant",)
"""Callers that speak with another token than their person's first."""


@cache
def _process(ca_file: str | None, detours: tuple[tuple[Address, Address], ...]) -> Process:
    # One for the whole process: what a scenario costs is mostly what it sends.
    transport = Transport(ca_file=ca_file, detours=dict(detours))
    atexit.register(transport.close)
    return Process(transport, {}, [], {})


def open_world(settings: Settings, scenario: str, era: Era, rule: str) -> World:
    """The world for one scenario run; its tenant depends on seed, scenario and era alone.

    A process whose clock is moved begins at the real time, as tenants do.
    """
    if settings.time_file:
        ProcessClock(settings.time_file).set(0.0)
    return World(settings, _process(settings.ca_file, settings.detours), scenario, era, rule)


def prepare() -> None:
    """Load what every scenario needs, before processes that run them are forked from this one."""
    importlib.import_module("harness.oracle.schemas")


def begin_process() -> None:
    """This process was forked from another, whose connections are not to be used here."""
    _process.cache_clear()


def end_worlds(settings: Settings) -> None:
    """No more scenarios in this process: take down what the last of them left."""
    process = _process(settings.ca_file, settings.detours)
    if process.leaving:
        World(settings, process, "", ERAS[0], "").close()

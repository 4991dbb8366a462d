"""The client actor: an assistant that speaks MCP in one era with one token, and records every exchange."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

from harness.actors.patience import send_patiently
from harness.actors.reading_only import refusal
from harness.checks.results import describe
from harness.clock import monotonic
from harness.exchanges import Era, Exchange, HttpRequest
from harness.transport import BODY_LIMIT, Leaving, Sent, Transport
from harness.verdicts import Finding, NotTestable, RuleBroken
from harness.wire.answers import read
from harness.wire.eras import ERA_TABLES, LAST_WITHOUT_HEADER, VERSION_HEADER
from harness.wire.requests import Overrides, initialize, notification, request

FORMS: Mapping[str, Any] = {"elicitation": {"form": {}}}
NO_FORMS: Mapping[str, Any] = {}
CLIENT_INFO = {"name": "conformance-assistant", "version": "1"}
PAGE_LIMIT = 200
LISTING_TIMEOUTS = 10
"""How many times as long as one answer a whole listing may take."""
ITEM_LIMIT = 10_000
ROOM = 8 * 1024 * 1024
SMALLEST = 64 * 1024
FICKLE = "(on a connection kept open after an earlier answer)"

Record = Callable[[Exchange], None]


@dataclass
class Lane:
    """The replicas a scenario's requests go to, one after another.

    `room` is how many bytes of answers the scenario still takes in: all of them are kept as evidence until it ends.
    """

    urls: Sequence[str]
    turn: int = 0
    room: int = ROOM

    def next(self) -> str:
        """The replica for the next request."""
        url = self.urls[self.turn % len(self.urls)]
        self.turn += 1
        return url

    def body_limit(self, times: int = 1) -> int:
        """The bytes that the body of an answer may have, where that many come at the same time."""
        return max(min(BODY_LIMIT, self.room) // times, SMALLEST)


@dataclass
class Stream:
    """A request whose answer may stay open; `exchange` is what came of it in the end."""

    exchange: Exchange | None = None


@dataclass
class Client:
    """One assistant. `capabilities` is what it declares; `number` gives the next exchange's number.

    `headers` go with every request. With `reading_only` nothing but reading is ever sent: whatever else would go out
    raises NotTestable.
    """

    era: Era
    token: str | None
    transport: Transport
    lane: Lane
    record: Record
    number: Callable[[], int]
    timeout: float
    capabilities: Mapping[str, Any] = field(default_factory=lambda: FORMS)
    schema_of: Callable[[str], Mapping[str, Any] | None] = lambda tool: None
    headers: tuple[tuple[str, str], ...] = ()
    reading_only: bool = False
    _next_id: int = 0
    _agreed: str | None = None
    _ready: bool = False
    _session: str | None = None

    @property
    def version(self) -> str:
        """The revision this client speaks: the one agreed on in the handshake, else the era's newest."""
        return self._agreed or ERA_TABLES[self.era].version

    def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        overrides: Overrides | None = None,
        id: int | str | None = None,
    ) -> Exchange:
        """Send one request, shaking hands first where the era has a handshake; the exchange with its answer.

        Raises RuleBroken when the handshake that the era needs is not answered.
        """
        self.shake_hands()
        request_id = self._fresh_id() if id is None else id
        built = self._build(method, params, request_id, overrides)
        return self._send(method, built, request_id, _label(method, params))

    def together(self, method: str, params: Mapping[str, Any], times: int) -> list[Exchange]:
        """Send the same request `times` times at the same moment, each under an id of its own."""
        self.shake_hands()
        ids = [self._fresh_id() for _ in range(times)]
        requests = [self._outgoing(self._build(method, params, request_id, None)) for request_id in ids]
        limit = self.lane.body_limit(times)
        sent = self.transport.send_many(requests, timeout=self.timeout, answers_ids=ids, body_limit=limit)
        label = _label(method, params)
        return [
            self._exchange(method, one, built, request_id, label)
            for one, built, request_id in zip(sent, requests, ids, strict=True)
        ]

    @contextmanager
    def open_stream(self, method: str, params: Mapping[str, Any], seconds: float) -> Iterator["Stream"]:
        """Send a request whose answer may stay open, and do something else once its first bytes are there.

        They have as long as any answer. A stream that is still open `seconds` after the something else is left;
        what came by then is its exchange.
        """
        self.shake_hands()
        request_id = self._fresh_id()
        built = self._outgoing(self._build(method, params, request_id, None))
        stream, leaving, begun = Stream(), Leaving(), Event()

        def begins(_: object) -> bool:
            begun.set()
            return False

        with ThreadPoolExecutor(1) as pool:
            sending = pool.submit(
                self.transport.send,
                built,
                timeout=self.timeout,
                until=begins,
                answers_id=request_id,
                body_limit=self.lane.body_limit(),
                leaving=leaving,
            )
            sending.add_done_callback(begins)
            begun.wait()
            try:
                yield stream
                left = bool(wait([sending], seconds).not_done)
            finally:
                if not sending.done():
                    leaving.now()
            sent = sending.result()
        if left:
            sent = replace(sent, problem="the stream was still open and was left")
        stream.exchange = self._exchange(method, sent, built, request_id, method)

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> Exchange:
        """Send a notification; the exchange (its message is None when all is well)."""
        self.shake_hands()
        built = notification(
            self.era,
            method,
            params,
            url=self.lane.next(),
            token=self.token,
            session_id=self._session,
            version=self._agreed,
        )
        return self._send(None, built, None, method)

    def shake_hands(self) -> None:
        """Open the era: once, and only where the era has a handshake."""
        if self._ready or not ERA_TABLES[self.era].handshake:
            return
        exchange = self.initialize()
        if exchange.result is None:
            raise RuleBroken(
                Finding(
                    "the server does not answer the handshake of this era",
                    expected=f"a result to initialize with {self.version}",
                    actual=describe(exchange),
                    exchange=exchange.number,
                )
            )
        self.agree(exchange)

    def agree(self, exchange: Exchange) -> None:
        """Go on from a handshake that was answered: speak the revision it agreed on."""
        self._ready = True
        agreed = (exchange.result or {}).get("protocolVersion")
        self._agreed = agreed if isinstance(agreed, str) and ERA_TABLES[self.era].known(agreed) else None
        self._session = None if exchange.answer is None else exchange.answer.header("mcp-session-id")
        self.notify("notifications/initialized")

    def initialize(self, version: str | None = None, overrides: Overrides | None = None) -> Exchange:
        """Send `initialize` asking for a revision, this era's own unless told."""
        request_id = self._fresh_id()
        built = initialize(
            url=self.lane.next(),
            token=self.token,
            id=request_id,
            version=version or self.version,
            capabilities=self.capabilities,
            client=CLIENT_INFO,
            overrides=overrides,
        )
        return self._send("initialize", built, request_id, "initialize")

    def forget_session(self) -> None:
        """Send no session id from now on, as a client at another replica would."""
        self._session = None

    def items(self, method: str, key: str) -> Iterator[tuple[Mapping[str, Any], Exchange]]:
        """Every item of a listing, through all its pages. Raises RuleBroken when a page cannot be had.

        Raises NotTestable where each page comes in time and the last one does not.
        """
        cursor: str | None = None
        count = 0
        deadline = monotonic() + LISTING_TIMEOUTS * self.timeout
        for page in range(PAGE_LIMIT):
            if page and monotonic() > deadline:
                raise NotTestable(
                    f"{method} was not at its end after {page} pages in {LISTING_TIMEOUTS * self.timeout:g} s"
                )
            exchange = self.request(method, {} if cursor is None else {"cursor": cursor})
            result = exchange.result
            listed = None if result is None else result.get(key)
            if not isinstance(listed, list):
                raise RuleBroken(
                    Finding(
                        f"{method} does not answer a list",
                        expected=f"a result with {key}",
                        actual=describe(exchange),
                        exchange=exchange.number,
                    )
                )
            count += len(listed)
            if count > ITEM_LIMIT:
                raise RuleBroken(
                    Finding(
                        f"{method} lists more than anybody can read",
                        expected=f"at most {ITEM_LIMIT} {key}",
                        actual=f"{count} {key} so far",
                        exchange=exchange.number,
                    )
                )
            for item in listed:
                if isinstance(item, dict):
                    yield item, exchange
            cursor = None if result is None else result.get("nextCursor")
            if not isinstance(cursor, str):
                return
        raise RuleBroken(
            Finding(f"{method} never ends", expected="a last page", actual=f"more than {PAGE_LIMIT} pages")
        )

    def _fresh_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def _build(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        request_id: int | str,
        overrides: Overrides | None,
    ) -> HttpRequest:
        return request(
            self.era,
            method,
            params,
            id=request_id,
            url=self.lane.next(),
            token=self.token,
            session_id=self._session,
            capabilities=self.capabilities,
            client=CLIENT_INFO,
            version=self._agreed,
            input_schema=self.schema_of(str((params or {}).get("name"))) if method == "tools/call" else None,
            overrides=overrides,
        )

    def _send(
        self, method: str | None, built: HttpRequest, request_id: int | str | None, label: str
    ) -> Exchange:
        built = self._outgoing(built)

        def put_off(refused: Sent) -> None:
            self._exchange(method, refused, built, request_id, label)

        limit = self.lane.body_limit()
        sent = send_patiently(
            self.transport,
            built,
            timeout=self.timeout,
            answers_id=request_id,
            put_off=put_off,
            body_limit=limit,
        )
        if sent.answer is None and (sent.problem or "").endswith(FICKLE):
            # The server hung up on a connection that was idle, as it may: a read is simply sent again.
            if method == "tools/call":
                raise NotTestable(
                    "the server closed a connection as a call was sent: whether it ran is not known"
                )
            sent = self.transport.send(built, timeout=self.timeout, answers_id=request_id, body_limit=limit)
        return self._exchange(method, sent, built, request_id, label)

    def _outgoing(self, built: HttpRequest) -> HttpRequest:
        """The request with the headers that go with every one. Raises NotTestable for what may not be sent."""
        if self.reading_only and (refused := refusal(built)) is not None:
            raise NotTestable(f"--read-only sends {refused}")
        return replace(built, headers=(*built.headers, *self.headers)) if self.headers else built

    def _spoken(self, method: str | None, built: HttpRequest) -> str:
        """The revision by which an answer is judged: a request without its header may be taken for an older one."""
        headerless = all(name.lower() != VERSION_HEADER for name, _ in built.headers)
        return LAST_WITHOUT_HEADER if headerless and method != "initialize" else self.version

    def _exchange(
        self, method: str | None, sent: Sent, built: HttpRequest, request_id: int | str | None, label: str
    ) -> Exchange:
        self.lane.room -= 0 if sent.answer is None else len(sent.answer.body)
        reading = None if sent.answer is None or method is None else read(method, request_id, sent.answer)
        exchange = Exchange(
            number=self.number(),
            actor="client",
            label=label,
            request=built,
            answer=sent.answer,
            problem=sent.problem,
            seconds=sent.seconds,
            method=method,
            version=self._spoken(method, built),
            message=None if reading is None else reading.message,
            others=() if reading is None else reading.others,
            malformed=() if reading is None else reading.malformed,
        )
        self.record(exchange)
        return exchange


def _label(method: str, params: Mapping[str, Any] | None) -> str:
    subject = (params or {}).get("name") or (params or {}).get("uri") or ""
    return f"{method} {subject}"[:200].rstrip()

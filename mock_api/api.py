"""The public listener: the product's API, as a server under test sees it."""

import logging
from collections.abc import Mapping
from datetime import datetime
from email.utils import format_datetime
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

from mock_api import asgi, clock, jsons
from mock_api.asgi import Receive, Scope, Send
from mock_api.calls import Outcome, Refusal
from mock_api.console import ROOTS
from mock_api.contract import FrozenOperation
from mock_api.errors import problem
from mock_api.execution import execute
from mock_api.generic import public
from mock_api.idempotency import IN_PROGRESS, RETRY_AFTER, Replayed
from mock_api.judging import Arguments
from mock_api.ledger import Entry
from mock_api.links import UPLOAD_LIMIT, download, upload
from mock_api.routing import Match
from mock_api.tenants import Tenants, Token
from mock_api.validation import flaws

BODY_LIMIT = 1_000_000
"""Bytes."""
MOST_PARAMETERS = 100

_LOG = logging.getLogger("mock_api")
_JSON = (b"content-type", b"application/json")
_NO_STORE = (b"cache-control", b"no-store")
_FILE = (
    (b"content-type", b"application/octet-stream"),
    (b"content-disposition", b"attachment"),
    (b"x-content-type-options", b"nosniff"),
)
_CHALLENGE = (b"www-authenticate", b"Bearer")
_RETRY_AFTER = (b"retry-after", b"%d" % RETRY_AFTER)
_REPLAY = (b"x-idempotent-replay", b"true")

Fields = tuple[tuple[bytes, bytes], ...]


class Api:
    """The ASGI app of the public listener.

    With `check_answers` an answer outside of the contract becomes a 500.
    """

    def __init__(self, tenants: Tenants, *, check_answers: bool = False) -> None:
        self._tenants = tenants
        self._contract = tenants.product.contract
        self._check_answers = check_answers

    @cached_property
    def _console(self) -> asgi.App:
        # Imported when the first person comes: a mock without people on its console starts without it.
        from mock_api.console.app import Console

        return Console(self._tenants)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        try:
            await self._serve(scope, receive, send)
        except asgi.Disconnected:
            return

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, raw_path = scope["method"], asgi.raw_path(scope)
        root = raw_path.lstrip(b"/").partition(b"/")[0]
        if root not in self._contract.roots:
            if root in ROOTS:
                await self._console(scope, receive, send)
                return
            if method == "GET" and await self._give(raw_path, send):
                return
            if method == "PUT":
                content = await asgi.read_body(receive, UPLOAD_LIMIT)
                if content is not None and await self._take(raw_path, content, send):
                    return
                receive = asgi.again(content or b"")
        headers = asgi.headers_of(scope)
        token = self._tenants.token(asgi.bearer(headers))
        if token is None:
            body = jsons.write(problem(Refusal(401, "unauthorized", "A valid bearer token is needed.")))
            await asgi.answer(send, 401, body, (_JSON, _NO_STORE, _CHALLENGE, _date(clock.now())))
            return
        tenant = token.tenant
        match = self._contract.router.match(method, raw_path)
        arguments = await _read(scope, receive, match, headers)
        status, content, fields, dropped = await self._answer(token, match, arguments, method, raw_path)
        if dropped:
            await asgi.drop(scope, receive)
        await asgi.answer(send, status, content, (*fields, _NO_STORE, _date(tenant.clock.now())))

    async def _give(self, raw_path: bytes, send: Send) -> bool:
        """Answer what is read without a token: the contract, and what presigned links give."""
        if raw_path == b"/openapi.json":
            await asgi.answer(send, 200, self._contract.document, (_JSON, _date(clock.now())))
            return True
        given = download(self._tenants, raw_path.decode("latin-1"))
        if given is None:
            return False
        tenant, content = given
        await asgi.answer(send, 200, content, (*_FILE, _NO_STORE, _date(tenant.clock.now())))
        return True

    async def _take(self, raw_path: bytes, content: bytes, send: Send) -> bool:
        """Answer what is put to a presigned link."""
        tenant = upload(self._tenants, raw_path.decode("latin-1"), content)
        if tenant is None:
            return False
        await asgi.answer(send, 200, b"", (_NO_STORE, _date(tenant.clock.now())))
        return True

    async def _answer(
        self, token: Token, match: Match[FrozenOperation], arguments: Arguments, method: str, raw_path: bytes
    ) -> tuple[int, bytes, Fields, bool]:
        """Do what is asked and write it into the ledger.

        Gives status, body, more headers, and whether to drop the answer.
        """
        tenant, operation = token.tenant, match.target
        fields: Fields = (_JSON,)
        code, dropped = None, False
        try:
            # In this order: token, route, method, then what `execute` looks at.
            caller = tenant.caller(token)
            if operation is None:
                raise _no_route(match)
            outcome = await execute(tenant, caller, operation, arguments)
            dropped = tenant.faults.strike(operation.id, "drop_response") is not None
        except Refusal as refusal:
            replay = isinstance(refusal, Replayed)
            outcome = Outcome(refusal.status, problem(refusal), effect=False, replay=replay)
            code = refusal.code
            if refusal.status == 401:
                fields = (_JSON, _CHALLENGE)
            elif match.allowed:
                fields = (_JSON, (b"allow", ", ".join(match.allowed).encode("ascii")))
            elif code == IN_PROGRESS:
                fields = (_JSON, _RETRY_AFTER)
        if outcome.replay:
            fields = (*fields, _REPLAY)
        status, body = outcome.status, public(outcome.body)
        if self._check_answers and operation is not None:
            outside = _outside_contract(operation, status, body)
            if outside is not None:
                _LOG.error("The answer of %s is outside of the contract: %s", operation.id, outside)
                status, code = 500, "outside_contract"
                body = problem(Refusal(status, code, outside))
        tenant.ledger.record(
            Entry(
                at=clock.text(tenant.clock.now()),
                klass=_ledger_class(operation, method),
                effect=outcome.effect,
                replay=outcome.replay,
                operation=None if operation is None else operation.id,
                method=method,
                path=raw_path.decode("latin-1"),
                query=arguments.query,
                headers={name: value for name, value in arguments.headers.items() if name != "authorization"},
                body=arguments.body,
                arguments=arguments.flat,
                status=status,
                code=code,
                token=token.id,
                person=token.person,
                client=token.client.name,
            )
        )
        if status == 204:
            return status, b"", (), dropped
        return status, jsons.write(body), fields, dropped


async def _read(
    scope: Scope, receive: Receive, match: Match[FrozenOperation], headers: dict[str, str]
) -> Arguments:
    """Read what was asked as far as it can be read; what cannot is the flaw of the arguments."""
    flaw, body, query = None, None, dict[str, Any]()
    raw_query = scope["query_string"]
    if raw_query:
        try:
            pairs = parse_qsl(
                raw_query.decode("ascii"),
                keep_blank_values=True,
                strict_parsing=True,
                errors="strict",
                max_num_fields=MOST_PARAMETERS,
            )
            query = match.target.query.read(pairs) if match.target is not None else dict(pairs)
        except ValueError:
            flaw = Refusal(400, "bad_request", "The query cannot be read.")
    text = await asgi.read_body(receive, BODY_LIMIT)
    if text is None:
        flaw = Refusal(413, "payload_too_large", f"The body is longer than {BODY_LIMIT} bytes.")
    elif text:
        try:
            body = jsons.read(text)
        except ValueError as error:
            flaw = Refusal(400, "bad_request", f"The request cannot be read: {error}.")
        else:
            # From here on None is a body that was not sent.
            if body is None:
                flaw = Refusal(400, "bad_request", "The body is null.")
    return Arguments(match.path, query, headers, body, flaw)


def _no_route(match: Match[FrozenOperation]) -> Refusal:
    if match.allowed:
        return Refusal(405, "method_not_allowed", f"Offered here: {', '.join(match.allowed)}.")
    return Refusal(404, "not_found", "No such route is here.")


def _ledger_class(operation: FrozenOperation | None, method: str) -> str:
    if operation is not None:
        return operation.ledger_class
    return "access" if method in ("GET", "HEAD", "OPTIONS") else "business"


def _outside_contract(operation: FrozenOperation, status: int, body: Any) -> str | None:
    """What the contract does not allow in an answer. A refusal that it does not speak of is free."""
    answers: Mapping[str, Any] = operation.answers
    key = str(status) if str(status) in answers else "default"
    if key not in answers:
        return None if status >= 400 else f"the status {status} is not described"
    validator = answers[key]
    if validator is None:
        return None if body is None else "a body is not described"
    found = flaws(validator, body, "body")
    return found[0] if found else None


def _date(moment: datetime) -> tuple[bytes, bytes]:
    return b"date", format_datetime(moment, usegmt=True).encode("ascii")

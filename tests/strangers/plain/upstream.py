"""Talking to the API: one question, one answer, with the caller's own token."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

import httpx

from plain.contract import Operation

BODY_LIMIT = 16_000_000


class Unreachable(Exception):
    """The API gave nothing usable: it refused, timed out, or answered what no client can read."""


class TokenRefused(Exception):
    """The API does not know this token."""


@dataclass(frozen=True)
class Answer:
    """What the API said: HTTP status, decoded body (None when empty) and its clock, None without a `Date`."""

    status: int
    body: Any
    now: datetime | None

    @property
    def succeeded(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300

    @property
    def error(self) -> tuple[str, str]:
        """The API's own error code and detail, as far as it gave any."""
        errors = self.body.get("errors") if isinstance(self.body, dict) else None
        first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
        return str(first.get("code") or f"http_{self.status}"), str(
            first.get("detail") or first.get("title") or ""
        )


@dataclass(frozen=True)
class Me:
    """Who is calling, and the API's clock when it was asked. `person` is None behind a token without one."""

    person: str | None
    organization: str
    scopes: frozenset[str]
    permissions: frozenset[str]
    now: datetime

    def may_run(self, operation: Operation) -> bool:
        """KADU-TLS-02: the scope is the token's, the permission is the person's; both are needed."""
        return (operation.scope is None or operation.scope in self.scopes) and (
            operation.permission is None or operation.permission in self.permissions
        )


class Upstream:
    """A pool of connections to one API."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def document(self) -> Any:
        """The published contract, decoded. Raises Unreachable."""
        return (await self._ask("GET", "/openapi.json", {})).body

    async def me(self, token: str) -> Me:
        """Who holds the token. Raises TokenRefused, Unreachable."""
        answer = await self.ask(token, "GET", "/v1/me")
        body = answer.body
        if not answer.succeeded or not isinstance(body, dict) or answer.now is None:
            raise Unreachable(f"GET /v1/me answered {answer.status}")
        person, organization = body.get("person"), body.get("organization")
        if not isinstance(organization, dict):
            raise Unreachable("GET /v1/me names no organization")
        return Me(
            person=str(person["id"]) if isinstance(person, dict) else None,
            organization=str(organization["id"]),
            scopes=frozenset(body.get("scopes") or ()),
            permissions=frozenset(body.get("permissions") or ()),
            now=answer.now,
        )

    async def run(self, token: str, operation: Operation, arguments: Mapping[str, Any]) -> Answer:
        """Run an operation with validated arguments. Raises TokenRefused, Unreachable."""
        path = operation.path
        for name in operation.in_path:
            value = str(arguments[name])
            if value in ("", ".", ".."):
                return Answer(
                    404, {"errors": [{"code": "not_found", "detail": "There is no such record."}]}, None
                )
            path = path.replace("{" + name + "}", quote(value, safe=""))
        query = [
            (name, _query_text(value))
            for name in operation.in_query
            if name in arguments
            for value in (arguments[name] if isinstance(arguments[name], list) else [arguments[name]])
        ]
        body = {name: arguments[name] for name in operation.in_body if name in arguments}
        return await self.ask(
            token,
            operation.verb,
            path,
            query=query,
            body=body if operation.has_body else None,
            key=arguments.get("idempotency_key"),
        )

    async def ask(
        self,
        token: str,
        verb: str,
        path: str,
        *,
        query: Sequence[tuple[str, str]] = (),
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Answer:
        """Send one request. Raises TokenRefused on 401, Unreachable where no readable answer comes."""
        headers: dict[str, str | bytes] = {"authorization": f"Bearer {token}"}
        if key is not None:
            # KADU-IDM-02: as a header and nowhere else
            headers["x-idempotency-key"] = _header_bytes(key)
        answer = await self._ask(verb, path, headers, query, body)
        if answer.status == 401:
            raise TokenRefused
        return answer

    async def _ask(
        self,
        verb: str,
        path: str,
        headers: dict[str, Any],
        query: Sequence[tuple[str, str]] = (),
        body: Mapping[str, Any] | None = None,
    ) -> Answer:
        content = None
        if body is not None:
            content, headers["content-type"] = json.dumps(body).encode(), "application/json"
        request = self._client.build_request(
            verb, path, params=list(query) or None, headers=headers, content=content
        )
        try:
            response = await self._client.send(request, stream=True)
            try:
                raw = bytearray()
                async for chunk in response.aiter_bytes():
                    raw += chunk
                    if len(raw) > BODY_LIMIT:
                        raise Unreachable("the API's answer is too long")
            finally:
                await response.aclose()
            decoded = json.loads(raw) if raw else None
        except httpx.HTTPError as problem:
            raise Unreachable(f"the API did not answer: {type(problem).__name__}") from problem
        except (ValueError, RecursionError) as problem:
            if response.status_code < 400:
                raise Unreachable("the API's answer is no JSON") from problem
            decoded = None
        return Answer(response.status_code, decoded, _moment(response.headers.get("date")))


def _header_bytes(key: str) -> bytes:
    """A key as a header carries it: wrapped in base64 where it would lose its edges."""
    raw = key.encode()
    return b"=?base64?" + base64.b64encode(raw) + b"?=" if key != key.strip() else raw


def _query_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _moment(text: str | None) -> datetime | None:
    try:
        return parsedate_to_datetime(text) if text else None
    except ValueError:
        return None

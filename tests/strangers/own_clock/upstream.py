"""Asking the API: a few connections kept open, the caller's own token, an answer or none. Its clock is not looked at."""

import http.client
import json
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from plain.contract import Operation

PATIENCE = 60.0
# The far side drops a connection that idles; one that may be dropped just now is not used.
IDLE = 2.0


class Away(Exception):
    """The API gave no answer that could be used."""


class TokenUnknown(Exception):
    """The API does not take this token."""


@dataclass(frozen=True)
class Said:
    """What the API answered."""

    status: int
    body: Any

    @property
    def fine(self) -> bool:
        """Whether it did what it was asked."""
        return self.status < 300

    @property
    def problem(self) -> tuple[str, str]:
        """The code and the sentence of its error."""
        errors = self.body.get("errors") if isinstance(self.body, dict) else None
        first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
        return str(first.get("code", "unavailable")), str(first.get("detail", "The API gave no reason"))


@dataclass(frozen=True)
class Who:
    """The caller. `person` is empty where nobody stands behind the token."""

    token: str
    token_id: str
    person: str
    organization: str
    held: frozenset[str]

    def may(self, operation: Operation) -> bool:
        """Whether scope and permission of an operation are both held."""
        return {one for one in (operation.scope, operation.permission) if one is not None} <= self.held


class Upstream:
    """The API at a base URL."""

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._new = lambda: kind(parts.hostname or "", parts.port, timeout=PATIENCE)
        self._prefix = parts.path.rstrip("/")
        self._idle: deque[tuple[http.client.HTTPConnection, float]] = deque()

    def document(self) -> Any:
        """The published contract. Raises Away."""
        return self._ask("GET", "/openapi.json", {}, None).body

    def who(self, token: str) -> Who:
        """Who holds a token. Raises TokenUnknown, Away."""
        me = self.ask(token, "GET", "/v1/me").body
        if not isinstance(me, dict) or "organization" not in me:
            raise Away
        person = me.get("person") or {}
        held = frozenset((*me["scopes"], *me["permissions"]))
        return Who(
            token, str(me["token"]["id"]), str(person.get("id", "")), str(me["organization"]["id"]), held
        )

    def run(self, who: Who, operation: Operation, arguments: Mapping[str, Any]) -> Said:
        """Run an operation with arguments that fit its schema. Raises TokenUnknown, Away."""
        path = operation.path
        for name in operation.in_path:
            value = str(arguments[name])
            if value.strip(".") == "":
                return Said(404, {"errors": [{"code": "not_found", "detail": "No such record"}]})
            path = path.replace("{" + name + "}", quote(value, safe="", errors="replace"))
        given = {name: arguments[name] for name in operation.in_query if name in arguments}
        if given:
            path += "?" + urlencode({name: _text(value) for name, value in given.items()}, doseq=True)
        body = {name: arguments[name] for name in operation.in_body if name in arguments}
        return self.ask(
            who.token,
            operation.verb,
            path,
            body if operation.has_body else None,
            arguments.get("idempotency_key"),
        )

    def ask(self, token: str, verb: str, path: str, body: Any = None, key: str | None = None) -> Said:
        """Ask one thing. Raises TokenUnknown, Away."""
        headers = {"Authorization": f"Bearer {token}"}
        if key is not None:
            # KADU-IDM-02. Header lines are bytes: what is not ASCII goes as UTF-8.
            headers["X-Idempotency-Key"] = key.encode().decode("latin-1")
        said = self._ask(verb, path, headers, None if body is None else json.dumps(body).encode())
        if said.status == 401:
            raise TokenUnknown
        return said

    def _ask(self, verb: str, path: str, headers: dict[str, str], body: bytes | None) -> Said:
        if body is not None:
            headers = {**headers, "Content-Type": "application/json"}
        connection = self._connection()
        try:
            connection.request(verb, self._prefix + path, body, headers)
            answer = connection.getresponse()
            raw = answer.read()
        except (OSError, http.client.HTTPException) as problem:
            connection.close()
            raise Away from problem
        if answer.will_close:
            connection.close()
        else:
            self._idle.append((connection, time.monotonic()))
        try:
            return Said(answer.status, json.loads(raw) if raw else None)
        except ValueError as problem:
            raise Away from problem

    def _connection(self) -> http.client.HTTPConnection:
        while self._idle:
            try:
                connection, since = self._idle.pop()
            except IndexError:
                break
            if time.monotonic() - since < IDLE:
                return connection
            connection.close()
        return self._new()


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(one) for one in value]
    return value if isinstance(value, str) else json.dumps(value)

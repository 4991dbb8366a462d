"""A tiny upstream: the contract of every operation the tables name, records in memory, a clock to set, faults."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope, Send

from reference_server.engine.connections import ConnectionFailed, RawAnswer

NOON = datetime(2026, 11, 30, 15, 0, 0, tzinfo=UTC)
COLLECTIONS = {
    "workspaces": "workspaces", "activities": "activities", "tasks": "tasks", "executions": "executions",
    "memories": "memories", "environments": "environments", "schedules": "schedules", "secrets": "secrets",
    "webhooks": "webhooks", "operation_approvals": "system_events",
}  # fmt: skip
REGISTERS = ("/v1/confirmations", "/v1/operation_approvals")
IDENTIFIER = {"name": "id", "in": "path", "required": True, "schema": {"$ref": "#/components/schemas/Id"}}
KEY = {
    "name": "X-Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
PAGE = [
    {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 100}},
    {"name": "cursor", "in": "query", "schema": {"type": "string"}},
]
RUN_BODY = {
    "type": "object",
    "required": ["environment_id"],
    "properties": {
        "environment_id": {"type": "string"},
        "reference_date": {"type": "string", "format": "date"},
        "parameters": {"type": "object"},
        "dry": {"type": "boolean"},
    },
}
WEBHOOK_BODY = {
    "type": "object",
    "properties": {"url": {"type": "string"}, "description": {"type": ["string", "null"]}},
}


def contract() -> dict[str, Any]:
    """An OpenAPI document with every operation the product's tables name, and a few more to write with."""
    paths: dict[str, dict[str, Any]] = {}

    def add(name: str, method: str, path: str, facts: dict[str, Any], **rest: Any) -> None:
        described = {"title": f"Título de {name}", **facts}
        paths.setdefault(path, {})[method] = {"operationId": name, "x-kadu": described, **rest}

    def facts(
        scope: str | None, permission: str | None, access: str, destructive: Any = "never"
    ) -> dict[str, Any]:
        return {"scope": scope, "permission": permission, "access": access, "destructive": destructive}

    def body(schema: dict[str, Any]) -> dict[str, Any]:
        return {"required": True, "content": {"application/json": {"schema": schema}}}

    for name, scope in COLLECTIONS.items():
        read = facts(f"kadu/{scope}", f"agent.{name}.read", "read")
        add(f"kadu_{name}_list", "get", f"/v1/{name}", read, parameters=PAGE)
        add(f"kadu_{name}_get", "get", f"/v1/{name}/{{id}}", read, parameters=[IDENTIFIER])
    add("kadu_me_get", "get", "/v1/me", facts(None, None, "read"))
    for name in ("repository", "usage", "usage_tasks", "usage_workspaces", "tasks_readiness"):
        read = facts(f"kadu/{name}", f"agent.{name}.read", "read")
        add(f"kadu_{name}_get", "get", f"/v1/{name}", read)
    # What no table names, and a lie does.
    for name in ("files", "todos", "webhook_deliveries"):
        read = facts(f"kadu/{name}", f"agent.{name}.read", "read")
        add(f"kadu_{name}_list", "get", f"/v1/{name}", read, parameters=PAGE)
        add(f"kadu_{name}_get", "get", f"/v1/{name}/{{id}}", read, parameters=[IDENTIFIER])
    for name in ("events", "logs", "todos"):
        read = facts("kadu/executions", f"agent.execution_{name}.read", "read")
        add(
            f"kadu_executions_{name}_list",
            "get",
            f"/v1/executions/{{id}}/{name}",
            read,
            parameters=[IDENTIFIER],
        )
    write = facts("kadu/tasks", "agent.tasks.run", "write", "always") | {"title": "Executar a tarefa"}
    run = {"parameters": [IDENTIFIER, KEY], "requestBody": body(RUN_BODY)}
    add("kadu_tasks_run", "post", "/v1/tasks/{id}/run", write, **run)
    write = facts("kadu/tasks", "agent.tasks.update", "write")
    add("kadu_tasks_update", "patch", "/v1/tasks/{id}", write, parameters=[IDENTIFIER, KEY],
        requestBody=body({"properties": {"name": {"$ref": "#/components/schemas/Name"}}}))  # fmt: skip
    erase = facts("kadu/tasks", "agent.tasks.delete", "delete", "always") | {"title": "Excluir a tarefa"}
    add("kadu_tasks_delete", "delete", "/v1/tasks/{id}", erase, parameters=[IDENTIFIER])
    hooks = facts("kadu/webhooks", "agent.webhooks.create", "write", "always")
    add(
        "kadu_webhooks_create",
        "post",
        "/v1/webhooks",
        hooks,
        parameters=[KEY],
        requestBody=body(WEBHOOK_BODY),
    )
    hooks = facts("kadu/webhooks", "agent.webhooks.update", "write", {"when_changes": "url"})
    add("kadu_webhooks_update", "patch", "/v1/webhooks/{id}", hooks, parameters=[IDENTIFIER, KEY],
        requestBody=body(WEBHOOK_BODY))  # fmt: skip
    rotate = facts("kadu/webhooks", "agent.webhooks.rotate_secret", "write", "always")
    add(
        "kadu_webhooks_rotate_secret",
        "post",
        "/v1/webhooks/{id}/rotate_secret",
        rotate,
        parameters=[IDENTIFIER, KEY],
    )
    register = facts(None, None, "write") | {"tool": False}
    add("confirmations_create", "post", "/v1/confirmations", register, requestBody=body({"properties": {}}))
    store = {"parameters": [], "requestBody": body({"properties": {}})}
    add("operation_approvals_create", "post", "/v1/operation_approvals", register, **store)
    schemas = {"Id": {"type": "string", "minLength": 1}, "Name": {"type": "string", "maxLength": 80}}
    return {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}


CONTRACT = contract()
OPERATIONS = [o["x-kadu"] for item in CONTRACT["paths"].values() for o in item.values()]
SCOPES = {o["scope"] for o in OPERATIONS if o["scope"]}
PERMISSIONS = {o["permission"] for o in OPERATIONS if o["permission"]}


@dataclass
class Holder:
    """Who is behind a token."""

    person: str | None = "person-1"
    organization: str = "organization-1"
    scopes: set[str] = field(default_factory=lambda: set(SCOPES))
    permissions: set[str] = field(default_factory=lambda: set(PERMISSIONS))


@dataclass(frozen=True)
class Asked:
    """One request the stub served."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


class StubUpstream:
    """An ASGI application; its attributes are the world."""

    def __init__(self) -> None:
        self.now = NOON
        self.holders = {"token-1": Holder(), "token-2": Holder(person="person-2"),
                        "token-other": Holder(person="person-1", organization="organization-2"),
                        "token-nobody": Holder(person=None)}  # fmt: skip
        self.records: dict[str, list[dict[str, Any]]] = {
            name: [{"id": f"{name}-{n}", "name": f"{name} {n}", "secret": None} for n in (2, 1)]
            for name in COLLECTIONS
        }
        for hook in self.records["webhooks"]:
            hook["url"] = "https://example.com/hook"
        self.nonces: set[str] = set()
        self.asked: list[Asked] = []
        # path → (status, body) that is answered instead; status 0 means that the connection breaks.
        self.faults: dict[str, tuple[int, Any]] = {}

    def effects(self) -> list[Asked]:
        """What would have changed something of the organization."""
        return [a for a in self.asked if a.method != "GET" and a.path not in REGISTERS]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = b""
        while True:
            message = await receive()
            raw += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {k.decode(): v.decode() for k, v in scope["headers"]}
        path = scope["raw_path"].decode().partition("?")[0]
        query = dict(parse_qsl(scope["query_string"].decode()))
        asked = Asked(scope["method"], path, query, headers, json.loads(raw) if raw else None)
        status, body = self.answer(asked)
        sent, content = self.written(body)
        await send({"type": "http.response.start", "status": status, "headers": sent})
        await send({"type": "http.response.body", "body": content})

    def written(self, body: Any) -> tuple[list[tuple[bytes, bytes]], bytes]:
        """Headers and content of an answer."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        date = format_datetime(self.now, usegmt=True).encode()
        headers = [(b"content-type", b"application/json"), (b"date", date)]
        return [*headers, (b"x-idempotent-replay", b"true"), (b"set-cookie", b"who=person-1")], content

    def answer(self, asked: Asked) -> tuple[int, Any]:
        """Status and body for a request."""
        if asked.path == "/openapi.json":
            return 200, CONTRACT
        self.asked.append(asked)
        if asked.path in self.faults:
            return self.faults[asked.path]
        holder = self.holders.get(asked.headers.get("authorization", "").removeprefix("Bearer "))
        if holder is None:
            return error(401, "unauthorized")
        steps = asked.path.split("/")[2:]
        if asked.path == "/v1/me":
            person = None if holder.person is None else {"id": holder.person, "name": "Ana"}
            return 200, {"person": person, "organization": {"id": holder.organization, "name": "Org"},
                         "scopes": sorted(holder.scopes), "permissions": sorted(holder.permissions)}  # fmt: skip
        if asked.path == "/v1/confirmations":
            if asked.body["nonce"] in self.nonces:
                return error(409, "confirmation_replayed")
            self.nonces.add(asked.body["nonce"])
            return 201, {}
        if asked.method == "POST" and asked.path == "/v1/operation_approvals":
            link = {"url": "https://app.example/approvals/1", "expires_at": "2026-11-30T15:15:00.000Z"}
            return 201, {"id": "approval-1", "status": "pending", **link}
        if asked.method == "GET" and steps[0] in self.records and len(steps) == 1:
            return 200, self.page(self.records[steps[0]], asked.query)
        if steps[0] in self.records and len(steps) >= 2:
            record = next((r for r in self.records[steps[0]] if r["id"] == steps[1]), None)
            if record is None:
                return error(404, "not_found")
            if len(steps) == 3 and asked.method == "GET":
                return 200, {"data": [{"id": f"{steps[2]}-1", "of": steps[1]}], "next_cursor": None}
            return (200, record) if asked.method == "GET" else (200, {"id": steps[1], "secret": None})
        if asked.method == "GET":
            return 200, {"what": steps[0]}
        return 201, {"id": "new", "secret": None}

    def page(self, records: list[dict[str, Any]], query: dict[str, str]) -> dict[str, Any]:
        """One page of a listing."""
        start, limit = int(query.get("cursor", "0")), int(query.get("limit", "50"))
        end = start + limit
        return {"data": records[start:end], "next_cursor": str(end) if end < len(records) else None}


class StubTransport:
    """The stub without a socket in between."""

    def __init__(self, stub: StubUpstream) -> None:
        self._stub = stub

    async def send(self, method: str, target: str, headers: Any, body: bytes | None) -> RawAnswer:
        """What the stub answers."""
        path, _, query = target.partition("?")
        sent = {name.decode().lower(): value.decode() for name, value in headers}
        asked = Asked(method, path, dict(parse_qsl(query)), sent, json.loads(body) if body else None)
        status, answer = self._stub.answer(asked)
        if status == 0:
            raise ConnectionFailed("reset")
        written, content = self._stub.written(answer)
        return RawAnswer(status, tuple(written), content)

    async def close(self) -> None:
        """Nothing is held."""


def error(status: int, code: str) -> tuple[int, dict[str, Any]]:
    """An error as the upstream answers it."""
    return status, {"status": status, "errors": [{"title": code, "code": code, "detail": f"{code} it is"}]}

"""A few operations of the API, just enough to try a server on: one world a token, nothing shared."""

import json
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SCOPE, PERMISSION = "kadu/all", "agent.all"


def _operation(name: str, access: str, **more: Any) -> dict[str, Any]:
    about = {"scope": SCOPE, "permission": PERMISSION, "access": access, "destructive": "never"}
    about |= {"title": more.pop("title", name)} | more.pop("about", {})
    return {"operationId": name, "x-kadu": about, "responses": {}} | more


def _body(**properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": [next(iter(properties))]}
    return {"required": True, "content": {"application/json": {"schema": schema}}}


ID = {"$ref": "#/components/parameters/Id"}
KEY = {"$ref": "#/components/parameters/Key"}
TEXT = {"$ref": "#/components/schemas/Text"}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "paths": {
        "/v1/me": {"get": _operation("kadu_me_get", "read", about={"scope": None, "permission": None})},
        "/v1/tasks/{id}": {
            "parameters": [ID],
            "get": _operation("kadu_tasks_get", "read"),
            "delete": _operation("kadu_tasks_delete", "delete", about={"destructive": "always"}),
        },
        "/v1/tasks/{id}/run": {
            "post": _operation(
                "kadu_tasks_run",
                "write",
                title="Executar a tarefa",
                about={"destructive": "always"},
                parameters=[ID, KEY],
                requestBody=_body(environment_id=TEXT, urgent={"type": "boolean"}),
            )
        },
        "/v1/executions/{id}/logs": {
            "get": _operation(
                "kadu_executions_logs_list",
                "read",
                parameters=[ID, {"name": "limit", "in": "query", "schema": {"type": "integer"}}],
            )
        },
        "/v1/workspaces": {
            "post": _operation(
                "kadu_workspaces_create", "write", parameters=[KEY], requestBody=_body(name=TEXT)
            )
        },
        "/v1/webhooks": {
            "post": _operation(
                "kadu_webhooks_create",
                "write",
                about={"destructive": "always"},
                parameters=[KEY],
                requestBody=_body(url=TEXT),
            )
        },
        "/v1/webhooks/{id}": {
            "parameters": [ID],
            "get": _operation("kadu_webhooks_get", "read"),
            "patch": _operation(
                "kadu_webhooks_update",
                "write",
                about={"destructive": {"when_changes": "url"}},
                parameters=[KEY],
                requestBody={
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"url": TEXT, "active": {"type": "boolean"}},
                            }
                        }
                    }
                },
            ),
        },
        "/v1/confirmations": {"post": _operation("confirmations_create", "write", about={"tool": False})},
        "/v1/operation_approvals": {
            "post": _operation("operation_approvals_create", "write", about={"tool": False})
        },
    },
    "components": {
        "parameters": {
            "Id": {
                "name": "id",
                "in": "path",
                "required": True,
                "schema": {"type": "string", "minLength": 1},
            },
            "Key": {"name": "X-Idempotency-Key", "in": "header", "schema": {"type": "string"}},
        },
        "schemas": {"Text": {"type": "string", "minLength": 1}},
    },
}


@dataclass
class World:
    """What one token sees, and what it asked: `(verb, path, body, idempotency key)` of every change.

    `stored` holds what was asked of the register of approvals, `approval` what that register answers.
    """

    token: str
    now: datetime = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
    person: str | None = "person-1"
    organization: str = "organization-1"
    scopes: list[str] = field(default_factory=lambda: [SCOPE])
    permissions: list[str] = field(default_factory=lambda: [PERMISSION])
    webhook_url: str = "https://old.example/hook"
    used: set[str] = field(default_factory=set)
    register_is_down: bool = False
    stored: list[Any] = field(default_factory=list)
    approval: tuple[int, Any] | None = None
    api_is_down: bool = False
    revoked: bool = False
    changes: list[tuple[str, str, Any, str | None]] = field(default_factory=list)

    def wait(self, **duration: float) -> None:
        """Move this world's clock."""
        self.now += timedelta(**duration)


class StubApi:
    """The running stub: its URL, and the worlds it knows."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._worlds: dict[str, World] = {}

    def world(self, **values: Any) -> World:
        """A new world under a new token."""
        world = World(token=secrets.token_urlsafe(16), **values)
        self._worlds[world.token] = world
        return world

    async def answer(self, request: Request) -> Response:
        """Answer one request of the API."""
        if request.url.path == "/openapi.json":
            return JSONResponse(DOCUMENT)
        world = self._worlds.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        if world is None or world.revoked:
            return _refused(401, "unauthorized", datetime.now(UTC))
        raw = await request.body()
        status, body = _decided(world, request, json.loads(raw) if raw else None)
        if status >= 400:
            return _refused(status, body, world.now)
        return JSONResponse(body, status, {"date": format_datetime(world.now, usegmt=True)})


def _refused(status: int, code: str, now: datetime) -> Response:
    body = {"status": status, "errors": [{"title": "No", "code": code, "detail": "The stub says no."}]}
    return JSONResponse(body, status, {"date": format_datetime(now, usegmt=True)})


def _decided(world: World, request: Request, body: Any) -> tuple[int, Any]:
    verb, path = request.method, request.url.path
    if path == "/v1/me":
        person = (
            None if world.person is None else {"id": world.person, "name": "Ana", "email": "ana@example.com"}
        )
        me = {"person": person, "organization": {"id": world.organization, "name": "Boa Vista"}}
        rights = {"scopes": world.scopes, "permissions": world.permissions}
        return 200, me | rights | {"token": {"id": f"id of {world.token}"}}
    if world.api_is_down:
        return 503, "unavailable"
    if path == "/v1/confirmations":
        if world.register_is_down:
            return 503, "unavailable"
        if body["nonce"] in world.used:
            return 409, "confirmation_replayed"
        world.used.add(body["nonce"])
        return 201, body
    if path == "/v1/operation_approvals":
        if world.register_is_down:
            return 503, "unavailable"
        world.stored.append(body)
        return world.approval or (201, pending(world.now))
    if SCOPE not in world.scopes or PERMISSION not in world.permissions:
        return 403, "forbidden"
    if "missing" in path:
        return 404, "not_found"
    if verb == "GET":
        record = {
            "id": path.split("/")[3],
            "url": world.webhook_url,
            "path": request.scope["raw_path"].decode(),
        }
        if path.endswith("/logs"):
            return 200, {"data": [record], "next_cursor": None, "limit": request.query_params.get("limit")}
        return 200, record
    key = request.headers.get("x-idempotency-key")
    if key == "taken":
        return 409, "idempotency_key_reused"
    world.changes.append((verb, path, body, key))
    if isinstance(body, dict) and "url" in body:
        world.webhook_url = body["url"]
    return 201, {"id": f"result-{len(world.changes)}", "given": body}


def pending(now: datetime, **changes: Any) -> dict[str, Any]:
    """An approval as the register answers it, some members changed; None takes one away."""
    record = {
        "id": "a/1",
        "status": "pending",
        "url": "https://console.example/approvals/x",
        "created_at": now.isoformat(),
        "expires_at": (now + timedelta(minutes=15)).isoformat().replace("+00:00", "Z"),
    }
    return {name: value for name, value in (record | changes).items() if value is not None}


@contextmanager
def running(app: Any) -> Iterator[str]:
    """Serve an ASGI application on a free port of loopback; gives its base URL once it accepts."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="warning", access_log=False, date_header=False, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        listener.close()


@contextmanager
def stub_api() -> Iterator[StubApi]:
    """A running stub."""
    holder: list[StubApi] = []

    async def answer(request: Request) -> Response:
        return await holder[0].answer(request)

    verbs = ["GET", "POST", "PATCH", "DELETE"]
    app = Starlette(routes=[Route("/{path:path}", answer, methods=verbs)])
    with running(app) as url:
        holder.append(StubApi(url))
        yield holder[0]

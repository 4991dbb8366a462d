"""resources/list, resources/templates/list, resources/read."""

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from plain.contract import Operation
from plain.envelope import INTERNAL, INVALID_PARAMS, INVALID_REQUEST, RESOURCE_NOT_FOUND, Bare, Fault, Request
from plain.service import Caller, Feature, Reply, Service, json_text, page
from plain.upstream import Unreachable

ROOT = "kobana://kadu/"
LONGEST_ID = 200
URI_TOO_LONG = 414
WHO = "kadu_me_get"
NAMED_OF_ME = ("person", "organization", "scopes")


@dataclass(frozen=True)
class Row:
    """A document and the operation that reads it."""

    path: str
    operation: str
    label: str

    @property
    def is_template(self) -> bool:
        """Whether the URI takes an id."""
        return "{id}" in self.path


# KADU-RES-01…03
ROWS = (
    Row("me", "kadu_me_get", "Who is connected"),
    Row("repository", "kadu_repository_get", "The Playbook and the skills"),
    Row("operation_approvals", "kadu_operation_approvals_list", "Approvals you were asked for"),
    Row("operation_approvals/{id}", "kadu_operation_approvals_get", "One approval"),
    Row("workspaces/{id}", "kadu_workspaces_get", "A workspace"),
    Row("activities/{id}", "kadu_activities_get", "An activity"),
    Row("tasks/{id}", "kadu_tasks_get", "A task with its parameters"),
    Row("executions/{id}", "kadu_executions_get", "An execution"),
    Row("executions/{id}/events", "kadu_executions_events_list", "What the agent reported"),
    Row("executions/{id}/logs", "kadu_executions_logs_list", "The logs of an execution"),
    Row("executions/{id}/todos", "kadu_executions_todos_list", "What an execution left to do"),
    Row("memories/{id}", "kadu_memories_get", "A memory of the agent"),
    Row("environments/{id}", "kadu_environments_get", "An environment"),
    Row("schedules/{id}", "kadu_schedules_get", "A schedule"),
)
PATTERNS = tuple(
    (re.compile(re.escape(ROOT + row.path).replace(re.escape("{id}"), "([^/?#]+)")), row) for row in ROWS
)


async def list_resources(service: Service, caller: Caller, request: Request) -> Reply:
    """The fixed documents the caller may read."""
    entries = [
        {"uri": ROOT + row.path, "name": row.label, "mimeType": "application/json"}
        for row, _ in _visible(service, caller)
        if not row.is_template
    ]
    shown, cursor = page(entries, "uri", request.params.get("cursor"), 2)
    return Reply({"resources": shown} | ({"nextCursor": cursor} if cursor else {}), cache=(0, "private"))


async def list_templates(service: Service, caller: Caller, request: Request) -> Reply:
    """The documents with an id the caller may read."""
    entries = [
        {"uriTemplate": ROOT + row.path, "name": row.label, "mimeType": "application/json"}
        for row, _ in _visible(service, caller)
        if row.is_template
    ]
    shown, cursor = page(entries, "uriTemplate", request.params.get("cursor"), 4)
    return Reply(
        {"resourceTemplates": shown} | ({"nextCursor": cursor} if cursor else {}), cache=(0, "private")
    )


async def read_resource(service: Service, caller: Caller, request: Request) -> Reply:
    """One document as JSON text."""
    uri = request.params.get("uri")
    if not isinstance(uri, str):
        raise Fault(INVALID_PARAMS, "resources/read takes a uri.")
    row, record = _matched(uri)
    if row is None and _matched(_usual_spelling(uri))[0] and service.choices.of("spellings") == "served":
        row, record = _matched(_usual_spelling(uri))
    operation = service.contract.operations.get(row.operation) if row else None
    if operation is None:
        raise _not_found(service, request, uri)
    if len(record) > LONGEST_ID and service.choices.of("long_id") == "http":
        raise Bare(URI_TOO_LONG)
    if len(record) > LONGEST_ID and service.choices.of("long_id") == "http_with_error":
        raise Fault(INVALID_REQUEST, "This address is too long.")
    if not caller.me.may_run(operation):
        raise _not_permitted()
    if len(record) > LONGEST_ID:
        raise _not_found(service, request, uri)
    body = await _read(service, caller, request, operation, uri, record)
    text = json_text({"document": body})
    return Reply(
        {"contents": [{"text": text, "mimeType": "application/json", "uri": uri}]}, cache=(0, "private")
    )


async def _read(
    service: Service, caller: Caller, request: Request, operation: Operation, uri: str, record: str
) -> Any:
    try:
        answer = await service.upstream.run(caller.token, operation, dict.fromkeys(operation.in_path, record))
    except Unreachable as problem:
        raise Fault(INTERNAL, "Kadu does not answer just now.") from problem
    if answer.succeeded:
        named = operation.name == WHO and service.choices.of("me_document") == "named"
        return {name: answer.body.get(name) for name in NAMED_OF_ME} if named else answer.body
    if answer.status == 403:
        raise _not_permitted()
    if answer.status < 500 and answer.status != 429:
        # KADU-RES-09: what the API will not take for an id is no record either
        raise _not_found(service, request, uri)
    raise Fault(INTERNAL, f"Kadu answered {answer.status}.")


def _visible(service: Service, caller: Caller) -> Iterator[tuple[Row, Operation]]:
    # KADU-RES-05
    for row in ROWS:
        operation = service.contract.operations.get(row.operation)
        if operation is not None and caller.me.may_run(operation):
            yield row, operation


def _matched(uri: str) -> tuple[Row | None, str]:
    for pattern, row in PATTERNS:
        match = pattern.fullmatch(uri)
        if match:
            return row, unquote(match.group(1)) if row.is_template else ""
    return None, ""


def _usual_spelling(uri: str) -> str:
    """KADU-RES-08: the same address as one writes it: small scheme, nothing encoded, no way back, no last slash."""
    scheme, colon, rest = unquote(uri).partition(":")
    steps: list[str] = []
    for step in rest.split("/"):
        if step == "..":
            del steps[-1:]
        elif step != ".":
            steps.append(step)
    plain = scheme.lower() + colon + "/".join(steps)
    return plain.removesuffix("/")


def _not_found(service: Service, request: Request, uri: str) -> Fault:
    # KADU-RES-08: the code of the era
    code = INVALID_PARAMS if request.stateless else RESOURCE_NOT_FOUND
    data = {"uri": uri[:LONGEST_ID]}
    if service.choices.of("not_found_data") == "with_request":
        # whatever helps to find the request in a log
        data |= {"request": f"req_{secrets.token_hex(8)}", "at": datetime.now(UTC).isoformat()}
    return Fault(code, "There is no such resource.", data)


def _not_permitted() -> Fault:
    # KADU-RES-06
    return Fault(INVALID_PARAMS, "You may not read this.", {"code": "insufficient_permission"})


FEATURE = Feature(
    "resources",
    {
        "resources/list": list_resources,
        "resources/templates/list": list_templates,
        "resources/read": read_resource,
    },
)

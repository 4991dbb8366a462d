"""Yes to everything: a server that has read the documents and talks to no API at all.

Its answers have the documented shapes, its questions are good questions, its refusals the right refusals. Nothing
ever happens. Only who looks behind it, at what was done, can tell.
"""

import json
import threading
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from clock import now


def _names(text: str) -> tuple[str, ...]:
    return tuple(f"kadu_{name}" for name in text.split())


KEYED = _names(
    "organizations_update workspaces_create workspaces_update activities_create activities_update tasks_create "
    "tasks_update tasks_endpoint_update tasks_run executions_cancel executions_continue todos_update "
    "memories_create memories_update environments_create environments_update secrets_create secrets_update "
    "schedules_create schedules_update files_create files_confirm repository_sync webhooks_create "
    "webhooks_update webhooks_rotate_secret webhook_deliveries_replay roles_create"
)
READS = _names(
    "me_get repository_get operation_approvals_list operation_approvals_get workspaces_get activities_get "
    "tasks_get executions_get executions_events_list executions_logs_list executions_todos_list memories_get "
    "environments_get schedules_get files_download workspaces_list activities_list tasks_list executions_list "
    "memories_list environments_list schedules_list webhooks_list webhooks_get usage_get"
)
DELETES = _names(
    "workspaces_delete activities_delete tasks_delete tasks_endpoint_delete memories_delete environments_delete "
    "secrets_delete schedules_delete files_delete webhooks_delete roles_delete"
)
DANGEROUS = {
    *DELETES,
    "kadu_tasks_run",
    "kadu_tasks_endpoint_update",
    "kadu_executions_cancel",
    "kadu_executions_continue",
    "kadu_webhooks_create",
    "kadu_webhooks_update",
    "kadu_webhooks_rotate_secret",
    "kadu_webhook_deliveries_replay",
}
WITHOUT_ID = {
    *(name for name in (*KEYED, *READS) if name.endswith(("_create", "_list")) and "executions_" not in name),
    *_names("executions_list me_get repository_get repository_sync usage_get organizations_update"),
}
FIXED = ("me", "repository", "operation_approvals")
TEMPLATES = (
    "operation_approvals/{id}",
    "workspaces/{id}",
    "activities/{id}",
    "tasks/{id}",
    "executions/{id}",
    "executions/{id}/events",
    "executions/{id}/logs",
    "executions/{id}/todos",
    "memories/{id}",
    "environments/{id}",
    "schedules/{id}",
)
PROMPTS = {
    "review_failed_executions": {"since": False},
    "explain_execution": {"execution_id": True},
    "monthly_usage_report": {"month": True},
    "check_task_readiness": {"task_id": True, "environment_id": True},
}
ROOT = "kobana://kadu/"


class Liar:
    """Remembers what it was told, so as not to contradict itself; does nothing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: dict[str, str] = {}
        self._used: set[str] = set()
        self._by_key: dict[str, str] = {}

    def result(self, method: str, params: dict[str, Any], stateless: bool) -> dict[str, Any]:
        """What it says to a request of either era."""
        if method == "tools/call":
            return self._called(params, stateless)
        if method == "resources/read":
            uri = str(params.get("uri"))
            text = json.dumps(_record(uri.removeprefix(ROOT).split("/")[-1]))
            return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}
        if method == "prompts/get":
            told = json.dumps({"prompt": params.get("name"), "given": params.get("arguments")})
            text = f"Use the reading tools of Kadu and report. Run nothing. {told}"
            return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
        return LISTS.get(method, {})

    def _called(self, params: dict[str, Any], stateless: bool) -> dict[str, Any]:
        name, given = str(params.get("name")), params.get("arguments")
        arguments: dict[str, Any] = given if isinstance(given, dict) else {}
        call = json.dumps([name, arguments], sort_keys=True)
        if name in DANGEROUS and (name != "kadu_webhooks_update" or "url" in arguments):
            if not stateless or not _shows_forms(params):
                return _text(_approval())
            with self._lock:
                stopped = self._confirmation(call, params)
            if stopped is not None:
                return stopped
        key = arguments.get("idempotency_key")
        if key is not None and name in KEYED:
            with self._lock:
                if self._by_key.setdefault(str(key), call) != call:
                    return _refused("IDEMPOTENCY_KEY_REUSED")
        return _text(_done(name, arguments, call))

    def _confirmation(self, call: str, params: dict[str, Any]) -> dict[str, Any] | None:
        state, answers = str(params.get("requestState")), params.get("inputResponses")
        answer = answers.get("confirm") if isinstance(answers, dict) else None
        action = answer.get("action") if isinstance(answer, dict) else None
        if self._asked.get(state) == call and action in ("accept", "decline", "cancel"):
            content = answer.get("content") if isinstance(answer, dict) else None
            confirmed = action == "accept" and isinstance(content, dict) and content.get("confirm") is True
            if not confirmed:
                return _refused("USER_DECLINED")
            if state in self._used:
                return _refused("confirmation_replayed")
            self._used.add(state)
            return None
        state = uuid.uuid4().hex
        self._asked[state] = call
        return {
            "resultType": "input_required",
            "inputRequests": {"confirm": _question(call)},
            "requestState": state,
        }


def _question(call: str) -> dict[str, Any]:
    field = {"type": "boolean", "title": "Run this action"}
    schema = {"type": "object", "properties": {"confirm": field}, "required": ["confirm"]}
    params = {
        "mode": "form",
        "message": f"Run this action, with these arguments? {call}",
        "requestedSchema": schema,
    }
    return {"method": "elicitation/create", "params": params}


def _shows_forms(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta")
    capabilities = meta.get("io.modelcontextprotocol/clientCapabilities") if isinstance(meta, dict) else None
    elicitation = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(elicitation, dict) and (not elicitation or "form" in elicitation)


def _approval() -> dict[str, Any]:
    approval = str(uuid.uuid4())
    ends = (now() + timedelta(minutes=15)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {
        "status": "approval_required",
        "approval": {
            "id": approval,
            "status": "pending",
            "url": f"https://app.kadu.ia.br/approvals/{approval}",
            "expires_at": ends,
            "resource_uri": f"{ROOT}operation_approvals/{approval}",
            "check_with": {"tool": "kadu_operation_approvals_get", "arguments": {"id": approval}},
        },
        "message": "Show this URL to the user. Do not call the tool again.",
    }


def _done(name: str, arguments: dict[str, Any], call: str) -> dict[str, Any]:
    if name.endswith("_list"):
        return {"data": [_record("1"), _record("2")], "next_cursor": None}
    if name in READS:
        return _record(str(arguments.get("id", name)))
    kept = {key: value for key, value in arguments.items() if key != "idempotency_key"}
    if name in DELETES:
        return kept | {"deleted": True}
    # the same call always made the same thing
    return {"id": str(uuid.uuid5(uuid.NAMESPACE_URL, call)), **kept, "status": "done"}


def _record(seed: str) -> dict[str, Any]:
    return {
        "id": seed,
        "name": "Conciliação bancária",
        "status": "executed",
        "url": f"https://files.kadu.ia.br/{seed}",
    }


def _text(value: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(value, ensure_ascii=False)}]}


def _refused(code: str) -> dict[str, Any]:
    return {"isError": True, "content": [{"type": "text", "text": json.dumps({"code": code})}]}


def _tool(name: str) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    if name not in WITHOUT_ID:
        properties["id"] = {"type": "string"}
    if name == "kadu_tasks_run":
        properties["environment_id"] = {"type": "string"}
    elif name.startswith("kadu_webhooks_") and name.endswith(("_create", "_update")):
        properties["url"] = {"type": "string"}
    elif name.endswith(("_create", "_update")):
        properties["name"] = {"type": "string"}
    required = [] if name == "kadu_webhooks_update" else list(properties)
    if name in KEYED:
        properties["idempotency_key"] = {"type": "string", "minLength": 1, "maxLength": 255}
    schema = {"type": "object", "properties": properties, "required": required}
    hints = {"readOnlyHint": name in READS, "destructiveHint": name in DANGEROUS}
    return {"name": name, "description": name.replace("_", " "), "inputSchema": schema, "annotations": hints}


LISTS: dict[str, dict[str, Any]] = {
    "tools/list": {"tools": [_tool(name) for name in (*READS, *KEYED, *DELETES)]},
    "resources/list": {"resources": [{"uri": ROOT + path, "name": path} for path in FIXED]},
    "resources/templates/list": {
        "resourceTemplates": [{"uriTemplate": ROOT + path, "name": path} for path in TEMPLATES]
    },
    "prompts/list": {
        "prompts": [
            {
                "name": name,
                "arguments": [{"name": key, "required": needed} for key, needed in arguments.items()],
            }
            for name, arguments in PROMPTS.items()
        ]
    },
    "completion/complete": {
        "completion": {"values": [str(uuid.uuid5(uuid.NAMESPACE_URL, "recent"))], "total": 1}
    },
}

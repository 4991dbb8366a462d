"""Kadu: organization, workspaces, activities, tasks and their endpoint, environments, memories, roles."""

from collections.abc import Mapping
from typing import Any

from mock_api.behaviours.found import changed, found, stored, subject
from mock_api.calls import Behaviour, Call, Outcome, Refusal

NO_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
DEFAULT_CEILING = 100_000
"""The cost ceiling of a task that was given none, in cents a month."""


def creating(defaults: Mapping[str, Any], references: Mapping[str, str] | None = None) -> Behaviour:
    """A behaviour that stores the body over defaults; each reference (field → collection) must be there, else 404."""

    def create(call: Call) -> Outcome:
        for field, collection in (references or {}).items():
            found(call, collection, call.body[field])
        return Outcome(
            201, stored(call, call.extension["collection"], {**defaults, **call.body}), effect=True
        )

    return create


def organizations_get(call: Call) -> Outcome:
    """The organization of the caller."""
    return Outcome(200, call.organization, effect=False)


def organizations_update(call: Call) -> Outcome:
    """The organization with the body's values."""
    return changed(call, call.organization, **call.body)


def tasks_create(call: Call) -> Outcome:
    """A task in the workspace of its activity, its endpoint disabled."""
    activity = found(call, "activities", call.body["activity_id"])
    values = {
        "workspace_id": activity["workspace_id"],
        "description": "",
        "parameters_schema": dict(NO_PARAMETERS),
        "required_secrets": [],
        "cost_ceiling_cents": DEFAULT_CEILING,
        "active": True,
        "endpoint": None,
        **call.body,
    }
    return Outcome(201, stored(call, "tasks", values), effect=True)


def tasks_endpoint_update(call: Call) -> Outcome:
    """The task with its endpoint as given; one that was disabled gets a new URL."""
    task = subject(call)
    kept = task["endpoint"] or {"url": f"https://gatilho.kadu.ia.br/t/{call.new_id()}"}
    endpoint = {
        "url": kept["url"],
        "authentication": call.body["authentication"],
        "allowed_ips": list(call.body.get("allowed_ips", [])),
    }
    return changed(call, task, endpoint=endpoint)


def tasks_endpoint_delete(call: Call) -> Outcome:
    """The endpoint is disabled. KADU-IDM-11: disabling it again finds nothing."""
    task = subject(call)
    if task["endpoint"] is None:
        raise Refusal(404, "not_found", "The endpoint of this task is disabled already.")
    changed(call, task, endpoint=None)
    return Outcome(200, {"id": task["id"], "deleted": True}, effect=True)


BEHAVIOURS: Mapping[str, Behaviour] = {
    "organizations_get": organizations_get,
    "organizations_update": organizations_update,
    "workspaces_create": creating({"description": ""}),
    "activities_create": creating({"description": ""}, {"workspace_id": "workspaces"}),
    "tasks_create": tasks_create,
    "tasks_endpoint_update": tasks_endpoint_update,
    "tasks_endpoint_delete": tasks_endpoint_delete,
    "environments_create": creating({"description": "", "systems": []}),
    "memories_create": creating({}, {"workspace_id": "workspaces"}),
    "roles_create": creating({"description": ""}),
}

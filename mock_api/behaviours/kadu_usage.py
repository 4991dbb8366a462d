"""Kadu: usage and cost of a month, and whether a task is ready to run. Computed from executions, nothing stored."""

from collections.abc import Iterable, Mapping
from typing import Any

from mock_api.behaviours.found import found, subject
from mock_api.behaviours.kadu_executions import missing_secrets
from mock_api.calls import Behaviour, Call, Outcome, Record
from mock_api.clock import text

CURRENCY = "BRL"


def usage_get(call: Call) -> Outcome:
    """The executions of a month, in all."""
    month = call.query["month"]
    return _answer({"month": month, "currency": CURRENCY, **_sum(_of_month(call, month))})


def usage_tasks_get(call: Call) -> Outcome:
    """The executions of a month by task."""
    return _by(call, "tasks", "task_id")


def usage_workspaces_get(call: Call) -> Outcome:
    """The executions of a month by workspace."""
    return _by(call, "workspaces", "workspace_id")


def tasks_readiness_get(call: Call) -> Outcome:
    """What a task has and lacks to run in an environment now: plan, cost ceiling, secrets, repository."""
    task = subject(call)
    environment = found(call, "environments", call.query["environment_id"])
    checks = {
        "plan": _check(_plan(call)),
        "cost_ceiling": _check(_ceilings(call, task)),
        "secrets": _check(missing_secrets(call.records, task["id"], environment["id"])),
        "repository": _check([] if _synced(call) else ["repository"]),
    }
    ready = all(check["ok"] for check in checks.values())
    return _answer({"task_id": task["id"], "environment_id": environment["id"], "ready": ready, **checks})


def _plan(call: Call) -> list[str]:
    return ["plan"] if call.organization["plan"] == "suspended" else []


def _ceilings(call: Call, task: Record) -> list[str]:
    """Which cost ceilings the month has reached: that of the organization, that of the task."""
    spent = list(_of_month(call, text(call.now)[:7]))
    of_task = [execution for execution in spent if execution["task_id"] == task["id"]]
    reached = []
    if _sum(spent)["cost_cents"] >= call.organization["cost_ceiling_cents"]:
        reached.append("organization.cost_ceiling_cents")
    if _sum(of_task)["cost_cents"] >= task["cost_ceiling_cents"]:
        reached.append("task.cost_ceiling_cents")
    return reached


def _synced(call: Call) -> bool:
    return any(repository["synced_at"] for repository in call.records.get("repositories", {}).values())


def _check(missing: list[str]) -> Record:
    detail = "Falta: " + ", ".join(missing) if missing else "Nada falta."
    return {"ok": not missing, "detail": detail, "missing": missing}


def _of_month(call: Call, month: str) -> Iterable[Record]:
    return (
        execution for execution in call.records["executions"].values() if execution["created_at"][:7] == month
    )


def _by(call: Call, collection: str, field: str) -> Outcome:
    month = call.query["month"]
    groups: dict[str, list[Record]] = {}
    for execution in _of_month(call, month):
        groups.setdefault(execution[field], []).append(execution)
    names = call.records.get(collection, {})
    rows: list[Record] = [
        {field: key, "name": names[key]["name"] if key in names else None, **_sum(executions)}
        for key, executions in groups.items()
    ]
    rows.sort(key=lambda row: (-row["cost_cents"], row[field]))
    return _answer({"month": month, "currency": CURRENCY, collection: rows})


def _sum(executions: Iterable[Record]) -> dict[str, int]:
    kept = list(executions)
    return {
        "executions": len(kept),
        "succeeded": sum(execution["state"] == "succeeded" for execution in kept),
        "failed": sum(execution["state"] == "failed" for execution in kept),
        "cost_cents": sum(execution["cost_cents"] for execution in kept),
    }


def _answer(body: Mapping[str, Any]) -> Outcome:
    return Outcome(200, dict(body), effect=False)


BEHAVIOURS: Mapping[str, Behaviour] = {
    "usage_get": usage_get,
    "usage_tasks_get": usage_tasks_get,
    "usage_workspaces_get": usage_workspaces_get,
    "tasks_readiness_get": tasks_readiness_get,
}

"""Kadu: executions are queued, move by time alone, are canceled and continued."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from jsonschema import Draft202012Validator
from referencing import Registry

from mock_api.behaviours.found import changed, found, refused, stored, subject
from mock_api.calls import Behaviour, Call, Outcome, Record, Records
from mock_api.clock import text

QUEUED_FOR = timedelta(seconds=5)
RUNNING_FOR = timedelta(seconds=60)
COST = 120
"""What an execution that moves by itself costs in the end, in cents."""

CANCELABLE = ("queued", "running", "waiting")
CONTINUABLE = ("waiting", "failed")


def tasks_run(call: Call) -> Outcome:
    """A new execution, queued. Raises Refusal 422: the task is inactive, a parameter is none of the task's."""
    task = subject(call)
    environment = found(call, "environments", call.body["environment_id"])
    if not task["active"]:
        raise refused("The task is not active.")
    parameters = call.body.get("parameters", {})
    validator = Draft202012Validator(task["parameters_schema"], registry=Registry())
    flaws = [f"parameters: {error.message[:200]}" for error in validator.iter_errors(parameters)]
    if flaws:
        raise refused("; ".join(flaws[:5]))
    values = {
        "workspace_id": task["workspace_id"],
        "task_id": task["id"],
        "environment_id": environment["id"],
        "state": "queued",
        "trigger": "api",
        "reference_date": call.body.get("reference_date", text(call.now)[:10]),
        "parameters": parameters,
        "instructions": None,
        "cancel_reason": None,
        "systems": [],
        "summary": None,
        "error": None,
        "cost_cents": 0,
        "started_at": None,
        "finished_at": None,
        **_moving(call),
    }
    return Outcome(201, stored(call, "executions", values), effect=True)


def executions_cancel(call: Call) -> Outcome:
    """The execution, canceled. Raises Refusal 422 for one that is over."""
    execution = subject(call)
    if execution["state"] not in CANCELABLE:
        raise refused(f"An execution that is {execution['state']} cannot be canceled.")
    return changed(
        call,
        execution,
        state="canceled",
        cancel_reason=call.body.get("reason"),
        finished_at=text(call.now),
    )


def executions_continue(call: Call) -> Outcome:
    """The execution, back in the queue. Raises Refusal 422 for one that neither waits nor failed."""
    execution = subject(call)
    if execution["state"] not in CONTINUABLE:
        raise refused(f"An execution that is {execution['state']} cannot be continued.")
    return changed(
        call,
        execution,
        state="queued",
        instructions=call.body.get("instructions"),
        error=None,
        summary=None,
        finished_at=None,
        **_moving(call),
    )


def _moving(call: Call) -> dict[str, Any]:
    return {"_moves": True, "_queued_at": text(call.now)}


def advance(records: Records, now: datetime) -> None:
    """Moves along the executions that a call put in the queue; those that were planted stand still.

    Queued for 5 s, running for 60 s, then failed where the environment lacks a secret of the task, else succeeded.
    """
    for execution in records.get("executions", {}).values():
        if not execution.get("_moves"):
            continue
        starts = datetime.fromisoformat(execution["_queued_at"]) + QUEUED_FOR
        if execution["state"] == "queued" and now >= starts:
            _start(records, execution, text(starts))
        if execution["state"] == "running" and now >= starts + RUNNING_FOR:
            _finish(records, execution, text(starts + RUNNING_FOR))


def _start(records: Records, execution: Record, moment: str) -> None:
    environment = records.get("environments", {}).get(execution["environment_id"], {})
    execution.update(
        state="running",
        started_at=execution["started_at"] or moment,
        systems=list(environment.get("systems", [])),
        updated_at=moment,
    )
    _report(records, execution, "started", "A execução começou", moment)


def _finish(records: Records, execution: Record, moment: str) -> None:
    missing = missing_secrets(records, execution["task_id"], execution["environment_id"])
    execution.update(
        finished_at=moment, updated_at=moment, cost_cents=execution["cost_cents"] + COST, _moves=False
    )
    if missing:
        message = f"O ambiente não tem o secret {missing[0]}."
        execution.update(state="failed", error={"code": "missing_secret", "message": message})
        _report(records, execution, "failed", message, moment)
    else:
        execution.update(state="succeeded", summary="Tudo conferido, nenhuma pendência aberta.")
        _report(records, execution, "finished", "A execução terminou", moment)


def _report(records: Records, execution: Record, kind: str, message: str, moment: str) -> None:
    event = {
        "id": str(uuid5(NAMESPACE_URL, f"{execution['id']}/{kind}/{moment}")),
        "execution_id": execution["id"],
        "kind": kind,
        "system": None,
        "message": message,
        "created_at": moment,
    }
    records.setdefault("events", {})[event["id"]] = event


def missing_secrets(records: Records, task_id: str, environment_id: str) -> list[str]:
    """The names of the secrets that a task needs and an environment lacks."""
    task = records.get("tasks", {}).get(task_id, {})
    there = {
        secret["name"]
        for secret in records.get("secrets", {}).values()
        if secret["environment_id"] == environment_id
    }
    return [name for name in task.get("required_secrets", []) if name not in there]


BEHAVIOURS: Mapping[str, Behaviour] = {
    "tasks_run": tasks_run,
    "executions_cancel": executions_cancel,
    "executions_continue": executions_continue,
}

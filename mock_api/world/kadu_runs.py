"""Executions, and what an execution leaves behind: events, logs, pending items."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from mock_api.calls import Record, Records
from mock_api.world import phrases
from mock_api.world.draw import Draw
from mock_api.world.recipe import Build

Given = Mapping[str, Any]


def execution(draw: Draw, records: Records, given: Given) -> Record:
    """An execution, waiting unless told otherwise; its times, result and error fit its state."""
    state = given.get("state", "waiting")
    task = draw.parent(records, "tasks", given, "task_id")
    created = given["created_at"]
    done = state in ("succeeded", "failed", "canceled")
    code, message = draw.pick(phrases.FAILURES)
    return {
        "workspace_id": task.get("workspace_id"),
        "task_id": task.get("id"),
        "environment_id": draw.parent(records, "environments", given, "environment_id").get("id"),
        "state": state,
        "trigger": draw.pick(("api", "schedule", "endpoint")),
        "reference_date": created[:10],
        "parameters": {},
        "instructions": None,
        "cancel_reason": "Data de referência errada" if state == "canceled" else None,
        "systems": [] if state == "queued" else draw.some(phrases.SYSTEMS, 2),
        "summary": draw.pick(phrases.SUMMARIES) if state == "succeeded" else None,
        "error": {"code": code, "message": message} if state == "failed" else None,
        "cost_cents": 0 if state == "queued" else draw.number(40, 400),
        "started_at": None if state == "queued" else draw.after(created, 4),
        "finished_at": draw.after(created, 150) if done else None,
    }


def event(draw: Draw, records: Records, given: Given) -> Record:
    """Something the agent reported during an execution."""
    kind, message = draw.pick(phrases.EVENTS)
    return {
        "execution_id": draw.parent(records, "executions", given, "execution_id").get("id"),
        "kind": kind,
        "system": draw.pick(phrases.SYSTEMS) if kind == "system_called" else None,
        "message": message,
    }


def log(draw: Draw, records: Records, given: Given) -> Record:
    """A log line of an execution."""
    level, message = draw.pick(phrases.LOGS)
    return {
        "execution_id": draw.parent(records, "executions", given, "execution_id").get("id"),
        "level": level,
        "message": message,
    }


def todo(draw: Draw, records: Records, given: Given) -> Record:
    """Something an execution left for a person to do."""
    title, description = draw.pick(phrases.TODOS)
    due = datetime.fromisoformat(given["created_at"]) + timedelta(days=draw.number(1, 5))
    return {
        "execution_id": draw.parent(records, "executions", given, "execution_id").get("id"),
        "title": title,
        "description": description,
        "state": "open",
        "note": None,
        "due_date": due.date().isoformat(),
    }


BUILDERS: Mapping[str, Build] = {"executions": execution, "events": event, "logs": log, "todos": todo}

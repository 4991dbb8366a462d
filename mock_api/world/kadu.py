"""A tenant of Kadu: an organization's workspaces, tasks, executions and all that hangs on them."""

from collections.abc import Mapping
from typing import Any

from mock_api.calls import Record, Records
from mock_api.world import phrases, recipe
from mock_api.world.draw import Draw
from mock_api.world.kadu_accounts import BUILDERS as ACCOUNTS
from mock_api.world.kadu_accounts import organization, people
from mock_api.world.kadu_runs import BUILDERS as RUNS
from mock_api.world.recipe import Build, Recipe, World

Given = Mapping[str, Any]
DAY = 86400.0


def _named(draw: Draw, given: Given, choices: tuple[tuple[str, str], ...]) -> Record:
    name, description = draw.pick(choices)
    return {"name": name, "description": description if "name" not in given else ""}


def workspace(draw: Draw, _records: Records, given: Given) -> Record:
    """A workspace."""
    return _named(draw, given, phrases.WORKSPACES)


def activity(draw: Draw, records: Records, given: Given) -> Record:
    """An activity of a workspace."""
    home = draw.parent(records, "workspaces", given, "workspace_id")
    return {"workspace_id": home.get("id"), **_named(draw, given, phrases.ACTIVITIES)}


def task(draw: Draw, records: Records, given: Given) -> Record:
    """A task of an activity, active, with its endpoint enabled and no parameter required."""
    home = draw.parent(records, "activities", given, "activity_id")
    return {
        "workspace_id": home.get("workspace_id"),
        "activity_id": home.get("id"),
        **_named(draw, given, phrases.TASKS),
        "instructions": draw.pick(phrases.INSTRUCTIONS),
        "parameters_schema": {
            "type": "object",
            "properties": {
                "banco": {"type": "string", "enum": draw.some(phrases.SYSTEMS, 3)},
                "limite_centavos": {"type": "integer", "minimum": 0, "default": draw.number(10, 900) * 100},
            },
            "additionalProperties": False,
        },
        "required_secrets": draw.some(phrases.SECRETS, 2),
        "cost_ceiling_cents": draw.number(100, 500) * 1000,
        "active": True,
        "endpoint": {
            "url": f"https://gatilho.kadu.ia.br/t/{draw.opaque('')}",
            "authentication": draw.pick(("token", "hmac")),
            "allowed_ips": [f"203.0.113.{draw.number(1, 254)}"],
        },
    }


def environment(draw: Draw, _records: Records, _given: Given) -> Record:
    """An environment: the systems the agent acts in."""
    name, kind = draw.pick(phrases.ENVIRONMENTS)
    return {"name": name, "kind": kind, "description": "", "systems": draw.some(phrases.SYSTEMS, 3)}


def secret(draw: Draw, records: Records, given: Given) -> Record:
    """A secret of an environment; its value stays inside."""
    home = draw.parent(records, "environments", given, "environment_id")
    return {
        "environment_id": home.get("id"),
        "name": draw.pick(phrases.SECRETS),
        "description": "Renovado pela tesouraria",
        "version": 1,
        "_value": draw.opaque("valor-"),
    }


def schedule(draw: Draw, records: Records, given: Given) -> Record:
    """A schedule of a task in an environment."""
    return {
        "task_id": draw.parent(records, "tasks", given, "task_id").get("id"),
        "environment_id": draw.parent(records, "environments", given, "environment_id").get("id"),
        "cron": draw.pick(phrases.CRONS),
        "timezone": "America/Sao_Paulo",
        "active": True,
    }


def memory(draw: Draw, records: Records, given: Given) -> Record:
    """Something the agent keeps in mind for a workspace."""
    title, content = draw.pick(phrases.MEMORIES)
    home = draw.parent(records, "workspaces", given, "workspace_id")
    return {"workspace_id": home.get("id"), "title": title, "content": content}


BUILDERS: Mapping[str, Build] = {
    "workspaces": workspace,
    "activities": activity,
    "tasks": task,
    "environments": environment,
    "secrets": secret,
    "schedules": schedule,
    "memories": memory,
    **RUNS,
    **ACCOUNTS,
}


class _Making:
    """A world in the making: records so far, each newer than the one before it in its collection."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.records: Records = {name: {} for name in BUILDERS}

    def put(self, collection: str, created: str, **values: Any) -> Record:
        given = {**values, "created_at": created}
        made = recipe.record(RECIPE, self.draw, collection, self.records, given)
        self.records[collection][made["id"]] = made
        return made

    def around(self, days: float, position: int) -> str:
        """A moment about that many days ago, a few days later for each position."""
        distance = days / 10
        return self.draw.ago((days - position * distance) * DAY, (days - position * distance) * DAY + DAY / 2)


# Oldest first, seconds ago: the newest waits, so that it can be canceled and continued alike.
_EXECUTIONS = (
    ("succeeded", 8 * DAY, 9 * DAY),
    ("canceled", 5 * DAY, 6 * DAY),
    ("failed", 2 * DAY, 3 * DAY),
    ("running", 3 * 3600.0, 4 * 3600.0),
    ("queued", 3600.0, 2 * 3600.0),
    ("waiting", 1200.0, 2400.0),
)


def generate(draw: Draw, count: int) -> World:
    """A whole world: see `mock_api.world.generate`."""
    made = _Making(draw)
    owner = organization(draw)
    members = people(draw, count)
    _structure(made)
    _runs(made)
    _accounts(made, members)
    return World(organization=owner, people=members, records=made.records)


def _structure(made: _Making) -> None:
    draw = made.draw
    workspaces = [
        made.put("workspaces", made.around(300, n), name=name, description=description)
        for n, (name, description) in enumerate(draw.some(phrases.WORKSPACES, 2))
    ]
    activities = [
        made.put(
            "activities", made.around(200, n), workspace_id=workspaces[n]["id"], name=name, description=text
        )
        for n, (name, text) in enumerate(draw.some(phrases.ACTIVITIES, 2))
    ]
    tasks = [
        made.put(
            "tasks", made.around(100, n), activity_id=activities[n % 2]["id"], name=name, description=text
        )
        for n, (name, text) in enumerate(draw.some(phrases.TASKS, 3))
    ]
    # The newest environment has every secret: any task is ready there.
    environments = [
        made.put("environments", made.around(150, n), name=name, kind=kind)
        for n, (name, kind) in enumerate(reversed(phrases.ENVIRONMENTS))
    ]
    made.put("secrets", made.around(90, 0), environment_id=environments[0]["id"], name=phrases.SECRETS[0])
    for n, name in enumerate(phrases.SECRETS):
        made.put("secrets", made.around(90, n + 1), environment_id=environments[1]["id"], name=name)
    for n in range(2):
        made.put(
            "schedules", made.around(60, n), task_id=tasks[n]["id"], environment_id=environments[1]["id"]
        )
    for n, (title, content) in enumerate(draw.some(phrases.MEMORIES, 2)):
        made.put(
            "memories", made.around(40, n), workspace_id=workspaces[n]["id"], title=title, content=content
        )
    for n in range(2):
        made.put("webhooks", made.around(50, n))
    for n in range(2):
        made.put("webhook_deliveries", made.around(5, n))


def _runs(made: _Making) -> None:
    draw = made.draw
    for state, low, high in _EXECUTIONS:
        execution = made.put("executions", draw.ago(low, high), state=state)
        created = execution["created_at"]
        for n in range(3):
            made.put(
                "events", draw.after(created, 5 + 30 * n + draw.number(0, 20)), execution_id=execution["id"]
            )
            made.put(
                "logs", draw.after(created, 6 + 30 * n + draw.number(0, 20)), execution_id=execution["id"]
            )
        made.put("todos", draw.after(created, 100 + draw.number(0, 20)), execution_id=execution["id"])


def _accounts(made: _Making, members: list[Record]) -> None:
    draw = made.draw
    roles = [
        made.put("roles", made.around(250, n), name=name, description=text, permissions=list(permissions))
        for n, (name, text, permissions) in enumerate(draw.some(phrases.ROLES, 2))
    ]
    for n, person in enumerate(members):
        made.put("members", draw.text(-(200 * DAY - n * 60)), **person, role_id=roles[n % 2]["id"])
    for n in range(2):
        made.put("files", made.around(7, n))
    made.put("repositories", made.around(320, 0))


RECIPE = Recipe(
    generate=generate,
    builders=BUILDERS,
    unchanging=frozenset({"events", "logs", "members", "webhook_deliveries"}),
)

"""Kadu: secrets, whose values never come back, and schedules."""

import re
from collections.abc import Mapping

from mock_api.behaviours.found import changed, found, refused, stored, subject
from mock_api.calls import Behaviour, Call, Outcome

_FIELDS = (
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day of month", 1, 31),
    ("month", 1, 12),
    ("day of week", 0, 7),
)
_PART = re.compile(r"(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:/(\d{1,2}))?")


def secrets_create(call: Call) -> Outcome:
    """A secret of an environment, without its value. Raises Refusal 422 when the environment has one of that name."""
    home = found(call, "environments", call.body["environment_id"])
    name = call.body["name"]
    for secret in call.records.get("secrets", {}).values():
        if secret["environment_id"] == home["id"] and secret["name"] == name:
            raise refused(f"name: the environment has a secret {name} already")
    values = {
        "environment_id": home["id"],
        "name": name,
        "description": call.body.get("description", ""),
        "version": 1,
        "_value": call.body["value"],
    }
    return Outcome(201, stored(call, "secrets", values), effect=True)


def secrets_update(call: Call) -> Outcome:
    """The secret, one version further where it was given a value."""
    secret = subject(call)
    values = {name: value for name, value in call.body.items() if name != "value"}
    if "value" in call.body:
        values |= {"_value": call.body["value"], "version": secret["version"] + 1}
    return changed(call, secret, **values)


def schedules_create(call: Call) -> Outcome:
    """A schedule of a task in an environment."""
    found(call, "tasks", call.body["task_id"])
    found(call, "environments", call.body["environment_id"])
    check_cron(call.body["cron"])
    values = {"timezone": "America/Sao_Paulo", "active": True, **call.body}
    return Outcome(201, stored(call, "schedules", values), effect=True)


def schedules_update(call: Call) -> Outcome:
    """The schedule with the body's values."""
    schedule = subject(call)
    if "cron" in call.body:
        check_cron(call.body["cron"])
    return changed(call, schedule, **call.body)


def check_cron(text: str) -> None:
    """Raises Refusal 422 where a field of a cron expression is out of range or none."""
    for (name, low, high), field in zip(_FIELDS, text.split(" "), strict=True):
        for part in field.split(","):
            match = _PART.fullmatch(part)
            if match is None:
                raise refused(f"cron: {part!r} is no {name}")
            first, last, step = match.groups()
            numbers = [int(each) for each in (first, last) if each is not None]
            if any(not low <= number <= high for number in numbers) or numbers != sorted(numbers):
                raise refused(f"cron: {part!r} is no {name} from {low} to {high}")
            if step is not None and int(step) == 0:
                raise refused(f"cron: the step of {part!r} is zero")


BEHAVIOURS: Mapping[str, Behaviour] = {
    "secrets_create": secrets_create,
    "secrets_update": secrets_update,
    "schedules_create": schedules_create,
    "schedules_update": schedules_update,
}

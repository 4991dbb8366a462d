"""prompts/list and prompts/get: four instructions that only read, in English, with their dates worked out."""

import re
from calendar import month_name, monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from plain.choices import Choices
from plain.envelope import INVALID_PARAMS, Fault, Request
from plain.service import Caller, Feature, Reply, Service, page

PAGE_SIZE = 3
LONGEST_ID = 200
LOOKS_BACK = timedelta(days=7)
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
PROMISE = "I will look these things up, change nothing, and tell you only what the records show."


@dataclass(frozen=True)
class Argument:
    """An argument of a prompt. `read` gives the words for the text; it raises ValueError on another format."""

    name: str
    title: str
    description: str
    read: Callable[[str], str]
    required: bool = True


@dataclass(frozen=True)
class Prompt:
    """A prompt and the tools it rests on. `text` takes `{argument}` where its words go."""

    name: str
    title: str
    description: str
    tools: tuple[str, ...]
    arguments: tuple[Argument, ...]
    text: str


def day_in_words(day: date) -> str:
    """A day as people here write it: 24/10/2026."""
    return f"{day:%d/%m/}{day.year:04d}"


def _read_id(value: str) -> str:
    if not 1 <= len(value) <= LONGEST_ID or not value.isprintable() or value.isspace():
        raise ValueError("an id")
    return value


def _day(value: str) -> date:
    # KADU-PRM-07: the format to the letter, and a day that exists
    if not DAY.fullmatch(value):
        raise ValueError("a day")
    return date.fromisoformat(value)


def _read_day(value: str) -> str:
    return day_in_words(_day(value))


def _read_month(value: str) -> str:
    first = _day(f"{value}-01")
    last = first.replace(day=monthrange(first.year, first.month)[1])
    days = f"from {day_in_words(first)} to {day_in_words(last)}"
    return f"{month_name[first.month]} {first.year:04d} ({value}: {days})"


EXECUTION = Argument("execution_id", "Execution", "The execution to look into, by its id.", _read_id)
TASK = Argument("task_id", "Task", "The task somebody wants to run, by its id.", _read_id)
ENVIRONMENT = Argument("environment_id", "Environment", "Where it would run, by its id.", _read_id)
REPORTED_MONTH = Argument("month", "Month", "A month as YYYY-MM.", _read_month)
SINCE = Argument("since", "From this day on", "A day as YYYY-MM-DD; a week ago by default.", _read_day, False)

# KADU-PRM-01: these four. The tools a text names are those its prompt rests on, no other.
PROMPTS = (
    Prompt(
        "review_failed_executions",
        "What failed lately",
        "Every failure since a day, and why, with what recurs put together.",
        ("kadu_executions_list", "kadu_executions_logs_list"),
        (SINCE,),
        "Find every execution that failed on {since} or later. For each one explain what went wrong; put those "
        "with one cause into one group and name the cause once. Do not run, cancel or continue anything.",
    ),
    Prompt(
        "explain_execution",
        "What an execution did",
        "Step by step: systems touched, the result, what people still have to do.",
        ("kadu_executions_get", "kadu_executions_events_list", "kadu_executions_todos_list"),
        (EXECUTION,),
        "Explain execution {execution_id} to somebody who was not there: step by step, what the agent did, which "
        "systems it touched, what the result was, and which to-dos it left for a person.",
    ),
    Prompt(
        "monthly_usage_report",
        "A month in figures",
        "Usage and cost of a month by task and by workspace, dearest tasks first.",
        ("kadu_usage_get", "kadu_usage_tasks_get", "kadu_usage_workspaces_get"),
        (REPORTED_MONTH,),
        "Report on {month}. Sum up the usage and the cost of that month's executions by task and by workspace, "
        "and point out which tasks cost most.",
    ),
    Prompt(
        "check_task_readiness",
        "Could it run now?",
        "Whether a task can run in an environment, and what exactly is missing if not.",
        ("kadu_tasks_get", "kadu_tasks_readiness_get", "kadu_environments_get"),
        (TASK, ENVIRONMENT),
        "Tell whether task {task_id} is ready to run in environment {environment_id} at this moment. If it is not, "
        "name exactly what is missing: plan, cost ceiling, secrets, repository. Do not start it.",
    ),
)
BY_NAME: Mapping[str, Prompt] = {prompt.name: prompt for prompt in PROMPTS}


async def list_prompts(service: Service, caller: Caller, request: Request) -> Reply:
    """The prompts whose tools the caller may all run."""
    entries = [_entry(prompt) for prompt in PROMPTS if _shown(service, caller, prompt)]
    shown, cursor = page(entries, "name", request.params.get("cursor"), PAGE_SIZE)
    # MCP-08: differs from caller to caller
    return Reply({"prompts": shown} | ({"nextCursor": cursor} if cursor else {}), cache=(0, "private"))


async def get_prompt(service: Service, caller: Caller, request: Request) -> Reply:
    """The text of one prompt. KADU-PRM-04: nothing is asked of the API, so nothing can change."""
    name, given = request.params.get("name"), request.params.get("arguments", {})
    prompt = BY_NAME.get(name) if isinstance(name, str) else None
    if prompt is None or not _shown(service, caller, prompt):
        # KADU-PRM-03: hidden is as unknown
        raise Fault(INVALID_PARAMS, "There is no such prompt.")
    if not isinstance(given, dict):
        raise Fault(INVALID_PARAMS, "arguments must be an object.")
    # KADU-PRM-05: a week before today, unless told otherwise
    words = {SINCE.name: day_in_words(caller.today - LOOKS_BACK)}
    words |= {
        argument.name: _read(argument, given)
        for argument in prompt.arguments
        if _counts(argument, given, service.choices)
    }
    tools = f"Use nothing but {', '.join(prompt.tools)}: they only read."
    return Reply(
        {
            "messages": [
                _message("user", f"{prompt.text.format_map(words)}\n\n{tools}"),
                _message("assistant", PROMISE),
            ]
        }
    )


def _counts(argument: Argument, given: Mapping[str, Any], choices: Choices) -> bool:
    if not argument.required and given.get(argument.name) == "" and choices.of("since_empty") == "a_week":
        return False
    return argument.required or argument.name in given


def _read(argument: Argument, given: Mapping[str, Any]) -> str:
    if argument.name not in given:
        # KADU-PRM-06
        raise Fault(INVALID_PARAMS, f"The argument {argument.name} is missing.")
    value = given[argument.name]
    if not isinstance(value, str):
        raise Fault(INVALID_PARAMS, f"The argument {argument.name} must be text.")
    try:
        return argument.read(value)
    except ValueError as problem:
        raise Fault(
            INVALID_PARAMS, f"The argument {argument.name} is not right: {argument.description}"
        ) from problem


def _shown(service: Service, caller: Caller, prompt: Prompt) -> bool:
    # KADU-PRM-02: all of its tools, not some
    operations = [service.contract.operations.get(tool) for tool in prompt.tools]
    return all(operation is not None and caller.me.may_run(operation) for operation in operations)


def _entry(prompt: Prompt) -> dict[str, Any]:
    arguments: list[dict[str, Any]] = []
    for argument in prompt.arguments:
        entry = {"title": argument.title, "description": argument.description, "name": argument.name}
        # what is not required does not say so
        arguments.append(entry | ({"required": True} if argument.required else {}))
    return {
        "title": prompt.title,
        "arguments": arguments,
        "description": prompt.description,
        "name": prompt.name,
    }


def _message(role: str, text: str) -> dict[str, Any]:
    content = {"annotations": {"audience": ["assistant"], "priority": 1}, "text": text, "type": "text"}
    return {"content": content, "role": role}


FEATURE = Feature("prompts", {"prompts/list": list_prompts, "prompts/get": get_prompt})

"""Prompts: four, in English, one message each."""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from own_clock.clock import in_figures, today
from own_clock.desk import Desk, Handed, page
from own_clock.upstream import Who
from own_clock.wire import BAD_PARAMS, Asked, Refused


def _day(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        raise ValueError(text)
    return in_figures(date.fromisoformat(text))


def _month(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d{2}", text, re.ASCII):
        raise ValueError(text)
    first = date.fromisoformat(f"{text}-01")
    last = first.replace(day=monthrange(first.year, first.month)[1])
    return f"{first.month:02d}/{first.year:04d} ({in_figures(first)} – {in_figures(last)})"


def _id(text: str) -> str:
    if not text.strip():
        raise ValueError(text)
    return text


@dataclass(frozen=True)
class Prompt:
    """A prompt: what it takes (and how that is read), what it rests on, what it says."""

    about: str
    takes: Mapping[str, Callable[[str], str]]
    optional: frozenset[str]
    rests_on: tuple[str, ...]
    says: str


# KADU-PRM-01
PROMPTS: Mapping[str, Prompt] = {
    "check_task_readiness": Prompt(
        "Is a task ready to run in an environment?",
        {"task_id": _id, "environment_id": _id},
        frozenset(),
        ("kadu_tasks_get", "kadu_tasks_readiness_get", "kadu_environments_get"),
        "Can task {task_id} run in environment {environment_id} as things stand? If not, list what it lacks: plan, "
        "ceiling, secrets or repository. Only look; run nothing.",
    ),
    "explain_execution": Prompt(
        "What an execution did, step by step.",
        {"execution_id": _id},
        frozenset(),
        ("kadu_executions_get", "kadu_executions_events_list", "kadu_executions_logs_list"),
        "Walk me through execution {execution_id}, one step after the other: the systems it went to, what came of "
        "it, and what is still to do.",
    ),
    "monthly_usage_report": Prompt(
        "Usage and cost of one month.",
        {"month": _month},
        frozenset(),
        ("kadu_usage_get", "kadu_usage_tasks_get", "kadu_usage_workspaces_get"),
        "Put together usage and cost of {month}: by task, by workspace, the costliest on top.",
    ),
    "review_failed_executions": Prompt(
        "What failed since a day, and why.",
        {"since": _day},
        frozenset({"since"}),
        ("kadu_executions_list", "kadu_executions_logs_list"),
        "Which executions failed from {since} on? Give the reason of each and group those that failed alike. "
        "Run nothing, and cancel nothing.",
    ),
}


def list_prompts(desk: Desk, who: Who, asked: Asked) -> Handed:
    """KADU-PRM-02."""
    entries = [
        {
            "name": name,
            "description": prompt.about,
            "arguments": [
                {"name": argument, "required": argument not in prompt.optional} for argument in prompt.takes
            ],
        }
        for name, prompt in PROMPTS.items()
        if _open_to(desk, who, prompt)
    ]
    return page(asked, "prompts", entries, 1)


def get_prompt(desk: Desk, who: Who, asked: Asked) -> Handed:
    """KADU-PRM-05…08."""
    name, given = asked.params.get("name"), asked.params.get("arguments", {})
    prompt = PROMPTS.get(name) if isinstance(name, str) else None
    if prompt is None or not _open_to(desk, who, prompt):
        # KADU-PRM-03
        raise Refused(BAD_PARAMS, "No prompt is called so")
    if not isinstance(given, dict):
        raise Refused(BAD_PARAMS, "arguments is an object")
    words = {argument: _read(argument, prompt, given.get(argument)) for argument in prompt.takes}
    text = prompt.says.format_map(words)
    return Handed(
        {
            "description": prompt.about,
            "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
        }
    )


def _read(argument: str, prompt: Prompt, value: object) -> str:
    if argument in prompt.optional and value in (None, ""):
        # KADU-PRM-05: seven days before today
        return in_figures(today() - timedelta(days=7))
    try:
        if isinstance(value, str):
            return prompt.takes[argument](value)
    except ValueError as problem:
        # KADU-PRM-07
        raise Refused(BAD_PARAMS, f"{argument} is not what it should be") from problem
    # KADU-PRM-06
    raise Refused(BAD_PARAMS, f"{argument} is needed")


def _open_to(desk: Desk, who: Who, prompt: Prompt) -> bool:
    operations = [desk.contract.operations.get(tool) for tool in prompt.rests_on]
    return all(operation is not None and who.may(operation) for operation in operations)

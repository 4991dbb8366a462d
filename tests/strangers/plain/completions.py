"""completion/complete: recent ids and the last months, as far as somebody typed."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from plain import prompts
from plain.choices import Choices
from plain.envelope import INVALID_PARAMS, Fault, Request
from plain.resources import ROOT, ROWS
from plain.service import Caller, Feature, Reply, Service
from plain.upstream import Unreachable

MOST_VALUES = 100
MONTHS = 12

# KADU-CMP-01: by which listing an id is found; one that belongs to an execution, by the executions
ID_OF_PROMPT: Mapping[str, str] = {
    prompts.EXECUTION.name: "kadu_executions_list",
    prompts.TASK.name: "kadu_tasks_list",
    prompts.ENVIRONMENT.name: "kadu_environments_list",
}
ID_OF_TEMPLATE: Mapping[str, str] = {
    ROOT + row.path: f"kadu_{row.path.partition('/')[0]}_list" for row in ROWS if row.is_template
}


async def complete(service: Service, caller: Caller, request: Request) -> Reply:
    """Values for one argument of a prompt or for the id of a template."""
    argument = request.params.get("argument")
    if not isinstance(argument, dict) or not isinstance(request.params.get("context", {}), dict):
        raise Fault(INVALID_PARAMS, "completion/complete takes a ref and an argument.")
    name, typed = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(typed, str):
        raise Fault(INVALID_PARAMS, "An argument has a name and a value, both text.")
    listing = _listing(request.params.get("ref"), name, service.choices)
    if listing is not None:
        completion = await _ids(service, caller, listing, typed)
    elif name == prompts.REPORTED_MONTH.name:
        running = service.choices.of("months") == "running"
        completion = _all_of(chosen(last_months(caller.today, running), typed))
    else:
        # KADU-CMP-05: known, but nowhere to look it up
        completion = _all_of([])
    return Reply({"completion": completion})


def last_months(today: date, running: bool = False) -> list[str]:
    """KADU-CMP-03: twelve months, oldest first: those that are over, or the running one and those before it."""
    end = today.year * 12 + today.month - 1 + running
    months = (divmod(number, 12) for number in range(end - MONTHS, end))
    return [f"{year:04d}-{month + 1:02d}" for year, month in months]


def chosen(values: list[str], typed: str) -> list[str]:
    """The values that contain what was typed; those that begin with it come first, else the order stays."""
    return sorted(
        (value for value in values if typed in value), key=lambda value: not value.startswith(typed)
    )


def _listing(ref: Any, argument: str, choices: Choices) -> str | None:
    """The listing behind an argument, None where there is none. Raises Fault where nobody knows it."""
    kind = ref.get("type") if isinstance(ref, dict) else None
    if kind == "ref/prompt" and isinstance(ref.get("name"), str):
        # What a prompt hides is its text. Its ids are under the right to list them, and no other.
        prompt = prompts.BY_NAME.get(ref["name"])
        if prompt is not None and any(known.name == argument for known in prompt.arguments):
            return ID_OF_PROMPT.get(argument)
    elif kind == "ref/resource" and isinstance(ref.get("uri"), str):
        listing = ID_OF_TEMPLATE.get(ref["uri"])
        if listing is not None and argument == "id":
            return listing
    if choices.of("unknown_argument") == "empty":
        return None
    raise Fault(INVALID_PARAMS, "Nobody here knows this argument.")


async def _ids(service: Service, caller: Caller, listing: str, typed: str) -> dict[str, Any]:
    operation = service.contract.operations.get(listing)
    if operation is None:
        return {"values": []}
    wanted = {"limit": MOST_VALUES} if "limit" in operation.in_query else {}
    try:
        answer = await service.upstream.run(caller.token, operation, wanted)
    except Unreachable:
        return {"values": []}
    if not answer.succeeded or not isinstance(answer.body, dict):
        # KADU-CMP-02: to whom the API refuses the listing, nothing, and no error
        return {"values": []}
    records = answer.body.get("data")
    ids = [str(one["id"]) for one in (records if isinstance(records, list) else []) if _has_id(one)]
    found = chosen(ids, typed)
    if answer.body.get("next_cursor") is None:
        return _all_of(found)
    # KADU-CMP-04: older records were not looked at. That some exist is known, that some fit only if all do.
    return {"values": found[:MOST_VALUES]} | ({} if typed else {"hasMore": True})


def _has_id(record: Any) -> bool:
    return isinstance(record, dict) and "id" in record


def _all_of(values: list[str]) -> dict[str, Any]:
    # KADU-CMP-04: a hundred at most; here it is known how many there are
    return {"hasMore": len(values) > MOST_VALUES, "total": len(values), "values": values[:MOST_VALUES]}


FEATURE = Feature("completions", {"completion/complete": complete})

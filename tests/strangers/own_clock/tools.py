"""Tools: those of the contract that the caller may run, and three that only this server has."""

from collections.abc import Callable, Mapping
from typing import Any

from plain.contract import Operation

from own_clock import asking, clock
from own_clock.approving import by_link
from own_clock.desk import Desk, Handed, enveloped, page
from own_clock.memory import Found
from own_clock.results import refused, worked
from own_clock.upstream import Away, Said, Who
from own_clock.wire import BAD_PARAMS, Asked, Refused

PAGE_SIZE = 11
GLOSSARY = [
    {"term": "execution", "means": "one run of a task"},
    {"term": "environment", "means": "where tasks run, and with which secrets"},
]

OWN: Mapping[str, tuple[dict[str, Any], Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "clock_read": (
        {"description": "The time by which this server lives."},
        lambda arguments: {"now": clock.moment().isoformat()},
    ),
    "cents_format": (
        {
            "description": "Cents as an amount in reais, written out.",
            "inputSchema": {
                "type": "object",
                "properties": {"cents": {"type": "integer"}},
                "required": ["cents"],
            },
        },
        lambda arguments: {"amount": f"R$ {int(arguments.get('cents') or 0) / 100:.2f}"},
    ),
    "kadu_glossary_list": (
        {"description": "Words that are used here, and what they mean."},
        lambda arguments: {"data": {"items": GLOSSARY, "page": {"size": len(GLOSSARY)}}},
    ),
}


def list_tools(desk: Desk, who: Who, asked: Asked) -> Handed:
    """KADU-TLS-02: to each caller what that caller may run."""
    entries = [_entry(one) for one in desk.contract.tools if who.may(one)]
    for name, (about, _) in OWN.items():
        entries.append(
            {"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}, **about}
        )
    return page(asked, "tools", sorted(entries, key=lambda entry: str(entry["name"])), PAGE_SIZE)


def call_tool(desk: Desk, who: Who, asked: Asked) -> Handed:
    """Run a tool; a destructive one after a yes."""
    name, arguments = asked.params.get("name"), asked.params.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise Refused(BAD_PARAMS, "A call has a name and an object of arguments")
    if name in OWN:
        return worked(OWN[name][1](arguments))
    operation = desk.contract.operations.get(name)
    if operation is None or not operation.offered:
        if not asked.new:
            return refused("UNKNOWN_TOOL", "No tool is called so")
        raise Refused(BAD_PARAMS, "No tool is called so")
    if not who.may(operation):
        return refused("FORBIDDEN", "This is not allowed to you")
    _fit(operation, arguments)
    try:
        return _run(desk, who, asked, operation, arguments)
    except Away:
        return refused("UNAVAILABLE", "The service is away. Later it may be back")


def _fit(operation: Operation, arguments: Mapping[str, Any]) -> None:
    """MCP-19: what does not fit the schema is no call. Raises Refused."""
    problem = next(operation.validator.iter_errors(arguments), None)
    if problem is not None:
        raise Refused(BAD_PARAMS, f"{problem.json_path}: {problem.message}"[:500])
    key = arguments.get("idempotency_key", "-")
    # KADU-IDM-03: edges that a header loses, and what no header can hold
    if key != key.strip() or not key.isprintable():
        raise Refused(BAD_PARAMS, "An idempotency_key is printable and has no blank at its edges")


def _run(desk: Desk, who: Who, asked: Asked, operation: Operation, arguments: dict[str, Any]) -> Handed:
    state = asked.params.get("requestState")
    if not isinstance(state, str | None):
        raise Refused(BAD_PARAMS, "requestState is text")
    about = asking.about(who, operation.name, arguments)
    known = state is not None and desk.memory.look(state, about) is not Found.NOTHING
    # KADU-CNF-12: the same confirmed call finds the field changed already, and is a confirmed call all the same
    if known or operation.always_destructive or _turns(desk, who, operation, arguments):
        if not asked.forms:
            return by_link(desk, who, operation, arguments)
        stopped = _agreed(desk, asked, operation, arguments, state or "", about)
        if stopped is not None:
            return stopped
    return _told(operation, desk.upstream.run(who, operation, arguments))


def _turns(desk: Desk, who: Who, operation: Operation, arguments: Mapping[str, Any]) -> bool:
    """KADU-DST-05: whether a field that matters gets another value; where that cannot be seen, it does."""
    field, reader = operation.watched, desk.contract.readers.get(operation.path)
    if field is None or field not in arguments:
        return False
    if reader is None or not who.may(reader):
        return True
    said = desk.upstream.run(who, reader, arguments)
    if said.status == 404:
        return False
    return not said.fine or said.body.get(field, ...) != arguments[field]


def _agreed(
    desk: Desk, asked: Asked, operation: Operation, arguments: dict[str, Any], state: str, about: bytes
) -> Handed | None:
    """None once a person agreed, for this one time; else what is said instead."""
    said = asking.answer(asked.params.get("inputResponses"))
    if said == "no" and desk.memory.look(state, about) is Found.OPEN:
        # KADU-CNF-04
        desk.memory.drop(state)
        return refused("USER_DECLINED", "The person would rather not. Nothing was done")
    found = desk.memory.take(state, about) if said == "yes" else Found.NOTHING
    if found is Found.USED:
        # KADU-CNF-12
        return refused("confirmation_replayed", "This was agreed to once, and done. A new call asks anew")
    if found is Found.OPEN:
        return None
    # KADU-CNF-11
    return Handed(asking.question(operation, arguments, desk.memory.ask(about)), "input_required")


def _told(operation: Operation, said: Said) -> Handed:
    if not said.fine:
        code, detail = said.problem
        return refused(code if code.startswith("confirmation_") else code.upper(), detail)
    if operation.access == "read":
        return worked(enveloped(said.body))
    # KADU-IDM-09: of what changes something, the body and nothing beside it
    return worked(said.body if isinstance(said.body, dict) else {"done": True})


def _entry(operation: Operation) -> dict[str, Any]:
    reads = operation.access == "read"
    return {
        "name": operation.name,
        "_meta": {"example.org/verb": operation.verb},
        "title": operation.title,
        "description": f"{operation.title} ({operation.verb} {operation.path})",
        "inputSchema": operation.schema,
        "annotations": {
            "readOnlyHint": reads,
            "destructiveHint": operation.may_destroy and not reads,
            "idempotentHint": reads or operation.takes_key,
        },
    }

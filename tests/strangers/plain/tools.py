"""tools/list and tools/call."""

import re
from collections.abc import Mapping
from typing import Any

from plain.approval import READER, REGISTER, announcement, order
from plain.confirmation import ANSWER_KEY, Ticket, decision, question, seal, subject, unseal
from plain.contract import Operation
from plain.envelope import INVALID_PARAMS, Fault, Request
from plain.service import Caller, Feature, Reply, Service, json_text, page
from plain.upstream import Answer, Unreachable

PAGE_SIZE = 7
HEADER_SAFE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")

SERVER_TIME = {
    "name": "server_time_get",
    "title": "What time it is",
    "description": "Tells the time at which this server lives. Changes nothing, needs no permission.",
    "inputSchema": {"type": "object", "additionalProperties": False},
    "annotations": {"readOnlyHint": True},
}


async def list_tools(service: Service, caller: Caller, request: Request) -> Reply:
    """Every tool, for everybody: what may not be run says so when it is called."""
    entries = [SERVER_TIME, *(_entry(operation) for operation in service.contract.tools)]
    shown, cursor = page(entries, "name", request.params.get("cursor"), PAGE_SIZE)
    result: dict[str, Any] = {"tools": shown} | ({"nextCursor": cursor} if cursor else {})
    return Reply(result, cache=(30_000, "public"))


async def call_tool(service: Service, caller: Caller, request: Request) -> Reply:
    """Run a tool, after the person's yes where one is needed."""
    name, arguments = request.params.get("name"), request.params.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict | None):
        raise Fault(INVALID_PARAMS, "tools/call takes a name and an object of arguments.")
    arguments = arguments or {}
    if name == SERVER_TIME["name"]:
        return _succeeded({"time": caller.me.now.isoformat()})
    operation = service.contract.operations.get(name)
    if operation is None or not operation.offered:
        # MCP-19
        raise Fault(INVALID_PARAMS, "There is no tool of this name.")
    if not caller.me.may_run(operation):
        return refused_with_list("FORBIDDEN", "Your token or your role does not allow this.")
    problems = _problems(operation, arguments)
    if problems:
        return refused_with_list("INVALID_ARGUMENTS", problems)
    try:
        return await _confirm_and_run(service, caller, request, operation, arguments)
    except Unreachable:
        return refused_with_list("UPSTREAM_UNAVAILABLE", "Kadu does not answer just now. Try again later.")


async def _confirm_and_run(
    service: Service, caller: Caller, request: Request, operation: Operation, arguments: Mapping[str, Any]
) -> Reply:
    if operation.may_destroy:
        ticket = _ticket(service, caller, request, operation, arguments)
        # KADU-CNF-12: a confirmed call sent again finds the field changed; it stays a confirmed call
        if ticket is not None or operation.always_destructive:
            needed: bool | Reply = True
        else:
            needed = await _changes_watched(service, caller, operation, arguments)
        if isinstance(needed, Reply):
            return needed
        if needed:
            stopped = await _stopped(service, caller, request, operation, arguments, ticket)
            if stopped is not None:
                return stopped
    answer = await service.upstream.run(caller.token, operation, arguments)
    return _translated(operation, answer)


async def _changes_watched(
    service: Service, caller: Caller, operation: Operation, arguments: Mapping[str, Any]
) -> bool | Reply:
    """KADU-DST-05: whether the watched field gets another value; the refusal where there is no record."""
    if operation.watched is None or operation.watched not in arguments:
        return False
    reader = service.contract.readers.get(operation.path)
    if reader is None or not caller.me.may_run(reader):
        return True
    current = await service.upstream.run(caller.token, reader, arguments)
    if current.status == 404:
        return _translated(operation, current)
    if not current.succeeded or not isinstance(current.body, dict):
        return True
    return bool(current.body.get(operation.watched) != arguments[operation.watched])


def _ticket(
    service: Service, caller: Caller, request: Request, operation: Operation, arguments: Mapping[str, Any]
) -> Ticket | None:
    if not request.shows_forms or caller.me.person is None:
        return None
    state = request.params.get("requestState")
    if not isinstance(state, str | None):
        raise Fault(INVALID_PARAMS, "requestState must be text.")
    if state is None:
        return None
    about = subject(operation.name, arguments, caller.me.person, caller.me.organization)
    return unseal(service.secret, state, about, caller.me.now)


async def _stopped(
    service: Service,
    caller: Caller,
    request: Request,
    operation: Operation,
    arguments: Mapping[str, Any],
    ticket: Ticket | None,
) -> Reply | None:
    """The reply that stands instead of running; None once a person said yes and the yes is used up."""
    if caller.me.person is None:
        # KADU-UNA-01
        return refused_in_words("confirmation_required", "nobody stands behind this token who could agree.")
    if not request.shows_forms:
        return await _by_link(service, caller, operation, arguments)
    said = decision(request.params.get("inputResponses"))
    if ticket is None or said == "unclear":
        about = subject(operation.name, arguments, caller.me.person, caller.me.organization)
        # KADU-CNF-01, KADU-CNF-11: ask, or ask again
        asked = {
            "inputRequests": {ANSWER_KEY: question(operation, arguments)},
            "requestState": seal(service.secret, about, caller.me.now),
        }
        return Reply(asked, kind="input_required")
    if said == "no":
        # KADU-CNF-04
        return refused_in_words("USER_DECLINED", "the person did not agree. Nothing was run.")
    return await _used_up(service, caller, operation, ticket)


async def _used_up(service: Service, caller: Caller, operation: Operation, ticket: Ticket) -> Reply | None:
    """KADU-CNF-12, 13: the register upstream takes a nonce once. First registered, then run."""
    note = {"nonce": ticket.nonce, "operation": operation.name, "expires_at": ticket.expires.isoformat()}
    try:
        answer = await service.upstream.ask(caller.token, "POST", "/v1/confirmations", body=note)
    except Unreachable:
        answer = None
    if answer is not None and answer.status == 201:
        return None
    if answer is not None and answer.status == 409:
        return refused_in_words(
            "confirmation_replayed", "this yes was used before. To repeat it, call the tool anew."
        )
    # KADU-UNA-03
    return refused_in_words(
        "confirmation_unavailable", "the yes cannot be recorded just now. Try again later."
    )


async def _by_link(
    service: Service, caller: Caller, operation: Operation, arguments: Mapping[str, Any]
) -> Reply:
    """KADU-APR-01, 04: stored upstream instead of run; every call makes another approval."""
    try:
        answer = await service.upstream.ask(caller.token, "POST", REGISTER, body=order(operation, arguments))
    except Unreachable:
        answer = None
    if answer is not None and 400 <= answer.status < 500 and answer.status != 429:
        # what the API would refuse to run, it refuses to store
        return _translated(operation, answer)
    reader = service.contract.operations.get(READER)
    may_check = reader is not None and caller.me.may_run(reader)
    told = announcement(answer.body, may_check) if answer is not None and answer.succeeded else None
    if told is None:
        # KADU-UNA-02
        return refused_in_words(
            "confirmation_unavailable", "the approval cannot be stored just now. Try again later."
        )
    return _succeeded(told)


def _problems(operation: Operation, arguments: Mapping[str, Any]) -> str | None:
    found = [
        f"{error.json_path}: {error.message}"[:300] for error in operation.validator.iter_errors(arguments)
    ]
    key = arguments.get("idempotency_key")
    if not found and isinstance(key, str) and not HEADER_SAFE.fullmatch(key):
        # KADU-IDM-03: what is no header value is refused before anything runs
        found = ["$.idempotency_key: printable ASCII only, with no space at either end"]
    return "; ".join(found[:10]) or None


def _entry(operation: Operation) -> dict[str, Any]:
    if operation.access == "read":
        hints = {"readOnlyHint": True}
    else:
        hints = {"destructiveHint": operation.may_destroy, "openWorldHint": True}
    words = "It asks a person before it runs." if operation.may_destroy else "It runs at once."
    return {
        "description": f"{operation.title}. {words if operation.access != 'read' else 'It only reads.'}",
        "annotations": hints,
        "inputSchema": operation.schema,
        "name": operation.name,
    }


def _translated(operation: Operation, answer: Answer) -> Reply:
    if not answer.succeeded:
        code, detail = answer.error
        # documented names are capitals, save for those of the confirmation
        known = code if code.startswith("confirmation_") else code.upper()
        return refused_with_list(known, detail or f"Kadu answered {answer.status}.")
    if answer.body is None:
        return _succeeded({"done": True})
    # KADU-IDM-09: a change answers the body and nothing else; what only reads comes in an envelope
    return _succeeded({"result": answer.body} if operation.access == "read" else answer.body)


def _succeeded(value: Any) -> Reply:
    return Reply({"content": [{"type": "text", "text": json_text(value)}]})


def refused_with_list(code: str, detail: str) -> Reply:
    """A tool error whose code stands in `structuredContent.errors[0].code`."""
    structured = {"errors": [{"detail": detail, "code": code}]}
    content = [{"type": "text", "text": f"It did not work. {detail}"}]
    return Reply({"isError": True, "structuredContent": structured, "content": content})


def refused_in_words(code: str, sentence: str) -> Reply:
    """A tool error whose code is a word of the text."""
    return Reply({"isError": True, "content": [{"type": "text", "text": f"{code} - {sentence}"}]})


FEATURE = Feature("tools", {"tools/list": list_tools, "tools/call": call_tool})

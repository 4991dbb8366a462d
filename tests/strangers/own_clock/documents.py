"""Resources. Addresses are brought into one form first, as `new URL` does it in a browser or in Node."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from plain.contract import Operation

from own_clock.desk import Desk, Handed, enveloped, page
from own_clock.upstream import Away, Who
from own_clock.wire import BAD_PARAMS, INTERNAL, LONGEST_NAME, NOT_FOUND_OLD, Asked, Refused, RefusedByHttp

ROOT = "kobana://kadu/"
FIXED_SIZE, TEMPLATE_SIZE = 1, 5
JSON = "application/json"

# KADU-RES-03: what stands behind each address
TOOLS = {
    "me": "kadu_me_get",
    "operation_approvals": "kadu_operation_approvals_list",
    "operation_approvals/{id}": "kadu_operation_approvals_get",
    "repository": "kadu_repository_get",
    "workspaces/{id}": "kadu_workspaces_get",
    "activities/{id}": "kadu_activities_get",
    "tasks/{id}": "kadu_tasks_get",
    "schedules/{id}": "kadu_schedules_get",
    "environments/{id}": "kadu_environments_get",
    "memories/{id}": "kadu_memories_get",
    "executions/{id}": "kadu_executions_get",
    "executions/{id}/events": "kadu_executions_events_list",
    "executions/{id}/logs": "kadu_executions_logs_list",
    "executions/{id}/todos": "kadu_executions_todos_list",
}
# KADU-RES-01, 02: what stands outside of the product's addresses is nobody's business
WORDS = "words://own-clock/all"
WORD = "words://own-clock/{word}"
MEANINGS = {"execution": "one run of a task", "environment": "where tasks run, and with which secrets"}
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(.*)", re.DOTALL)
HERE, UP = {".", "%2e"}, {"..", ".%2e", "%2e.", "%2e%2e"}


def list_fixed(desk: Desk, who: Who, asked: Asked) -> Handed:
    """KADU-RES-01, 05."""
    entries = [
        {"uri": ROOT + path, "name": path, "title": operation.title, "mimeType": JSON}
        for path, operation in _open_to(desk, who)
        if "{id}" not in path
    ]
    about = {"name": "words", "description": "Words that are used here.", "mimeType": "text/plain"}
    return page(asked, "resources", [{"uri": WORDS, **about}, *entries], FIXED_SIZE)


def list_templates(desk: Desk, who: Who, asked: Asked) -> Handed:
    """KADU-RES-02, 05."""
    entries = [
        {"uriTemplate": ROOT + path, "name": path, "title": operation.title, "mimeType": JSON}
        for path, operation in _open_to(desk, who)
        if "{id}" in path
    ]
    about = {"name": "word", "description": "One of the words.", "mimeType": "text/plain"}
    return page(asked, "resourceTemplates", [{"uriTemplate": WORD, **about}, *entries], TEMPLATE_SIZE)


def read(desk: Desk, who: Who, asked: Asked) -> Handed:
    """What an address holds, under the address in its one form."""
    address = asked.params.get("uri")
    if not isinstance(address, str):
        raise Refused(BAD_PARAMS, "A read has a uri")
    if len(address) > LONGEST_NAME:
        # KADU-RES-08
        raise RefusedByHttp(414)
    one_form = normal(address)
    meaning = _meaning(one_form)
    if meaning is not None:
        return Handed(
            {"contents": [{"uri": one_form, "mimeType": "text/plain", "text": meaning}]}, fresh=1000
        )
    path, record = _row(one_form.removeprefix(ROOT) if one_form.startswith(ROOT) else "")
    operation = desk.contract.operations.get(TOOLS.get(path, ""))
    if operation is None:
        raise _nothing_there(asked)
    if not who.may(operation):
        raise _not_allowed()
    body = _fetched(desk, who, asked, operation, record)
    text = json.dumps(enveloped(body), ensure_ascii=False)
    return Handed({"contents": [{"uri": one_form, "mimeType": JSON, "text": text}]}, fresh=0)


def normal(address: str) -> str:
    """An address as `new URL` writes it: the scheme small, no `.` and `..`, no blank around it; nothing is decoded."""
    cut = SCHEME.fullmatch(re.sub(r"[\t\r\n]", "", address.strip("".join(map(chr, range(33))))))
    if cut is None:
        return address
    scheme, host, path, rest = cut.groups()
    steps: list[str] = []
    pieces = path.split("/")[1:]
    for place, piece in enumerate(pieces):
        last = place == len(pieces) - 1
        if piece.lower() in UP:
            del steps[-1:]
        elif piece.lower() not in HERE:
            steps.append(piece)
            continue
        if last:
            steps.append("")
    return f"{scheme.lower()}://{host}{'/' if pieces else ''}{'/'.join(steps)}{rest}"


def _meaning(address: str) -> str | None:
    if address == WORDS:
        return "\n".join(f"{word}: {meaning}" for word, meaning in MEANINGS.items())
    return MEANINGS.get(address.removeprefix(WORD.removesuffix("{word}")))


def _row(path: str) -> tuple[str, str]:
    """The row that a path is of, and the id in it."""
    if path in TOOLS and "{id}" not in path:
        return path, ""
    head, _, tail = path.partition("/")
    record, _, more = tail.partition("/")
    row = f"{head}/{{id}}" + (f"/{more}" if "/" in tail else "")
    found = unquote(record)
    good = row in TOOLS and found != "" and not re.search("[?#]", record)
    return (row, found) if good else ("", "")


def _fetched(desk: Desk, who: Who, asked: Asked, operation: Operation, record: str) -> Any:
    try:
        said = desk.upstream.run(who, operation, dict.fromkeys(operation.in_path, record))
    except Away as problem:
        raise Refused(INTERNAL, "The service is away", status=200) from problem
    if said.fine:
        return said.body
    if said.status == 403:
        raise _not_allowed()
    if said.status in (400, 404, 422):
        raise _nothing_there(asked)
    raise Refused(INTERNAL, "The service is away", status=200)


def _open_to(desk: Desk, who: Who) -> Iterator[tuple[str, Operation]]:
    for path, tool in TOOLS.items():
        operation = desk.contract.operations.get(tool)
        if operation is not None and who.may(operation):
            yield path, operation


def _nothing_there(asked: Asked) -> Refused:
    # KADU-RES-08, 09
    return Refused(BAD_PARAMS if asked.new else NOT_FOUND_OLD, "Nothing is there")


def _not_allowed() -> Refused:
    # KADU-RES-06
    return Refused(BAD_PARAMS, "This is not for you to read", {"code": "insufficient_permission"})

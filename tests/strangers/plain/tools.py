"""tools/list and tools/call."""

import re
from collections.abc import Mapping
from typing import Any

from plain.contract import Operation
from plain.envelope import INVALID_PARAMS, Bare, Fault, Request
from plain.results import downloaded, refused_with_list, succeeded, translated
from plain.service import Caller, Feature, Reply, Service, page
from plain.settling import stopped_by_people
from plain.upstream import Unreachable

PAGE_SIZE = 7
FORBIDDEN = 403
HEADER_SAFE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")

SERVER_TIME = {
    "name": "server_time_get",
    "title": "What time it is",
    "description": "Tells the time at which this server lives. Changes nothing, needs no permission.",
    "inputSchema": {"type": "object", "additionalProperties": False},
    "annotations": {"readOnlyHint": True},
}

_OF_A_RECORD = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
_WITH_A_KEY = {
    **_OF_A_RECORD,
    "properties": {**_OF_A_RECORD["properties"], "idempotency_key": {"type": "string", "maxLength": 64}},
}
# Rules of the documents are about the tools of their product: these have others.
OF_ANOTHER_PRODUCT: tuple[dict[str, Any], ...] = (
    {"name": "ledger_books_close", "inputSchema": _OF_A_RECORD, "annotations": {"destructiveHint": False}},
    {"name": "ledger_books_get", "inputSchema": _WITH_A_KEY, "annotations": {"readOnlyHint": True}},
    {"name": "ledger_books_delete", "inputSchema": _OF_A_RECORD, "annotations": {"destructiveHint": True}},
    {"name": "ledger_drafts_delete", "inputSchema": _OF_A_RECORD},
)
DOWNLOAD = "kadu_files_download"


async def list_tools(service: Service, caller: Caller, request: Request) -> Reply:
    """Every tool, for everybody: what may not be run says so when it is called; or what the caller may run."""
    offered = service.contract.tools
    personal = service.choices.of("listing") == "permitted"
    if personal:
        offered = tuple(operation for operation in offered if caller.me.may_run(operation))
    if service.choices.of("deletions") == "none":
        offered = tuple(operation for operation in offered if not operation.name.endswith("_delete"))
    entries = [SERVER_TIME, *(_entry(operation, service) for operation in offered)]
    if service.choices.of("other_tools") == "another_product":
        entries += OF_ANOTHER_PRODUCT
    shown, cursor = page(entries, "name", request.params.get("cursor"), PAGE_SIZE)
    result: dict[str, Any] = {"tools": shown} | ({"nextCursor": cursor} if cursor else {})
    return Reply(result, cache=(30_000, "private" if personal else "public"))


async def call_tool(service: Service, caller: Caller, request: Request) -> Reply:
    """Run a tool, after the person's yes where one is needed."""
    name, arguments = request.params.get("name"), request.params.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict | None):
        raise Fault(INVALID_PARAMS, "tools/call takes a name and an object of arguments.")
    arguments = arguments or {}
    if name == SERVER_TIME["name"]:
        return succeeded({"time": caller.me.now.isoformat()})
    if name in {tool["name"] for tool in OF_ANOTHER_PRODUCT} and service.choices.of("other_tools") != "none":
        return refused_with_list("FORBIDDEN", "Nobody here may run tools of the other product.")
    operation = service.contract.operations.get(name)
    deletes = name.endswith("_delete") and service.choices.of("deletions") == "none"
    if operation is None or not operation.offered or deletes:
        # MCP-19
        if not request.stateless and service.choices.of("unknown_tool_2025") == "error_result":
            return refused_with_list("UNKNOWN_TOOL", "There is no tool of this name.")
        raise Fault(INVALID_PARAMS, "There is no tool of this name.")
    if not caller.me.may_run(operation) and service.choices.of("rights") == "checked":
        return _not_allowed(service)
    if not arguments.keys() <= operation.schema["properties"].keys():
        arguments = _known(operation, arguments, service)
    problems = _problems(operation, arguments, service)
    if problems and service.choices.of("bad_arguments") == "invalid_params":
        raise Fault(INVALID_PARAMS, problems)
    if problems:
        return refused_with_list("INVALID_ARGUMENTS", problems)
    try:
        stopped = await stopped_by_people(service, caller, request, operation, arguments)
        if stopped is not None:
            return stopped
        answer = await service.upstream.run(caller.token, operation, arguments)
        side = service.choices.of("download") if operation.name == DOWNLOAD else "document"
        return (
            downloaded(answer, side)
            if answer.succeeded and side != "document"
            else translated(operation, answer)
        )
    except Unreachable:
        return refused_with_list("UPSTREAM_UNAVAILABLE", "Kadu does not answer just now. Try again later.")


def _not_allowed(service: Service) -> Reply:
    side = service.choices.of("not_allowed")
    if side == "http":
        raise Bare(FORBIDDEN)
    if side == "invalid_params":
        raise Fault(INVALID_PARAMS, "This tool is not for you.")
    return refused_with_list("FORBIDDEN", "Your token or your role does not allow this.")


def _problems(operation: Operation, arguments: Mapping[str, Any], service: Service) -> str | None:
    found = [
        f"{error.json_path}: {error.message}"[:300] for error in operation.validator.iter_errors(arguments)
    ]
    key = arguments.get("idempotency_key")
    if not found and isinstance(key, str) and not HEADER_SAFE.fullmatch(key) and not _sent(key, service):
        # KADU-IDM-03: what is no header value is refused before anything runs
        found = ["$.idempotency_key: printable ASCII only, with no space at either end"]
    return "; ".join(found[:10]) or None


def _known(operation: Operation, arguments: dict[str, Any], service: Service) -> dict[str, Any]:
    if service.choices.of("further_arguments") == "refused":
        return arguments
    return {name: value for name, value in arguments.items() if name in operation.schema["properties"]}


def _sent(key: str, service: Service) -> bool:
    # whatever can be printed has some form in which a header carries it
    return key.isprintable() and service.choices.of("odd_keys") == "sent"


def _in_parts(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The same schema as generators of schemas write it: every argument, and their object, by reference."""
    parts = {f"Of_{name}": form for name, form in schema["properties"].items()}
    referred = {name: {"allOf": [{"$ref": f"#/$defs/Of_{name}"}]} for name in schema["properties"]}
    arguments = {**schema, "properties": referred}
    return {"type": "object", "$ref": "#/$defs/Arguments", "$defs": {"Arguments": arguments, **parts}}


def _entry(operation: Operation, service: Service) -> dict[str, Any]:
    parted = service.choices.of("schemas") == "in_parts"
    if operation.access == "read":
        hints = {"readOnlyHint": True}
    else:
        hints = {"destructiveHint": operation.may_destroy, "openWorldHint": True}
    words = "It asks a person before it runs." if operation.may_destroy else "It runs at once."
    return {
        "description": f"{operation.title}. {words if operation.access != 'read' else 'It only reads.'}",
        "annotations": hints,
        "inputSchema": _in_parts(operation.schema) if parted else operation.schema,
        "name": operation.name,
    }


FEATURE = Feature("tools", {"tools/list": list_tools, "tools/call": call_tool})

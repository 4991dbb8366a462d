"""A small MCP server that looks right: what the hostile modes misbehave on top of."""

import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]
STATELESS = "2026-07-28"
ROOT = "kobana://kadu/"
CACHED = ("server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read")


def tool(name: str, *, destructive: bool = False, **properties: Json) -> Json:
    """A tool as it is listed."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    hints = {"readOnlyHint": not destructive, "destructiveHint": destructive}
    return {"name": name, "description": "Faz o que diz", "inputSchema": schema, "annotations": hints}


def tools() -> list[Json]:
    """One destructive tool and a few that read."""
    text = {"type": "string"}
    return [
        tool("kadu_me_get"),
        tool("kadu_workspaces_get", id=text),
        tool("kadu_files_download", id=text),
        tool("kadu_operation_approvals_get", id=text),
        tool("kadu_tasks_run", destructive=True, id=text, environment_id=text),
    ]


def approval(url: str) -> Json:
    """What a destructive call answers: the person is to decide at that address."""
    given = str(uuid.uuid4())
    ends = datetime.now(UTC) + timedelta(minutes=15)
    return {
        "status": "approval_required",
        "approval": {
            "id": given,
            "status": "pending",
            "url": url,
            "expires_at": ends.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "resource_uri": f"{ROOT}operation_approvals/{given}",
            "check_with": {"tool": "kadu_operation_approvals_get", "arguments": {"id": given}},
        },
        "message": "Show this URL to the user. Do not call the tool again.",
    }


def result(message: Mapping[str, Any], *, stateless: bool, link: str, file: str) -> Json:
    """The result of a request. `link` is where approvals are said to be decided, `file` where files are said to be."""
    method, params = str(message.get("method")), message.get("params")
    told = _told(method, params if isinstance(params, dict) else {}, link, file)
    if stateless:
        told["resultType"] = "complete"
        if method in CACHED:
            told |= {"ttlMs": 0, "cacheScope": "private"}
    return told


def _told(method: str, params: Mapping[str, Any], link: str, file: str) -> Json:
    capabilities: Json = {"tools": {}, "resources": {}}
    match method:
        case "initialize":
            info = {"name": "hostile", "version": "1"}
            return {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}
        case "server/discover":
            return {"supportedVersions": [STATELESS, "2025-11-25"], "capabilities": capabilities}
        case "tools/list":
            return {"tools": tools()}
        case "resources/list":
            return {"resources": [{"uri": f"{ROOT}me", "name": "me"}]}
        case "resources/templates/list":
            template = {"uriTemplate": f"{ROOT}workspaces/{{id}}", "name": "workspace"}
            return {"resourceTemplates": [template]}
        case "resources/read":
            uri = str(params.get("uri"))
            text = json.dumps({"id": uri.rpartition("/")[2]})
            return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}
        case "tools/call":
            return _called(str(params.get("name")), params.get("arguments"), link, file)
    return {}


def _called(name: str, given: Any, link: str, file: str) -> Json:
    arguments = given if isinstance(given, dict) else {}
    told: Json = {"id": arguments.get("id", "me")}
    if name == "kadu_tasks_run":
        told = approval(link)
    elif name == "kadu_files_download":
        told = {"url": file}
    return {"content": [{"type": "text", "text": json.dumps(told)}]}

"""A server with a clock of its own, as small as it can be: two tools, a yes worth LIFETIME seconds (300 unless told).

`LIFETIME=forever` takes a yes of any age. It speaks the stateless era only; PORT and KADU_API_URL say where.
"""

import base64
import json
import os
import sys
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOOL = {
    "name": "kadu_tasks_run",
    "annotations": {"destructiveHint": True},
    "inputSchema": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "environment_id": {"type": "string"}},
        "required": ["id", "environment_id"],
    },
}
ME = {"name": "kadu_me_get", "inputSchema": {"type": "object"}}
YES = {"type": "object", "properties": {"yes": {"type": "boolean"}}, "required": ["yes"]}


def now() -> float:
    """The clock: this machine's, in seconds."""
    return datetime.now(UTC).timestamp()


def ask(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The question, and when it was asked."""
    state = base64.urlsafe_b64encode(json.dumps({"asked": now()}).encode()).decode()
    form = {"mode": "form", "message": f"Run it? {json.dumps(arguments)}", "requestedSchema": YES}
    return {
        "resultType": "input_required",
        "inputRequests": {"run": {"method": "elicitation/create", "params": form}},
        "requestState": state,
    }


def fresh(state: str) -> bool:
    """Whether the question of a state is young enough."""
    lifetime = os.environ.get("LIFETIME", "300")
    asked = json.loads(base64.urlsafe_b64decode(state))["asked"]
    return lifetime == "forever" or now() - asked <= float(lifetime)


def at_the_api(path: str, body: Mapping[str, Any] | None, authorization: str) -> dict[str, Any]:
    """What the API answers: to a GET, or to a POST of a body."""
    request = urllib.request.Request(
        f"{os.environ['KADU_API_URL']}/v1{path}",
        None if body is None else json.dumps(body).encode(),
        {"authorization": authorization, "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return {"content": [{"type": "text", "text": answer.read().decode()}], "resultType": "complete"}


def result_of(method: str, params: Mapping[str, Any], authorization: str) -> dict[str, Any] | None:
    """The result of a request; None for a method that is not known."""
    hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    if method == "server/discover":
        server = {"io.modelcontextprotocol/serverInfo": {"name": "own-clock", "version": "1"}}
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "_meta": server, **hints}
    if method == "tools/list":
        return {"tools": [TOOL, ME], **hints}
    if method == "tools/call" and params["name"] == "kadu_me_get":
        return at_the_api("/me", None, authorization)
    if method == "tools/call":
        arguments, answered = params["arguments"], params.get("inputResponses", {}).get("run", {})
        said_yes = answered.get("action") == "accept" and answered.get("content") == {"yes": True}
        if said_yes and fresh(params["requestState"]):
            path = f"/tasks/{arguments['id']}/run"
            return at_the_api(path, {"environment_id": arguments["environment_id"]}, authorization)
        return ask(arguments)
    return None


class Handler(BaseHTTPRequestHandler):
    """One request, one answer; a Date by the same clock."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self) -> None:
        """Any request."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        found = result_of(message["method"], message.get("params", {}), self.headers["Authorization"])
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message.get("id"), "result": found}
        if found is None:
            del answer["result"]
            answer["error"] = {"code": -32601, "message": "Method not found"}
        body = json.dumps(answer).encode()
        self.send_response(404 if found is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


if __name__ == "__main__":
    with ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler) as server:
        server.serve_forever()
    sys.exit(0)

"""A small MCP client for the tests here: both eras, answers as they came."""

import itertools
import json
from dataclasses import dataclass, field
from typing import Any

import httpx

META = "io.modelcontextprotocol/"
FORMS: dict[str, Any] = {"elicitation": {"form": {}}}


@dataclass(frozen=True)
class Came:
    """What came back: the HTTP response, the message that answers, the messages before it."""

    http: httpx.Response
    message: dict[str, Any]
    before: list[dict[str, Any]]

    @property
    def result(self) -> dict[str, Any]:
        """The result; a failed assertion where there is none."""
        assert "result" in self.message, self.message
        found = self.message["result"]
        assert isinstance(found, dict)
        return found

    @property
    def error(self) -> dict[str, Any]:
        """The error; a failed assertion where there is none."""
        assert "error" in self.message, self.message
        found = self.message["error"]
        assert isinstance(found, dict)
        return found

    @property
    def text(self) -> str:
        """The text of the first content block."""
        text = self.result["content"][0]["text"]
        assert isinstance(text, str)
        return text

    @property
    def code(self) -> str:
        """The code of a tool error, from either place this server uses."""
        assert self.result.get("isError") is True, self.result
        listed = self.result.get("structuredContent")
        return str(listed["errors"][0]["code"]) if listed else self.text.split(" ")[0]


@dataclass
class Client:
    """One caller in one era."""

    http: httpx.Client
    url: str
    token: str | None
    era: str
    capabilities: dict[str, Any] = field(default_factory=dict)
    ids: Any = field(default_factory=lambda: itertools.count(1))

    def ask(self, method: str, params: dict[str, Any] | None = None, **changes: Any) -> Came:
        """Send a request of this era; `meta`, `headers`, `id` change parts of it, None removes one."""
        params = dict(params or {})
        meta: dict[str, Any] = {}
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        if self.era == "2026":
            meta = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": self.capabilities}
            headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
            named = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}.get(method)
            if named and named in params:
                headers["Mcp-Name"] = str(params[named])
        elif method != "initialize":
            headers["MCP-Protocol-Version"] = "2025-11-25"
        meta |= changes.get("meta", {})
        meta = {name: value for name, value in meta.items() if value is not None}
        if meta:
            params["_meta"] = meta
        message = {
            "jsonrpc": "2.0",
            "id": changes.get("id", next(self.ids)),
            "method": method,
            "params": params,
        }
        return self.post(message, headers | changes.get("headers", {}))

    def post(self, message: Any, headers: dict[str, str | None]) -> Came:
        """Send anything; bytes go as they are."""
        if self.token is not None:
            headers = {"Authorization": f"Bearer {self.token}", **headers}
        sent = {name: value for name, value in headers.items() if value is not None}
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        response = self.http.post(self.url, content=content, headers=sent)
        messages = decoded(response)
        return Came(response, messages[-1] if messages else {}, messages[:-1])

    def call(self, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> Came:
        """tools/call; `state` and `answers` go along where given."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments or {}}
        for name, member in (("state", "requestState"), ("answers", "inputResponses")):
            if name in more:
                params[member] = more.pop(name)
        return self.ask("tools/call", params, **more)


def decoded(response: httpx.Response) -> list[dict[str, Any]]:
    """Every JSON-RPC message of a JSON or an event-stream response."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        return [response.json()] if response.content else []
    messages = []
    for event in response.content.decode().split("\r\n\r\n"):
        lines = [line.removeprefix("data: ") for line in event.split("\r\n") if line.startswith("data: ")]
        if lines:
            messages.append(json.loads("\n".join(lines)))
    return messages

"""Servers that lie in the envelope of an answer: its kind, its code, its id, its status, its shape."""

from typing import Any

from .wire import Line, Wire

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


class KindMissing(Wire):
    """The lists do not say what kind of result they are."""

    rule = "MCP-07"

    async def say(self, line: Line) -> None:
        if line.method in LISTS:
            line.result.pop("resultType", None)


class KindOfDiscoveryMissing(Wire):
    """The discovery does not say what kind of result it is."""

    rule = "MCP-07"

    async def say(self, line: Line) -> None:
        if line.method == "server/discover":
            line.result.pop("resultType", None)


class KindUnknown(Wire):
    """The list of templates is of a kind that nobody knows."""

    rule = "MCP-07"

    async def say(self, line: Line) -> None:
        if line.modern and line.method == "resources/templates/list":
            line.result["resultType"] = "done"


class KindOfCallsMissing(Wire):
    """The result of a call does not say what kind it is."""

    rule = "MCP-07"

    async def say(self, line: Line) -> None:
        if line.method == "tools/call" and line.result.get("resultType") == "complete":
            del line.result["resultType"]


class KindOfReadsMissing(Wire):
    """The result of a read does not say what kind it is."""

    rule = "MCP-07"

    async def say(self, line: Line) -> None:
        if line.method == "resources/read":
            line.result.pop("resultType", None)


class KindOfPromptsMissing(Wire):
    """A prompt does not say what kind of result it is."""

    rule = "MCP-07"

    async def say(self, line: Line) -> None:
        if line.method == "prompts/get":
            line.result.pop("resultType", None)


class KindOfCompletionsMissing(Wire):
    """A completion does not say what kind of result it is."""

    rule = "MCP-07"

    async def say(self, line: Line) -> None:
        if line.method == "completion/complete":
            line.result.pop("resultType", None)


class ListAsksForInput(Wire):
    """The list of prompts says that it wants input first."""

    rule = "MCP-07"

    async def say(self, line: Line) -> None:
        if line.modern and line.method == "prompts/list":
            line.result.update(resultType="input_required", requestState="a-state")


class UnknownMethodSucceeds(Wire):
    """A method that nobody knows answers an empty result."""

    rule = "MCP-10"

    async def say(self, line: Line) -> None:
        if line.error.get("code") == -32601:
            line.answer(200, result={"resultType": "complete"})


class UnknownMethodIsInvalid(Wire):
    """A method that nobody knows is refused for its parameters."""

    rule = "MCP-10"

    async def say(self, line: Line) -> None:
        if line.error.get("code") == -32601:
            line.error["code"] = -32602


class UnknownMethodIsHttp200(Wire):
    """A method that nobody knows is refused with HTTP 200 in the stateless era."""

    rule = "MCP-10"

    async def say(self, line: Line) -> None:
        if line.error.get("code") == -32601:
            line.status = 200


class NotFoundHasARetiredCode(Wire):
    """An unknown address is refused by −32042, which the stateless era has retired."""

    rule = "MCP-11"

    async def say(self, line: Line) -> None:
        if line.modern and line.method == "resources/read" and line.error:
            line.error["code"] = -32042


class UnknownToolHasAnUndefinedCode(Wire):
    """An unknown tool is refused by a code of the range that the specification keeps for itself."""

    rule = "MCP-11"

    async def say(self, line: Line) -> None:
        if line.modern and line.method == "tools/call" and line.error:
            line.error["code"] = -32050


class UnknownPromptHasAnUndefinedCode(Wire):
    """An unknown prompt is refused by a code of the range that the specification keeps for itself."""

    rule = "MCP-11"

    async def say(self, line: Line) -> None:
        if line.modern and line.method == "prompts/get" and line.error:
            line.error["code"] = -32023


class Ids(Wire):
    """A shell that answers under another id."""

    async def say(self, line: Line) -> None:
        """Change the id."""
        if isinstance(line.told, dict) and line.told.get("id") is not None:
            line.told["id"] = self.other(line.told["id"])

    def other(self, given: Any) -> Any:
        """The id that is answered."""
        raise NotImplementedError


class IdAsText(Ids):
    """A number that a request is known by comes back as text."""

    rule = "MCP-17"

    def other(self, given: Any) -> Any:
        return "0" if given == 0 else given


class TextIdAsNumber(Ids):
    """A text of figures that a request is known by comes back as a number."""

    rule = "MCP-17"

    def other(self, given: Any) -> Any:
        return int(given) if isinstance(given, str) and given.isdigit() else given


class TextIdLost(Ids):
    """A text that a request is known by comes back as nothing."""

    rule = "MCP-17"

    def other(self, given: Any) -> Any:
        return None if isinstance(given, str) and not given.isdigit() else given


class NegativeIdLosesItsSign(Ids):
    """A negative number that a request is known by comes back without its sign."""

    rule = "MCP-17"

    def other(self, given: Any) -> Any:
        return abs(given) if isinstance(given, int) else given


class LargeIdRounded(Ids):
    """A large number that a request is known by comes back as four bytes hold it."""

    rule = "MCP-17"

    def other(self, given: Any) -> Any:
        return given & 0x7FFFFFFF if isinstance(given, int) and given > 0x7FFFFFFF else given


class ToolWithoutSchema(Wire):
    """A listed tool has no inputSchema."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        for tool in line.result.get("tools", [])[:1]:
            tool.pop("inputSchema")


class ResourceWithoutName(Wire):
    """A listed resource has no name."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        for resource in line.result.get("resources", [])[:1]:
            resource.pop("name")


class TemplateWithoutUri(Wire):
    """A listed template calls its URI by another name."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        for template in line.result.get("resourceTemplates", [])[-1:]:
            template["uri_template"] = template.pop("uriTemplate")


class RequiredAsText(Wire):
    """An argument of a prompt says in a text whether it is required."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        for prompt in line.result.get("prompts", []):
            for argument in prompt["arguments"]:
                argument["required"] = str(argument["required"]).lower()


class ContentWithoutType(Wire):
    """A block of a tool result does not say of which type it is."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        for block in line.result.get("content", []):
            block.pop("type")


class ErrorFlagAsText(Wire):
    """A tool result says in a text that it is no error."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        if "content" in line.result:
            line.result["isError"] = "false"


class ContentsWithoutUri(Wire):
    """What is read does not say from which address it is."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        for content in line.result.get("contents", []):
            content.pop("uri")


class MessageWithoutRole(Wire):
    """A message of a prompt does not say whose it is."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        for message in line.result.get("messages", []):
            message["role"] = message["role"].upper()


class TotalAsText(Wire):
    """A completion says in a text how many values there are."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        if "completion" in line.result:
            line.result["completion"]["total"] = "many"


class ErrorWithoutMessage(Wire):
    """An error has a code and no message."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        line.error.pop("message", None)


class CapabilityIsYes(Wire):
    """A capability is declared by a true, where an object is due."""

    rule = "MCP-18"

    async def say(self, line: Line) -> None:
        if "capabilities" in line.result:
            line.result["capabilities"]["completions"] = True

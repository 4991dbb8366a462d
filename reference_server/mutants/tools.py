"""Servers that lie about which tools there are, who may run them, and what they take."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult, Tool

from reference_server.engine import arguments as args
from reference_server.engine.caller import Caller
from reference_server.engine.confirmation import Call
from reference_server.engine.contract import Operation
from reference_server.engine.results import done, refused
from reference_server.engine.tools import Tools, Turn

from .wire import Line, Wire

Outcome = CallToolResult | InputRequiredResult


class NamedToolMissing(Tools):
    """A tool that the documents name is not listed."""

    rule = "KADU-TLS-01"

    def listed(self, caller: Caller) -> list[Tool]:
        return [tool for tool in super().listed(caller) if tool.name != "kadu_schedules_get"]


class ListOfToolsCutShort(Tools):
    """The list of tools ends after forty, and no cursor says so."""

    rule = "KADU-TLS-01"

    def listed(self, caller: Caller) -> list[Tool]:
        return super().listed(caller)[:40]


class CallsRunUnderTheBestToken(Tools):
    """A call runs under the most capable token that the organization ever showed."""

    rule = "KADU-TLS-02"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        best: dict[str, Caller] = self.__dict__.setdefault("best", {})
        known = best.setdefault(turn.caller.organization, turn.caller)
        if len(turn.caller.scopes) + len(turn.caller.permissions) > len(known.scopes) + len(
            known.permissions
        ):
            best[turn.caller.organization] = turn.caller
        lent = replace(best[turn.caller.organization], person=turn.caller.person, now=turn.caller.now)
        return await super().call(replace(turn, caller=lent), name, arguments)

    def listed(self, caller: Caller) -> list[Tool]:
        self.__dict__.setdefault("best", {})[caller.organization] = caller
        return super().listed(caller)


class YesRunsUnderTheTokenThatAsked(Tools):
    """A yes runs under the token of the question, whatever the token of the yes may do."""

    rule = "KADU-TLS-02"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        askers: dict[str | None, Caller] = self.__dict__.setdefault("askers", {})
        asker = askers.get(turn.state, turn.caller)
        outcome = await super().call(replace(turn, caller=asker), name, arguments)
        if isinstance(outcome, InputRequiredResult):
            askers[outcome.request_state] = turn.caller
        return outcome


class ForbiddenCallLooksDone(Tools):
    """A call that the caller may not run answers as if it had run."""

    rule = "KADU-TLS-02"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        operation = self.operations.get(name)
        if operation is not None and not self.visibility.may_run(turn.caller, operation):
            return done({"status": "queued"})
        return await super().call(turn, name, arguments)


class ReadsMarkedDestructive(Tools):
    """A tool that only reads is marked destructive, as the protocol's default has it."""

    rule = "KADU-DST-03"

    def describe(self, operation: Operation) -> Tool:
        marked = operation.name == "kadu_executions_logs_list"
        return super().describe(replace(operation, always_destructive=operation.destructive or marked))


class DownloadMarkedDestructive(Tools):
    """The download of a file is marked destructive."""

    rule = "KADU-DST-03"

    def describe(self, operation: Operation) -> Tool:
        marked = operation.name == "kadu_files_download"
        return super().describe(replace(operation, always_destructive=operation.destructive or marked))


class SchemaWithoutType(Wire):
    """The inputSchema of a tool has no type."""

    rule = "MCP-14"

    async def say(self, line: Line) -> None:
        for tool in line.result.get("tools", [])[:1]:
            del tool["inputSchema"]["type"]


class SchemaIsNoSchema(Tools):
    """An argument is described by a type that JSON Schema does not have."""

    rule = "MCP-14"

    def describe(self, operation: Operation) -> Tool:
        tool = super().describe(operation)
        lists = {name: {"type": "list"} for name in tool.input_schema["properties"] if name == "events"}
        properties = {**tool.input_schema["properties"], **lists}
        return tool.model_copy(update={"input_schema": {**tool.input_schema, "properties": properties}})


class SchemaOfAnOlderDialect(Tools):
    """A schema says `required` on the argument itself, as the third draft did."""

    rule = "MCP-14"

    def describe(self, operation: Operation) -> Tool:
        tool = super().describe(operation)
        needed = tool.input_schema.get("required", ())
        properties = {
            name: {**schema, "required": True} if name in needed else schema
            for name, schema in tool.input_schema["properties"].items()
        }
        return tool.model_copy(update={"input_schema": {"type": "object", "properties": properties}})


class UnknownToolSucceeds(Tools):
    """An unknown tool answers as if it had done something."""

    rule = "MCP-19"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        return await super().call(turn, name, arguments) if name in self.operations else done({})


class UnknownToolIsAnErrorResult(Tools):
    """An unknown tool of the stateless era answers an error result and no protocol error."""

    rule = "MCP-19"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        if name in self.operations:
            return await super().call(turn, name, arguments)
        return refused("UNKNOWN_TOOL", f"Não há a tool {name}.")


class NumbersTakenAsText(Tools):
    """A number where a text is due is made a text, and the call runs."""

    rule = "MCP-19"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        texts = {key: str(value) if type(value) is int else value for key, value in arguments.items()}
        return await super().call(turn, name, texts)


class MissingArgumentsMadeUp(Tools):
    """What a call lacks is made up, and the call runs."""

    rule = "MCP-19"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        schema = self.input_schema(name) or {}
        examples = {key: schema["properties"][key].get("examples") for key in schema.get("required", ())}
        made_up = {key: given[0] for key, given in examples.items() if given}
        return await super().call(turn, name, {**made_up, **arguments})


class BadArgumentsLookDone(Tools):
    """A call with arguments that cannot be run answers as if it had run."""

    rule = "MCP-19"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        try:
            self.checks.check(self.operations[name], arguments)
        except KeyError:
            raise MCPError(-32602, "Unknown tool") from None
        except args.BadArguments:
            return done({"status": "ok"})
        return await super().call(turn, name, arguments)


class LossLooksDone(Tools):
    """A yes after the permission was lost answers as if it had run."""

    rule = "KADU-CNF-15"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        operation = self.operations.get(name)
        if turn.state and operation and not self.visibility.may_run(turn.caller, operation):
            return done({"status": "queued"})
        return await super().call(turn, name, arguments)


class LossAskedAgain(Tools):
    """A yes after the permission was lost is asked about again."""

    rule = "KADU-CNF-15"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        operation = self.operations.get(name)
        if turn.state and operation and not self.visibility.may_run(turn.caller, operation):
            return self.confirmation.question(Call(turn.caller, operation, arguments, None, {}))
        return await super().call(turn, name, arguments)

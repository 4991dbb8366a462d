"""Tools: what is listed, and how a call comes to run, to be asked about, or to be refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, InputRequiredResult, Tool, ToolAnnotations

from . import arguments as args
from .caller import Caller, Visibility
from .confirmation import Call, Confirmation
from .contract import Contract, Operation
from .results import done, failed, refused, unavailable
from .tables import Product
from .upstream import Answer, Upstream, UpstreamUnavailable
from .without_forms import WithoutForms


@dataclass(frozen=True)
class Turn:
    """One incoming request.

    Who, in which era, and what came back from a question asked before (raw, hostile).
    """

    caller: Caller
    modern: bool
    forms: bool
    state: str | None
    answers: Mapping[str, Any]


class Tools:
    """The tools of one product."""

    def __init__(
        self,
        product: Product,
        contract: Contract,
        upstream: Upstream,
        visibility: Visibility,
        confirmation: Confirmation,
        without_forms: WithoutForms,
    ) -> None:
        self.product = product
        self.contract = contract
        self.upstream = upstream
        self.visibility = visibility
        self.confirmation = confirmation
        self.without_forms = without_forms
        # A harmless read first, then as the contract has them: the same order every time (MCP-15).
        ordered = sorted(contract.tools(), key=lambda operation: operation.name != product.me_operation)
        self.operations = {operation.name: operation for operation in ordered}
        self.checks = args.Checks(self.operations)
        self._described = {name: self.describe(operation) for name, operation in self.operations.items()}

    def describe(self, operation: Operation) -> Tool:
        """The tool as the protocol lists it."""
        reads = operation.access == "read"
        return Tool(
            name=operation.name,
            title=operation.title,
            description=operation.description,
            input_schema=dict(operation.input_schema),
            annotations=ToolAnnotations(
                title=operation.title,
                read_only_hint=reads,
                # DST-01…03: the protocol's default is true, so it is always said.
                destructive_hint=operation.destructive,
                idempotent_hint=True if reads or operation.method in ("PUT", "DELETE") else None,
            ),
        )

    def listed(self, caller: Caller) -> list[Tool]:
        """The tools this caller may run."""
        return [
            self._described[name]
            for name, operation in self.operations.items()
            if self.visibility.may_run(caller, operation)
        ]

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """The input schema of a tool, None where there is none of that name."""
        operation = self.operations.get(name)
        return None if operation is None else operation.input_schema

    async def call(
        self, turn: Turn, name: str, arguments: Mapping[str, Any]
    ) -> CallToolResult | InputRequiredResult:
        """Run the tool, or answer why not. Raises MCPError −32602 where there is no such tool (MCP-19)."""
        operation = self.operations.get(name)
        if operation is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {name[:100]}")
        # TLS-02: the same scope and the same role as everywhere, before anything is looked at.
        if not self.visibility.may_run(turn.caller, operation):
            return refused(self.product.forbidden_code, f"Este token não pode usar {name}.")
        try:
            self.checks.check(operation, arguments)
            request = args.request(operation, arguments)
        except args.BadArguments as problem:
            return refused(problem.code, str(problem))
        except args.UnknownRecord:
            return refused(self._code("not_found"), "Registro não encontrado.")
        try:
            instead = await self.gate(turn, operation, arguments)
            if instead is not None:
                return instead
            return self.result(await self.send(turn.caller, request))
        except UpstreamUnavailable:
            return unavailable()

    async def gate(
        self, turn: Turn, operation: Operation, arguments: Mapping[str, Any]
    ) -> CallToolResult | InputRequiredResult | None:
        """What stands between the call and running it; None where nothing does.

        Raises UpstreamUnavailable.
        """
        if not operation.destructive:
            # DST-06, CNF-17: an ordinary call runs at once; a stray state or answer means nothing to it.
            return None
        call = Call(turn.caller, operation, arguments, turn.state, turn.answers)
        # CNF-12: a confirmed call sent again finds its change made, and is still a confirmed call.
        if not operation.always_destructive and not (turn.forms and self.confirmation.asked(call)):
            missing, changes = await self.changes(turn.caller, operation, arguments)
            if missing is not None:
                return self.result(missing)
            if not changes:
                return None
        # UNA-01: nobody stands behind the token who could confirm.
        if turn.caller.person is None:
            return refused(self.product.personless.code, self.product.personless.message)
        if turn.forms:
            return await self.confirmation.settle(call)
        return await self.without_forms.answer(call)

    async def changes(
        self, caller: Caller, operation: Operation, arguments: Mapping[str, Any]
    ) -> tuple[Answer | None, bool]:
        """Whether the call changes the field that makes it destructive (DST-05), by reading the record first.

        Gives the answer to hand on where the record is not there, and whether it changes. What cannot be read
        counts as changed: better a question too many.
        """
        field = operation.when_changes
        if field is None or field not in arguments:
            return None, False
        reading = self.contract.reading(operation)
        if reading is None or not self.visibility.may_run(caller, reading):
            return None, True
        ids = {name: arguments[name] for name in reading.path_parameters}
        answer = await self.send(caller, args.request(reading, ids))
        if answer.status == 404:
            return answer, True
        if not answer.ok or not isinstance(answer.body, dict) or field not in answer.body:
            return None, True
        current, given = answer.body[field], arguments[field]
        return None, type(current) is not type(given) or current != given

    async def send(self, caller: Caller, request: args.Request) -> Answer:
        """Ask the upstream under the caller's own token."""
        return await self.upstream.ask(
            request.method,
            request.path,
            token=caller.token,
            query=request.query,
            body=request.body,
            headers=request.headers,
        )

    def result(self, answer: Answer) -> CallToolResult:
        """The tool's result for the upstream's answer."""
        return done(answer.body) if answer.ok else failed(answer, self.product.error_codes)

    def _code(self, upstream_code: str) -> str:
        return self.product.error_codes.get(upstream_code, upstream_code)

"""Prompts: ready-made instructions that only read, with their dates computed."""

from collections.abc import Mapping

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, Prompt, PromptMessage, TextContent
from mcp_types import PromptArgument as ListedArgument

from .caller import Caller, Visibility
from .contract import Contract
from .tables import Product, PromptArgument, PromptRow


class Prompts:
    """The prompts of one product."""

    def __init__(self, product: Product, contract: Contract, visibility: Visibility) -> None:
        self.product = product
        self.visibility = visibility
        self.rows = {row.name: row for row in product.prompts}
        self.operations = {
            row.name: [contract.operation(tool) for tool in row.tools] for row in product.prompts
        }

    def listed(self, caller: Caller) -> list[Prompt]:
        """The prompts shown to this caller."""
        return [self.describe(row) for row in self.rows.values() if self.shown(caller, row)]

    def describe(self, row: PromptRow) -> Prompt:
        """The prompt as the protocol lists it."""
        arguments = [
            ListedArgument(name=argument.name, description=argument.description, required=argument.required)
            for argument in row.arguments
        ]
        return Prompt(name=row.name, title=row.title, description=row.description, arguments=arguments)

    def shown(self, caller: Caller, row: PromptRow) -> bool:
        """PRM-02: only to who may run every tool it relies on."""
        return all(self.visibility.may_run(caller, operation) for operation in self.operations[row.name])

    def get(self, caller: Caller, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
        """The prompt's text. Reads nothing and changes nothing (PRM-04). Raises MCPError −32602."""
        row = self.rows.get(name)
        # PRM-03: one that is hidden is as none at all.
        if row is None or not self.shown(caller, row):
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {name[:100]}")
        checked = self.checked(caller, row, arguments)
        text = row.text(checked, caller.now.date())
        return GetPromptResult(
            description=row.description, messages=[PromptMessage(role="user", content=TextContent(text=text))]
        )

    def checked(self, caller: Caller, row: PromptRow, arguments: Mapping[str, str]) -> dict[str, str]:
        """The arguments, in their formats, defaults filled in. Raises MCPError −32602."""
        unknown = [name for name in arguments if name not in {argument.name for argument in row.arguments}]
        if unknown:
            raise MCPError(INVALID_PARAMS, f"{row.name} has no argument {unknown[0][:100]}")
        return {
            argument.name: value
            for argument in row.arguments
            if (value := self.value(caller, row, argument, arguments.get(argument.name))) is not None
        }

    def value(
        self, caller: Caller, row: PromptRow, argument: PromptArgument, given: str | None
    ) -> str | None:
        """The value of one argument; None for an optional one left out that has no default.

        Raises MCPError.
        """
        if not given:
            # PRM-06: what is required is required; PRM-05: a date left out is computed.
            if argument.required:
                raise MCPError(INVALID_PARAMS, f"{row.name} needs the argument {argument.name}")
            return None if argument.default is None else argument.default(caller.now.date())
        # PRM-07: to the letter.
        if not argument.format.accepts(given):
            raise MCPError(INVALID_PARAMS, f"{argument.name} of {row.name} must be {argument.format.name}")
        return given

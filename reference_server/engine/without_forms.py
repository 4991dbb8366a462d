"""What a destructive call comes to where the client cannot show a form: a policy of the product.

A policy never runs the call; it answers something in its place. A sibling that stores the call for an
approval elsewhere is another class with the same method.
"""

from typing import Protocol

from mcp_types import CallToolResult

from .confirmation import Call
from .results import refused
from .tables import Refusal


class WithoutForms(Protocol):
    """Answers a destructive call that cannot be confirmed in the chat."""

    async def answer(self, call: Call) -> CallToolResult:
        """What the call comes to. The person behind the token is known to exist."""
        ...


class Refuse:
    """The call is refused, nothing runs and nothing is stored."""

    def __init__(self, refusal: Refusal) -> None:
        self._refusal = refusal

    async def answer(self, call: Call) -> CallToolResult:  # noqa: ARG002  (the policy's signature)
        """The product's refusal, whatever the call."""
        return refused(self._refusal.code, self._refusal.message)

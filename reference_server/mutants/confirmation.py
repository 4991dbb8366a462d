"""Servers that lie about the confirmation in the chat."""

from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult

from reference_server.engine.confirmation import Call, Confirmation, Seal


class ConfirmationNeverExpires(Confirmation):
    """A yes to a question asked long ago still runs the call."""

    rule = "KADU-CNF-10"

    def expired(self, seal: Seal, call: Call) -> bool:  # noqa: ARG002
        """Never."""
        return False


class ConfirmationReplays(Confirmation):
    """The confirmed call, sent again, runs again."""

    rule = "KADU-CNF-12"

    async def register(self, seal: Seal, call: Call) -> CallToolResult | None:  # noqa: ARG002
        """Records nothing."""
        return None


class ArgumentsNotBound(Confirmation):
    """A yes to one call runs the same tool with other arguments."""

    rule = "KADU-CNF-07"

    def fits_arguments(self, seal: Seal, call: Call) -> bool:  # noqa: ARG002
        """Always."""
        return True


class PersonNotBound(Confirmation):
    """A yes that one person was asked for runs the call of another."""

    rule = "KADU-CNF-08"

    def fits_person(self, seal: Seal, call: Call) -> bool:  # noqa: ARG002
        """Always."""
        return True


class NoTakenAsYes(Confirmation):
    """A form that was sent counts as a yes, whatever was answered in it."""

    rule = "KADU-CNF-05"

    def said_yes(self, answer: Mapping[str, Any]) -> bool:
        """Wherever the form was sent."""
        return answer.get("action") == "accept"


CONFIRMATION_MUTANTS: tuple[type[Any], ...] = (
    ConfirmationNeverExpires,
    ConfirmationReplays,
    ArgumentsNotBound,
    PersonNotBound,
    NoTakenAsYes,
)

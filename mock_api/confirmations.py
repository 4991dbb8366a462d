"""The register of confirmations given in the chat: each is used once within its organization."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mock_api import clock
from mock_api.calls import Refusal

SHORTEST, LONGEST = 16, 200


class Confirmations:
    """The nonces one organization has seen used; they are kept for as long as the tenant lives."""

    def __init__(self, used: Mapping[str, dict[str, Any]] | None = None) -> None:
        self._used: dict[str, dict[str, Any]] = {**(used or {})}

    @property
    def used(self) -> Mapping[str, dict[str, Any]]:
        """The record of each nonce; one that is there never changes."""
        return self._used

    def use(
        self, asked: Mapping[str, Any], person: str | None, operations: Mapping[str, Any], now: datetime
    ) -> Any:
        """Record a nonce as used and give the record.

        `asked` holds nonce, operation and expires_at; `operations` are the operations that exist. Raises
        Refusal: 403 without a person, 422 for a nonce of the wrong length or an operation that does not exist,
        409 `confirmation_replayed` for a nonce seen before. Nothing awaits between looking and recording.
        """
        if person is None:
            raise Refusal(403, "forbidden", "A confirmation is a person's; behind this token there is none.")
        nonce, operation = str(asked.get("nonce", "")), asked.get("operation")
        if not SHORTEST <= len(nonce) <= LONGEST:
            raise Refusal(422, "unprocessable_entity", f"nonce: must have {SHORTEST} to {LONGEST} characters")
        if operation not in operations:
            raise Refusal(422, "unprocessable_entity", "operation: is no operationId of the contract")
        # KADU-CNF-12: used once.
        if nonce in self._used:
            raise Refusal(409, "confirmation_replayed", "This confirmation was used before.")
        record = {
            "nonce": nonce,
            "operation": operation,
            "expires_at": asked.get("expires_at"),
            "person_id": person,
            "created_at": clock.text(now),
        }
        self._used[nonce] = record
        return record

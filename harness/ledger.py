"""Entries of the ledger: what the mock was asked, as evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LedgerEntry:
    """One thing the mock was asked by a token of the tenant."""

    seq: int
    kind: str
    effect: bool
    replay: bool
    operation: str
    arguments: Mapping[str, Any]
    headers: Mapping[str, str]
    body: Any
    status: int
    code: str | None
    token: str | None
    person: str | None

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> "LedgerEntry":
        """An entry as the control plane gives it."""
        return cls(
            seq=entry["seq"],
            kind=entry["class"],
            effect=entry["effect"],
            replay=entry["replay"],
            operation=entry["operation"],
            arguments=entry["arguments"] or {},
            headers=entry["headers"],
            body=entry["body"],
            status=entry["status"],
            code=entry["code"],
            token=entry["token"],
            person=entry["person"],
        )

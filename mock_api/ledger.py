"""The ledger: what a tenant's API was asked, in order, and whether it had an effect."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mock_api.jsons import write


@dataclass(frozen=True)
class Entry:
    """One request of a token of the tenant. `code` is the error code of the answer, None without an error.

    `approval` is the id of the approval by link that ran the operation, None for a direct call.
    """

    at: str
    klass: str
    effect: bool
    replay: bool
    operation: str | None
    method: str
    path: str
    query: Mapping[str, Any]
    headers: Mapping[str, str]
    body: Any
    arguments: Mapping[str, Any]
    status: int
    code: str | None
    token: str
    person: str | None
    client: str
    approval: str | None = None


class Ledger:
    """Entries only come; each is written down at once, so nothing that happens later changes it."""

    def __init__(self, entries: Iterable[bytes] = ()) -> None:
        self._entries: list[bytes] = [*entries]

    def record(self, entry: Entry) -> None:
        """Append an entry under the next number, from 1."""
        fields = asdict(entry)
        numbered = {
            "seq": len(self._entries) + 1,
            "at": fields.pop("at"),
            "class": fields.pop("klass"),
            **fields,
        }
        self._entries.append(write(numbered))

    def after(self, seq: int) -> bytes:
        """The JSON array of the entries with a number greater than `seq`."""
        return b"[" + b",".join(self.entries(seq)) + b"]"

    def entries(self, after: int) -> Sequence[bytes]:
        """The JSON text of each entry with a number greater than `after`."""
        return self._entries[max(after, 0) :]

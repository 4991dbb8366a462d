"""A validated call of one operation, and what it came to: all that a behaviour sees and gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Record = dict[str, Any]
Records = dict[str, dict[str, Record]]
"""collection → id → record, oldest first."""


class Refusal(Exception):
    """The API refuses: HTTP status, public error code, one sentence of detail."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


@dataclass(frozen=True)
class Call:
    """One call that passed authentication, scope, permission and the contract.

    `extension` is the operation's own part of the contract (its `x-<product>` object). `records` may be changed
    in place by a behaviour that says so with `effect`. `person` is None for a token without a person. `new_id`
    gives a fresh id of a record, `new_secret` a fresh secret text. `public_url` is the base of the URLs the mock
    hands out.
    """

    operation: str
    extension: Mapping[str, Any]
    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: Mapping[str, Any]
    person: Record | None
    organization: Record
    records: Records
    now: datetime
    new_id: Callable[[], str]
    new_secret: Callable[[], str]
    public_url: str


@dataclass(frozen=True)
class Outcome:
    """What a call came to: status and JSON body, whether anything of the organization changed.

    `secrets` names the fields of the body that are shown this once only. `replay` marks what an earlier call with
    the same idempotency key came to: nothing ran.
    """

    status: int
    body: Any
    effect: bool
    secrets: tuple[str, ...] = field(default=())
    replay: bool = False


Behaviour = Callable[[Call], Outcome]

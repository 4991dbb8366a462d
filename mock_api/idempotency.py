"""The register of idempotency keys: within its organization a key lets an operation run once in 24 hours."""

import copy
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from mock_api.calls import Outcome, Refusal
from mock_api.contract import FrozenOperation
from mock_api.errors import Invalid, details_of
from mock_api.generic import public
from mock_api.jsons import canonical

HEADER = "x-idempotency-key"
LIFE = timedelta(hours=24)
"""How long a key counts, from its first call on, by the tenant's clock."""
RETRY_AFTER = 2
"""Seconds after which it is worth asking again for what is still running."""
REUSED = "idempotency_key_reused"
IN_PROGRESS = "idempotency_request_in_progress"


class Replayed(Invalid):
    """The refusal that the first call of a key came to, given again: same status, code and details."""


@dataclass(frozen=True)
class First:
    """The first call of a key: what it asked (see `fingerprint`), when, and what it came to; None while it runs."""

    asked: bytes
    at: datetime
    answer: Outcome | Refusal | None = None


class Idempotency:
    """The keys of one organization. Nothing here awaits, so each method is atomic."""

    def __init__(self, first: Mapping[str, First] | None = None) -> None:
        self._first: dict[str, First] = {**(first or {})}

    @property
    def answered(self) -> Mapping[str, First]:
        """The first call of each key whose first call is over."""
        return {key: first for key, first in self._first.items() if first.answer is not None}

    def begin(self, key: str, asked: bytes, now: datetime) -> Outcome | None:
        """Take a key for a call that asks this (see `fingerprint`), or give what its first call came to.

        None means: run it, with `run`, and call `end` whatever comes. Raises Replayed where the first call was
        refused, Refusal 409 for a key that stands for something else, or for a first call that still runs.
        """
        first = self._first.get(key)
        # KADU-IDM-07: at 24 hours it is gone. What still runs is never run a second time beside itself.
        if first is None or (first.answer is not None and now - first.at >= LIFE):
            self._first[key] = First(asked, now)
            return None
        # KADU-IDM-05
        if first.asked != asked:
            raise Refusal(409, REUSED, "This idempotency key was used with another operation or arguments.")
        # KADU-IDM-06
        if first.answer is None:
            raise Refusal(409, IN_PROGRESS, "The first request with this idempotency key is still running.")
        # KADU-IDM-04
        if isinstance(first.answer, Refusal):
            raise Replayed(first.answer.status, first.answer.code, details_of(first.answer))
        return first.answer

    def run(self, key: str, run: Callable[[], Outcome]) -> Outcome:
        """Run the first call of a key and keep what it comes to. Raises what `run` raises."""
        first = self._first[key]
        try:
            outcome = run()
        except Refusal as refusal:
            # KADU-IDM-14: it began, so its error is its answer.
            kept = Invalid(refusal.status, refusal.code, details_of(refusal))
            self._first[key] = replace(first, answer=kept)
            raise
        self._first[key] = replace(first, answer=_again(outcome))
        return outcome

    def end(self, key: str) -> None:
        """Forget a key whose first call came to nothing: it was cut off before it ran."""
        if self._first[key].answer is None:
            del self._first[key]


def key_of(operation: FrozenOperation, headers: Mapping[str, str]) -> str | None:
    """The idempotency key of a call; None where there is none, or the operation's contract knows no such header."""
    if operation.headers is None or HEADER not in operation.headers.kinds:
        return None
    return headers.get(HEADER)


def fingerprint(operation: str, path: Mapping[str, str], query: Mapping[str, Any], body: Any) -> bytes:
    """What a call asks, as a digest: equal for equal arguments, whatever the order of their keys."""
    return hashlib.sha256(canonical([operation, path, query, body])).digest()


def _again(outcome: Outcome) -> Outcome:
    """An outcome as a replay gives it, cut loose from the records, which go on changing."""
    body = copy.deepcopy(public(outcome.body))
    # KADU-IDM-10: what was shown once is neither shown again nor kept.
    if outcome.secrets:
        body.update(dict.fromkeys(outcome.secrets))
    return Outcome(outcome.status, body, effect=False, replay=True)

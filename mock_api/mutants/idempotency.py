"""Lies about idempotency keys: what is replayed, to whom, for how long, and what a key remembers."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, ClassVar

from mock_api import approvals
from mock_api.calls import Outcome, Refusal
from mock_api.contract import FrozenOperation
from mock_api.execution import execute as _execute
from mock_api.generic import public
from mock_api.idempotency import HEADER, IN_PROGRESS, REUSED, First, Idempotency
from mock_api.idempotency import _again as correct_again
from mock_api.judging import Arguments
from mock_api.mutants.lie import Lie, instead_of
from mock_api.tenants import Caller, Tenant

_begin, _run = Idempotency.begin, Idempotency.run
EXECUTE = ("mock_api.api:execute", "mock_api.approval_decisions:execute")


class ReplayRunsAgain(Lie):
    """A repetition runs again."""

    rule = "KADU-IDM-04"

    @staticmethod
    @instead_of("mock_api.idempotency:Idempotency.begin")
    def begin(keys: Idempotency, key: str, asked: bytes, now: datetime) -> Outcome | None:
        keys._first[key] = First(asked, now)
        return None


class ReplayIsEmpty(Lie):
    """A repetition runs nothing and answers nothing."""

    rule = "KADU-IDM-04"

    @staticmethod
    @instead_of("mock_api.idempotency:_again")
    def again(outcome: Outcome) -> Outcome:
        return replace(correct_again(outcome), body={})


class OrderOfFieldsCounts(Lie):
    """A repetition with its fields in another order counts as another call."""

    rule = "KADU-IDM-04"

    @staticmethod
    @instead_of("mock_api.execution:fingerprint")
    def fingerprint(operation: str, path: Mapping[str, str], query: Mapping[str, Any], body: Any) -> bytes:
        return json.dumps([operation, dict(path), dict(query), body]).encode()


class OtherArgumentsReplay(Lie):
    """A key replays, whatever is asked."""

    rule = "KADU-IDM-05"

    @staticmethod
    @instead_of("mock_api.execution:fingerprint")
    def fingerprint(operation: str, path: Mapping[str, str], query: Mapping[str, Any], body: Any) -> bytes:  # noqa: ARG004
        return b""


class OtherArgumentsRun(Lie):
    """A key used with other arguments runs them."""

    rule = "KADU-IDM-05"

    @staticmethod
    @instead_of("mock_api.idempotency:Idempotency.begin")
    def begin(keys: Idempotency, key: str, asked: bytes, now: datetime) -> Outcome | None:
        return _begin(keys, f"{key}{asked!r}" if key in keys._first else key, asked, now)


class ReuseForgetsTheFirst(Lie):
    """A key that was tried with other arguments does not replay any more."""

    rule = "KADU-IDM-05"

    @staticmethod
    @instead_of("mock_api.idempotency:Idempotency.begin")
    def begin(keys: Idempotency, key: str, asked: bytes, now: datetime) -> Outcome | None:
        try:
            return _begin(keys, key, asked, now)
        except Refusal as refusal:
            if refusal.code == REUSED:
                del keys._first[key]
            raise


class InProgressIgnored(Lie):
    """A repetition while the first call runs is run beside it."""

    rule = "KADU-IDM-06"

    @staticmethod
    @instead_of("mock_api.idempotency:Idempotency.begin")
    def begin(keys: Idempotency, key: str, asked: bytes, now: datetime) -> Outcome | None:
        first = keys._first.get(key)
        return None if first is not None and first.answer is None else _begin(keys, key, asked, now)


class InProgressWaits(Lie):
    """A repetition while the first call runs waits for it."""

    rule = "KADU-IDM-06"

    @staticmethod
    @instead_of(*EXECUTE)
    async def execute(
        tenant: Tenant, caller: Caller, operation: FrozenOperation, arguments: Arguments
    ) -> Outcome:
        while True:
            try:
                return await _execute(tenant, caller, operation, arguments)
            except Refusal as refusal:
                if refusal.code != IN_PROGRESS:
                    raise
                await asyncio.sleep(0.05)


class InProgressCalledReused(Lie):
    """A repetition while the first call runs is refused as if it were another call."""

    rule = "KADU-IDM-06"

    @staticmethod
    @instead_of("mock_api.idempotency:Idempotency.begin")
    def begin(keys: Idempotency, key: str, asked: bytes, now: datetime) -> Outcome | None:
        try:
            return _begin(keys, key, asked, now)
        except Refusal as refusal:
            if refusal.code == IN_PROGRESS:
                raise Refusal(409, REUSED, "The key was used.") from None
            raise


class KeyForgottenAfterTwelveHours(Lie):
    """A key is forgotten after twelve hours."""

    rule = "KADU-IDM-07"
    values: ClassVar[Mapping[str, Any]] = {"mock_api.idempotency:LIFE": timedelta(hours=12)}


class KeyKeptForTwoDays(Lie):
    """A key is kept for two days."""

    rule = "KADU-IDM-07"
    values: ClassVar[Mapping[str, Any]] = {"mock_api.idempotency:LIFE": timedelta(hours=48)}


class UseProlongsTheKey(Lie):
    """Each replay makes a key last another day."""

    rule = "KADU-IDM-07"

    @staticmethod
    @instead_of("mock_api.idempotency:Idempotency.begin")
    def begin(keys: Idempotency, key: str, asked: bytes, now: datetime) -> Outcome | None:
        outcome = _begin(keys, key, asked, now)
        keys._first[key] = replace(keys._first[key], at=now)
        return outcome


class OrganizationsShareKeys(Lie):
    """A key is the same key in every organization."""

    rule = "KADU-IDM-08"
    shared: ClassVar[dict[str, First]] = {}

    @staticmethod
    @instead_of("mock_api.idempotency:Idempotency.__init__")
    def begin(keys: Idempotency, first: Mapping[str, First] | None = None) -> None:  # noqa: ARG004
        keys._first = OrganizationsShareKeys.shared


class PeopleHaveKeysOfTheirOwn(Lie):
    """A key is another key for each person of an organization."""

    rule = "KADU-IDM-08"

    @staticmethod
    @instead_of(*EXECUTE)
    async def execute(
        tenant: Tenant, caller: Caller, operation: FrozenOperation, arguments: Arguments
    ) -> Outcome:
        key, person = arguments.headers.get(HEADER), caller.token.person
        own = {} if key is None else {HEADER: f"{person}:{key}"}
        headers = {**arguments.headers, **own}
        return await _execute(tenant, caller, operation, replace(arguments, headers=headers))


class ReplayToldInTheBody(Lie):
    """The body of a replay has one more field, which says what it is."""

    rule = "KADU-IDM-09"

    @staticmethod
    @instead_of("mock_api.idempotency:_again")
    def again(outcome: Outcome) -> Outcome:
        replay = correct_again(outcome)
        return replace(replay, body={**replay.body, "idempotent_replay": True})


class SecretReplayed(Lie):
    """A replay shows the secret again."""

    rule = "KADU-IDM-10"

    @staticmethod
    @instead_of("mock_api.idempotency:_again")
    def again(outcome: Outcome) -> Outcome:
        return replace(correct_again(outcome), body=public(outcome.body))


class SecretMasked(Lie):
    """A replay shows dots in the place of its secret."""

    rule = "KADU-IDM-10"

    @staticmethod
    @instead_of("mock_api.idempotency:_again")
    def again(outcome: Outcome) -> Outcome:
        replay = correct_again(outcome)
        return replace(replay, body={**replay.body, **dict.fromkeys(outcome.secrets, approvals.MASK)})


class ErrorForgotten(Lie):
    """A key whose call came to an error is free again."""

    rule = "KADU-IDM-14"

    @staticmethod
    @instead_of("mock_api.idempotency:Idempotency.run")
    def run(keys: Idempotency, key: str, run: Callable[[], Outcome]) -> Outcome:
        try:
            return _run(keys, key, run)
        except Refusal:
            keys._first[key] = replace(keys._first[key], answer=None)
            raise

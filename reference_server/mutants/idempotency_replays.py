"""Servers that lie about what a repeated key comes to: what is answered, for how long, and for whom."""

import asyncio
from collections.abc import Hashable
from dataclasses import replace
from datetime import datetime, timedelta

from reference_server.engine.arguments import Request
from reference_server.engine.caller import Caller
from reference_server.engine.tables import Product
from reference_server.engine.upstream import Answer, UpstreamUnavailable

from .idempotency_keys import KeyedSends
from .tables import Table

REUSED, IN_PROGRESS = "idempotency_key_reused", "idempotency_request_in_progress"


class Repeating(KeyedSends):
    """Tools that know a key of an organization when it comes again."""

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        seen: dict[Hashable, datetime] = self.__dict__.setdefault("seen", {})
        place = (caller.organization, key)
        if place in seen:
            return await self.again(caller, request, key, seen[place])
        seen[place] = caller.now
        return await self.sent(caller, request, key)

    async def again(self, caller: Caller, request: Request, key: bytes, first: datetime) -> Answer:
        """What a key comes to that was first seen at that time."""
        raise NotImplementedError


class Remembering(KeyedSends):
    """Tools that remember answers in the memory of the process, where they had to ask."""

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        known: dict[Hashable, Answer] = self.__dict__.setdefault("known", {})
        place = self.place(caller, request, key)
        if place not in known:
            known[place] = await self.sent(caller, request, key)
        return known[place]

    def place(self, caller: Caller, request: Request, key: bytes) -> Hashable:
        """What has to be equal for two calls to be one."""
        raise NotImplementedError


class RepetitionGetsNoKey(Repeating):
    """A key is sent once, and a repetition goes without it."""

    rule = "KADU-IDM-04"

    async def again(self, caller: Caller, request: Request, key: bytes, first: datetime) -> Answer:  # noqa: ARG002
        return await self.sent(caller, request, None)


class RepetitionHasAWordForIt(Repeating):
    """A repetition answers that it was done before, and not what it came to."""

    rule = "KADU-IDM-04"

    async def again(self, caller: Caller, request: Request, key: bytes, first: datetime) -> Answer:  # noqa: ARG002
        return Answer(200, {"status": "already_done"}, "")


class RepetitionIsAConflict(Repeating):
    """A repetition of the same call is refused as a conflict."""

    rule = "KADU-IDM-04"

    async def again(self, caller: Caller, request: Request, key: bytes, first: datetime) -> Answer:  # noqa: ARG002
        return Answer(409, {"errors": [{"code": "conflict", "detail": "Já foi feito."}]}, "")


class ReplayShowsTheRecordOfNow(Repeating):
    """A repeated change answers how the record is now, and not how the first call left it."""

    rule = "KADU-IDM-04"

    async def again(self, caller: Caller, request: Request, key: bytes, first: datetime) -> Answer:  # noqa: ARG002
        if request.method != "PATCH":
            return await self.sent(caller, request, key)
        return await self.sent(caller, Request("GET", request.path, (), None, ()), None)


class OrderOfArgumentsCounts(KeyedSends):
    """A repetition with its arguments in another order counts as another call."""

    rule = "KADU-IDM-04"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        order: dict[Hashable, list[str]] = self.__dict__.setdefault("order", {})
        names = list(request.body or ())
        first = order.setdefault((caller.organization, key), names)
        return await self.sent(caller, request, key if first == names else key + b"-2")


class LostAnswerTriedWithoutItsKey(KeyedSends):
    """Where no answer came, the server tries again by itself, and without the key."""

    rule = "KADU-IDM-04"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        try:
            return await self.sent(caller, request, key)
        except UpstreamUnavailable:
            return await self.sent(caller, request, None)


class OtherArgumentsReplayed(Remembering):
    """A key answers the first response, whatever the arguments."""

    rule = "KADU-IDM-05"

    def place(self, caller: Caller, request: Request, key: bytes) -> Hashable:  # noqa: ARG002
        return caller.organization, key


class ReusedKeyRunsWithoutIt(KeyedSends):
    """Where a key was used with other arguments, the call runs without it."""

    rule = "KADU-IDM-05"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        answer = await self.sent(caller, request, key)
        return await self.sent(caller, request, None) if answer.code == REUSED else answer


class ReuseForgetsTheFirst(KeyedSends):
    """A key that was tried with other arguments does not replay any more."""

    rule = "KADU-IDM-05"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        burnt: set[Hashable] = self.__dict__.setdefault("burnt", set())
        place = (caller.organization, key)
        answer = await self.sent(caller, request, key + b"-2" if place in burnt else key)
        if answer.code == REUSED:
            burnt.add(place)
        return answer


class ReusedLooksDone(KeyedSends):
    """A key used with other arguments answers as if the call had been done."""

    rule = "KADU-IDM-05"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        answer = await self.sent(caller, request, key)
        return Answer(200, {"status": "ok"}, "") if answer.code == REUSED else answer


class ConfirmedReuseRunsWithoutItsKey(KeyedSends):
    """A confirmed call whose key was used with other arguments runs without it: a person said yes."""

    rule = "KADU-IDM-05"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        answer = await self.sent(caller, request, key)
        confirmed = request.path.endswith("/run")
        return await self.sent(caller, request, None) if confirmed and answer.code == REUSED else answer


def _with_code(product: Product, code: str, name: str) -> Product:
    return replace(product, error_codes={**product.error_codes, code: name})


class ReusedHasAnotherCode(Table):
    """A key used with other arguments is refused under another code."""

    rule = "KADU-IDM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        return _with_code(product, REUSED, "CONFLICT")


class ReusedSaysInProgress(Table):
    """A key used with other arguments is refused as if its first call still ran."""

    rule = "KADU-IDM-05"

    @staticmethod
    def edit(product: Product) -> Product:
        return _with_code(product, REUSED, "IDEMPOTENCY_REQUEST_IN_PROGRESS")


class InProgressWaits(KeyedSends):
    """A repetition waits until the first call is done, instead of saying that it still runs."""

    rule = "KADU-IDM-06"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        while (answer := await self.sent(caller, request, key)).code == IN_PROGRESS:
            await asyncio.sleep(0.1)
        return answer


class InProgressRunsWithoutItsKey(KeyedSends):
    """A repetition while the first call runs goes without the key, and runs."""

    rule = "KADU-IDM-06"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        answer = await self.sent(caller, request, key)
        return await self.sent(caller, request, None) if answer.code == IN_PROGRESS else answer


class InProgressLooksDone(KeyedSends):
    """A repetition while the first call runs answers as if it were done."""

    rule = "KADU-IDM-06"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        answer = await self.sent(caller, request, key)
        return Answer(202, {"status": "accepted"}, "") if answer.code == IN_PROGRESS else answer


class ConfirmedInProgressLooksDone(KeyedSends):
    """A confirmed call that is repeated while it runs answers as if it were done."""

    rule = "KADU-IDM-06"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        answer = await self.sent(caller, request, key)
        told = request.path.endswith("/run") and answer.code == IN_PROGRESS
        return Answer(202, {"status": "accepted"}, "") if told else answer


class InProgressHasAnotherCode(Table):
    """A repetition while the first call runs is refused under another code."""

    rule = "KADU-IDM-06"

    @staticmethod
    def edit(product: Product) -> Product:
        return _with_code(product, IN_PROGRESS, "CONFLICT")


class InProgressSaysReused(Table):
    """A repetition while the first call runs is refused as if its arguments were others."""

    rule = "KADU-IDM-06"

    @staticmethod
    def edit(product: Product) -> Product:
        return _with_code(product, IN_PROGRESS, "IDEMPOTENCY_KEY_REUSED")


class KeyForgottenAfterTwelveHours(Repeating):
    """A key runs again after twelve hours."""

    rule = "KADU-IDM-07"

    async def again(self, caller: Caller, request: Request, key: bytes, first: datetime) -> Answer:
        old = caller.now - first > timedelta(hours=12)
        return await self.sent(caller, request, key + b"-2" if old else key)


class KeyNeverForgotten(Remembering):
    """A key replays for ever."""

    rule = "KADU-IDM-07"

    def place(self, caller: Caller, request: Request, key: bytes) -> Hashable:
        return caller.organization, key, repr(request)


class KeySharedByOrganizations(Remembering):
    """A person's key is the same key in each of the person's organizations."""

    rule = "KADU-IDM-08"

    def place(self, caller: Caller, request: Request, key: bytes) -> Hashable:
        return caller.person, key, request.path


class KeyPrefixedByThePerson(KeyedSends):
    """Each person of an organization has keys of their own."""

    rule = "KADU-IDM-08"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        return await self.sent(caller, request, f"{caller.person}:".encode("ascii") + key)


class KeyPrefixedByTheToken(KeyedSends):
    """Each token has keys of its own."""

    rule = "KADU-IDM-08"

    async def keyed(self, caller: Caller, request: Request, key: bytes) -> Answer:
        tokens: dict[str, int] = self.__dict__.setdefault("tokens", {})
        number = tokens.setdefault(caller.token, len(tokens))
        return await self.sent(caller, request, b"%d:" % number + key)

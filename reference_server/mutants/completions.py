"""Servers that lie about what may be typed next."""

from collections.abc import Hashable
from datetime import date, timedelta
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, Completion, PromptReference, ResourceTemplateReference

from reference_server.engine.caller import Caller
from reference_server.engine.completions import Completions, last_months
from reference_server.engine.contract import Operation
from reference_server.engine.tables import Choices, LastMonths, Listing, Product

from .tables import Table, argument, resource
from .wire import Line, Wire

Reference = PromptReference | ResourceTemplateReference
TASKS, EVENTS = Listing("kadu_tasks_list"), Listing("kadu_webhook_deliveries_list")


class Months(Completions):
    """Completions of other months."""

    async def complete(self, caller: Caller, reference: Reference, argument: str, typed: str) -> Completion:
        """Values for an argument."""
        if argument != "month":
            return await super().complete(caller, reference, argument, typed)
        months = self.months(caller.now.date())
        return Completion(values=[month for month in months if month.startswith(typed)])

    def months(self, today: date) -> list[str]:
        """The months that are suggested."""
        raise NotImplementedError


class Ids(Completions):
    """Completions of other ids."""

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        """The ids of a listing, edited."""
        found = await super().ids(caller, listing, typed)
        return found.model_copy(update={"values": self.edited(found.values, typed), "total": None})

    def edited(self, values: list[str], typed: str) -> list[str]:
        """The ids that are suggested."""
        raise NotImplementedError


class OldestIdsAlone(Ids):
    """Only the oldest record of a listing is suggested."""

    rule = "KADU-CMP-01"

    def edited(self, values: list[str], typed: str) -> list[str]:  # noqa: ARG002
        return values[-1:]


class OldestHundredIds(Completions):
    """The oldest hundred records are suggested, so that of many the newest never is."""

    rule = "KADU-CMP-01"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        found: list[str] = []
        cursor: str | None = None
        while self.visibility.may_run(caller, listing):
            records, cursor = await self.page(caller, listing, cursor)
            found.extend(record["id"] for record in records if record["id"].startswith(typed))
            if cursor is None:
                break
        return Completion(values=found[-100:])


class IdsOfAnotherListing(Table):
    """The environment of a prompt is completed from the tasks."""

    rule = "KADU-CMP-01"

    @staticmethod
    def edit(product: Product) -> Product:
        return argument(product, "check_task_readiness", "environment_id", source=TASKS)


class SubTemplateFromItsOwnRecords(Table):
    """The execution of the logs is completed from something else than executions."""

    rule = "KADU-CMP-01"

    @staticmethod
    def edit(product: Product) -> Product:
        return resource(product, "executions/{id}/logs", ids=EVENTS)


class TemplateNotCompleted(Table):
    """The id of a schedule is not completed."""

    rule = "KADU-CMP-01"

    @staticmethod
    def edit(product: Product) -> Product:
        return resource(product, "schedules/{id}", ids=None)


class ApprovalsNotCompleted(Table):
    """The id of an approval is not completed."""

    rule = "KADU-CMP-01"

    @staticmethod
    def edit(product: Product) -> Product:
        return resource(product, "operation_approvals/{id}", ids=None)


class NamesInsteadOfIds(Completions):
    """The names of the records are suggested instead of their ids."""

    rule = "KADU-CMP-01"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        if not self.visibility.may_run(caller, listing):
            return await super().ids(caller, listing, typed)
        records, _ = await self.page(caller, listing, None)
        names = [str(record.get("name") or record.get("summary")) for record in records]
        return Completion(values=[name for name in names if name.startswith(typed)])


class ErrorWhereTheScopeIsMissing(Completions):
    """Completing a listing that the token may not read is an error."""

    rule = "KADU-CMP-02"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        if not self.visibility.has_scope(caller, listing):
            raise MCPError(INTERNAL_ERROR, "Forbidden")
        return await super().ids(caller, listing, typed)


class ErrorWhereThePermissionIsMissing(Completions):
    """Completing a listing that the person may not read is an error."""

    rule = "KADU-CMP-02"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        if not self.visibility.has_permission(caller, listing):
            raise MCPError(INTERNAL_ERROR, "Forbidden")
        return await super().ids(caller, listing, typed)


class EventsCompletedByTheirOwnPermission(Completions):
    """Who may read events completes their execution: where the executions may not be listed, that is an error."""

    rule = "KADU-CMP-02"

    async def complete(self, caller: Caller, reference: Reference, argument: str, typed: str) -> Completion:
        events = isinstance(reference, ResourceTemplateReference) and reference.uri.endswith("/events")
        if events and not self.visibility.may_run(caller, self.listings["kadu_executions_list"]):
            raise MCPError(INTERNAL_ERROR, "Forbidden")
        return await super().complete(caller, reference, argument, typed)


class IdsRemembered(Completions):
    """Ids that were suggested to one are suggested to others who may not list them."""

    def others(self, caller: Caller) -> Hashable:
        """What they have in common."""
        raise NotImplementedError

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        """What may be listed, or what was suggested before."""
        kept: dict[Any, Completion] = self.__dict__.setdefault("kept", {})
        found = await super().ids(caller, listing, typed)
        place = (self.others(caller), listing.name, typed)
        return kept.setdefault(place, found) if found.values else kept.get(place, found)


class IdsRememberedForTheOrganization(IdsRemembered):
    """Ids that a colleague was suggested are suggested to who may not list them."""

    rule = "KADU-CMP-02"

    def others(self, caller: Caller) -> Hashable:
        return caller.organization


class IdsRememberedForThePerson(IdsRemembered):
    """Ids that a person was suggested are suggested to every assistant of theirs, whatever its token may list."""

    rule = "KADU-CMP-02"

    def others(self, caller: Caller) -> Hashable:
        return caller.person


class ThirteenMonths(Table):
    """Thirteen months are suggested."""

    rule = "KADU-CMP-03"

    @staticmethod
    def edit(product: Product) -> Product:
        return argument(product, "monthly_usage_report", "month", source=LastMonths(13))


class ElevenMonths(Table):
    """Eleven months are suggested."""

    rule = "KADU-CMP-03"

    @staticmethod
    def edit(product: Product) -> Product:
        return argument(product, "monthly_usage_report", "month", source=LastMonths(11))


class MonthsByThirtyDays(Months):
    """Months are counted back thirty days at a time."""

    rule = "KADU-CMP-03"

    def months(self, today: date) -> list[str]:
        return [f"{today - timedelta(days=30 * back):%Y-%m}" for back in range(12)]


class MonthsOfTheYear(Months):
    """The months of the current year are suggested, those to come included."""

    rule = "KADU-CMP-03"

    def months(self, today: date) -> list[str]:
        return [f"{today.year}-{month:02d}" for month in range(1, 13)]


class MonthsKeepTheYear(Months):
    """Months before January are suggested in the same year."""

    rule = "KADU-CMP-03"

    def months(self, today: date) -> list[str]:
        return [f"{today.year}{month[4:]}" for month in last_months(today, 12)]


class MonthsFailOnLongMonths(Months):
    """On a day that the month before does not have, completing a month is an error."""

    rule = "KADU-CMP-03"

    def months(self, today: date) -> list[str]:
        today.replace(month=today.month - 1 or 12)
        return last_months(today, 12)


class MonthsToCome(Months):
    """The months to come are suggested."""

    rule = "KADU-CMP-03"

    def months(self, today: date) -> list[str]:
        return last_months(today + timedelta(days=330), 12)


class MonthsOfTheRelease(Table):
    """The months are a fixed list."""

    rule = "KADU-CMP-03"

    @staticmethod
    def edit(product: Product) -> Product:
        fixed = Choices(tuple(last_months(date(2026, 11, 30), 12)))
        return argument(product, "monthly_usage_report", "month", source=fixed)


class MoreThanAHundredValues(Wire):
    """Where there are more, a hundred and one values are suggested."""

    rule = "KADU-CMP-04"

    async def say(self, line: Line) -> None:
        values = line.result.get("completion", {}).get("values", [])
        if len(values) == 100:
            values.append(values[0])


class ErrorWhereThereAreMore(Ids):
    """Where there are more than a hundred, completing is an error."""

    rule = "KADU-CMP-04"

    def edited(self, values: list[str], typed: str) -> list[str]:  # noqa: ARG002
        if len(values) == 100:
            raise MCPError(INTERNAL_ERROR, "too many values")
        return values


class NothingWhereThereAreMore(Ids):
    """Where there are more than a hundred, nothing is suggested."""

    rule = "KADU-CMP-04"

    def edited(self, values: list[str], typed: str) -> list[str]:  # noqa: ARG002
        return values if len(values) < 100 else []


class SinceIsCompleted(Table):
    """The date of the review is completed."""

    rule = "KADU-CMP-05"

    @staticmethod
    def edit(product: Product) -> Product:
        days = Choices(("2026-11-29", "2026-11-23"))
        return argument(product, "review_failed_executions", "since", source=days)


class SinceIsCompletedWhileItIsTyped(Completions):
    """Once a date is begun, days that fit are suggested."""

    rule = "KADU-CMP-05"

    async def complete(self, caller: Caller, reference: Reference, argument: str, typed: str) -> Completion:
        if argument != "since" or not typed:
            return await super().complete(caller, reference, argument, typed)
        days = [(caller.now.date() - timedelta(days=back)).isoformat() for back in range(31)]
        return Completion(values=[day for day in days if day.startswith(typed[:4])])


class NoSourceIsAnError(Completions):
    """An argument without a source is refused."""

    rule = "KADU-CMP-05"

    async def complete(self, caller: Caller, reference: Reference, argument: str, typed: str) -> Completion:
        if argument == "since":
            raise MCPError(INTERNAL_ERROR, "nothing to complete from")
        return await super().complete(caller, reference, argument, typed)


class UnknownArgumentIsAnInternalError(Completions):
    """An argument that nobody knows is an internal error."""

    rule = "KADU-CMP-05"

    async def complete(self, caller: Caller, reference: Reference, argument: str, typed: str) -> Completion:
        known = self.prompts if isinstance(reference, PromptReference) else self.uris
        place = reference.name if isinstance(reference, PromptReference) else reference.uri
        if argument not in known.get(place, {argument: None}):
            raise MCPError(INTERNAL_ERROR, f"KeyError: {argument}")
        return await super().complete(caller, reference, argument, typed)


class UnknownArgumentIsGuessed(Completions):
    """An argument that nobody knows is completed as the first that the prompt has."""

    rule = "KADU-CMP-05"

    async def complete(self, caller: Caller, reference: Reference, argument: str, typed: str) -> Completion:
        if isinstance(reference, PromptReference):
            arguments = self.prompts.get(reference.name, {})
            argument = argument if argument in arguments else next(iter(arguments), argument)
        return await super().complete(caller, reference, argument, typed)


class IdsSharedBetweenOrganizations(Completions):
    """Ids that anybody was ever suggested are suggested to everybody."""

    rule = "KADU-CMP-06"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        kept: dict[str, list[str]] = self.__dict__.setdefault("kept", {})
        found = await super().ids(caller, listing, typed)
        known = kept.setdefault(listing.name, [])
        known.extend(value for value in found.values if value not in known)
        others = [value for value in known if value.startswith(typed) and value not in found.values]
        return Completion(values=[*found.values, *others][:100])


class IdsSharedBetweenColleagues(Completions):
    """Ids that anybody of the organization was suggested are suggested to every colleague."""

    rule = "KADU-CMP-06"

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        kept: dict[tuple[str, str], list[str]] = self.__dict__.setdefault("kept", {})
        found = await super().ids(caller, listing, typed)
        known = kept.setdefault((caller.organization, listing.name), [])
        known.extend(value for value in found.values if value not in known)
        others = [value for value in known if value.startswith(typed) and value not in found.values]
        return Completion(values=[*found.values, *others][:100])

"""Completions: values for the arguments of prompts and the ids of templates while they are typed."""

from datetime import date
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, Completion, PromptReference, ResourceTemplateReference

from .caller import Caller, Visibility
from .contract import Contract, Operation
from .resources import ID
from .tables import Choices, LastMonths, Listing, Product, Source
from .upstream import Upstream, UpstreamUnavailable

# CMP-04: the protocol's limit.
VALUES_LIMIT = 100
PAGES_LIMIT = 5
_NOTHING = Completion(values=[], total=0, has_more=False)


class Completions:
    """The completions of one product."""

    def __init__(
        self, product: Product, contract: Contract, upstream: Upstream, visibility: Visibility
    ) -> None:
        self.upstream = upstream
        self.visibility = visibility
        self.prompts = {
            row.name: {argument.name: argument.source for argument in row.arguments}
            for row in product.prompts
        }
        self.uris: dict[str, dict[str, Source | None]] = {
            product.uri_prefix + row.path: {"id": row.ids} if ID in row.path else {}
            for row in product.resources
        }
        sources = [s for table in (self.prompts, self.uris) for row in table.values() for s in row.values()]
        self.listings = {
            s.operation: contract.operation(s.operation) for s in sources if isinstance(s, Listing)
        }

    async def complete(
        self,
        caller: Caller,
        reference: PromptReference | ResourceTemplateReference,
        argument: str,
        typed: str,
    ) -> Completion:
        """Values for an argument. Raises MCPError −32602 for a reference to nothing."""
        sources = (
            self.prompts.get(reference.name)
            if isinstance(reference, PromptReference)
            else self.uris.get(reference.uri)
        )
        if sources is None:
            raise MCPError(INVALID_PARAMS, "Unknown completion reference")
        source = sources.get(argument)
        if isinstance(source, Listing):
            return await self.ids(caller, self.listings[source.operation], typed)
        if isinstance(source, LastMonths):
            return _chosen(last_months(caller.now.date(), source.count), typed)
        if isinstance(source, Choices):
            return _chosen(source.values, typed)
        # CMP-05: no source, no values.
        return _NOTHING

    async def ids(self, caller: Caller, listing: Operation, typed: str) -> Completion:
        """CMP-01: the recent ids of a listing that begin with what was typed."""
        # CMP-02: who may not list gets nothing, and no error.
        if not self.visibility.may_run(caller, listing):
            return _NOTHING
        found: list[str] = []
        cursor: str | None = None
        # Beyond the first page only for a prefix that is rare among the newest.
        for _ in range(PAGES_LIMIT if typed else 1):
            records, cursor = await self.page(caller, listing, cursor)
            found.extend(i for i in map(_id, records) if i is not None and i.startswith(typed))
            if cursor is None or len(found) >= VALUES_LIMIT:
                break
        return Completion(
            values=found[:VALUES_LIMIT],
            total=len(found) if cursor is None else None,
            has_more=cursor is not None or len(found) > VALUES_LIMIT,
        )

    async def page(
        self, caller: Caller, listing: Operation, cursor: str | None
    ) -> tuple[list[Any], str | None]:
        """One page of a listing and the cursor of the next.

        Raises MCPError where the upstream does not answer.
        """
        asked = {"limit": str(VALUES_LIMIT)} | ({} if cursor is None else {"cursor": cursor})
        query = [(name, value) for name, value in asked.items() if name in listing.query_parameters]
        try:
            answer = await self.upstream.ask(listing.method, listing.path, token=caller.token, query=query)
        except UpstreamUnavailable:
            raise _unavailable() from None
        if answer.status == 403:
            return [], None
        if not answer.ok or not isinstance(answer.body, dict):
            raise _unavailable()
        records, following = answer.body.get("data"), answer.body.get("next_cursor")
        further = following if isinstance(following, str) and "cursor" in listing.query_parameters else None
        return (records if isinstance(records, list) else []), further


def last_months(today: date, count: int) -> list[str]:
    """CMP-03: `AAAA-MM` of the last `count` months, the current one first."""
    months = [today.year * 12 + today.month - 1 - back for back in range(count)]
    return [f"{month // 12:04d}-{month % 12 + 1:02d}" for month in months]


def _chosen(values: list[str] | tuple[str, ...], typed: str) -> Completion:
    chosen = [value for value in values if value.startswith(typed)]
    return Completion(values=chosen, total=len(chosen), has_more=False)


def _id(record: Any) -> str | None:
    value = record.get("id") if isinstance(record, dict) else None
    return value if isinstance(value, str) else None


def _unavailable() -> MCPError:
    return MCPError(
        INTERNAL_ERROR, "The upstream did not answer; try again", {"code": "upstream_unavailable"}
    )

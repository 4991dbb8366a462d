"""Resources.

Fixed URIs and templates, each read by the operation of its tool under the caller's own token.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from . import arguments as args
from .caller import Caller, Visibility
from .contract import Contract, Operation
from .tables import Product, ResourceRow
from .upstream import Answer, Upstream, UpstreamUnavailable

ID = "{id}"
MIME_TYPE = "application/json"
# The protocol's own code through 2025-11-25; its later revision uses −32602 (RES-08, MCP-11).
NOT_FOUND_BEFORE_2026 = -32002


@dataclass(frozen=True)
class Match:
    """A URI that belongs to a row; `id` is decoded, None for a fixed URI."""

    row: ResourceRow
    id: str | None


class Resources:
    """The resources of one product."""

    def __init__(
        self, product: Product, contract: Contract, upstream: Upstream, visibility: Visibility
    ) -> None:
        self.product = product
        self.upstream = upstream
        self.visibility = visibility
        self.operations = {row: contract.operation(row.operation) for row in product.resources}

    def fixed(self, caller: Caller) -> list[Resource]:
        """RES-01, RES-05: the fixed URIs whose tool this caller may run."""
        return [
            Resource(
                uri=self.uri(row),
                name=row.name,
                title=row.title,
                description=row.description,
                mime_type=MIME_TYPE,
            )
            for row in self.shown(caller)
            if ID not in row.path
        ]

    def templates(self, caller: Caller) -> list[ResourceTemplate]:
        """RES-02, RES-05: the templates whose tool this caller may run."""
        return [
            ResourceTemplate(
                uri_template=self.uri(row),
                name=row.name,
                title=row.title,
                description=row.description,
                mime_type=MIME_TYPE,
            )
            for row in self.shown(caller)
            if ID in row.path
        ]

    def shown(self, caller: Caller) -> list[ResourceRow]:
        """The rows shown to this caller, in the product's order."""
        return [
            row for row, operation in self.operations.items() if self.visibility.may_run(caller, operation)
        ]

    def uri(self, row: ResourceRow) -> str:
        """The row's URI, or URI template."""
        return self.product.uri_prefix + row.path

    def matched(self, uri: str) -> Match | None:
        """The row a URI belongs to, None where it belongs to none.

        The URI is taken as it is: no other spelling, no query, no fragment. The id is decoded once and never
        empty.
        """
        if not uri.startswith(self.product.uri_prefix) or "?" in uri or "#" in uri:
            return None
        given = uri.removeprefix(self.product.uri_prefix).split("/")
        for row in self.operations:
            steps = row.path.split("/")
            if len(steps) != len(given):
                continue
            pairs = list(zip(steps, given, strict=True))
            if any(step not in (ID, part) for step, part in pairs):
                continue
            ids = [_decoded(part) for step, part in pairs if step == ID]
            if None in ids:
                return None
            return Match(row, ids[0] if ids else None)
        return None

    async def read(self, caller: Caller, uri: str, modern: bool) -> ReadResourceResult:
        """What the URI holds. Raises MCPError: not found, or not allowed."""
        match = self.matched(uri)
        if match is None:
            raise self.not_found(uri, modern)
        operation = self.operations[match.row]
        # RES-06: before any record is looked for, so that nothing can be learned of it.
        if not self.visibility.may_run(caller, operation):
            raise self.not_allowed(uri)
        answer = await self.fetched(caller, operation, match, uri, modern)
        if answer.status in (400, 404, 422):
            # RES-09: another organization's record is as none; nor can a record have an id the API refuses.
            raise self.not_found(uri, modern)
        if answer.status == 403:
            raise self.not_allowed(uri)
        if not answer.ok or answer.body is None:
            raise self.unreadable()
        # RES-03: the same JSON that the tool gives.
        return ReadResourceResult(
            contents=[TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=answer.text)]
        )

    async def fetched(
        self, caller: Caller, operation: Operation, match: Match, uri: str, modern: bool
    ) -> Answer:
        """The upstream's answer to the row's operation. Raises MCPError."""
        ids: dict[str, Any] = {} if match.id is None else dict.fromkeys(operation.path_parameters, match.id)
        try:
            request = args.request(operation, ids)
            return await self.upstream.ask(request.method, request.path, token=caller.token)
        except args.UnknownRecord:
            raise self.not_found(uri, modern) from None
        except UpstreamUnavailable:
            raise self.unreadable() from None

    def not_found(self, uri: str, modern: bool) -> MCPError:
        """RES-08: −32002 in the handshake era, −32602 in 2026-07-28."""
        return MCPError(
            INVALID_PARAMS if modern else NOT_FOUND_BEFORE_2026, "Resource not found", {"uri": uri}
        )

    def not_allowed(self, uri: str) -> MCPError:
        """RES-06: −32602 with the product's code, in both eras."""
        return MCPError(
            INVALID_PARAMS, "Not allowed for this caller", {"code": self.product.permission_code, "uri": uri}
        )

    def unreadable(self) -> MCPError:
        """The upstream did not answer usefully: an error, never empty contents."""
        return MCPError(
            INTERNAL_ERROR, "The upstream did not answer; try again", {"code": "upstream_unavailable"}
        )


def _decoded(part: str) -> str | None:
    """A percent-encoded segment, decoded once; None where it is empty or no text."""
    try:
        text = unquote_to_bytes(part).decode()
    except ValueError:
        return None
    return text or None

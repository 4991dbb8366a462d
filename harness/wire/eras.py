"""The two eras of the protocol as tables: what differs is data, nobody branches on an era's name."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from harness.exchanges import Era

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
URL_ELICITATION_REQUIRED = -32042
HEADER_MISMATCH = -32020
MISSING_CLIENT_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

VERSION_HEADER = "mcp-protocol-version"
LAST_WITHOUT_HEADER, FIRST_WITH_HEADER = "2025-03-26", "2025-06-18"
"""The last handshake revision that does not know this header, and the first that asks for it."""

META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CLIENT = "io.modelcontextprotocol/clientInfo"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META_SERVER = "io.modelcontextprotocol/serverInfo"
META_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

NAMED_BY: Mapping[str, str] = MappingProxyType(
    {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
)
"""Methods whose requests carry `Mcp-Name`, and the parameter that it repeats."""


@dataclass(frozen=True)
class EraTable:
    """One era of the protocol.

    `version` is the revision that is asked for, `versions` are all revisions of the era, oldest first.
    `opening` is the method that tells what a server can do. With `handshake` the opening has to come first
    and is followed by the notification `opened`; without it every request stands alone. `meta_keys` go into
    `_meta` of each request and `routing_headers` repeat parts of the body. `statuses` are the HTTP statuses
    the specification ties to error codes (empty where it ties none). `result_types` are the known values of
    `resultType` (empty where there is none), `asking_methods` those that may answer with a question,
    `hinted_methods` those whose results carry caching hints.
    """

    era: Era
    version: str
    versions: tuple[str, ...]
    opening: str
    handshake: bool
    opened: str | None
    meta_keys: tuple[str, ...]
    routing_headers: bool
    not_found_code: int
    unknown_tool_codes: tuple[int, ...]
    statuses: Mapping[int, int]
    result_types: tuple[str, ...]
    asking_methods: tuple[str, ...]
    hinted_methods: tuple[str, ...]
    subscribing: str
    forms_in_chat: bool

    def known(self, version: str) -> bool:
        """Whether that revision belongs to this era."""
        return version in self.versions


_HANDSHAKE = EraTable(
    era="2025",
    version="2025-11-25",
    versions=("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"),
    opening="initialize",
    handshake=True,
    opened="notifications/initialized",
    meta_keys=(),
    routing_headers=False,
    not_found_code=RESOURCE_NOT_FOUND,
    unknown_tool_codes=(),
    statuses=MappingProxyType({}),
    result_types=(),
    asking_methods=(),
    hinted_methods=(),
    subscribing="resources/subscribe",
    forms_in_chat=False,
)

_STATELESS = EraTable(
    era="2026",
    version="2026-07-28",
    versions=("2026-07-28",),
    opening="server/discover",
    handshake=False,
    opened=None,
    meta_keys=(META_VERSION, META_CLIENT, META_CAPABILITIES),
    routing_headers=True,
    not_found_code=INVALID_PARAMS,
    unknown_tool_codes=(INVALID_PARAMS,),
    statuses=MappingProxyType(
        {
            INVALID_PARAMS: 400,
            METHOD_NOT_FOUND: 404,
            HEADER_MISMATCH: 400,
            MISSING_CLIENT_CAPABILITY: 400,
            UNSUPPORTED_VERSION: 400,
        }
    ),
    result_types=("complete", "input_required"),
    asking_methods=("tools/call", "prompts/get", "resources/read"),
    hinted_methods=(
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    ),
    subscribing="subscriptions/listen",
    forms_in_chat=True,
)

ERA_TABLES: Mapping[Era, EraTable] = MappingProxyType({"2025": _HANDSHAKE, "2026": _STATELESS})
"""Every era by its name."""


def era_of(version: str) -> Era | None:
    """The era a revision belongs to, None for a revision nobody released."""
    return next((table.era for table in ERA_TABLES.values() if table.known(version)), None)


def supports_forms(capabilities: Mapping[str, Any]) -> bool:
    """Whether a client that declares this can show forms: `elicitation` is empty or has `form`."""
    elicitation = capabilities.get("elicitation")
    return isinstance(elicitation, Mapping) and (not elicitation or "form" in elicitation)

"""The engine assembled: a low-level MCP server of the official SDK whose handlers are the product's parts."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.request_state import AESGCMRequestStateCodec
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from .caller import Caller, Callers, Visibility
from .completions import Completions
from .confirmation import Confirmation
from .contract import Contract
from .link import ApprovalByLink
from .prompts import Prompts
from .resources import Resources
from .tables import Link, Product
from .tools import Tools, Turn
from .upstream import Upstream
from .without_forms import Refuse, WithoutForms

VERSION = "0.1.0"
# Where the HTTP shell leaves the caller of a request, for its handlers.
CALLER = "reference_server.caller"
_log = logging.getLogger(__name__)
_Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True)
class Parts:
    """The classes an engine is built from; another class in one place makes another server."""

    visibility: type[Visibility] = Visibility
    confirmation: type[Confirmation] = Confirmation
    tools: type[Tools] = Tools
    resources: type[Resources] = Resources
    prompts: type[Prompts] = Prompts
    completions: type[Completions] = Completions
    refuse: type[Refuse] = Refuse
    link: type[ApprovalByLink] = ApprovalByLink


class Engine:
    """One product served. Holds no state between requests.

    Raises ContractError where a table names an operation that the contract does not have.
    """

    def __init__(
        self,
        product: Product,
        contract: Contract,
        upstream: Upstream,
        codec: AESGCMRequestStateCodec,
        parts: Parts = Parts(),
    ) -> None:
        self.product = product
        self.upstream = upstream
        self.callers = Callers(upstream, contract.operation(product.me_operation))
        visibility = parts.visibility()
        register = contract.operation(product.register_operation)
        self.tools = parts.tools(
            product,
            contract,
            upstream,
            visibility,
            parts.confirmation(product, codec, upstream, register),
            _without_forms(parts, product, contract, upstream, visibility),
        )
        self.resources = parts.resources(product, contract, upstream, visibility)
        self.prompts = parts.prompts(product, contract, visibility)
        self.completions = parts.completions(product, contract, upstream, visibility)
        self.server = self._server()

    def _server(self) -> Server[Any]:
        server = _PlainServer(
            self.product.server_name,
            version=VERSION,
            title=self.product.title,
            instructions=self.product.instructions,
            get_tool_input_schema=self.tools.input_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )
        server.middleware = [_guard]
        return server

    # The lists and reads leave caching hints to the SDK's defaults, stale at once and private: what a caller
    # sees may change with its role at any time (MCP-08).

    async def _list_tools(
        self, ctx: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        _only_page(params)
        return types.ListToolsResult(tools=self.tools.listed(_caller(ctx)))

    async def _call_tool(
        self, ctx: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        return await self.tools.call(_turn(ctx), params.name, params.arguments or {})

    async def _list_resources(
        self, ctx: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        _only_page(params)
        return types.ListResourcesResult(resources=self.resources.fixed(_caller(ctx)))

    async def _list_templates(
        self, ctx: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        _only_page(params)
        return types.ListResourceTemplatesResult(resource_templates=self.resources.templates(_caller(ctx)))

    async def _read_resource(
        self, ctx: _Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await self.resources.read(_caller(ctx), params.uri, _modern(ctx))

    async def _list_prompts(
        self, ctx: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        _only_page(params)
        return types.ListPromptsResult(prompts=self.prompts.listed(_caller(ctx)))

    async def _get_prompt(self, ctx: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return self.prompts.get(_caller(ctx), params.name, params.arguments or {})

    async def _complete(self, ctx: _Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        argument = params.argument
        completion = await self.completions.complete(_caller(ctx), params.ref, argument.name, argument.value)
        return types.CompleteResult(completion=completion)


def _without_forms(
    parts: Parts, product: Product, contract: Contract, upstream: Upstream, visibility: Visibility
) -> WithoutForms:
    policy = product.without_forms
    if isinstance(policy, Link):
        return parts.link(product, policy, contract, upstream, visibility)
    return parts.refuse(policy)


class _PlainServer(Server[Any]):
    """Declares what is offered and nothing else (MCP-21).

    No subscriptions, no notices of changed lists (RES-10).
    """

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,  # noqa: ARG002
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,  # noqa: ARG002
        extensions: dict[str, dict[str, Any]] | None = None,  # noqa: ARG002
        *,
        protocol_version: str | None = None,  # noqa: ARG002
    ) -> types.ServerCapabilities:
        """The same in both eras."""
        return types.ServerCapabilities(
            tools=types.ToolsCapability(),
            resources=types.ResourcesCapability(),
            prompts=types.PromptsCapability(),
            completions=types.CompletionsCapability(),
        )


async def _guard(ctx: _Context, call_next: CallNext) -> HandlerResult:
    """Nothing of an unexpected failure reaches the wire: the handshake era would send its text."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception:  # noqa: BLE001  (logged, and raised as another)
        _log.exception("%s failed", ctx.method)
        raise MCPError(types.INTERNAL_ERROR, "Internal error") from None


def _only_page(params: types.PaginatedRequestParams | None) -> None:
    """Every list is one page, so no cursor was ever given out (MCP-20)."""
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor")


def _caller(ctx: _Context) -> Caller:
    assert ctx.request is not None
    caller = ctx.request.scope[CALLER]
    assert isinstance(caller, Caller)
    return caller


def _modern(ctx: _Context) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def _turn(ctx: _Context) -> Turn:
    modern = _modern(ctx)
    # Read raw: the SDK's models may make one type of another. Only 2026-07-28 has them.
    params: Mapping[str, Any] = (ctx.params or {}) if modern else {}
    state, answers = params.get("requestState"), params.get("inputResponses")
    return Turn(
        caller=_caller(ctx),
        modern=modern,
        forms=modern and _declares_forms(ctx),
        state=state if isinstance(state, str) else None,
        answers=answers if isinstance(answers, Mapping) else {},
    )


def _declares_forms(ctx: _Context) -> bool:
    """CNF-16: `{}` and `{"form": {}}` are forms, `{"url": {}}` alone is not."""
    capabilities = ctx.session.client_capabilities
    elicitation = None if capabilities is None else capabilities.elicitation
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)

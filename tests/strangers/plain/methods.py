"""The methods of each era, and what a result of each era carries."""

from collections.abc import Mapping
from typing import Any

from plain import completions, prompts, resources, tools
from plain.choices import USUAL, Choices
from plain.envelope import (
    INVALID_PARAMS,
    LOG_LEVEL_KEY,
    METHOD_NOT_FOUND,
    Fault,
    Request,
    handshakes,
    supported,
)
from plain.service import Caller, Feature, Handler, Reply, Service

SERVER = {"name": "kadu-plain", "version": "0.9", "title": "Kadu, written by hand"}
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
# MCP-21: what is declared is what is in this table.
FEATURES: tuple[Feature, ...] = (tools.FEATURE, resources.FEATURE, prompts.FEATURE, completions.FEATURE)


def _capabilities(*more: str) -> dict[str, Any]:
    # KADU-RES-10: no listChanged, no subscribe, not even a false one
    return {name: {} for name in (*(feature.capability for feature in FEATURES), *more)}


async def _initialize(service: Service, caller: Caller, request: Request) -> Reply:
    wanted, client = request.params.get("protocolVersion"), request.params.get("clientInfo")
    if not isinstance(wanted, str) or not isinstance(client, dict):
        raise Fault(INVALID_PARAMS, "initialize takes protocolVersion, capabilities and clientInfo.")
    # MCP-01: what was asked for, where it is spoken here; else the newest of that era
    spoken = handshakes(service.choices)
    version = wanted if wanted in spoken else spoken[0]
    return Reply(
        {
            "serverInfo": SERVER,
            "protocolVersion": version,
            "capabilities": _capabilities("logging"),
            "instructions": "Read first. Whatever cannot be undone is asked of the person.",
        }
    )


async def _discover(service: Service, caller: Caller, request: Request) -> Reply:
    result = {"supportedVersions": supported(service.choices), "capabilities": _capabilities()}
    return Reply(result, cache=(3_600_000, "public"))


async def _nothing(service: Service, caller: Caller, request: Request) -> Reply:
    return Reply({})


async def _set_level(service: Service, caller: Caller, request: Request) -> Reply:
    if request.params.get("level") not in LEVELS:
        raise Fault(INVALID_PARAMS, f"level is one of {', '.join(LEVELS)}.")
    return Reply({})


_SHARED: Mapping[str, Handler] = {
    name: handler for feature in FEATURES for name, handler in feature.handlers.items()
}
OF_HANDSHAKE: Mapping[str, Handler] = {
    **_SHARED,
    "initialize": _initialize,
    "logging/setLevel": _set_level,
    "ping": _nothing,
}
OF_STATELESS: Mapping[str, Handler] = {**_SHARED, "server/discover": _discover}


async def answer(service: Service, caller: Caller, request: Request) -> dict[str, Any]:
    """The result of a request, dressed for its era. Raises Fault."""
    handler = (OF_STATELESS if request.stateless else OF_HANDSHAKE).get(request.method)
    if handler is None:
        # MCP-10
        raise Fault(METHOD_NOT_FOUND, "This method does not exist here.")
    reply = await handler(service, caller, request)
    result = dict(reply.result)
    if request.stateless:
        # MCP-07, MCP-08
        result |= {"resultType": reply.kind, "_meta": {"io.modelcontextprotocol/serverInfo": SERVER}}
        if reply.cache is not None:
            result["ttlMs"], result["cacheScope"] = reply.cache
    return result


def remarks(request: Request, lowest_level: str, choices: Choices = USUAL) -> list[dict[str, Any]]:
    """Notifications that may precede the answer: progress where a token was given, one log line where wanted.

    2025: log lines at or above `lowest_level`. 2026: only where the request itself names a level.
    """
    if request.method != "tools/call":
        return []
    found: list[dict[str, Any]] = []
    token = request.meta.get("progressToken")
    if isinstance(token, str | int) and not isinstance(token, bool):
        params = {"progressToken": token, "progress": 1, "total": 2, "message": "on its way"}
        found.append({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    lowest = request.meta.get(LOG_LEVEL_KEY) if request.stateless else lowest_level
    if lowest in LEVELS and LEVELS.index(lowest) <= LEVELS.index("info"):
        headers = choices.of("log_line") == "headers"
        told = "read of Kadu's answer: date, x-idempotent-replay" if headers else "a tool was called"
        line = {"level": "info", "logger": "kadu-plain", "data": told}
        found.append({"jsonrpc": "2.0", "method": "notifications/message", "params": line})
    return found

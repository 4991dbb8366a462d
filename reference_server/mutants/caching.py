"""Servers that lie about how long and for whom an answer is good, about pages, and about what they declare."""

from typing import Any

from .envelopes import LISTS
from .wire import Line, Wire

HINTED = (*LISTS, "server/discover", "resources/read")


class Hints(Wire):
    """A shell whose caching hints are edited where the stateless era has them."""

    methods: tuple[str, ...] = HINTED

    async def say(self, line: Line) -> None:
        """Edit the hints."""
        if line.modern and line.method in self.methods and line.result:
            self.edit(line.result)

    def edit(self, result: dict[str, Any]) -> None:
        """Edit the result."""
        raise NotImplementedError


class TimeToLiveMissing(Hints):
    """The lists do not say for how long they are good."""

    rule = "MCP-08"
    methods = tuple(LISTS)

    def edit(self, result: dict[str, Any]) -> None:
        del result["ttlMs"]


class TimeToLiveNegative(Hints):
    """The list of tools was good until before it was asked for."""

    rule = "MCP-08"
    methods = ("tools/list",)

    def edit(self, result: dict[str, Any]) -> None:
        result["ttlMs"] = -1


class TimeToLiveAsText(Hints):
    """The list of prompts says in a text for how long it is good."""

    rule = "MCP-08"
    methods = ("prompts/list",)

    def edit(self, result: dict[str, Any]) -> None:
        result["ttlMs"] = "0"


class ScopeMissing(Hints):
    """The list of templates does not say for whom it is good."""

    rule = "MCP-08"
    methods = ("resources/templates/list",)

    def edit(self, result: dict[str, Any]) -> None:
        del result["cacheScope"]


class ScopeUnknown(Hints):
    """The discovery is good for somebody whom nobody knows."""

    rule = "MCP-08"
    methods = ("server/discover",)

    def edit(self, result: dict[str, Any]) -> None:
        result["cacheScope"] = "shared"


class HintsOfReadsMissing(Hints):
    """What is read does not say for how long and for whom it is good."""

    rule = "MCP-08"
    methods = ("resources/read",)

    def edit(self, result: dict[str, Any]) -> None:
        del result["ttlMs"], result["cacheScope"]


class ListsForEverybody(Hints):
    """The lists of one caller are said to be good for every other."""

    rule = "MCP-08"
    methods = tuple(LISTS)

    def edit(self, result: dict[str, Any]) -> None:
        result["cacheScope"] = "public"


class ReadsForEverybody(Hints):
    """What one caller reads is said to be good for every other."""

    rule = "MCP-08"
    methods = ("resources/read",)

    def edit(self, result: dict[str, Any]) -> None:
        result["cacheScope"] = "public"


class Pages(Wire):
    """A shell whose list of tools comes in two pages."""

    half = 20
    overlap = 0

    async def heard(self, line: Line) -> None:
        """Take the cursor of the second page for none."""
        if line.params.get("cursor") == "second-page":
            line.headers["x-page"] = "2"
            del line.params["cursor"]

    async def say(self, line: Line) -> None:
        """Cut the list."""
        tools = line.result.get("tools")
        if tools and line.headers.get("x-page") == "2":
            line.result["tools"] = tools[self.half - self.overlap :]
        elif tools:
            line.result.update(tools=tools[: self.half], nextCursor="second-page")


class PagesOverlap(Pages):
    """The last tool of one page is the first of the next."""

    rule = "MCP-20"
    overlap = 1


class PagesNeverEnd(Wire):
    """The last page of the prompts gives a cursor to itself."""

    rule = "MCP-20"

    async def heard(self, line: Line) -> None:
        if line.method == "prompts/list":
            line.params.pop("cursor", None)

    async def say(self, line: Line) -> None:
        if "prompts" in line.result:
            line.result["nextCursor"] = "once-more"


class SecondPageRefused(Wire):
    """The list of templates gives a cursor that it does not take."""

    rule = "MCP-20"

    async def say(self, line: Line) -> None:
        if "resourceTemplates" in line.result:
            line.result["nextCursor"] = "second-page"


class Undeclared(Wire):
    """A shell that does not declare something it offers."""

    name = ""
    opening: tuple[str, ...] = ("initialize", "server/discover")

    async def say(self, line: Line) -> None:
        """Take it from the declaration."""
        if line.method in self.opening:
            line.result.get("capabilities", {}).pop(self.name, None)


class CompletionsUndeclared(Undeclared):
    """Completions are offered and not declared."""

    rule = "MCP-21"
    name = "completions"


class PromptsUndeclared(Undeclared):
    """Prompts are offered and not declared."""

    rule = "MCP-21"
    name = "prompts"


class ResourcesUndeclaredInTheHandshake(Undeclared):
    """Resources are offered and not declared in the handshake."""

    rule = "MCP-21"
    name = "resources"
    opening = ("initialize",)


class ToolsUndeclaredInTheDiscovery(Undeclared):
    """Tools are offered and not declared in the discovery."""

    rule = "MCP-21"
    name = "tools"
    opening = ("server/discover",)

"""Servers that lie about which requests of which era they serve: versions, meta keys, headers."""

from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from .wire import META, VERSION_HEADER, Line, Wire

CURRENT = MODERN_PROTOCOL_VERSIONS[-1]
FIRST_WITH_HEADER = "2025-06-18"
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def served(line: Line) -> None:
    """Make the request one of the current version, whatever it says."""
    if line.method != "initialize" and isinstance(line.asked, dict) and VERSION_HEADER in line.headers:
        line.headers[VERSION_HEADER] = CURRENT
        line.asked["params"] = {**line.params, "_meta": {**line.params.get("_meta", {})}}
        line.params["_meta"][f"{META}protocolVersion"] = CURRENT


class HandshakeEchoesAnyRevision(Wire):
    """The handshake answers the revision that was asked for, released or not."""

    rule = "MCP-01"

    async def say(self, line: Line) -> None:
        if line.method == "initialize":
            line.result["protocolVersion"] = line.params["protocolVersion"]


class HandshakeAnswersTheOtherEra(Wire):
    """The handshake answers the revision of the stateless era."""

    rule = "MCP-01"

    async def say(self, line: Line) -> None:
        if line.method == "initialize":
            line.result["protocolVersion"] = CURRENT


class HandshakeRefusesUnknownRevisions(Wire):
    """The handshake refuses to agree on another revision than the one asked for."""

    rule = "MCP-01"

    async def heard(self, line: Line) -> None:
        if line.method == "initialize" and line.params["protocolVersion"].startswith("2099"):
            line.answer(200, error=(-32602, "Unsupported protocol version"))


class DiscoveryRequired(Wire):
    """A caller is served in the stateless era once it has asked what the server offers."""

    rule = "MCP-02"

    async def heard(self, line: Line) -> None:
        known: set[str | None] = self.__dict__.setdefault("known", set())
        if line.method == "server/discover":
            known.add(line.token)
        elif line.modern and line.token not in known:
            line.answer(400, error=(-32600, "Not initialized"))


class RejectionRemembered(Wire):
    """After a rejected request the caller's next one is rejected too."""

    rule = "MCP-02"

    async def heard(self, line: Line) -> None:
        if line.token in self.__dict__.setdefault("rejected", set()):
            self.__dict__["rejected"].remove(line.token)
            line.answer(400, error=(-32600, "Too many bad requests"))

    async def say(self, line: Line) -> None:
        if line.error.get("code") == UNSUPPORTED_VERSION:
            self.__dict__["rejected"].add(line.token)


class RejectionShutsTheOtherEra(Wire):
    """After a rejected request of the stateless era the handshake is refused to its caller."""

    rule = "MCP-02"

    async def heard(self, line: Line) -> None:
        if line.method == "initialize" and line.token in self.__dict__.get("rejected", ()):
            line.answer(400, error=(-32600, "Wrong era"))

    async def say(self, line: Line) -> None:
        if line.error.get("code") == UNSUPPORTED_VERSION:
            self.__dict__.setdefault("rejected", set()).add(line.token)


class DiscoveryWithoutVersions(Wire):
    """The discovery does not name the revision it is served in."""

    rule = "MCP-03"

    async def say(self, line: Line) -> None:
        if line.method == "server/discover":
            line.result["supportedVersions"] = ["2025-11-25"]


class DiscoveryWithoutCapabilities(Wire):
    """The discovery does not say what the server can do."""

    rule = "MCP-03"

    async def say(self, line: Line) -> None:
        if line.method == "server/discover":
            line.result.pop("capabilities", None)


class DiscoveryUnknown(Wire):
    """The discovery is a method that nobody knows."""

    rule = "MCP-03"

    async def heard(self, line: Line) -> None:
        if line.method == "server/discover":
            line.answer(404, error=(-32601, "Method not found"))


class UnknownVersionServed(Wire):
    """A request in a version that nobody knows is served."""

    rule = "MCP-04"

    async def heard(self, line: Line) -> None:
        if line.headers.get(VERSION_HEADER, "")[:4] in ("1999", "2099"):
            served(line)


class OldVersionTakenForTheOtherEra(Wire):
    """A request in a version before all others is refused as no request of the handshake era."""

    rule = "MCP-04"

    async def heard(self, line: Line) -> None:
        if line.headers.get(VERSION_HEADER, "").startswith("1999"):
            line.answer(400, error=(-32600, "Bad Request: Unsupported protocol version"))


class UnknownVersionIsInvalid(Wire):
    """A request in a version that nobody knows is refused as invalid."""

    rule = "MCP-04"

    async def say(self, line: Line) -> None:
        if line.error.get("code") == UNSUPPORTED_VERSION:
            line.error["code"] = -32602


class UnknownVersionIsHttp200(Wire):
    """The refusal of an unknown version comes with HTTP 200."""

    rule = "MCP-04"

    async def say(self, line: Line) -> None:
        if line.error.get("code") == UNSUPPORTED_VERSION:
            line.status = 200


class RefusalNamesNoVersions(Wire):
    """The refusal of an unknown version does not say which are known."""

    rule = "MCP-04"

    async def say(self, line: Line) -> None:
        if line.error.get("code") == UNSUPPORTED_VERSION:
            line.error["data"].pop("supported")


class RefusalNamesNoRequest(Wire):
    """The refusal of an unknown version does not say which was asked for."""

    rule = "MCP-04"

    async def say(self, line: Line) -> None:
        if line.error.get("code") == UNSUPPORTED_VERSION:
            line.error["data"].pop("requested")


class MetaVersionMadeUp(Wire):
    """A request whose meta does not say its version is served."""

    rule = "MCP-05"

    async def heard(self, line: Line) -> None:
        if line.modern and f"{META}protocolVersion" not in line.params.get("_meta", {}):
            served(line)


class MetaCapabilitiesMadeUp(Wire):
    """A request whose meta does not say what the client can do is served."""

    rule = "MCP-05"

    async def heard(self, line: Line) -> None:
        if line.modern and "_meta" in line.params:
            line.params["_meta"].setdefault(f"{META}clientCapabilities", {})


class MissingMeta(Wire):
    """A shell that answers the refusal of a request without its meta keys in another way."""

    async def say(self, line: Line) -> None:
        """Change the refusal."""
        meta = line.params.get("_meta", {})
        needed = (f"{META}protocolVersion", f"{META}clientCapabilities")
        if line.modern and line.error and any(key not in meta for key in needed):
            self.refuse(line)

    def refuse(self, line: Line) -> None:
        """The other way."""
        raise NotImplementedError


class MissingMetaIsHttp200(MissingMeta):
    """The refusal of a request without its meta keys comes with HTTP 200."""

    rule = "MCP-05"

    def refuse(self, line: Line) -> None:
        line.status = 200


class MissingMetaIsNoRequest(MissingMeta):
    """A request without its meta keys is refused as no request at all."""

    rule = "MCP-05"

    def refuse(self, line: Line) -> None:
        line.error["code"] = -32600


class MethodHeaderNotNeeded(Wire):
    """A request without Mcp-Method is served."""

    rule = "MCP-06"

    async def heard(self, line: Line) -> None:
        if line.modern and line.method:
            line.headers.setdefault("mcp-method", line.method)


class MethodHeaderNotCompared(Wire):
    """A request whose Mcp-Method names another method is served."""

    rule = "MCP-06"

    async def heard(self, line: Line) -> None:
        if line.method and "mcp-method" in line.headers:
            line.headers["mcp-method"] = line.method


class NameHeader(Wire):
    """A shell that repairs Mcp-Name where this lie does not look at it."""

    async def heard(self, line: Line) -> None:
        """Repair the header."""
        name = line.params.get(NAMED.get(line.method or "", ""))
        if line.modern and isinstance(name, str) and self.repairs(line.method, line.headers.get("mcp-name")):
            line.headers["mcp-name"] = name

    def repairs(self, method: str | None, given: str | None) -> bool:
        """Whether the header is not looked at."""
        raise NotImplementedError


class NameHeaderNotNeeded(NameHeader):
    """A call without Mcp-Name is served."""

    rule = "MCP-06"

    def repairs(self, method: str | None, given: str | None) -> bool:  # noqa: ARG002
        return given is None


class NameHeaderNotCompared(NameHeader):
    """A call whose Mcp-Name names another tool in plain words is served."""

    rule = "MCP-06"

    def repairs(self, method: str | None, given: str | None) -> bool:  # noqa: ARG002
        return given is not None and not given.startswith("=?")


class EncodedNameNotCompared(NameHeader):
    """A call whose Mcp-Name is encoded is served, whatever the name says."""

    rule = "MCP-06"

    def repairs(self, method: str | None, given: str | None) -> bool:  # noqa: ARG002
        return given is not None and given.startswith("=?")


class NameHeaderOfReadsNotCompared(NameHeader):
    """A read whose Mcp-Name names another address is served."""

    rule = "MCP-06"

    def repairs(self, method: str | None, given: str | None) -> bool:  # noqa: ARG002
        return method != "tools/call"


class EncodedNameNotDecoded(Wire):
    """A name in base64 is compared as it stands, and refused."""

    rule = "MCP-06"

    async def heard(self, line: Line) -> None:
        if line.headers.get("mcp-name", "").startswith("=?"):
            line.headers["mcp-name"] += "x"


class VersionHeaderNotCompared(Wire):
    """A request whose meta says another version than its header is served."""

    rule = "MCP-06"

    async def heard(self, line: Line) -> None:
        if line.modern and f"{META}protocolVersion" in line.params.get("_meta", {}):
            served(line)


class VersionHeaderNotNeeded(Wire):
    """A request without MCP-Protocol-Version is served, by a server without revisions that had no such header."""

    rule = "MCP-06"

    async def heard(self, line: Line) -> None:
        said = line.params.get("_meta", {}).get(f"{META}protocolVersion")
        if isinstance(said, str):
            line.headers.setdefault(VERSION_HEADER, said)
        if line.method == "initialize" and line.params["protocolVersion"] < FIRST_WITH_HEADER:
            line.params["protocolVersion"] = FIRST_WITH_HEADER

    async def say(self, line: Line) -> None:
        versions = line.result.get("supportedVersions")
        if isinstance(versions, list):
            line.result["supportedVersions"] = [each for each in versions if each >= FIRST_WITH_HEADER]


class HeaderMismatchIsHttp200(Wire):
    """The refusal of headers that do not fit comes with HTTP 200."""

    rule = "MCP-06"

    async def say(self, line: Line) -> None:
        if line.error.get("code") == HEADER_MISMATCH:
            line.status = 200


class HeaderMismatchIsInvalid(Wire):
    """Headers that do not fit are refused as invalid parameters."""

    rule = "MCP-06"

    async def say(self, line: Line) -> None:
        if line.error.get("code") == HEADER_MISMATCH:
            line.error["code"] = -32602

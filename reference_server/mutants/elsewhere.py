"""Servers that keep a rule where it is looked at first and forget it elsewhere: in another method, or a second time."""

from collections.abc import Mapping
from typing import Any

from reference_server.engine.http import HttpSettings
from reference_server.engine.server import Engine
from reference_server.engine.tools import Tools, Turn

from .access import Remembering
from .caching import Hints
from .envelopes import LISTS
from .requests import NAMED, NameHeader, served
from .tools import Outcome
from .wire import META, VERSION_HEADER, Line, Wire

CAPABILITIES = f"{META}clientCapabilities"


class AgreedRevisionNotServed(Wire):
    """The handshake agrees on a revision whose requests are then refused."""

    rule = "MCP-01"

    async def heard(self, line: Line) -> None:
        if line.headers.get(VERSION_HEADER) == "2025-03-26":
            line.answer(400, error=(-32600, "Unsupported protocol version"))

    async def say(self, line: Line) -> None:
        if line.method == "initialize" and line.params["protocolVersion"].startswith("2099"):
            line.result["protocolVersion"] = "2025-03-26"


class HandshakeAgreesOnTheOtherEra(Wire):
    """The handshake echoes the revision of the stateless era where it is asked for."""

    rule = "MCP-01"

    async def say(self, line: Line) -> None:
        if line.method == "initialize" and line.params["protocolVersion"].startswith("2026"):
            line.result["protocolVersion"] = line.params["protocolVersion"]


class CapabilitiesRemembered(Wire):
    """A caller that showed forms once is taken to show them ever after."""

    rule = "KADU-CNF-16"

    async def heard(self, line: Line) -> None:
        meta = line.params.get("_meta", {})
        known = self.__dict__.setdefault("known", {})
        if meta.get(CAPABILITIES):
            known[line.token] = meta[CAPABILITIES]
        elif CAPABILITIES in meta:
            meta[CAPABILITIES] = known.get(line.token, {})


class UnreadableRemembered(Wire):
    """After a request that is not JSON the caller's next one is refused."""

    rule = "MCP-02"

    async def heard(self, line: Line) -> None:
        rejected = self.__dict__.setdefault("rejected", set())
        if line.asked is None:
            rejected.add(line.token)
        elif line.token in rejected:
            rejected.remove(line.token)
            line.answer(400, error=(-32600, "Closed"))


class UnknownVersionOfCallsServed(Wire):
    """A call in a version that nobody knows runs."""

    rule = "MCP-04"

    async def heard(self, line: Line) -> None:
        if line.method == "tools/call" and line.headers.get(VERSION_HEADER, "")[:4] in ("1999", "2099"):
            served(line)


class UnknownVersionOfDiscoveryServed(Wire):
    """The discovery is answered in any version."""

    rule = "MCP-04"

    async def heard(self, line: Line) -> None:
        if line.method == "server/discover" and line.headers.get(VERSION_HEADER, "")[:4] in ("1999", "2099"):
            served(line)


class MetaOfCallsMadeUp(Wire):
    """A call whose meta does not say what the client can do runs."""

    rule = "MCP-05"

    async def heard(self, line: Line) -> None:
        if line.modern and line.method == "tools/call" and "_meta" in line.params:
            line.params["_meta"].setdefault(CAPABILITIES, {})


class WholeMetaMadeUp(Wire):
    """A request without any meta is served."""

    rule = "MCP-05"

    async def heard(self, line: Line) -> None:
        if line.modern and "_meta" not in line.params:
            served(line)
            line.params["_meta"][CAPABILITIES] = {}


class MetaRemembered(Wire):
    """What the meta of a request lacks is taken from the caller's last one."""

    rule = "MCP-05"

    async def heard(self, line: Line) -> None:
        meta = line.params.get("_meta", {})
        known = self.__dict__.setdefault("known", {})
        if CAPABILITIES in meta:
            known[line.token] = meta[CAPABILITIES]
        elif line.token in known and "_meta" in line.params:
            meta[CAPABILITIES] = known[line.token]


class ClientInfoDemanded(Wire):
    """A request that does not say which program asks is refused."""

    rule = "MCP-05"

    async def heard(self, line: Line) -> None:
        if line.modern and f"{META}clientInfo" not in line.params.get("_meta", {}):
            line.answer(400, error=(-32602, "clientInfo is missing"))


class MethodHeaderOfListsNotNeeded(Wire):
    """A list without Mcp-Method is served."""

    rule = "MCP-06"

    async def heard(self, line: Line) -> None:
        if line.modern and line.method in LISTS:
            line.headers.setdefault("mcp-method", line.method)


class MethodHeaderComparedWithoutCase(Wire):
    """Mcp-Method is compared without regard to its case."""

    rule = "MCP-06"

    async def heard(self, line: Line) -> None:
        if line.headers.get("mcp-method", "").lower() == (line.method or "").lower():
            line.headers["mcp-method"] = line.method or ""


class NameHeaderComparedWithoutCase(NameHeader):
    """Mcp-Name is compared without regard to its case."""

    rule = "MCP-06"

    async def heard(self, line: Line) -> None:
        name = line.params.get(NAMED.get(line.method or "", ""))
        if line.modern and isinstance(name, str) and line.headers.get("mcp-name", "").lower() == name.lower():
            line.headers["mcp-name"] = name


class EncodedNameOfReadsNotDecoded(Wire):
    """An address in base64 is compared as it stands, and refused."""

    rule = "MCP-06"

    async def heard(self, line: Line) -> None:
        if line.method == "resources/read" and line.headers.get("mcp-name", "").startswith("=?"):
            line.headers["mcp-name"] += "x"


class UnreadableNameNotCompared(NameHeader):
    """A call whose Mcp-Name is marked as base64 and is none is served."""

    rule = "MCP-06"

    def repairs(self, method: str | None, given: str | None) -> bool:  # noqa: ARG002
        return given is not None and given.startswith("=?base64?") and "%" in given


class VersionOfListsNotCompared(Wire):
    """A list whose meta says another version than its header is served."""

    rule = "MCP-06"

    async def heard(self, line: Line) -> None:
        if line.modern and line.method in LISTS and f"{META}protocolVersion" in line.params.get("_meta", {}):
            served(line)


class ReadForEverybody(Hints):
    """A shell that says of some documents that they are good for everybody."""

    methods = ("resources/read",)

    def meant(self, uri: str) -> bool:
        """Whether it says so of this one."""
        raise NotImplementedError

    async def say(self, line: Line) -> None:
        """Say so."""
        if self.meant(line.params.get("uri", "")):
            await super().say(line)

    def edit(self, result: dict[str, Any]) -> None:
        """Edit the hint."""
        result["cacheScope"] = "public"


class ApprovalsForEverybody(ReadForEverybody):
    """The approvals of one person are said to be good for everybody."""

    rule = "MCP-08"

    def meant(self, uri: str) -> bool:
        return uri.endswith("operation_approvals")


class RecordsForEverybody(ReadForEverybody):
    """A record that is read is said to be good for everybody."""

    rule = "MCP-08"

    def meant(self, uri: str) -> bool:
        return uri.count("/") > 3


class RepositoryForEverybody(ReadForEverybody):
    """The Playbook of an organization is said to be good for everybody."""

    rule = "MCP-08"

    def meant(self, uri: str) -> bool:
        return uri.endswith("repository")


class UnknownMethodOfAFamilyIsInvalid(Wire):
    """An unknown method about tools is refused for its parameters."""

    rule = "MCP-10"

    async def say(self, line: Line) -> None:
        if line.error.get("code") == -32601 and (line.method or "").startswith("tools/"):
            line.error["code"] = -32602


class BadArgumentsHaveAnUndefinedCode(Wire):
    """Bad arguments are refused by a code of the range that the specification keeps for itself."""

    rule = "MCP-11"

    async def say(self, line: Line) -> None:
        if line.modern and line.method == "tools/call" and "invalid_arguments" in str(line.result):
            line.answer(400, error=(-32050, "Bad arguments"))


class CursorHasARetiredCode(Wire):
    """An unknown cursor is refused by a code that the stateless era has retired."""

    rule = "MCP-11"

    async def say(self, line: Line) -> None:
        if line.modern and line.params.get("cursor") and line.error:
            line.error["code"] = -32002


class OriginOfTheOpeningNotLookedAt(Wire):
    """The handshake and the discovery are answered to a page of any site."""

    rule = "MCP-12"

    async def heard(self, line: Line) -> None:
        if line.method in ("initialize", "server/discover"):
            line.headers.pop("origin", None)


class OriginOfCallsNotLookedAt(Wire):
    """A call from a page of any site runs."""

    rule = "MCP-12"

    async def heard(self, line: Line) -> None:
        if line.method == "tools/call":
            line.headers.pop("origin", None)


class OriginComparedByItsEnd(Wire):
    """An origin is allowed that ends as an allowed one does."""

    rule = "MCP-12"

    async def heard(self, line: Line) -> None:
        if line.headers.get("origin", "").endswith("localhost"):
            del line.headers["origin"]


class HandshakeAloneAuthenticates(Wire):
    """A token is asked about in the handshake, and remembered for what comes after it."""

    rule = "MCP-13"

    def __init__(self, engine: Engine, settings: HttpSettings) -> None:
        engine.callers = Remembering(engine.upstream, engine.callers._me)
        super().__init__(engine, settings)

    async def heard(self, line: Line) -> None:
        if line.method == "initialize" or line.modern:
            self._engine.callers.__dict__.get("known", {}).pop(line.token, None)


class TemplatesServedToAnybody(Wire):
    """The templates, the same for all, are listed without a token."""

    rule = "MCP-13"

    async def say(self, line: Line) -> None:
        if line.status == 401 and line.method == "resources/templates/list":
            hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            line.answer(200, result={"resourceTemplates": [], **hints})


class BatchOfOneServed(Wire):
    """A batch of one request is served as that request."""

    rule = "MCP-16"

    async def heard(self, line: Line) -> None:
        if isinstance(line.asked, list) and len(line.asked) == 1:
            line.asked = line.asked[0]


class BatchOfCompleteRequestsServed(Wire):
    """A batch is served where each of its requests is complete."""

    rule = "MCP-16"

    async def heard(self, line: Line) -> None:
        if line.modern and isinstance(line.asked, list) and line.asked:
            line.asked = line.asked[0]


class NotificationTakenWithAnAnswer(Wire):
    """A notification is taken with HTTP 202 and a response."""

    rule = "MCP-16"

    async def say(self, line: Line) -> None:
        if line.status == 202:
            line.answer(202, result={})


class ErrorsLoseTheIdZero(Wire):
    """An error whose request is known by zero carries no id."""

    rule = "MCP-17"

    async def say(self, line: Line) -> None:
        if line.error and line.told.get("id") == 0:
            line.told["id"] = None


class ErrorsCarryTextIds(Wire):
    """An error carries the id of its request as a text."""

    rule = "MCP-17"

    async def say(self, line: Line) -> None:
        if line.error and line.told.get("id") in (0, -1, 9007199254740991):
            line.told["id"] = str(line.told["id"])


class NullsTakenAsText(Wire):
    """A null where a text is due is made a text, and the call runs."""

    rule = "MCP-19"

    async def heard(self, line: Line) -> None:
        given = line.params.get("arguments")
        if line.method == "tools/call" and isinstance(given, dict):
            line.params["arguments"] = {k: "None" if v is None else v for k, v in given.items()}


class ListsTakenAsText(Tools):
    """A list of one text where a text is due is taken for that text, and the call runs."""

    rule = "MCP-19"

    async def call(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> Outcome:
        forms = (self.input_schema(name) or {}).get("properties", {})
        texts = {
            key: value[0] if isinstance(value, list) and forms.get(key, {}).get("type") == "string" else value
            for key, value in arguments.items()
        }
        return await super().call(turn, name, texts)

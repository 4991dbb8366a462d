"""Servers that lie about what a call that waits for an approval answers, and what is stored for it."""

import json
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from mcp_types import CallToolResult, InputRequiredResult, TextContent

from reference_server.engine import arguments as args
from reference_server.engine.caller import Caller
from reference_server.engine.clock import rfc3339
from reference_server.engine.confirmation import Call
from reference_server.engine.link import ApprovalByLink
from reference_server.engine.results import done, refused
from reference_server.engine.tools import Tools, Turn
from reference_server.engine.upstream import Answer

from .wire import Line, Wire


class Telling(ApprovalByLink):
    """Links whose answer is told otherwise."""

    def waiting(self, call: Call, answer: Answer) -> CallToolResult:
        [block] = super().waiting(call, answer).content
        assert isinstance(block, TextContent)
        return self.told(json.loads(block.text))

    def told(self, document: dict[str, Any]) -> CallToolResult:
        """The answer, from the correct one's document."""
        raise NotImplementedError


def _text(document: Any) -> TextContent:
    return TextContent(type="text", text=json.dumps(document, ensure_ascii=False))


class RunsAndStores(ApprovalByLink):
    """A call runs at once and is stored for an approval as well."""

    rule = "KADU-APR-01"

    async def answer(self, call: Call) -> CallToolResult:
        request = args.request(call.operation, call.arguments)
        await self.upstream.ask(request.method, request.path, token=call.caller.token, body=request.body)
        return await super().answer(call)


class RunsAndMakesUpALink(ApprovalByLink):
    """A call runs at once, and the approval it answers was never stored."""

    rule = "KADU-APR-01"

    async def answer(self, call: Call) -> CallToolResult:
        request = args.request(call.operation, call.arguments)
        await self.upstream.ask(request.method, request.path, token=call.caller.token, body=request.body)
        return self.waiting(call, made_up(call.caller))


def made_up(caller: Caller) -> Answer:
    """What the upstream would answer to an approval that it stored."""
    number = str(uuid.uuid4())
    expires = rfc3339(int((caller.now + timedelta(minutes=15)).timestamp()))
    url = f"http://127.0.0.1/approvals/{number}"
    return Answer(201, {"id": number, "status": "pending", "url": url, "expires_at": expires}, "")


class WaitingIsAnError(Telling):
    """A call that waits is marked as an error."""

    rule = "KADU-APR-01"

    def told(self, document: dict[str, Any]) -> CallToolResult:
        return CallToolResult(content=[_text(document)], is_error=True)


class TwoTextBlocks(Telling):
    """The message stands in a text block of its own."""

    rule = "KADU-APR-01"

    def told(self, document: dict[str, Any]) -> CallToolResult:
        message = TextContent(type="text", text=document["message"])
        return CallToolResult(content=[_text(document), message])


class JsonWithinProse(Telling):
    """The JSON stands within a sentence."""

    rule = "KADU-APR-01"

    def told(self, document: dict[str, Any]) -> CallToolResult:
        told = TextContent(type="text", text=f"Aprovação pendente: {json.dumps(document)}")
        return CallToolResult(content=[told])


class NoTextAtAll(Telling):
    """The answer is structured content alone, which the text had to hold."""

    rule = "KADU-APR-01"

    def told(self, document: dict[str, Any]) -> CallToolResult:
        return CallToolResult(content=[], structured_content=document)


class OtherStatusWord(Telling):
    """The status of the answer is another word."""

    rule = "KADU-APR-01"

    def told(self, document: dict[str, Any]) -> CallToolResult:
        return CallToolResult(content=[_text({**document, "status": "pending_approval"})])


class ApprovalWithoutStatus(Telling):
    """The approval does not say that it is pending."""

    rule = "KADU-APR-01"

    def told(self, document: dict[str, Any]) -> CallToolResult:
        del document["approval"]["status"]
        return CallToolResult(content=[_text(document)])


class NoMessage(Telling):
    """Nothing says what to do with the link."""

    rule = "KADU-APR-01"

    def told(self, document: dict[str, Any]) -> CallToolResult:
        del document["message"]
        return CallToolResult(content=[_text(document)])


class DeletionsRefused(ApprovalByLink):
    """Deletions are refused where no form can be shown."""

    rule = "KADU-APR-01"

    async def answer(self, call: Call) -> CallToolResult:
        if call.operation.access == "delete":
            return refused("confirmation_required", "Apague pela tela.")
        return await super().answer(call)


class HandshakeFormsRefused(Wire):
    """A client of the handshake era that declares forms gets no link, for it could ask by itself."""

    rule = "KADU-APR-01"

    async def say(self, line: Line) -> None:
        shows: set[str | None] = self.__dict__.setdefault("shows", set())
        if line.method == "initialize" and "elicitation" in line.params.get("capabilities", {}):
            shows.add(line.token)
        if line.token in shows and "approval_required" in json.dumps(line.result):
            line.result["isError"] = True
            line.result["content"] = [{"type": "text", "text": "confirmation_required"}]


class FlagTakenForAnApproval(Tools):
    """A flag among the arguments runs a call where no form can be shown."""

    rule = "KADU-APR-01"

    async def call(
        self, turn: Turn, name: str, arguments: Mapping[str, Any]
    ) -> CallToolResult | InputRequiredResult:
        bare = {key: value for key, value in arguments.items() if key != "confirm"}
        if turn.forms or bare == arguments:
            return await super().call(turn, name, arguments)
        return self.result(await self.send(turn.caller, args.request(self.operations[name], bare)))


class ApprovalTold(ApprovalByLink):
    """Links whose approval is told with something else in it."""

    def approval(self, call: Call, stored: Mapping[str, Any]) -> dict[str, Any]:
        approval = super().approval(call, stored)
        return {**approval, **self.instead(call, approval)}

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:
        """What stands there instead."""
        raise NotImplementedError


class ExpiresInFiveMinutes(ApprovalTold):
    """An approval is said to expire in five minutes, as a question does."""

    rule = "KADU-APR-02"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {"expires_at": rfc3339(int((call.caller.now + timedelta(minutes=5)).timestamp()))}


class ExpiryWithoutAZone(ApprovalTold):
    """The time of expiry does not say in which zone."""

    rule = "KADU-APR-02"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {"expires_at": approval["expires_at"].rstrip("Z")}


class ExpiryInLocalTime(ApprovalTold):
    """The time of expiry is that of Brasília, called UTC."""

    rule = "KADU-APR-02"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        local = call.caller.now + timedelta(minutes=15, hours=-3)
        return {"expires_at": rfc3339(int(local.timestamp()))}


class ResourceOfAnotherProduct(ApprovalTold):
    """The resource of an approval is another product's."""

    rule = "KADU-APR-02"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {"resource_uri": approval["resource_uri"].replace("kadu", "dunning")}


class ResourceOfAllApprovals(ApprovalTold):
    """The resource of an approval is the list of all."""

    rule = "KADU-APR-02"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {"resource_uri": approval["resource_uri"].rpartition("/")[0]}


class CheckedWithTheList(ApprovalTold):
    """The tool to check with is the one that lists."""

    rule = "KADU-APR-02"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {"check_with": {"tool": "kadu_operation_approvals_list", "arguments": {}}}


class CheckedWithoutItsId(ApprovalTold):
    """The tool to check with is named without the id."""

    rule = "KADU-APR-02"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {"check_with": {"tool": "kadu_operation_approvals_get", "arguments": {}}}


class RelativeAddress(ApprovalTold):
    """The address of an approval has no host."""

    rule = "KADU-APR-02"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {"url": urlsplit(approval["url"]).path}


class AddressOfAnApp(ApprovalTold):
    """The address of an approval opens an app and no browser."""

    rule = "KADU-APR-02"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {"url": f"kobana:{urlsplit(approval['url']).path}"}


class ApprovalMadeUp(ApprovalByLink):
    """The approval that a call answers was never stored."""

    rule = "KADU-APR-02"

    async def answer(self, call: Call) -> CallToolResult:
        return self.waiting(call, made_up(call.caller))


class SameLinkForTheSameCall(ApprovalByLink):
    """The same call again is answered with the approval it has already."""

    rule = "KADU-APR-04"

    async def answer(self, call: Call) -> CallToolResult:
        given: dict[tuple[str | None, str, str], CallToolResult] = self.__dict__.setdefault("given", {})
        place = (call.caller.person, call.operation.name, args.digest(call.arguments))
        if place not in given:
            given[place] = await super().answer(call)
        return given[place]


class SecondCallRefused(ApprovalByLink):
    """The same call again is refused, since one waits already."""

    rule = "KADU-APR-04"

    async def answer(self, call: Call) -> CallToolResult:
        waiting: set[tuple[str | None, str]] = self.__dict__.setdefault("waiting_calls", set())
        place = (call.caller.person, call.operation.name)
        if place in waiting:
            return refused("approval_pending", "Já há uma aprovação pendente.")
        waiting.add(place)
        return await super().answer(call)


class SecondCallRuns(ApprovalByLink):
    """The same call again is taken for a yes, and runs."""

    rule = "KADU-APR-04"

    async def answer(self, call: Call) -> CallToolResult:
        seen: set[tuple[str | None, str, str]] = self.__dict__.setdefault("seen", set())
        place = (call.caller.person, call.operation.name, args.digest(call.arguments))
        if place in seen:
            request = args.request(call.operation, call.arguments)
            await self.upstream.ask(request.method, request.path, token=call.caller.token, body=request.body)
        seen.add(place)
        return await super().answer(call)


class ApprovedOnceRunsAgain(ApprovalByLink):
    """A call that was approved once runs at once when it comes again."""

    rule = "KADU-APR-04"

    async def answer(self, call: Call) -> CallToolResult:
        known = await self.upstream.ask("GET", "/v1/operation_approvals", token=call.caller.token)
        for one in known.body["data"] if known.ok else ():
            same = one["operation"] == call.operation.name and one["arguments"] == call.arguments
            if same and one["status"] == "executed":
                request = args.request(call.operation, call.arguments)
                ran = await self.upstream.ask(
                    request.method, request.path, token=call.caller.token, body=request.body
                )
                return done(ran.body)
        return await super().answer(call)


class StoredTwice(ApprovalByLink):
    """A call is stored for two approvals, and one of them is told."""

    rule = "KADU-APR-04"

    async def answer(self, call: Call) -> CallToolResult:
        await super().answer(call)
        return await super().answer(call)


class CheckAlwaysNamed(ApprovalTold):
    """How to check is said to everybody."""

    rule = "KADU-APR-05"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {"check_with": {"tool": self.check.name, "arguments": {"id": approval["id"]}}}


class CheckNamedByScopeAlone(ApprovalTold):
    """How to check is said to who has the scope, whatever the role."""

    rule = "KADU-APR-05"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:
        named = {"check_with": {"tool": self.check.name, "arguments": {"id": approval["id"]}}}
        return named if self.visibility.has_scope(call.caller, self.check) else {}


class CheckNamedByRoleAlone(ApprovalTold):
    """How to check is said to who has the permission, whatever the token's scopes."""

    rule = "KADU-APR-05"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:
        named = {"check_with": {"tool": self.check.name, "arguments": {"id": approval["id"]}}}
        return named if self.visibility.has_permission(call.caller, self.check) else {}


class CheckNeverNamed(ApprovalByLink):
    """How to check is said to nobody."""

    rule = "KADU-APR-05"

    def approval(self, call: Call, stored: Mapping[str, Any]) -> dict[str, Any]:
        approval = super().approval(call, stored)
        approval.pop("check_with", None)
        return approval


class CheckIsNull(ApprovalTold):
    """To who may not check it is said that there is nothing to check with."""

    rule = "KADU-APR-05"

    def instead(self, call: Call, approval: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        return {} if "check_with" in approval else {"check_with": None}


class ResourceGoesWithTheCheck(ApprovalByLink):
    """To who may not check the resource is not named either."""

    rule = "KADU-APR-05"

    def approval(self, call: Call, stored: Mapping[str, Any]) -> dict[str, Any]:
        approval = super().approval(call, stored)
        if "check_with" not in approval:
            del approval["resource_uri"]
        return approval


class WhoMayNotCheckIsRefused(ApprovalByLink):
    """Who may not check gets no link."""

    rule = "KADU-APR-05"

    async def answer(self, call: Call) -> CallToolResult:
        if not self.visibility.may_run(call.caller, self.check):
            return refused("FORBIDDEN", "Este token não acompanha aprovações.")
        return await super().answer(call)

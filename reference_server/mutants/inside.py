"""Servers that lie about what stands inside of an argument: values in an object, gaps in a text, options of a webhook."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from reference_server.engine import arguments as args
from reference_server.engine.caller import Caller
from reference_server.engine.confirmation import Call, Confirmation
from reference_server.engine.tools import Tools
from reference_server.engine.upstream import Answer

from .approvals_stored import StoredOtherwise


def _emptied(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: {} if isinstance(value, dict) else value for name, value in arguments.items()}


def _texts(arguments: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    return {name: change(value) if isinstance(value, str) else value for name, value in arguments.items()}


class InsideNotShown(Confirmation):
    """The question shows of an argument that holds others no more than their names."""

    rule = "KADU-CNF-02"

    def message(self, call: Call) -> str:
        shown = {
            name: sorted(value) if isinstance(value, dict) else value
            for name, value in call.arguments.items()
        }
        return super().message(replace(call, arguments=shown))


class InsideNotRun(Tools):
    """A task runs without what its parameters hold."""

    rule = "KADU-CNF-03"

    async def send(self, caller: Caller, request: args.Request) -> Answer:
        if request.path.endswith("/run") and request.body is not None:
            request = replace(request, body=_emptied(request.body))
        return await super().send(caller, request)


class InsideNotBound(Confirmation):
    """A yes is not bound to what an argument holds that holds others."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        return super().bound(replace(call, arguments=_emptied(call.arguments)))


class GapsNotBound(Confirmation):
    """A yes is bound to the words of a text and not to how far apart they stand."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        closed = _texts(call.arguments, lambda text: re.sub(r"\s+", " ", text))
        return super().bound(replace(call, arguments=closed))


class EdgesNotBound(Confirmation):
    """A yes is bound to a text without the spaces at its edges."""

    rule = "KADU-CNF-07"

    def bound(self, call: Call) -> str:
        return super().bound(replace(call, arguments=_texts(call.arguments, str.strip)))


class InsideNotStored(StoredOtherwise):
    """A call is stored without what an argument holds that holds others."""

    rule = "KADU-APR-08"

    def stored(self, call: Call) -> Call:
        return replace(call, arguments=_emptied(call.arguments))


class OptionsOfAWebhookNotStored(StoredOtherwise):
    """A webhook is stored without its description, and as an active one."""

    rule = "KADU-APR-08"

    def stored(self, call: Call) -> Call:
        dropped = ("active", "description") if call.operation.name == "kadu_webhooks_create" else ()
        kept = {name: value for name, value in call.arguments.items() if name not in dropped}
        return replace(call, arguments=kept)


class WordsToTheAgentNotStored(StoredOtherwise):
    """An execution is stored to be continued or canceled without the words that go with it."""

    rule = "KADU-APR-08"

    def stored(self, call: Call) -> Call:
        executions = call.operation.name.startswith("kadu_executions_")
        kept = {name: value for name, value in call.arguments.items() if name == "id" or not executions}
        return replace(call, arguments=kept)


class AddressesOfAnEndpointNotStored(StoredOtherwise):
    """The endpoint of a task is stored for any address."""

    rule = "KADU-APR-08"

    def stored(self, call: Call) -> Call:
        kept = {name: value for name, value in call.arguments.items() if name != "allowed_ips"}
        return replace(call, arguments=kept)


class NewAddressAloneStored(StoredOtherwise):
    """Of all that is to change of a webhook its new address alone is stored."""

    rule = "KADU-APR-08"

    def stored(self, call: Call) -> Call:
        updates = call.operation.name == "kadu_webhooks_update"
        kept = {name: value for name, value in call.arguments.items() if not updates or name in ("id", "url")}
        return replace(call, arguments=kept)

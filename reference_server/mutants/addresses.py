"""Servers that take a new address of a webhook for the one it has, and change it unasked."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from reference_server.engine import arguments as args
from reference_server.engine.caller import Caller
from reference_server.engine.contract import Operation
from reference_server.engine.tools import Tools
from reference_server.engine.upstream import Answer


class Addresses(Tools):
    """Tools that find out otherwise whether the address of a webhook changes."""

    async def changes(
        self, caller: Caller, operation: Operation, arguments: Mapping[str, Any]
    ) -> tuple[Answer | None, bool]:
        missing, changes = await super().changes(caller, operation, arguments)
        reading = self.contract.reading(operation)
        if missing is not None or not changes or reading is None:
            return missing, changes
        record = await self.send(caller, args.request(reading, {"id": arguments["id"]}))
        return None, self.differ(record.body, arguments)

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        """Whether a call, whose address is another than the record's, changes it."""
        raise NotImplementedError


class NewPathRunsUnasked(Addresses):
    """A webhook gets another address at the same host unasked."""

    rule = "KADU-DST-05"

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        return urlsplit(str(record["url"])).netloc != urlsplit(str(arguments["url"])).netloc


class NewQueryRunsUnasked(Addresses):
    """A webhook gets another query in its address unasked."""

    rule = "KADU-DST-05"

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        return urlsplit(str(record["url"]))[:3] != urlsplit(str(arguments["url"]))[:3]


class NewLettersRunUnasked(Addresses):
    """A webhook gets an address that differs in the case of its path unasked."""

    rule = "KADU-DST-05"

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        return bool(record["url"].casefold() != str(arguments["url"]).casefold())


class FormerAddressRunsUnasked(Addresses):
    """A webhook gets back the address that it had when it was first read, unasked."""

    rule = "KADU-DST-05"

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        first: dict[str, str] = self.__dict__.setdefault("first", {})
        return first.setdefault(record["id"], record["url"]) != str(arguments["url"])


class NewAddressAmongOthersRunsUnasked(Addresses):
    """A webhook gets another address unasked where something else of it changes too."""

    rule = "KADU-DST-05"

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:  # noqa: ARG002
        return not set(arguments) - {"id", "url"}


class NewFragmentRunsUnasked(Addresses):
    """A webhook gets an address with another fragment unasked."""

    rule = "KADU-DST-05"

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        return str(record["url"]).partition("#")[0] != str(arguments["url"]).partition("#")[0]


class NewSlashRunsUnasked(Addresses):
    """A webhook gets an address with a slash more at its end unasked."""

    rule = "KADU-DST-05"

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        return str(record["url"]).rstrip("/") != str(arguments["url"]).rstrip("/")


class NewPortRunsUnasked(Addresses):
    """A webhook gets an address at another port of the same host unasked."""

    rule = "KADU-DST-05"

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        return str(record["url"]).replace(":8443/", "/") != str(arguments["url"]).replace(":8443/", "/")


class NewUserRunsUnasked(Addresses):
    """A webhook gets an address with another user in it unasked."""

    rule = "KADU-DST-05"

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        here, there = urlsplit(str(record["url"])), urlsplit(str(arguments["url"]))
        return (here.hostname, here.port, here[2:]) != (there.hostname, there.port, there[2:])


class UnreadableAddressRunsUnasked(Tools):
    """A webhook that the caller may not read gets another address unasked."""

    rule = "KADU-DST-05"

    async def changes(
        self, caller: Caller, operation: Operation, arguments: Mapping[str, Any]
    ) -> tuple[Answer | None, bool]:
        reading = self.contract.reading(operation)
        if reading is not None and not self.visibility.may_run(caller, reading):
            return None, False
        return await super().changes(caller, operation, arguments)


class UnansweredAddressRunsUnasked(Addresses):
    """A webhook that cannot be read just now gets another address unasked."""

    rule = "KADU-DST-05"

    def differ(self, record: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:  # noqa: ARG002
        return "unavailable" not in str(record)

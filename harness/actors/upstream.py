"""The upstream actor: tenants, people, tokens, time, faults and the ledger, through the mock's control plane."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import orjson

from harness.exchanges import HttpRequest
from harness.ledger import LedgerEntry
from harness.transport import Transport
from harness.verdicts import HarnessFault, NotTestable

Record = dict[str, Any]
LEAVING_AT_ONCE: Final = 50
DELETED: Final = "the record of {} is gone before its time: whoever deleted it was not to"


@dataclass(frozen=True)
class Token:
    """A bearer token and whom it speaks for; `person` is None for a token without a person."""

    id: str
    value: str
    person: str | None
    client: str
    scopes: tuple[str, ...]


class ControlPlane:
    """The connection to the control plane. Whatever goes wrong here is our fault, never the server's."""

    def __init__(self, transport: Transport, url: str, secret: str, *, timeout: float) -> None:
        self._transport, self._url, self._timeout = transport, url.rstrip("/"), timeout
        self._headers = (
            ("authorization", f"Bearer {secret}"),
            ("content-type", "application/json"),
            ("accept", "application/json"),
        )

    def ask(self, method: str, path: str, body: Any = None, *, gone: str | None = None) -> Any:
        """Send one control request, return the JSON of its answer (None for 204).

        Raises HarnessFault; NotTestable with the words of `gone`, where given, if what is asked for is not there.
        """
        content = b"" if body is None else json.dumps(body).encode()
        request = HttpRequest(method, f"{self._url}/_control{path}", self._headers, content)
        sent = self._transport.send(request, timeout=self._timeout, body_limit=64 * 1024 * 1024)
        if sent.answer is None:
            raise HarnessFault(f"The mock's control plane gave no answer to {method} {path}: {sent.problem}.")
        if sent.answer.status == 404 and gone is not None:
            raise NotTestable(gone)
        if sent.answer.status >= 400:
            raise HarnessFault(
                f"The mock's control plane answered {sent.answer.status} to {method} {path}: "
                f"{sent.answer.body[:500].decode(errors='replace')}"
            )
        return None if sent.answer.status == 204 else orjson.loads(sent.answer.body)


class Tenant:
    """One organization with people and records, made for one scenario."""

    def __init__(self, control: ControlPlane, world: Mapping[str, Any], secrets: set[str]) -> None:
        self._control, self._secrets = control, secrets
        self.id: str = world["id"]
        self.now: str = world["now"]
        self.organization: Record = world["organization"]
        self.people: list[Record] = world["people"]
        self.scopes: tuple[str, ...] = tuple(world["scopes"])
        self.records: dict[str, list[Record]] = world["records"]
        self.lessened = False
        self.first_digest: str = world["digest"]
        self.first_tokens = [self._token(made) for made in world["tokens"]]
        secrets.update(person["password"] for person in self.people)

    def _ask(self, method: str, path: str, body: Any = None, *, gone: str | None = None) -> Any:
        return self._control.ask(method, f"/tenants/{self.id}{path}", body, gone=gone)

    def token(
        self,
        person: str | None,
        *,
        scopes: Sequence[str] | None = None,
        without_scopes: Iterable[str] = (),
        client: str | None = None,
    ) -> Token:
        """Mint a token for a person (None: for nobody). `scopes` None means every scope."""
        body: dict[str, Any] = {"person": person, "scopes": scopes, "without_scopes": list(without_scopes)}
        return self._token(self._ask("POST", "/tokens", {**body, "client": client}))

    def _token(self, made: Mapping[str, Any]) -> Token:
        self._secrets.add(made["token"])
        return Token(made["id"], made["token"], made["person"], made["client"]["name"], tuple(made["scopes"]))

    def revoke(self, token: Token) -> None:
        """End a token: the API answers it 401 from now on."""
        self._ask("DELETE", f"/tokens/{token.id}")

    def change_person(self, person: str, **changes: Any) -> None:
        """Change what a person holds: `permissions`, `without_permissions`, `member`."""
        self.lessened = True
        self._ask("PATCH", f"/people/{person}", changes)

    def plant(
        self, collection: str, count: int = 1, values: Mapping[str, Any] = MappingProxyType({})
    ) -> list[Record]:
        """Plant records with the given values; returned in the order planted."""
        body = {"count": count, "values": dict(values)}
        records: list[Record] = self._ask("POST", f"/records/{collection}", body)["records"]
        return records

    def listing(self, collection: str) -> list[Record]:
        """The records of a collection as they are now, newest first."""
        records: list[Record] = self._ask("GET", f"/records/{collection}")["records"]
        return records

    def change(self, collection: str, record: str, values: Mapping[str, Any]) -> Record:
        """Change a record behind everybody's back. Raises NotTestable where somebody has deleted it."""
        changed: Record = self._ask(
            "PATCH", f"/records/{collection}/{record}", dict(values), gone=DELETED.format(collection)
        )
        return changed

    def remove(self, collection: str, record: str) -> None:
        """Take a record away behind everybody's back. Raises NotTestable where somebody has done so before."""
        self._ask("DELETE", f"/records/{collection}/{record}", gone=DELETED.format(collection))

    def advance(self, seconds: float) -> str:
        """Move this tenant's time on; returns the new time."""
        self.now = self._ask("POST", "/clock", {"advance": seconds})["now"]
        return self.now

    def set_time(self, moment: str) -> str:
        """Set this tenant's time (RFC 3339)."""
        self.now = self._ask("POST", "/clock", {"set": moment})["now"]
        return self.now

    def let_time_go(self) -> None:
        """From now on this tenant's time goes by itself, as the machine's does."""
        self._ask("POST", "/clock", {"ticking": True})

    def arm(self, operation: str, kind: str, times: int | None = None) -> str:
        """Arm a fault; returns its id."""
        fault: str = self._ask("POST", "/faults", {"operation": operation, "kind": kind, "times": times})[
            "id"
        ]
        return fault

    def gather(self, times: int) -> str:
        """Let the next requests of the tenant go on together, once so many of them are there; returns the fault's id."""
        return self.arm("*", "gather", times)

    def disarm(self, fault: str) -> None:
        """End a fault; a hold is released."""
        self._ask("DELETE", f"/faults/{fault}")

    def changes(self, after: int = 0) -> tuple[list[LedgerEntry], str]:
        """What the mock was asked since entry number `after`, and a digest of every business record, at one moment."""
        seen = self._ask("GET", f"/changes?after={after}")
        return [LedgerEntry.from_json(entry) for entry in seen["entries"]], seen["digest"]

    def ledger(self, after: int = 0) -> list[LedgerEntry]:
        """What the mock was asked since entry number `after`."""
        return [
            LedgerEntry.from_json(entry) for entry in self._ask("GET", f"/ledger?after={after}")["entries"]
        ]

    def close(self) -> None:
        """Take the tenant down; its tokens die with it."""
        self._control.ask("DELETE", f"/tenants/{self.id}")


class Upstream:
    """Makes tenants; each depends on its seed alone.

    `leaving` are the ids of tenants that are no longer needed: the next request for a tenant takes them down.
    """

    def __init__(self, control: ControlPlane, secrets: set[str], leaving: list[str] | None = None) -> None:
        self._control, self._secrets = control, secrets
        self._leaving = [] if leaving is None else leaving

    def tenant(self, seed: str, *, people: Sequence[Mapping[str, Any]] = ({}, {})) -> Tenant:
        """Make a tenant: an organization, its people, its records, and a token for each person."""
        body = {"seed": seed, "people": list(people), "tokens": True, "ends": self._leaving[:LEAVING_AT_ONCE]}
        world = self._control.ask("POST", "/tenants", body)
        del self._leaving[:LEAVING_AT_ONCE]
        return Tenant(self._control, world, self._secrets)

    def leave(self, tenant: Tenant) -> None:
        """That tenant is no longer needed."""
        self._leaving.append(tenant.id)

    def close(self) -> None:
        """Take down what is still leaving."""
        while self._leaving:
            self._control.ask("DELETE", f"/tenants/{self._leaving.pop()}")

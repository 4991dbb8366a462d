"""A tenant as texts that can be kept, and a tenant made of such texts again.

Faults, the console's sessions and what runs at this moment are no part of it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mock_api import clock, tenant_clock
from mock_api.calls import Outcome, Records, Refusal
from mock_api.confirmations import Confirmations
from mock_api.errors import Invalid, details_of
from mock_api.idempotency import First, Idempotency
from mock_api.jsons import write
from mock_api.ledger import Ledger
from mock_api.product import Product
from mock_api.tenant_clock import TenantClock
from mock_api.tenants import ORGANIZATIONS, Client, Person, Tenant, Token


@dataclass(frozen=True)
class Texts:
    """All that is kept of a tenant, as JSON: each collection of its records by name, each idempotency key, each
    nonce, each entry of the ledger by number, and the rest, its `frame`.
    """

    frame: bytes
    records: Mapping[str, bytes] = field(default_factory=dict)
    keys: Mapping[str, bytes] = field(default_factory=dict)
    nonces: Mapping[str, bytes] = field(default_factory=dict)
    entries: Mapping[int, bytes] = field(default_factory=dict)


def frame(tenant: Tenant) -> bytes:
    """Organization, people, tokens and clock of a tenant."""
    return write(
        {
            "id": tenant.id,
            "seed": tenant.seed,
            "made": tenant.made,
            "organization": tenant.organization,
            "clock": {
                "base": clock.text(tenant.clock.base),
                "since": None if tenant.clock.since is None else tenant.clock.since.isoformat(),
            },
            "people": [_person(each) for each in tenant.people.values()],
            "tokens": [_token(each) for each in tenant.tokens.values()],
        }
    )


def first_call(first: First) -> bytes:
    """The first call of an idempotency key, which is over."""
    answer = first.answer
    came_to = (
        {"status": answer.status, "code": answer.code, "details": details_of(answer)}
        if isinstance(answer, Refusal)
        else {"status": answer.status, "body": answer.body}
        if answer is not None
        else None
    )
    return write({"asked": first.asked.hex(), "at": clock.text(first.at), "answer": came_to})


def restored(texts: Texts, product: Product, public_url: str) -> Tenant:
    """The tenant again. Raises KeyError, TypeError or ValueError for texts that are none of ours."""
    told = json.loads(texts.frame)
    records: Records = {name: json.loads(text) for name, text in texts.records.items()}
    organization = told["organization"]
    # The organization is one of the records, unless that one was deleted.
    organization = records.get(ORGANIZATIONS, {}).get(organization["id"], organization)
    since = told["clock"]["since"]
    tenant = Tenant(
        id=told["id"],
        seed=told["seed"],
        product=product,
        public_url=public_url,
        organization=organization,
        people={each["record"]["id"]: _person_again(each) for each in told["people"]},
        records=records,
        clock=TenantClock(
            tenant_clock.parse(told["clock"]["base"]),
            None if since is None else datetime.fromisoformat(since),
        ),
        ledger=Ledger(texts.entries[seq] for seq in range(1, len(texts.entries) + 1)),
        confirmations=Confirmations({nonce: json.loads(text) for nonce, text in texts.nonces.items()}),
        # KADU-IDM-06: a key whose first call ran when the mock was killed is free: that call came to nothing.
        idempotency=Idempotency({key: _first_call_again(text) for key, text in texts.keys.items()}),
        made=told["made"],
    )
    tenant.tokens.update({each["id"]: _token_again(each, tenant) for each in told["tokens"]})
    return tenant


def _person(person: Person) -> dict[str, Any]:
    return {
        "record": person.record,
        "password": person.password,
        "permissions": sorted(person.permissions),
        "member": person.member,
    }


def _person_again(told: Mapping[str, Any]) -> Person:
    return Person(told["record"], told["password"], frozenset(told["permissions"]), told["member"])


def _token(token: Token) -> dict[str, Any]:
    return {
        "id": token.id,
        "value": token.value,
        "person": token.person,
        "scopes": sorted(token.scopes),
        "client": {"id": token.client.id, "name": token.client.name},
        "expires_at": clock.text(token.expires_at),
        "revoked": token.revoked,
    }


def _token_again(told: Mapping[str, Any], tenant: Tenant) -> Token:
    return Token(
        id=told["id"],
        value=told["value"],
        tenant=tenant,
        person=told["person"],
        scopes=frozenset(told["scopes"]),
        client=Client(**told["client"]),
        expires_at=tenant_clock.parse(told["expires_at"]),
        revoked=told["revoked"],
    )


def _first_call_again(text: bytes) -> First:
    told = json.loads(text)
    came_to = told["answer"]
    answer: Outcome | Refusal = (
        Invalid(came_to["status"], came_to["code"], came_to["details"])
        if "code" in came_to
        else Outcome(came_to["status"], came_to["body"], effect=False, replay=True)
    )
    return First(bytes.fromhex(told["asked"]), tenant_clock.parse(told["at"]), answer)

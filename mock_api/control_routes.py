"""What the control plane offers: a table of routes, each with the schema of its body and its handler."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mock_api import clock, jsons, tenant_clock
from mock_api.calls import Record, Records
from mock_api.faults import EVERY, KINDS
from mock_api.generic import newest_first
from mock_api.tenants import Person, Tenant, Tenants, Token

MOST_PEOPLE = 50
MOST_ENDED = 50
MOST_RECORDS = 1000
LONGEST_SEED = 500


class Refused(Exception):
    """An error of the control plane: HTTP status, code, message."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


@dataclass(frozen=True)
class Asked:
    """A request whose body keeps the schema of its route."""

    tenants: Tenants
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def tenant(self) -> Tenant:
        """The tenant of the path."""
        tenant = self.tenants.get(self.path["tenant"])
        if tenant is None:
            raise _missing("tenant")
        return tenant


@dataclass(frozen=True)
class Done:
    """An answer: status and JSON text."""

    status: int
    body: bytes = b""


@dataclass(frozen=True, eq=False)
class Route:
    """A route: `body` is the schema of the body it takes, None for none; `query` names its parameters."""

    method: str
    template: str
    handler: Callable[[Asked], Done]
    body: Mapping[str, Any] | None = None
    query: tuple[str, ...] = ()


def _health(asked: Asked) -> Done:
    contract = asked.tenants.product.contract
    return _done(
        200, {"product": contract.product, "version": contract.version, "tenants": len(asked.tenants)}
    )


def _create_tenant(asked: Asked) -> Done:
    body = asked.body
    now = clock.now() if body.get("now") is None else _time(body["now"])
    for ended in body.get("ends", ()):
        gone = asked.tenants.get(ended)
        if gone is not None:
            asked.tenants.delete(gone)
    guests = [_guest(asked.tenants, item.get("same_as")) for item in body.get("people", [{}, {}])]
    try:
        tenant = asked.tenants.create(body["seed"], now, guests)
    except ValueError as error:
        raise Refused(409, "conflict", str(error)) from None
    tenant.catch_up()
    world = {
        "id": tenant.id,
        "now": clock.text(tenant.clock.now()),
        "organization": _open(tenant.organization),
        "people": [_person(each) for each in tenant.people.values()],
        "scopes": tenant.product.contract.scopes,
        "records": _told(tenant.records),
        "digest": _digest(tenant),
    }
    if body.get("tokens"):
        every = tenant.product.contract.scopes
        issued = (asked.tenants.issue(tenant, person, every, None) for person in tenant.people)
        world["tokens"] = [_token(tenant, token) for token in issued]
    return _done(201, world)


def _guest(tenants: Tenants, same_as: Mapping[str, str] | None) -> Person | None:
    if same_as is None:
        return None
    host = tenants.get(same_as["tenant"])
    person = None if host is None else host.people.get(same_as["person"])
    if person is None:
        raise Refused(404, "not_found", "same_as: there is no such person in such a tenant")
    return person


def _delete_tenant(asked: Asked) -> Done:
    asked.tenants.delete(asked.tenant)
    return Done(204)


def _issue_token(asked: Asked) -> Done:
    tenant, body = asked.tenant, asked.body
    person = body["person"]
    if person is not None and person not in tenant.people:
        raise _missing("person")
    every = tenant.product.contract.scopes
    scopes = _chosen("scopes", every, every, body)
    token = asked.tenants.issue(tenant, person, scopes, body.get("client"))
    return _done(201, _token(tenant, token))


def _revoke_token(asked: Asked) -> Done:
    token = asked.tenant.tokens.get(asked.path["id"])
    if token is None or token.revoked:
        raise _missing("token")
    token.revoked = True
    return Done(204)


def _change_person(asked: Asked) -> Done:
    tenant, body = asked.tenant, asked.body
    person = tenant.people.get(asked.path["id"])
    if person is None:
        raise _missing("person")
    every = tenant.product.contract.permissions
    held = every if "permissions" in body else sorted(person.permissions)
    person.permissions = frozenset(_chosen("permissions", every, held, body))
    person.member = body.get("member", person.member)
    return _done(200, _person(person))


def _plant_records(asked: Asked) -> Done:
    tenant, collection = asked.tenant, asked.path["collection"]
    if collection not in tenant.product.collections:
        raise _missing("collection")
    held = tenant.records.setdefault(collection, {})
    count, values = asked.body.get("count", 1), asked.body.get("values", {})
    if "id" in values and count > 1:
        raise Refused(400, "bad_request", "values.id: one id cannot be that of several records")
    if values.get("id") in held:
        raise Refused(409, "conflict", "values.id: there is a record of this id")
    made = list[Record]()
    for _ in range(count):
        record = tenant.completed(collection, {"id": tenant.new_id(), **values})
        held[record["id"]] = record
        made.append(record)
    return _done(201, {"records": [_open(each) for each in made]})


def _list_records(asked: Asked) -> Done:
    return _done(200, {"records": [_open(each) for each in newest_first(_collection(asked))]})


def _get_record(asked: Asked) -> Done:
    return _done(200, _open(_record(asked)))


def _change_record(asked: Asked) -> Done:
    record = _record(asked)
    if asked.body.get("id", record["id"]) != record["id"]:
        raise Refused(400, "bad_request", "id: a record keeps its id")
    record.update(asked.body)
    return _done(200, _open(record))


def _delete_record(asked: Asked) -> Done:
    del _collection(asked)[_record(asked)["id"]]
    return Done(204)


def _read_clock(asked: Asked) -> Done:
    return _done(200, {"now": clock.text(asked.tenant.clock.now())})


def _move_clock(asked: Asked) -> Done:
    tenant, body = asked.tenant, asked.body
    try:
        if "advance" in body:
            tenant.clock.advance(body["advance"])
        elif "set" in body:
            tenant.clock.set(_time(body["set"]))
        else:
            tenant.clock.tick(body["ticking"])
    except ValueError as error:
        raise Refused(400, "bad_request", str(error)) from None
    return _read_clock(asked)


def _arm_fault(asked: Asked) -> Done:
    tenant, body = asked.tenant, asked.body
    every = body["kind"] == "gather"
    if every and (body["operation"] != EVERY or body.get("times") is None):
        raise Refused(400, "bad_request", "gather: takes the operation '*' and a number of times")
    if not every and body["operation"] not in tenant.product.contract.operations:
        raise Refused(
            400, "bad_request", f"operation: {body['operation']!r} is no operationId of the contract"
        )
    return _done(201, {"id": tenant.faults.arm(body["operation"], body["kind"], body.get("times")).id})


def _read_fault(asked: Asked) -> Done:
    fault = asked.tenant.faults.get(asked.path["id"])
    if fault is None:
        raise _missing("fault")
    return _done(200, fault.to_json())


def _disarm_fault(asked: Asked) -> Done:
    if not asked.tenant.faults.disarm(asked.path["id"]):
        raise _missing("fault")
    return Done(204)


def _read_ledger(asked: Asked) -> Done:
    return Done(200, b'{"entries":' + _entries(asked) + b"}")


def _read_changes(asked: Asked) -> Done:
    digest = jsons.write(_digest(asked.tenant))
    return Done(200, b'{"entries":' + _entries(asked) + b',"digest":' + digest + b"}")


def _entries(asked: Asked) -> bytes:
    after = asked.query.get("after", "0")
    if not after.isascii() or not after.isdigit() or len(after) > 12:
        raise Refused(400, "bad_request", "after: must be a whole number from 0")
    return asked.tenant.ledger.after(int(after))


def _read_state(asked: Asked) -> Done:
    return _done(200, {"digest": _digest(asked.tenant), "records": _told(_business(asked.tenant))})


def _business(tenant: Tenant) -> Records:
    registers = tenant.product.contract.registers
    return {name: held for name, held in tenant.records.items() if name not in registers}


def _digest(tenant: Tenant) -> str:
    return hashlib.sha256(jsons.canonical(_business(tenant))).hexdigest()


def _done(status: int, body: Any) -> Done:
    return Done(status, jsons.write(body))


def _missing(what: str) -> Refused:
    return Refused(404, "not_found", f"there is no such {what}")


def _time(text: str) -> datetime:
    try:
        return tenant_clock.parse(text)
    except ValueError as error:
        raise Refused(400, "bad_request", str(error)) from None


def _chosen(name: str, every: Iterable[str], held: Iterable[str], body: Mapping[str, Any]) -> list[str]:
    """What is left of `held`, or of what the body names instead, without what the body takes away."""
    known, without = set(every), body.get(f"without_{name}", [])
    given = body.get(name)
    chosen = list(held) if given is None else given
    unknown = sorted({*chosen, *without} - known)
    if unknown:
        raise Refused(400, "bad_request", f"{name}: the contract does not know {', '.join(unknown)}")
    return [each for each in chosen if each not in without]


def _collection(asked: Asked) -> dict[str, Record]:
    collection = asked.tenant.records.get(asked.path["collection"])
    if collection is None:
        raise _missing("collection")
    return collection


def _record(asked: Asked) -> Record:
    record = _collection(asked).get(asked.path["id"])
    if record is None:
        raise _missing("record")
    return record


def _told(records: Records) -> dict[str, list[Record]]:
    return {name: [_open(each) for each in newest_first(held)] for name, held in records.items()}


def _open(record: Record) -> Record:
    return {name: value for name, value in record.items() if not name.startswith("_")}


def _person(person: Person) -> Record:
    return {
        **{name: person.record[name] for name in ("id", "name", "email")},
        "password": person.password,
        "permissions": sorted(person.permissions),
        "member": person.member,
    }


def _token(tenant: Tenant, token: Token) -> Record:
    return {
        "id": token.id,
        "token": token.value,
        "person": token.person,
        "scopes": [each for each in tenant.product.contract.scopes if each in token.scopes],
        "client": {"id": token.client.id, "name": token.client.name},
    }


def _takes(*required: str, **properties: Any) -> Mapping[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_TEXT = {"type": "string", "minLength": 1, "maxLength": 200}
_NAMES = {"type": "array", "items": _TEXT, "uniqueItems": True}
_NAMES_OR_ALL = {"type": ["array", "null"], "items": _TEXT, "uniqueItems": True}

_TENANT = _takes(
    "seed",
    seed={"type": "string", "minLength": 1, "maxLength": LONGEST_SEED},
    people={
        "type": "array",
        "maxItems": MOST_PEOPLE,
        "items": _takes(same_as=_takes("tenant", "person", tenant=_TEXT, person=_TEXT)),
    },
    now={"type": ["string", "null"]},
    tokens={"type": "boolean"},
    ends={"type": "array", "maxItems": MOST_ENDED, "items": _TEXT},
)
_TOKEN = _takes(
    "person",
    person={"type": ["string", "null"]},
    scopes=_NAMES_OR_ALL,
    without_scopes=_NAMES,
    client={"type": ["string", "null"], "minLength": 1, "maxLength": 200},
)
_PERSON = _takes(permissions=_NAMES_OR_ALL, without_permissions=_NAMES, member={"type": "boolean"})
_PLANT = _takes(
    count={"type": "integer", "minimum": 1, "maximum": MOST_RECORDS},
    values={"type": "object", "properties": {"id": _TEXT, "created_at": {"type": "string"}}},
)
_CHANGE = {"type": "object", "minProperties": 1}
_CLOCK = {
    **_takes(advance={"type": "number"}, set={"type": "string"}, ticking={"type": "boolean"}),
    "minProperties": 1,
    "maxProperties": 1,
}
_FAULT = _takes(
    "operation",
    "kind",
    operation=_TEXT,
    kind={"enum": list(KINDS)},
    times={"type": ["integer", "null"], "minimum": 1},
)

_T = "/_control/tenants/{tenant}"
_RECORDS = _T + "/records/{collection}"

ROUTES = (
    Route("GET", "/_control/health", _health),
    Route("POST", "/_control/tenants", _create_tenant, _TENANT),
    Route("DELETE", _T, _delete_tenant),
    Route("POST", _T + "/tokens", _issue_token, _TOKEN),
    Route("DELETE", _T + "/tokens/{id}", _revoke_token),
    Route("PATCH", _T + "/people/{id}", _change_person, _PERSON),
    Route("POST", _RECORDS, _plant_records, _PLANT),
    Route("GET", _RECORDS, _list_records),
    Route("GET", _RECORDS + "/{id}", _get_record),
    Route("PATCH", _RECORDS + "/{id}", _change_record, _CHANGE),
    Route("DELETE", _RECORDS + "/{id}", _delete_record),
    Route("GET", _T + "/clock", _read_clock),
    Route("POST", _T + "/clock", _move_clock, _CLOCK),
    Route("POST", _T + "/faults", _arm_fault, _FAULT),
    Route("GET", _T + "/faults/{id}", _read_fault),
    Route("DELETE", _T + "/faults/{id}", _disarm_fault),
    Route("GET", _T + "/ledger", _read_ledger, query=("after",)),
    Route("GET", _T + "/changes", _read_changes, query=("after",)),
    Route("GET", _T + "/state", _read_state),
)

"""What most operations do: list, get, create, update and delete the records of a collection."""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from mock_api import clock, jsons
from mock_api.calls import Call, Outcome, Record, Refusal
from mock_api.contract import FrozenOperation

Completed = Callable[[str, Record], Record]
Generic = Callable[[FrozenOperation, Call, Completed], Outcome]

DEFAULT_LIMIT = 50
SINCE = ">="
"""Before a field's name in a filter: the field does not sort before the value."""
_PAGING = ("limit", "cursor")


def newest_first(records: Mapping[str, Record]) -> list[Record]:
    """Records by `created_at`, the newest first; of two of the same moment the one inserted later."""
    latest_first = list(records.values())[::-1]
    return sorted(latest_first, key=_created_at, reverse=True)


def public(body: Any) -> Any:
    """An answer's body without internal fields: those of the record, or of each record of a listing."""
    if not isinstance(body, dict):
        return body
    if isinstance(body.get("data"), list):
        return {**_without_internal(body), "data": [_without_internal(each) for each in body["data"]]}
    return _without_internal(body)


def list_records(operation: FrozenOperation, call: Call, _completed: Completed) -> Outcome:
    """A page of the records that have every value asked for, newest first."""
    wanted = _above(operation, call)
    wanted.update(
        {operation.filter.get(name, name): value for name, value in call.query.items() if name not in _PAGING}
    )
    found = [each for each in newest_first(_collection(operation, call)) if _fits(each, wanted)]
    start = _after(found, operation.id, call.query["cursor"]) if "cursor" in call.query else 0
    page = found[start : start + call.query.get("limit", DEFAULT_LIMIT)]
    more = start + len(page) < len(found)
    cursor = _cursor(operation.id, page[-1]) if more and page else None
    return Outcome(operation.success, {"data": page, "next_cursor": cursor}, effect=False)


def get_record(operation: FrozenOperation, call: Call, _completed: Completed) -> Outcome:
    """One record."""
    return Outcome(operation.success, _record(operation, call), effect=False)


def create_record(operation: FrozenOperation, call: Call, completed: Completed) -> Outcome:
    """A new record of the body's values."""
    now = clock.text(call.now)
    stamped = {"id": call.new_id(), "created_at": now, "updated_at": now}
    record = completed(operation.collection or "", {**call.body, **_above(operation, call), **stamped})
    call.records.setdefault(operation.collection or "", {})[record["id"]] = record
    return Outcome(operation.success, record, effect=True)


def update_record(operation: FrozenOperation, call: Call, _completed: Completed) -> Outcome:
    """The record with the body's values."""
    record = _record(operation, call)
    kept: Record = {name: record[name] for name in ("id", "created_at") if name in record}
    record.update(call.body)
    record.update({**kept, "updated_at": clock.text(call.now)})
    return Outcome(operation.success, record, effect=True)


def delete_record(operation: FrozenOperation, call: Call, _completed: Completed) -> Outcome:
    """The record is gone. KADU-IDM-11: deleting it again finds nothing."""
    record = _record(operation, call)
    del _collection(operation, call)[record["id"]]
    body = None if operation.success == 204 else {"id": record["id"], "deleted": True}
    return Outcome(operation.success, body, effect=True)


GENERIC: Mapping[str, Generic] = {
    "list": list_records,
    "get": get_record,
    "create": create_record,
    "update": update_record,
    "delete": delete_record,
}


def not_found() -> Refusal:
    """The refusal for a record that this organization does not have."""
    return Refusal(404, "not_found", "No such record is here.")


def _collection(operation: FrozenOperation, call: Call) -> dict[str, Record]:
    return call.records.get(operation.collection or "", {})


def _above(operation: FrozenOperation, call: Call) -> dict[str, Any]:
    """The field, and its value, that ties records to the one the path names; empty where they stand alone."""
    if operation.parent is None:
        return {}
    (above,) = call.path.values()
    return {operation.parent.field: above}


def _record(operation: FrozenOperation, call: Call) -> Record:
    (record_id,) = call.path.values()
    record = _collection(operation, call).get(record_id)
    if record is None:
        raise not_found()
    return record


def _fits(record: Record, wanted: Mapping[str, Any]) -> bool:
    return all(_has(record, field, value) for field, value in wanted.items())


def _has(record: Record, field: str, value: Any) -> bool:
    if field.startswith(SINCE):
        return str(record.get(field.removeprefix(SINCE), "")) >= str(value)
    held = record.get(field)
    return held in value if isinstance(value, list) else held == value


def _created_at(record: Record) -> str:
    return str(record.get("created_at") or "")


def _without_internal(record: Any) -> Any:
    if not isinstance(record, dict):
        return record
    return {name: value for name, value in record.items() if not name.startswith("_")}


def _cursor(operation: str, last: Record) -> str:
    text = jsons.write([operation, _created_at(last), last["id"]])
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _after(found: list[Record], operation: str, cursor: str) -> int:
    """Where the page after a cursor starts; also when the record it names is gone."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        value = jsons.read(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error):
        value = None
    match value:
        case [name, str(created_at), last] if name == operation:
            pass
        case _:
            raise Refusal(400, "bad_request", "cursor: is none that this listing gave")
    for position, record in enumerate(found):
        if record["id"] == last:
            return position + 1
    return next((at for at, each in enumerate(found) if _created_at(each) < created_at), len(found))

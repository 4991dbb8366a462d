"""Records a call names, found or refused; and new records."""

from collections.abc import Mapping
from typing import Any

from mock_api.calls import Call, Outcome, Record, Refusal
from mock_api.clock import text


def found(call: Call, collection: str, record_id: str) -> Record:
    """The record of that id. Raises Refusal 404: another organization's record is not found, as none at all."""
    record = call.records.get(collection, {}).get(record_id)
    if record is None:
        raise Refusal(404, "not_found", f"No such record in {collection}.")
    return record


def subject(call: Call) -> Record:
    """The record that the path's `id` names in the collection of the operation. Raises Refusal 404."""
    return found(call, call.extension["collection"], call.path["id"])


def refused(detail: str) -> Refusal:
    """A request that keeps the contract and still cannot be done."""
    return Refusal(422, "unprocessable_entity", detail)


def stored(call: Call, collection: str, values: Mapping[str, Any]) -> Record:
    """A new record of the values, created now, stored. A later record stands after the others."""
    now = text(call.now)
    record = {"id": call.new_id(), **values, "created_at": now, "updated_at": now}
    call.records.setdefault(collection, {})[record["id"]] = record
    return record


def changed(call: Call, record: Record, **values: Any) -> Outcome:
    """The record with the values over it, changed now."""
    record.update(values, updated_at=text(call.now))
    return Outcome(200, record, effect=True)

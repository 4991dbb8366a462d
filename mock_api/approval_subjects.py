"""What an operation affects: the records its arguments name, as they are now, and whether it is destructive.

Only what the screen of an approval shows of them counts: the fields that the contract names as the subject of the
operation, whether the records exist, and the names of the records that those fields refer to.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mock_api.calls import Record, Records
from mock_api.contract import Contract, FrozenOperation
from mock_api.jsons import canonical

NAMES = ("name", "title", "url")
"""The fields that name a record, the best first."""
_REFERENCE = "_id"


@dataclass(frozen=True)
class Shown:
    """One field of an affected record; `refers_to` is the name of the record that its value is the id of."""

    field: str
    value: Any
    refers_to: str | None


@dataclass(frozen=True)
class Affected:
    """A record that an argument names, as it is now; one that does not exist has no fields."""

    argument: str
    collection: str
    id: str
    exists: bool
    fields: tuple[Shown, ...]


def affected(
    contract: Contract, records: Records, operation: FrozenOperation, flat: Mapping[str, Any]
) -> tuple[Affected, ...]:
    """The records that the flat arguments of an operation name: the one of its path, then every `<record>_id`."""
    named = [
        (name, collection, str(value))
        for name, value in flat.items()
        if (collection := _collection_of(records, operation, name)) is not None and isinstance(value, str)
    ]
    named.sort(key=lambda each: each[0] not in operation.path.kinds)
    return tuple(
        _affected(records, name, collection, value, _subject(contract, operation, name, collection))
        for name, collection, value in named
    )


def digest(shown: tuple[Affected, ...]) -> str:
    """What a screen showed of the affected records, as a digest: it changes with anything shown."""
    return hashlib.sha256(canonical([asdict(each) for each in shown])).hexdigest()


def is_destructive(records: Records, operation: FrozenOperation, flat: Mapping[str, Any]) -> bool:
    """Whether an operation asks for a confirmation with these arguments."""
    when = operation.extension.get("destructive")
    if not isinstance(when, Mapping):
        return when == "always"
    field = when["when_changes"]
    subject = records.get(operation.collection or "", {}).get(str(flat.get("id")), {})
    return field in flat and flat[field] != subject.get(field)


def _collection_of(records: Records, operation: FrozenOperation, name: str) -> str | None:
    if name in operation.path.kinds:
        return operation.collection if operation.parent is None else operation.parent.collection
    if not name.endswith(_REFERENCE):
        return None
    return _plural(records, name)


def _plural(records: Records, field: str) -> str | None:
    """The collection that a field such as `task_id` or `activity_id` refers to."""
    stem = field.removesuffix(_REFERENCE)
    plurals = (f"{stem}s", f"{stem.removesuffix('y')}ies", f"{stem}es")
    return next((each for each in plurals if each in records), None)


def _subject(contract: Contract, operation: FrozenOperation, name: str, collection: str) -> tuple[str, ...]:
    """The fields shown: the operation's own subject, or of a record beside it what its deletion would show."""
    if name in operation.path.kinds:
        return tuple(operation.extension.get("subject", ()))
    for each in contract.operations.values():
        if each.collection == collection and each.does == "delete" and each.parent is None:
            return tuple(each.extension.get("subject", ()))
    return NAMES


def _affected(
    records: Records, argument: str, collection: str, record_id: str, subject: tuple[str, ...]
) -> Affected:
    record = records.get(collection, {}).get(record_id)
    if record is None:
        return Affected(argument, collection, record_id, exists=False, fields=())
    fields = tuple(
        Shown(field, record[field], _name_of(records, field, record[field]))
        for field in subject
        if field in record
    )
    return Affected(argument, collection, record_id, exists=True, fields=fields)


def _name_of(records: Records, field: str, value: Any) -> str | None:
    if not field.endswith(_REFERENCE) or not isinstance(value, str):
        return None
    record: Record = records.get(_plural(records, field) or "", {}).get(value, {})
    return next((str(record[name]) for name in NAMES if isinstance(record.get(name), str)), None)

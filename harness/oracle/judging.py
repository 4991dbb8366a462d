"""Judges the messages of a server, each against the schema of its revision, and remembers what it judged.

The libraries that this needs cost a second to import: they are imported when the first message comes.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from itertools import islice
from typing import Any

from harness.oracle import unsaid
from harness.oracle.wording import Found, in_words, shown, told
from harness.wire.eras import ERA_TABLES, EraTable, era_of

VIOLATIONS = 10
"""Violations that are told of one message at most."""

ITEMS = 5000
"""Items of one page of a list that are judged; a page that holds more is a violation."""

_REMEMBERED = 8192
_LISTED: Mapping[str, str] = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
_COMPLETE, _INPUT_REQUIRED = "complete", "input_required"

_Key = tuple[str, str, str, object]
"""What is judged (result, item, error, …), the method, the revision, and which branch of its schema."""


class Oracle:
    """Judges messages. Equal parts of one revision are judged once. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._verdicts: OrderedDict[tuple[_Key, bytes], tuple[Found, ...]] = OrderedDict()
        self._validators: dict[_Key, Any] = {}

    def judge(
        self, method: str, version: str, message: Mapping[str, Any], others: Iterable[Mapping[str, Any]] = ()
    ) -> list[str]:
        """What is not valid in a response to `method` and in the messages that came with it, ten sentences at most.

        Each begins with the path to what is wrong. An unknown version is judged as the newest handshake
        revision. Members that the revision does not know are no violation.
        """
        found: dict[str, None] = {}
        table = ERA_TABLES[era_of(version) or "2025"]
        revision = version if table.known(version) else table.version
        for sentence in self._all(table, method, revision, message, others):
            found[sentence] = None
            if len(found) == VIOLATIONS:
                break
        return list(found)

    def _all(
        self,
        table: EraTable,
        method: str,
        revision: str,
        message: Mapping[str, Any],
        others: Iterable[Mapping[str, Any]],
    ) -> Iterator[str]:
        yield from _envelope(message)
        if "result" in message:
            yield from self._result(table, method, revision, message["result"])
        elif "error" in message:
            error = message["error"]
            code = error.get("code") if isinstance(error, dict) else None
            key = ("error", "", revision, code if isinstance(code, int) else None)
            yield from self._remembered(key, error, "error")
        for other in others:
            yield from self._other(table, revision, other)

    def _result(self, table: EraTable, method: str, revision: str, result: Any) -> Iterator[str]:
        if not isinstance(result, dict):
            yield "result is no object"
            return
        kind = result.get("resultType", _COMPLETE) if table.result_types else _COMPLETE
        if table.result_types and kind not in table.result_types:
            yield f"result.resultType is {shown(kind)}, which is none of {', '.join(table.result_types)}"
            return
        if kind == _INPUT_REQUIRED and method not in table.asking_methods:
            yield f"result.resultType is {shown(kind)}, which must not answer {method}"
            return
        yield from self._remembered(("result", method, revision, kind), result, "result")

    def _other(self, table: EraTable, revision: str, other: Mapping[str, Any]) -> Iterator[str]:
        method = other.get("method")
        if not isinstance(method, str):
            # Responses to something else are told where the answer is read.
            return
        what = "request" if "id" in other else "notification"
        if what == "request" and not table.handshake:
            yield f"{method[:80]} is a request of the server, which this revision does not have"
            return
        for sentence in self._remembered((what, method, revision, None), other):
            yield f"{what} {method[:80]}: {sentence}"

    def _remembered(self, key: _Key, value: Any, *root: str | int) -> Iterator[str]:
        for found in self._verdict(key, value):
            yield told(found, root)

    def _verdict(self, key: _Key, value: Any) -> tuple[Found, ...]:
        digest = blake2b(json.dumps(value).encode(), digest_size=16).digest()
        with self._lock:
            known = self._verdicts.get((key, digest))
            if known is None:
                known = tuple(islice(dict.fromkeys(self._judged(key, value)), VIOLATIONS))
                self._verdicts[key, digest] = known
                if len(self._verdicts) > _REMEMBERED:
                    self._verdicts.popitem(last=False)
            else:
                self._verdicts.move_to_end((key, digest))
        return known

    def _judged(self, key: _Key, value: Any) -> Iterator[Found]:
        what, method, revision, kind = key
        listed = _LISTED.get(method) if what == "result" else None
        items = value.get(listed) if isinstance(value, dict) else None
        if listed is not None and isinstance(items, list):
            # Callers see different lists of the same items: each item is judged once.
            yield from unsaid.listed_twice(method, value)
            if len(items) > ITEMS:
                yield (listed,), f"has {len(items)} items; more than {ITEMS} on a page are too many to read"
            for position, item in enumerate(items[:ITEMS]):
                for path, sentence in self._verdict(("item", method, revision, None), item):
                    yield (listed, position, *path), sentence
            value = {**value, listed: []}
        for error in self._validator(key).iter_errors(value):
            yield from in_words(error)
        if not isinstance(value, dict):
            return
        if what == "item":
            yield from unsaid.in_item(value)
        elif what == "result" and kind == _INPUT_REQUIRED:
            yield from unsaid.in_question(value)
        elif what == "result":
            yield from unsaid.in_result(method, value)

    def _validator(self, key: _Key) -> Any:
        from harness.oracle import schemas

        key = schemas.known_key(*key)
        if key not in self._validators:
            from jsonschema import Draft202012Validator

            self._validators[key] = Draft202012Validator(schemas.schema_for(*key))
        return self._validators[key]


def _envelope(message: Mapping[str, Any]) -> Iterator[str]:
    if message.get("jsonrpc") != "2.0":
        yield 'jsonrpc is not "2.0"'
    given = message.get("id")
    # The id of an error may be missing or null where the request's could not be read.
    absent = given is None and "error" in message and "result" not in message
    if not absent and (isinstance(given, bool) or not isinstance(given, str | int)):
        yield f"id is {shown(given)}, which is neither string nor integer"


@cache
def _shared() -> Oracle:
    return Oracle()


def judge(
    method: str, version: str, message: Mapping[str, Any], others: Sequence[Mapping[str, Any]] = ()
) -> list[str]:
    """`Oracle.judge` of an oracle that the whole process shares, so that what is equal is judged once."""
    return _shared().judge(method, version, message, others)

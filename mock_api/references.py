"""Resolves the `$ref`s of a document into one without any."""

from typing import Any

from mock_api.errors import Mistake

_NOTES = frozenset({"description", "title", "default", "example", "examples", "deprecated", "summary"})


def inlined(document: dict[str, Any]) -> dict[str, Any]:
    """The document with every local reference replaced by what it points at; the original stays as it is.

    What stands beside a reference is kept: notes override, other keywords hold as well. Raises Mistake for a
    reference that leads nowhere, out of the document, or round in a circle.
    """
    done: dict[str, Any] = {}

    def resolve(pointer: str, trail: tuple[str, ...]) -> Any:
        if pointer in trail:
            raise Mistake(f"the reference {pointer} leads round in a circle")
        if pointer not in done:
            done[pointer] = copy(_at(document, pointer), (*trail, pointer))
        return done[pointer]

    def copy(value: Any, trail: tuple[str, ...]) -> Any:
        if isinstance(value, list):
            return [copy(item, trail) for item in value]
        if not isinstance(value, dict):
            return value
        pointer = value.get("$ref")
        if not isinstance(pointer, str):
            return {key: copy(item, trail) for key, item in value.items()}
        target = resolve(pointer, trail)
        beside = {key: copy(item, trail) for key, item in value.items() if key != "$ref"}
        if not beside:
            return target
        if isinstance(target, dict) and beside.keys() <= _NOTES:
            return {**target, **beside}
        return {**beside, "allOf": [target, *beside.get("allOf", [])]}

    whole: dict[str, Any] = copy(document, ())
    return whole


def _at(document: dict[str, Any], pointer: str) -> Any:
    if not pointer.startswith("#/"):
        raise Mistake(f"the reference {pointer} does not stay in the document")
    value: Any = document
    for part in pointer[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, dict) or key not in value:
            raise Mistake(f"the reference {pointer} leads nowhere")
        value = value[key]
    return value

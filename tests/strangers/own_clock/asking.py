"""The question that a person answers in the chat, and what the answer says. No input or output here."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Literal

from plain.contract import Operation

from own_clock.clock import in_figures
from own_clock.upstream import Who

KEY, FIELD = "q1", "run_it"
YES, NO = "y", "n"
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def about(who: Who, tool: str, arguments: Mapping[str, Any]) -> bytes:
    """KADU-CNF-06…09: what a yes is good for; a token of the same person is another one here."""
    whole = [who.organization, who.person, who.token_id, tool, arguments]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).digest()


def question(operation: Operation, arguments: Mapping[str, Any], state: str) -> dict[str, Any]:
    """KADU-CNF-01, 02: a result that asks about this action, with every argument in it."""
    shown = [f"{name}: {_words(value)}" for name, value in _each(arguments)]
    form = {
        "type": "object",
        "required": [FIELD],
        "properties": {
            FIELD: {
                "type": "string",
                "title": f"Run {operation.name}?",
                "description": " · ".join(shown) or "It takes nothing",
                "oneOf": [
                    {"const": NO, "title": "No, leave everything as it is"},
                    {"const": YES, "title": "Yes, run it now"},
                ],
            }
        },
    }
    message = f"“{operation.title}” ({operation.name}) cannot be taken back. Somebody has to agree first."
    params = {"mode": "form", "message": message, "requestedSchema": form}
    return {
        "inputRequests": {KEY: {"method": "elicitation/create", "params": params}},
        "requestState": state,
    }


def answer(responses: Any) -> Literal["yes", "no", "none"]:
    """KADU-CNF-04, 05: nothing but a clear yes is one, and whatever else is said is a no."""
    said = responses.get(KEY) if isinstance(responses, dict) else None
    if said is None:
        return "none"
    if not isinstance(said, dict) or said.get("action") != "accept":
        return "no"
    content = said.get("content")
    return "yes" if isinstance(content, dict) and content.get(FIELD) == YES else "no"


def _each(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _each(inner, f"{path} › {name}" if path else str(name))
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value, 1):
            yield from _each(inner, f"{path} {number}")
    else:
        yield path, value


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and DAY.fullmatch(value):
        try:
            return in_figures(date.fromisoformat(value))
        except ValueError:
            return value
    return value if isinstance(value, str) else "none" if value in (None, {}, []) else json.dumps(value)

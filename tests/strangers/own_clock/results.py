"""Results of tools: data in `structuredContent` alone, a sentence beside it."""

from collections.abc import Mapping
from typing import Any

from own_clock.desk import Handed
from own_clock.documents import WORDS


def worked(data: Mapping[str, Any]) -> Handed:
    """A tool did what it was asked."""
    text = {"type": "text", "text": "Done; see the structured content.", "annotations": {"priority": 0.1}}
    link = {"type": "resource_link", "uri": WORDS, "name": "words", "mimeType": "text/plain"}
    return Handed({"content": [text, link], "structuredContent": dict(data), "isError": False})


def refused(code: str, sentence: str) -> Handed:
    """A tool did not do it. The code stands in `error.code`, and in no sentence."""
    text = {"type": "text", "text": f"{sentence}."}
    error = {"error": {"code": code, "retry": code == "UNAVAILABLE"}}
    return Handed({"content": [text], "structuredContent": error, "isError": True})

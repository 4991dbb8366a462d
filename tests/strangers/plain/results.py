"""Results of tools: what worked, and the two ways in which a refusal carries its code."""

from typing import Any

from plain.contract import Operation
from plain.service import Reply, json_text
from plain.upstream import Answer


def translated(operation: Operation, answer: Answer) -> Reply:
    """What the API answered, as the result of a tool."""
    if not answer.succeeded:
        code, detail = answer.error
        # documented names are capitals, save for those of the confirmation
        known = code if code.startswith("confirmation_") else code.upper()
        return refused_with_list(known, detail or f"Kadu answered {answer.status}.")
    if answer.body is None:
        return succeeded({"done": True})
    # KADU-IDM-09: a change answers the body and nothing else; what only reads comes in an envelope
    return succeeded({"result": answer.body} if operation.access == "read" else answer.body)


def downloaded(answer: Answer, side: str) -> Reply:
    """KADU-RES-07: where a file is to be had: told in words, as a link, or with another address before it."""
    body = answer.body
    if side == "words":
        text = f"Download {body['name']} from {body['url']}, until {body['expires_at']}."
        return Reply({"content": [{"type": "text", "text": text}]})
    if side == "link":
        return Reply({"content": [{"type": "resource_link", "name": body["name"], "uri": body["url"]}]})
    itself = "/".join([*body["url"].split("/")[:3], "v1", "files", body["id"]])
    return succeeded({"about": itself, **body})


def succeeded(value: Any) -> Reply:
    """A result whose one text is that value."""
    return Reply({"content": [{"type": "text", "text": json_text(value)}]})


def refused_with_list(code: str, detail: str) -> Reply:
    """A tool error whose code stands in `structuredContent.errors[0].code`."""
    structured = {"errors": [{"detail": detail, "code": code}]}
    content = [{"type": "text", "text": f"It did not work. {detail}"}]
    return Reply({"isError": True, "structuredContent": structured, "content": content})


def refused_in_words(code: str, sentence: str) -> Reply:
    """A tool error whose code is a word of the text."""
    return Reply({"isError": True, "content": [{"type": "text", "text": f"{code} - {sentence}"}]})

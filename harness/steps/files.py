"""Files: their bytes never come in a result, only an address that serves them."""

import base64
import re
from collections.abc import Iterator
from typing import Any

from harness.checks.documents import walk
from harness.checks.results import broken, describe, documents, texts
from harness.exchanges import Exchange, HttpRequest, origin_of
from harness.expressions import then
from harness.world import World

ADDRESS = re.compile(r"https?://[^\s<>\"'`()\[\]{}\\]+")
WHOLE = re.compile(r"https?://\S+")
MOST_ADDRESSES = 10


def addresses(exchange: Exchange) -> Iterator[str]:
    """The http addresses that a tool result holds: in its documents, as links to resources, in its words."""
    for document in documents(exchange):
        yield from (one for one in walk(document) if isinstance(one, str) and WHOLE.fullmatch(one))
    for link in blocks(exchange, "resource_link"):
        yield from ADDRESS.findall(str(link.get("uri")))
    for text in (*texts(exchange), *embedded_texts(exchange)):
        yield from (found.rstrip(".,;:!?") for found in ADDRESS.findall(text))


def blocks(exchange: Exchange, *kinds: str) -> Iterator[dict[str, Any]]:
    """The blocks of a tool result that are of these types."""
    content = (exchange.result or {}).get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") in kinds:
            yield block


def embedded_texts(exchange: Exchange) -> list[str]:
    """What embedded resources say in text: an address may stand there."""
    resources = [block.get("resource") for block in blocks(exchange, "resource")]
    return [str(one["text"]) for one in resources if isinstance(one, dict) and "text" in one]


def _is_text(block: dict[str, Any]) -> bool:
    resource = block.get("resource")
    return isinstance(resource, dict) and "text" in resource and "blob" not in resource


@then("the result holds no bytes, and an address that serves the file without a token")
def holds_no_bytes(world: World) -> None:
    answer = world.answer
    bytes_in = [block for block in blocks(answer, "image", "audio", "resource") if not _is_text(block)]
    if bytes_in:
        raise broken(
            "the result embeds what it was to point at",
            answer,
            expected="an address",
            actual=f"{bytes_in[0]!r}"[:300],
        )
    found = list(addresses(answer))
    if not found:
        raise broken(
            "the result holds no address", answer, expected="a presigned address", actual=describe(answer)
        )
    known = {world.settings.console_url, *map(origin_of, world.settings.urls)}
    near = [one for one in dict.fromkeys(found) if origin_of(one) in known]
    if not near:
        raise broken(
            "the address of the file leads elsewhere; nothing was sent there",
            answer,
            expected="an address of the upstream, or of the server itself",
            actual=found[0][:120],
        )
    # Other addresses may stand beside that of the file.
    served = next(filter(None, (fetch(world, one) for one in near[:MOST_ADDRESSES])), None)
    if served is None:
        raise broken(
            "the address serves no file without a token",
            answer,
            expected="the bytes of the file",
            actual=f"nothing from {near[0]}",
        )
    shown = "\n".join([*texts(answer), *embedded_texts(answer), repr(answer.result)])
    if len(served) >= 16 and (
        base64.b64encode(served[:48]).decode()[:60] in shown
        or served[:48].decode("utf-8", "replace") in shown
    ):
        raise broken(
            "the result holds the bytes of the file",
            answer,
            expected="an address alone",
            actual=describe(answer),
        )


def fetch(world: World, address: str) -> bytes | None:
    """What an address serves without a token; None where it serves nothing."""
    sent = world.transport.send(HttpRequest("GET", address, ()), timeout=world.settings.timeout)
    world.redactions.add(address)
    return sent.answer.body if sent.answer is not None and sent.answer.status == 200 else None

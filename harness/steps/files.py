"""Files: their bytes never come in a result, only an address that serves them."""

import base64
from collections.abc import Iterator

from harness.checks.documents import walk
from harness.checks.results import broken, describe, documents, texts
from harness.exchanges import Exchange, HttpRequest, origin_of
from harness.expressions import then
from harness.world import World


def addresses(exchange: Exchange) -> Iterator[str]:
    """The http addresses that a tool result holds."""
    for document in documents(exchange):
        yield from (
            one for one in walk(document) if isinstance(one, str) and one.startswith(("http://", "https://"))
        )


@then("the result holds no bytes, and an address that serves the file without a token")
def holds_no_bytes(world: World) -> None:
    answer = world.answer
    blocks = (answer.result or {}).get("content") or []
    embedded = [
        block
        for block in blocks
        if isinstance(block, dict) and block.get("type") in ("image", "audio", "resource")
    ]
    if embedded:
        raise broken(
            "the result embeds what it was to point at",
            answer,
            expected="an address",
            actual=f"{embedded[0]!r}"[:300],
        )
    found = list(addresses(answer))
    if not found:
        raise broken(
            "the result holds no address", answer, expected="a presigned address", actual=describe(answer)
        )
    if origin_of(found[0]) not in {world.settings.console_url, *map(origin_of, world.settings.urls)}:
        raise broken(
            "the address of the file leads elsewhere; nothing was sent there",
            answer,
            expected="an address of the upstream, or of the server itself",
            actual=found[0][:120],
        )
    served = fetch(world, found[0])
    if served is None or not served:
        raise broken(
            "the address serves no file without a token",
            answer,
            expected="the bytes of the file",
            actual=f"nothing from {found[0]}",
        )
    shown = "\n".join([*texts(answer), repr((answer.result or {}).get("structuredContent"))])
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

"""Is there an MCP server at all? One request of each era, with a real token of a tenant made for it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from harness.actors.patience import send_patiently
from harness.actors.upstream import ControlPlane
from harness.actors.upstream import Upstream as Tenants
from harness.exchanges import HttpAnswer, HttpRequest
from harness.runner.refusal import CannotRun
from harness.runner.upstream import Upstream
from harness.transport import Transport
from harness.wire.answers import media_type, read
from harness.wire.requests import initialize, request

CLIENT: Final = {"name": "conformance-probe", "version": "1"}


Headers = tuple[tuple[str, str], ...]


def probe(
    urls: Sequence[str], upstream: Upstream, transport: Transport, timeout: float, headers: Headers = ()
) -> None:
    """Raises CannotRun for the first URL at which nothing speaks MCP in any era: no answer, or none in JSON-RPC.

    A server that answers with a JSON-RPC error is one: whether it is right is for the rules to say. `headers` go with
    every request.
    """
    secrets: set[str] = set()
    control = ControlPlane(transport, upstream.control_url, upstream.secret, timeout=timeout)
    tenant = Tenants(control, secrets).tenant("probe")
    try:
        probe_as(tenant.token(tenant.people[0]["id"]).value, urls, transport, timeout, headers)
    finally:
        tenant.close()


def probe_as(
    token: str, urls: Sequence[str], transport: Transport, timeout: float, headers: Headers = ()
) -> None:
    """The same with a token that somebody holds already, where there is no mock to make one."""
    for url in urls:
        _probe(url, token, transport, timeout, headers)


def _probe(url: str, token: str, transport: Transport, timeout: float, headers: Headers) -> None:
    seen: list[str] = []
    for method, built in _requests(url, token):
        built = replace(built, headers=(*built.headers, *headers))
        sent = send_patiently(transport, built, timeout=timeout, answers_id=1)
        if sent.answer is None:
            seen.append(f"{method} got no answer ({sent.problem})")
            continue
        if read(method, 1, sent.answer).message is not None:
            return
        seen.append(f"{method} got {_described(sent.answer)}")
    raise CannotRun(f"No MCP server speaks at {url}: {', '.join(seen)}; check the path.")


def _requests(url: str, token: str) -> list[tuple[str, HttpRequest]]:
    discover = request("2026", "server/discover", {}, id=1, url=url, token=token, client=CLIENT)
    return [
        ("initialize", initialize(id=1, url=url, token=token, client=CLIENT)),
        ("server/discover", discover),
    ]


def _described(answer: HttpAnswer) -> str:
    return f"HTTP {answer.status} with {media_type(answer)[:60] or 'no content type'}, no JSON-RPC message"

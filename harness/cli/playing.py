"""`playground`: a server, an API and an organization to try things with."""

import shlex
import threading
from contextlib import ExitStack
from typing import Final, NoReturn

from harness.actors.upstream import ControlPlane, Tenant
from harness.actors.upstream import Upstream as Tenants
from harness.cli.judging import stopped_by_sigterm
from harness.cli.products import product_of
from harness.cli.screen import Screen, pretty
from harness.exchanges import HttpRequest
from harness.runner.program import Program
from harness.runner.reference import StartingReference
from harness.runner.refusal import CannotRun
from harness.runner.upstream import Upstream, start_mock
from harness.transport import Transport
from harness.wire.requests import initialize, request

CLIENT: Final = {"name": "curl", "version": "1"}
WATCH_SECONDS: Final = 0.5
TIMEOUT: Final = 10.0


def play(product_name: str, port: int, api_port: int, seed: int) -> int:
    """Serve until stopped; then 0. Raises CannotRun when something does not start, or ends by itself."""
    product = product_of(product_name)
    screen = Screen(())
    with ExitStack() as stack, Transport() as transport, stopped_by_sigterm():
        reference = stack.enter_context(StartingReference(product, port=port))
        mock, upstream = start_mock(product.id, api_port=api_port)
        stack.enter_context(mock)
        server, url = reference.program, str(reference.ready(upstream)["url"])
        control = ControlPlane(transport, upstream.control_url, upstream.secret, timeout=TIMEOUT)
        tenant = Tenants(control, set()).tenant(f"playground/{seed}")
        # Nobody moves the time here: it goes by itself, and approvals expire.
        tenant.let_time_go()
        tokens = {person["id"]: tenant.token(person["id"]).value for person in tenant.people}
        for line in page(product.id, url, upstream, tenant, tokens):
            screen.line(line)
        try:
            _watch(mock, server)
        except KeyboardInterrupt:
            return 0


def _watch(*programs: Program) -> NoReturn:
    pause = threading.Event()
    while True:
        for program in programs:
            if not program.alive:
                raise CannotRun(
                    f"{program.name} ended by itself: {program.output.strip()[-600:] or 'it said nothing'}."
                )
        pause.wait(WATCH_SECONDS)


def page(name: str, url: str, upstream: Upstream, tenant: Tenant, tokens: dict[str, str]) -> list[str]:
    """Everything one needs to know to play: where things are, who is who, and how to connect."""
    token = next(iter(tokens.values()))
    lines = [
        "",
        f"MCP server      {url}   (the reference server, 2025-11-25 and 2026-07-28)",
        f"Mock API        {upstream.api_url}   (its contract: {upstream.api_url}/openapi.json)",
        f"Console         {upstream.api_url}/settings/approvals   (sign in as one of the people below)",
        f"Control plane   {upstream.control_url}   (Authorization: Bearer {upstream.secret})",
        f"Tenant          {tenant.id}",
        f"Organization    {tenant.organization['name']}",
        "",
        "People",
    ]
    for person in tenant.people:
        lines += [f"  {person['name']}"]
        lines += [
            f"    e-mail    {person['email']}",
            f"    password  {person['password']}",
            f"    token     {tokens[person['id']]}",
        ]
    lines += ["", "Claude Code", f"  {_claude_code(name, url, token)}"]
    lines += [
        "",
        'Clients with "mcpServers" (Cursor, Claude Desktop, …)',
        pretty(_servers("mcpServers", name, url, token)),
    ]
    lines += ["", "VS Code (.vscode/mcp.json)", pretty(_servers("servers", name, url, token))]
    lines += ["", "By hand, 2025-11-25", f"  {curl(initialize(id=1, url=url, token=token, client=CLIENT))}"]
    listing = request("2026", "tools/list", {}, id=1, url=url, token=token, client=CLIENT)
    lines += [
        "",
        "By hand, 2026-07-28",
        f"  {curl(listing)}",
        "",
        "Ctrl-C stops everything; nothing is kept.",
    ]
    return lines


def curl(built: HttpRequest) -> str:
    """The request as a command line."""
    words = ["curl", "-sS", "-X", built.method, built.url]
    for name, value in built.headers:
        words += ["-H", f"{name}: {value.decode('latin-1') if isinstance(value, bytes) else value}"]
    return shlex.join([*words, "-d", built.body.decode()])


def _servers(key: str, name: str, url: str, token: str) -> dict[str, object]:
    return {key: {name: {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}}}}


def _claude_code(name: str, url: str, token: str) -> str:
    return shlex.join(
        [
            "claude",
            "mcp",
            "add",
            "--transport",
            "http",
            name,
            url,
            "--header",
            f"Authorization: Bearer {token}",
        ]
    )

"""The connection: which eras a server offers, whom it lets in, whether it speaks to our mock, what it offers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from harness.checks.results import describe
from harness.doctor.diagnosis import Sign, State, Suite
from harness.exchanges import ERAS, Era
from harness.ledger import LedgerEntry
from harness.schemas import needed
from harness.verdicts import NotTestable, RuleBroken
from harness.wire.eras import ERA_TABLES
from harness.world import World

OFFERED_TOOLS: Final = "these tools are offered"
SHOWN: Final = 8
READING: Final = ("_get", "_list")


def eras(worlds: Mapping[Era, World], suite: Suite) -> tuple[Sign, tuple[Era, ...]]:
    """Which eras are answered when they are opened, as a sign and as a list."""
    said, offered = [], []
    for era, world in worlds.items():
        table, client = ERA_TABLES[era], world.new_client(world.token_of("the assistant").value)
        exchange = client.initialize() if table.handshake else client.request(table.opening)
        if exchange.result is None:
            said.append(f"{era}: not offered ({_short(describe(exchange))})")
            continue
        offered.append(era)
        named = exchange.result.get("protocolVersion") or exchange.result.get("supportedVersions")
        said.append(f"{era}: {_versions(named)}")
    missing = [era for era in worlds if era not in offered]
    sign = Sign(
        "eras",
        State.BAD if missing else State.GOOD,
        "; ".join(said),
        advice=_advice_on_eras(missing, offered),
        rules=tuple(dict.fromkeys(rule for era in missing for rule in suite.in_era(era))),
        fatal=not offered,
    )
    return sign, tuple(offered)


def _advice_on_eras(missing: Sequence[Era], offered: Sequence[Era]) -> str:
    if not missing:
        return ""
    if not offered:
        openings = " nor ".join(ERA_TABLES[era].opening for era in ERAS)
        return (
            f"neither {openings} is answered by a result: check the path of the URL, and what the server logs"
        )
    return f"offer {ERA_TABLES[missing[0]].version} too, or judge by --era {offered[0]} alone"


def _versions(named: Any) -> str:
    texts = named if isinstance(named, list) else [named]
    return ", ".join(_short(str(text), 20) for text in texts[:SHOWN])


def authorization(world: World) -> Sign:
    """Whether nobody gets in without a token, and is told how to."""
    client, table = world.new_client(None), ERA_TABLES[world.era]
    exchange = client.initialize() if table.handshake else client.request("tools/list")
    challenge = None if exchange.answer is None else exchange.answer.header("www-authenticate")
    if exchange.status == 401 and challenge:
        return Sign("auth", State.GOOD, "401 with WWW-Authenticate without a token")
    if exchange.status == 401:
        said = "401 without a token, but no WWW-Authenticate says what is wanted"
    else:
        said = f"without a token: {_short(describe(exchange))}"
    return Sign(
        "auth",
        State.BAD,
        said,
        advice="answer 401 with a header WWW-Authenticate: Bearer … to a request that carries no token",
    )


def upstream(world: World, variable: str, api_url: str) -> Sign:
    """Whether the server asks our mock, under the caller's own token: seen in the ledger. Nothing is changed for it."""
    try:
        listed = world.list_tools()
    except (RuleBroken, NotTestable) as problem:
        why = (
            f"{problem}: {_short(problem.finding.actual)}"
            if isinstance(problem, RuleBroken)
            else str(problem)
        )
        return Sign(
            "upstream",
            State.BAD,
            f"tools/list is not answered: {why}",
            advice="tools/list has to answer a list of tools to a token that holds every scope",
            fatal=True,
        )
    entries, tried = world.tenant.ledger(), ["tools/list"]
    if not entries:
        for tool in _readers(listed):
            tried.append(tool)
            with suppress(NotTestable):
                world.client().request("tools/call", {"name": tool, "arguments": {}})
            entries = world.tenant.ledger()
            if entries:
                break
    if not entries:
        return Sign(
            "upstream",
            State.BAD,
            f"the mock was never asked under the token of the caller (tried: {', '.join(tried)})",
            advice=f"let the server take {variable} ({api_url}) for its API, and hand on the caller's bearer token",
            fatal=True,
        )
    return Sign("upstream", State.GOOD, f"asks the mock under the caller's token: {_operations(entries)}")


def _readers(listed: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Tools that only read, by their documented endings, and want no arguments; at most two."""
    found = []
    for name, tool in listed.items():
        schema = tool.get("inputSchema")
        if name.endswith(READING) and isinstance(schema, Mapping) and not needed(schema):
            found.append(name)
    return sorted(found, key=lambda name: "_me_" not in name)[:2]


def _operations(entries: Sequence[LedgerEntry]) -> str:
    asked = Counter(entry.operation or "a route that is not in the contract" for entry in entries)
    told = [f"{name} ({count}×)" if count > 1 else name for name, count in asked.most_common(SHOWN)]
    return ", ".join(told) + (", …" if len(asked) > SHOWN else "")


def tools(world: World, suite: Suite) -> Sign:
    """Which documented tools are missing, which further ones there are, and on how many pages they come."""
    listed = world.schemas()
    known = suite.table_of(OFFERED_TOOLS)
    missing = [tool for tool in known if tool not in listed]
    further = sorted(set(listed) - set(known) - set(world.product.destructive))
    # One request was made without a token, to be turned away.
    pages = sum(
        exchange.method == "tools/list"
        and any(name == "Authorization" for name, _ in exchange.request.headers)
        for exchange in world.exchanges
    )
    said = f"{len(listed)} tools on {pages} page{'s' * (pages != 1)}"
    if missing:
        said += f"; {len(missing)} documented ones are missing: {_names(missing)}"
    if further:
        said += f"; {len(further)} that the documents do not name: {_names(further)}"
    if not missing:
        return Sign("tools", State.GOOD, said)
    advice = "offer the missing tools to a token that holds every scope: what needs them is not testable"
    rules = dict.fromkeys((*suite.with_steps(OFFERED_TOOLS), *suite.naming(missing)))
    return Sign("tools", State.BAD, said, advice=advice, rules=tuple(rules))


def _names(names: Sequence[str]) -> str:
    return ", ".join(_short(name, 60) for name in names[:SHOWN]) + (", …" if len(names) > SHOWN else "")


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"

"""The whole examination: one thing after another, in tenants of its own, none of it twice."""

from contextlib import ExitStack, closing
from dataclasses import replace

from harness.controls.choosing import with_time
from harness.doctor import confirming, connection
from harness.doctor.diagnosis import Diagnosis, Sign, State, Suite
from harness.exchanges import Era
from harness.record.redaction import Redactor
from harness.settings import Settings
from harness.transport import Transport
from harness.wire.eras import ERA_TABLES
from harness.world import World, open_world

SCENARIO = "doctor"


def examine(
    settings: Settings, suite: Suite, transport: Transport, *, variable: str, wanted: str, started: bool
) -> Diagnosis:
    """Look at the first URL of the settings, which answers. Raises HarnessFault where the mock does not do its part.

    Before the mock has seen a request of the server under a token of ours, nothing is sent that could change anything:
    whatever the server's upstream is, it is not ours. `variable` is how the server is told where the API is, `wanted`
    the time control to try, `started` whether we start the server. What is told holds no secret.
    """
    with ExitStack() as stack:
        worlds: dict[Era, World] = {}
        for era in settings.eras:
            known: Era = "2025" if era == "2025" else "2026"
            worlds[known] = stack.enter_context(closing(open_world(settings, SCENARIO, known, "")))
        signs = _signs(settings, suite, transport, worlds, variable=variable, wanted=wanted, started=started)
        redactor = Redactor({secret for world in worlds.values() for secret in world.redactions})
    clean = tuple(replace(sign, said=redactor.text(sign.said)) for sign in signs)
    return Diagnosis(settings.urls[0], clean, suite.rules)


def unreachable(url: str, problem: str, suite: Suite) -> Diagnosis:
    """The diagnosis of a server that does not answer."""
    said = f"nothing answers at {url}: {problem}"
    return Diagnosis(
        url,
        (Sign("reachable", State.BAD, said, "start the server there, or check the URL", fatal=True),),
        suite.rules,
    )


def _signs(
    settings: Settings,
    suite: Suite,
    transport: Transport,
    worlds: dict[Era, World],
    *,
    variable: str,
    wanted: str,
    started: bool,
) -> list[Sign]:
    signs = [Sign("reachable", State.GOOD, f"{settings.urls[0]} answers")]
    found, offered = connection.eras(worlds, suite)
    signs.append(found)
    if not offered:
        return signs
    newest = worlds[offered[-1]]
    signs.append(connection.authorization(newest))
    signs.append(connection.upstream(newest, variable, settings.console_url))
    if signs[-1].fatal:
        return signs
    signs.append(connection.tools(newest, suite))
    for era in offered:
        if ERA_TABLES[era].forms_in_chat:
            signs += confirming.forms(worlds[era], suite)
    signs += [confirming.link(worlds[era], suite) for era in offered]
    timed = with_time(replace(settings, eras=offered), wanted, transport, settings.time_file)
    signs.append(confirming.time(timed, newest.product.destructive, suite, started=started))
    return signs

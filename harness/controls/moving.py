"""Time moved in a scenario, by the control of the run: the upstream's, and the server's where something moves it."""

from datetime import datetime

from harness import clock
from harness.controls.faketime import ProcessClock
from harness.verdicts import NotTestable
from harness.world import World

WAITED = "waited"
UPSTREAM_ALONE = "only the upstream's time moved"
MARGIN = 0.5


def move(world: World, seconds: float) -> None:
    """Let time pass, for every tenant of the scenario and for the server.

    Where the server's clock cannot be moved so far, a question that was asked cannot grow old: raises NotTestable.
    Without one the time of the upstream moves all the same (what it keeps, it keeps by its own clock), and
    `follows` is false from then on.
    """
    settings = world.settings
    reason = _immovable(world, seconds)
    if reason is not None:
        if world.story.asked:
            raise NotTestable(reason)
        world.story.notes[UPSTREAM_ALONE] = True
    elif settings.time_control == "real":
        world.story.notes[WAITED] = world.story.notes.get(WAITED, 0.0) + seconds
        clock.pause(seconds)
        # What was waited for on purpose is no slowness.
        world.story.asked_at += seconds
    world.story.moved = True
    for tenant in world.tenants().values():
        tenant.advance(seconds)
    if settings.time_file:
        ProcessClock(settings.time_file).advance(seconds)
    world.look_anew()


def set_moment(world: World, moment: str) -> None:
    """Let it be that moment (RFC 3339), for the scenario's tenant and for a process that is moved."""
    world.tenant.set_time(moment)
    if world.settings.time_file:
        ProcessClock(world.settings.time_file).set_moment(datetime.fromisoformat(moment))
    world.look_anew()


def follows(world: World) -> bool:
    """Whether it is known that the server's clock went along with every move of this scenario."""
    return world.settings.time_proven and UPSTREAM_ALONE not in world.story.notes


def ageing_since(world: World) -> float | None:
    """When the question was asked for that a move of time has aged since, where the clocks tick; else None.

    On our monotonic clock. To be looked at before the question is answered: a new question is of a new age.
    """
    if world.settings.time_control not in ("faketime", "real") or not world.story.moved:
        return None
    return world.story.asked_at


def too_slow(since: float | None) -> NotTestable | None:
    """Why a yes that was meant to be in time may have been late, by what `ageing_since` gave; None where it was not.

    A clock that ticks goes on while answers take their time: what then remains of a last second is not enough to
    accuse anybody.
    """
    took = 0.0 if since is None else clock.monotonic() - since
    if took <= MARGIN:
        return None
    return NotTestable(
        f"the answers took {took:.1f} s of the last second that a yes had left: too slow to tell"
    )


def _immovable(world: World, seconds: float) -> str | None:
    settings = world.settings
    if settings.time_control == "none":
        return "time cannot be moved for this server" + (
            f": {settings.time_said}" if settings.time_said else ""
        )
    if settings.time_control == "real":
        waited = world.story.notes.get(WAITED, 0.0) + seconds
        if waited > settings.max_wait:
            return f"{waited:g} s would have to be waited for, and --max-wait is {settings.max_wait:g}"
    return None

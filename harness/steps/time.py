"""Time: which moment it is for the upstream, and for a server that follows it."""

from harness.controls.moving import set_moment
from harness.expressions import given
from harness.verdicts import NotTestable
from harness.world import World


@given("it is {moment}")
def it_is(world: World, moment: str) -> None:
    set_moment(world, moment)


def not_moved(world: World) -> NotTestable | None:
    """Why a time that was set cannot be looked for: this server's clock was never shown to follow. None where it was."""
    if world.settings.dates_proven:
        return None
    return NotTestable(
        "time could not be moved for this server: it goes by another clock than the upstream's"
    )

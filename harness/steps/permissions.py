"""Permissions: what a token or a person lacks, and having it back."""

from collections.abc import Mapping
from typing import Any

from harness.expressions import given
from harness.verdicts import NotTestable
from harness.world import CALLERS, World


def person_of(world: World) -> Mapping[str, Any]:
    """The person behind the assistant."""
    return world.tenant.people[CALLERS["the assistant"][1] or 0]


@given("the token lacks the scope {scope}")
def lacks_scope(world: World, scope: str) -> None:
    if scope not in world.tenant.scopes:
        raise NotTestable(f"the upstream knows no scope {scope}")
    world.use_token("the assistant", world.tenant.token(person_of(world)["id"], without_scopes=[scope]))


@given("the person lacks the permission {permission}")
def lacks_permission(world: World, permission: str) -> None:
    if permission not in person_of(world)["permissions"]:
        raise NotTestable(f"the upstream knows no permission {permission}")
    world.tenant.change_person(person_of(world)["id"], without_permissions=[permission])
    world.use_token("the assistant", world.tenant.token(person_of(world)["id"]))


@given("the token lacks every scope")
def lacks_every_scope(world: World) -> None:
    world.use_token("the assistant", world.tenant.token(person_of(world)["id"], scopes=[]))


@given("the person lacks every permission")
def lacks_every_permission(world: World) -> None:
    world.tenant.change_person(person_of(world)["id"], permissions=[])
    give_back_scopes(world)


def give_back_scopes(world: World) -> None:
    """A fresh token of the same person that holds every scope."""
    world.use_token("the assistant", world.tenant.token(person_of(world)["id"]))


def give_back_permissions(world: World) -> None:
    """The same person with every permission, and a fresh token."""
    world.tenant.change_person(person_of(world)["id"], permissions=None)
    give_back_scopes(world)

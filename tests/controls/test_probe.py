"""The probe: what it finds of each clock, and how much it asks for it."""

from pathlib import Path

import pytest

from harness.controls import probe
from harness.controls.probe import probe_time
from harness.settings import Settings
from harness.world import World, open_world
from tests.programs import reference_server

from .conftest import Served

LIMIT = 10


@pytest.fixture
def worlds(monkeypatch: pytest.MonkeyPatch) -> list[World]:
    """Every world the probe opens."""
    opened: list[World] = []

    def keep(*given: object) -> World:
        opened.append(open_world(*given))  # type: ignore[arg-type]
        return opened[-1]

    monkeypatch.setattr(probe, "open_world", keep)
    return opened


def test_the_reference_server_follows_its_upstream(upstream: Settings, worlds: list[World]) -> None:
    with reference_server(upstream.api_url) as server:
        found = probe_time(Settings(**{**vars(upstream), "urls": (server["url"],)}))
    assert (found.name, found.proven, found.dates) == ("upstream-date", True, True)
    assert found.said == "a yes was asked again after six minutes"
    assert len(worlds[0].exchanges) <= LIMIT


def test_a_clock_of_its_own_is_not_moved_by_the_upstream(serve: Served, worlds: list[World]) -> None:
    found = probe_time(serve("python"))
    assert (found.name, found.proven, found.dates) == ("none", False, False)
    assert "a yes still ran after a day" in found.said
    assert len(worlds[0].exchanges) <= LIMIT


def test_a_yes_for_ten_minutes_proves_the_control_all_the_same(serve: Served, library: Path) -> None:
    found = probe_time(serve("python", lifetime="600", library=library))
    assert (found.name, found.proven) == ("faketime", True)
    assert found.said == "a yes was asked again after a day"


def test_a_prompt_on_a_later_page_shows_that_dates_follow(serve: Served, library: Path) -> None:
    found = probe_time(serve("stranger", library=library))
    assert (found.name, found.proven, found.dates) == ("faketime", True, True)


def test_a_yes_for_ever_proves_nothing(serve: Served, library: Path) -> None:
    found = probe_time(serve("python", lifetime="forever", library=library))
    assert (found.name, found.proven) == ("none", False)


def test_a_server_that_never_takes_a_yes_proves_nothing(serve: Served) -> None:
    # It asks again at once: that it asks again later shows nothing of its clock.
    found = probe_time(serve("python", lifetime="-1"))
    assert (found.name, found.proven) == ("upstream-date", False)
    assert found.said.startswith("a yes to kadu_tasks_run does not run")


def test_without_the_era_of_questions_there_is_nothing_to_try(serve: Served) -> None:
    settings = serve("python")
    found = probe_time(Settings(**{**vars(settings), "eras": ("2025",)}))
    assert (found.proven, found.dates) == (False, False)
    assert "knows no question in the chat" in found.said

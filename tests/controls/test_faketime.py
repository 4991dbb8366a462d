"""A process moved through time by libfaketime, and the file it follows."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from harness import clock
from harness.checks.results import is_question, is_success
from harness.controls.choosing import with_time
from harness.controls.faketime import LIBRARY, ProcessClock, canary, find_library, moved_environment
from harness.controls.moving import move
from harness.runner.refusal import CannotRun
from harness.steps.calls import begin, call_for
from harness.steps.confirmations import says_yes
from harness.transport import Transport
from harness.world import open_world

from .conftest import Served


def test_a_library_that_is_nowhere_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        CannotRun, match=r"libfaketime is not installed here.*install the Debian package libfaketime"
    ):
        find_library({}, [str(tmp_path)])


def test_a_wrong_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match=r"nowhere\.so, where FAKETIME_LIB says it is"):
        find_library({"FAKETIME_LIB": str(tmp_path / "nowhere.so")}, [str(tmp_path)])


def test_the_library_is_found_where_packages_put_it(tmp_path: Path) -> None:
    (tmp_path / LIBRARY).touch()
    assert find_library({}, ["/nowhere", str(tmp_path)]) == tmp_path / LIBRARY


def test_inherited_settings_of_the_library_are_dropped() -> None:
    inherited = {
        "PATH": "/bin",
        "FAKETIME": "@2000-01-01 00:00:00",
        "FAKETIME_DONT_RESET": "1",
        "LD_PRELOAD": "other.so",
    }
    moved = moved_environment(inherited, Path("/lib/x.so"), Path("/tmp/offset"))
    assert moved == {
        "PATH": "/bin",
        "LD_PRELOAD": "/lib/x.so:other.so",
        "FAKETIME_TIMESTAMP_FILE": "/tmp/offset",
        "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_FORCE_MONOTONIC_FIX": "0",
        "NO_FAKE_STAT": "1",
    }


def test_the_file_holds_how_far_the_time_is_moved(tmp_path: Path) -> None:
    file = tmp_path / "offset"
    process = ProcessClock(file)
    process.set(0.0)
    process.advance(300)
    process.advance(-0.5)
    assert file.read_text() == "+299.500\n"
    process.set_moment(clock.now() - timedelta(days=1))
    assert process.offset == pytest.approx(-86400, abs=5)
    assert [path.name for path in tmp_path.iterdir()] == ["offset"]


@pytest.mark.parametrize("kind", ["python", "node"])
def test_a_jump_is_seen_and_taken_back(serve: Served, library: Path, kind: str) -> None:
    settings = serve(kind, library=library)
    with Transport() as transport:
        assert canary(settings.time_file, settings.urls[0], transport, 5.0) is True
    assert ProcessClock(settings.time_file).offset == 0.0


def test_a_server_that_the_library_does_not_reach_is_not_moved(
    serve: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.controls.faketime.PATIENCE", 0.1)
    settings = serve("python")
    ProcessClock(tmp_path / "offset").set(0.0)
    with Transport() as transport:
        found = with_time(settings, "faketime", transport, str(tmp_path / "offset"))
    assert (found.time_control, found.time_proven, found.time_file) == ("none", False, "")
    assert "does not move this server" in found.time_said


@pytest.mark.parametrize("kind", ["python", "node"])
@pytest.mark.parametrize(("seconds", "runs"), [(299, True), (301, False)])
def test_a_yes_ages_with_the_process(
    serve: Served, library: Path, kind: str, seconds: int, runs: bool
) -> None:
    world = open_world(serve(kind, library=library), f"{kind} {seconds}", "2026", "KADU-CNF-10")
    began = datetime.now(UTC)
    begin(world, call_for(world, "kadu_tasks_run"))
    move(world, seconds)
    says_yes(world)
    assert is_success(world.answer) == runs
    assert is_question(world.answer) != runs
    assert datetime.now(UTC) - began < timedelta(seconds=60)
    world.close()


@pytest.mark.parametrize("kind", ["python", "node"])
def test_a_server_that_is_moved_is_proven(serve: Served, library: Path, kind: str) -> None:
    settings = serve(kind, library=library)
    with Transport() as transport:
        found = with_time(settings, "faketime", transport, settings.time_file)
    assert (found.time_control, found.time_proven, found.workers) == ("faketime", True, 1)

"""A ticking clock, with the machine's time in our hands."""

from datetime import UTC, datetime, timedelta

import pytest

from mock_api import clock
from mock_api.tenant_clock import TenantClock, parse

START = datetime(2026, 11, 30, 15, tzinfo=UTC)


class Machine:
    """The time of a machine that moves when told."""

    def __init__(self) -> None:
        self.time = datetime(2020, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(clock, "now", made.now)
    return made


def test_it_follows_the_machine_only_while_it_ticks(machine: Machine) -> None:
    told = TenantClock(START)
    machine.sleep(10)
    assert told.now() == START
    told.tick(True)
    machine.sleep(10)
    assert told.now() == START + timedelta(seconds=10)
    told.tick(False)
    machine.sleep(10)
    assert told.now() == START + timedelta(seconds=10)


def test_moving_it_while_it_ticks_counts_no_second_twice(machine: Machine) -> None:
    told = TenantClock(START)
    told.tick(True)
    machine.sleep(10)
    told.advance(100)
    assert told.now() == START + timedelta(seconds=110)
    machine.sleep(1)
    told.tick(True)
    assert told.now() == START + timedelta(seconds=111)
    told.set(START)
    machine.sleep(2)
    assert told.now() == START + timedelta(seconds=2)


def test_its_time_survives_being_written_and_read() -> None:
    told = TenantClock(START + timedelta(microseconds=123_999))
    assert clock.text(told.now()) == "2026-11-30T15:00:00.123Z"
    assert parse(clock.text(told.now())) == told.now()

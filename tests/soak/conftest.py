"""Programs that are ended with their test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .programs import SECRET, Program, StartProgram, mock_words


@pytest.fixture
def start() -> Iterator[StartProgram]:
    """Starts a program; what still runs at the end of the test is ended."""
    started: list[Program] = []

    def begin(words: list[str], first_line: str = "") -> Program:
        started.append(Program(words, first_line))
        return started[-1]

    yield begin
    for program in started:
        program.end()


@pytest.fixture
def mock(start: StartProgram, tmp_path: Path) -> Program:
    """A running mock with a state file of its own."""
    return start(mock_words(tmp_path / "estado"), SECRET + "\n")

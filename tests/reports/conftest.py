"""Records made for a test, read and judged."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reports.judgement import Judgement, judge
from reports.record import Run, read
from tests.reports import sample

Lines = list[dict[str, Any]]


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[Lines], Run]:
    """Writes lines as a record and reads it back."""
    return lambda lines: read(sample.write(tmp_path / "run.ndjson", lines))


@pytest.fixture
def judged(recorded: Callable[[Lines], Run]) -> Callable[[Lines], Judgement]:
    """The same, judged."""
    return lambda lines: judge(recorded(lines))

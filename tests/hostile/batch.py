"""The command line several times in one process: each run as a user's, the libraries loaded once.

Takes a JSON list of [arguments, directory] on standard input. What a run says goes to `stdout` and `stderr` in its
directory; its exit code, and the most memory in megabytes that the process took so far, to `outcome.json`.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.cli.main import NAME, app, outcome


@contextmanager
def told_to(directory: Path) -> Iterator[None]:
    """Standard output and error go to files."""
    kept = [os.dup(1), os.dup(2)]
    for number, name in ((1, "stdout"), (2, "stderr")):
        with (directory / name).open("wb") as file:
            os.dup2(file.fileno(), number)
    try:
        yield
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        for number, before in zip((1, 2), kept, strict=True):
            os.dup2(before, number)
            os.close(before)


def run(arguments: list[str], directory: Path) -> None:
    """One run, reports to the directory."""
    directory.mkdir()
    words = [*arguments, "--out", str(directory)]
    with told_to(directory):
        code = outcome(lambda: app(words, standalone_mode=False, prog_name=NAME))
    (directory / "outcome.json").write_text(json.dumps({"code": code, "megabytes": most_megabytes()}))


def most_megabytes() -> int:
    """The most memory this program held so far. `ru_maxrss` would also count what its parent held when it forked."""
    status = Path("/proc/self/status").read_text()
    held = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    assert held is not None
    return int(held[1]) // 1024


if __name__ == "__main__":
    for arguments, directory in json.load(sys.stdin):
        run(arguments, Path(directory))

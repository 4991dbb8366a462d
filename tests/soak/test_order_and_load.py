"""The verdicts are the same in any order, in several processes, on a machine that has other things to do.

Three short runs of the rules about time and races; with KADU_SOAK=1 twenty of the whole suite.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

RUNS = 20 if os.environ.get("KADU_SOAK") == "1" else 3
WORKERS = 4
BUSY = 2
LIMIT = 600
RULES = (
    *("KADU-CNF-10", "KADU-CNF-12", "KADU-CNF-13", "KADU-APR-10", "KADU-APR-11", "KADU-APR-14"),
    *("KADU-IDM-06", "KADU-IDM-07", "KADU-IDM-12", "KADU-RES-10", "KADU-RES-11", "KADU-UNA", "MCP-02"),
)
PART = (
    () if os.environ.get("KADU_SOAK") == "1" else tuple(word for rule in RULES for word in ("--rule", rule))
)


@contextmanager
def busy_machine() -> Iterator[list[subprocess.Popen[bytes]]]:
    """As many processes as make both cores of a small machine busy, until the block ends."""
    with ExitStack() as stack:
        loops = []
        for _ in range(BUSY):
            loops.append(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(loops[-1].wait)
            stack.callback(loops[-1].kill)
        yield loops


def verdicts(out: Path, *options: str) -> tuple[str, dict[str, tuple[str, str | None]], list[str]]:
    """The recorded order, of each scenario run its verdict and why it is not passed, and the ids as they ended."""
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli.main", "prove", *PART, *options, "--out", str(out)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    header, *lines = map(json.loads, (out / "run.ndjson").read_text(encoding="utf-8").splitlines())
    assert (done.returncode, lines[-1]["type"]) == (0, "footer"), done.stdout + done.stderr
    scenarios = [line for line in lines if line["type"] == "scenario"]
    found = {line["id"]: (line["verdict"], line["reason"]) for line in scenarios}
    assert len(found) == len(scenarios) > 50
    return header["order"], found, list(found)


def test_order_processes_and_load_change_no_verdict(tmp_path: Path) -> None:
    order, quiet, as_written = verdicts(tmp_path / "quiet")
    assert order == "written"
    assert {verdict for verdict, _ in quiet.values()} == {"passed"}
    with busy_machine() as loops:
        for number in range(RUNS):
            options = ("--order", f"random:{number}", "--workers", str(WORKERS))
            order, loaded, as_ended = verdicts(tmp_path / f"loaded-{number}", *options)
            assert order == f"random:{number}"
            assert loaded == quiet, f"with {' '.join(options)}"
            assert as_ended != as_written
        assert [loop.poll() for loop in loops] == [None] * BUSY

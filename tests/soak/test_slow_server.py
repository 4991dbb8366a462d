"""A conforming server that is slow is not accused of what it has not said yet."""

import json
import subprocess
import sys
from pathlib import Path

SLOW = Path(__file__).with_name("slow_server.py")
SCENARIOS = ("Listening gives nothing", "Of two equal calls the second is told")
LIMIT = 120


def test_answers_that_come_late_are_waited_for(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "harness.cli.main",
                "run",
                "--command",
                f"{sys.executable} {SLOW} {{port}}",
            ),
            *(word for scenario in SCENARIOS for word in ("--scenario", scenario)),
            *("--out", str(tmp_path)),
        ],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    lines = [json.loads(line) for line in (tmp_path / "run.ndjson").read_text(encoding="utf-8").splitlines()]
    found = {line["id"]: (line["verdict"], line["reason"]) for line in lines if line["type"] == "scenario"}
    assert len(found) == 3, done.stdout + done.stderr
    assert set(found.values()) == {("passed", None)}

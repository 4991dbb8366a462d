"""Reports read the record and nothing else: no neighbour of it, no feature it names, no environment, no network."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from reports import FORMATS, render_all
from tests.reports import sample

ROOT = Path(__file__).parents[2]
# Where the harness would take secrets out; here they stand outside the record, in all that a report could look at.
CANARIES = {
    "token": "kdu_canary_token_8c1f",
    "password": "canary-password-77aa",
    "state": "v1.canary.state.51be",
    "cookie": "canary_session=deadbeef42",
    "link": "https://console.example/approvals/canary-link-9d3c",
}
WATCHED = """
import sys
from pathlib import Path
from reports import FORMATS, render_all

seen = []
def watch(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") or event.split(".")[0] in ("socket", "subprocess", "urllib"):
        seen.append((event, str(arguments[0])))
sys.addaudithook(watch)
render_all(Path(sys.argv[1]), Path(sys.argv[2]), FORMATS)
print("\\n".join(f"{event}\\t{what}" for event, what in seen))
"""


def redacted(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A record with the harness's mark in every place where such a secret can stand."""
    text = " ".join(f"{name} «secret»" for name in CANARIES)
    places: Any = lines[1]
    places["reason"] = places["error"] = places["findings"][0]["message"] = text
    places["findings"][0] |= {"expected": text, "actual": text}
    exchange = places["exchanges"][0]
    exchange["request"] |= {"url": f"http://h/?state={text}", "body": text}
    exchange["request"]["headers"] += [["cookie", text], ["x-token", text]]
    exchange["answer"] |= {"body": text, "headers": [["location", text], ["set-cookie", text]]}
    return [*lines, sample.footer(lines, 1, complaint=text, subject_output=text)]


def record(folder: Path) -> Path:
    """A record, and beside it files of every name it mentions, each with every canary."""
    lines = [sample.header([sample.rule("HRB-CNF-01")]), sample.scenario("HRB-CNF-01", "failed")]
    path = sample.write(folder / "run.ndjson", redacted(lines))
    for name in ("harbour/confirmation.feature", "run.ndjson.bak", "steps.py", ".env", "baseline.yaml"):
        neighbour = folder / name
        neighbour.parent.mkdir(exist_ok=True)
        neighbour.write_text(json.dumps(CANARIES), encoding="utf-8")
    return path


def test_nothing_outside_the_record_gets_into_a_report(tmp_path: Path) -> None:
    path, out = record(tmp_path), tmp_path / "out"
    environment = {
        **os.environ,
        **{f"CANARY_{name}".upper(): value for name, value in CANARIES.items()},
        "TOKEN": CANARIES["token"],
        "COOKIE": CANARIES["cookie"],
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-P", "-c", WATCHED, str(path), str(out)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    seen = [line.split("\t") for line in done.stdout.splitlines()]
    assert [str(path)] == [what for event, what in seen if event == "open" and what == str(path)]
    elsewhere = [
        (event, what)
        for event, what in seen
        if what != str(path) and not Path(what).is_relative_to(out) and not _of_python(what)
    ]
    assert elsewhere == []
    written = {file.name: file.read_text(encoding="utf-8") for file in out.iterdir()}
    assert sorted(written) == sorted(FORMATS.values())
    for name, text in written.items():
        assert "secret" in text, name
        for kind, canary in CANARIES.items():
            assert canary not in text, (name, kind)


def _of_python(what: str) -> bool:
    """Whether a path is Python's own, of a package that is installed with it, or of the reports' own code."""
    if Path(what) == ROOT or Path(what).is_relative_to(ROOT / "reports"):
        return True
    roots = {sys.prefix, sys.base_prefix, str(Path(sys.base_prefix).resolve()), str(ROOT / ".venv")}
    return any(Path(what).is_relative_to(root) for root in roots)


def test_what_was_said_on_the_wire_of_a_scenario_that_passed_stays_in_the_record(tmp_path: Path) -> None:
    lines = [sample.header([sample.rule("HRB-CNF-01")]), sample.scenario("HRB-CNF-01")]
    exchange = lines[1]["exchanges"][0]
    exchange["request"] |= {"url": "http://h/canary-url", "body": "canary-body"}
    exchange["request"]["headers"].append(["x-canary", "canary-header"])
    exchange["answer"]["body"] = "canary-answer"
    path = sample.write(tmp_path / "run.ndjson", [*lines, sample.footer(lines, 0)])
    for file in render_all(path, tmp_path / "out", FORMATS):
        assert "canary" not in file.read_text(encoding="utf-8"), file.name

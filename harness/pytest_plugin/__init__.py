"""A run of `kadu-conformance` inside a team's own pytest: one item a scenario run.

Loaded with `-p harness.pytest_plugin`, never by itself. The judging is one run of the command line in a process of its
own, as a pipeline has it; the items are read from its record.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.pytest_plugin.items import RunFile

RECORD = "run.ndjson"
PASSED_ON = ("url", "rule", "scenario", "tag", "era")
NAMED = ("command", "baseline", "config")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; all others of `kadu-conformance run` go into its file of options."""
    group = parser.getgroup("kadu", "kadu-conformance")
    for name in PASSED_ON:
        group.addoption(
            f"--kadu-{name}", action="append", default=[], help=f"as --{name} of `kadu-conformance run`"
        )
    for name in NAMED:
        group.addoption(f"--kadu-{name}", default=None, help=f"as --{name} of `kadu-conformance run`")
    group.addoption(
        "--kadu-out", default="kadu-conformance-report", help="where the record and the reports go"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Raises UsageError under pytest-xdist, whose every worker would judge for itself."""
    if wanted(config) and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError(
            "kadu-conformance judges once: run without -n, and set `workers` in its file of options."
        )


def pytest_report_header(config: pytest.Config) -> str:
    """Say what is judged, or that nothing is."""
    if not wanted(config):
        return "kadu-conformance: nothing is judged; give --kadu-url, --kadu-command or --kadu-config"
    if config.option.collectonly:
        return "kadu-conformance: nothing is judged with --collect-only"
    return f"kadu-conformance: reports in {config.getoption('kadu_out')}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Judge, and add what came of it to the items."""
    if wanted(config) and not config.option.collectonly:
        file = RunFile.from_parent(session, path=judged(config))
        items.extend(file.collect())


def wanted(config: pytest.Config) -> bool:
    """Whether there is something to judge."""
    return any(config.getoption(f"kadu_{name}") for name in ("url", "command", "config"))


def judged(config: pytest.Config) -> Path:
    """Run the command line; the path of its record. Raises UsageError with its words where it could not judge."""
    record: Path = config.invocation_params.dir / config.getoption("kadu_out") / RECORD
    # A record of an earlier run must not be taken for this one's.
    record.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "harness.cli.main", "run", *arguments(config)],
        cwd=config.invocation_params.dir,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if not record.exists():
        raise pytest.UsageError(done.stderr.strip() or f"kadu-conformance ended with {done.returncode}.")
    return record


def arguments(config: pytest.Config) -> list[str]:
    """The options of the run."""
    words = [f"--out={config.getoption('kadu_out')}"]
    for name in PASSED_ON:
        words += [f"--{name}={value}" for value in config.getoption(f"kadu_{name}")]
    for name in NAMED:
        value = config.getoption(f"kadu_{name}")
        words += [] if value is None else [f"--{name}={value}"]
    return words

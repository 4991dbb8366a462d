"""From what the command line says to what is asked of a run. Light: every command goes through it, `--help` too."""

import os
from collections.abc import Sequence
from pathlib import Path

from harness.cli.choices import MOST_WORKERS, Asked, Given


def workers_by_default() -> int:
    """How many processes run scenarios unless told otherwise. More would wait for server and mock, and cost their start."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors, MOST_WORKERS)


def paths(features: Sequence[Path] | None) -> tuple[str, ...]:
    """Directories of features as they are handed on; none are the bundled ones."""
    return tuple(str(path) for path in features or ())


def asked_of(
    product: str,
    features: Sequence[Path] | None,
    rule: Sequence[str] | None,
    scenario: Sequence[str] | None,
    era: Sequence[str] | None,
    keep: bool,
    workers: int | None,
    seed: int,
    timeout: float,
    out: Path,
) -> Asked:
    """The options that every run has in common, as they came from the command line."""
    return Asked(
        product=product,
        features=paths(features),
        rules=tuple(rule or ()),
        scenarios=tuple(scenario or ()),
        eras=tuple(era or ()),
        keep=keep,
        workers=workers_by_default() if workers is None else workers,
        seed=seed,
        timeout=timeout,
        out=out,
    )


def given_of(
    url: Sequence[str] | None,
    command: str | None,
    api_url: str | None,
    control_url: str | None,
    control_secret_file: Path | None,
    api_port: int | None,
    api_host: str | None,
    api_public_url: str | None,
    header: Sequence[str] | None,
    header_env: Sequence[str] | None,
    ca_file: Path | None,
    ready_timeout: float,
    time: str,
    max_wait: float,
) -> Given:
    """The options that say where a server and its upstream are, as they came from the command line."""
    return Given(
        urls=tuple(url or ()),
        command=command,
        api_url=api_url,
        control_url=control_url,
        control_secret_file=control_secret_file,
        api_port=api_port,
        ready_timeout=ready_timeout,
        api_host=api_host,
        api_public_url=api_public_url,
        headers=tuple(header or ()),
        header_variables=tuple(header_env or ()),
        ca_file=ca_file,
        time=time,
        max_wait=max_wait,
    )

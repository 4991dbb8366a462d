"""What a user asked of a run that judges."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

DEFAULT_OUT: Final = Path("kadu-conformance-report")
DEFAULT_API_PORT: Final = 8766
MOST_WORKERS: Final = 4


@dataclass(frozen=True)
class Asked:
    """The options that every run has in common. Empty means: all there is (for `features`, the bundled ones)."""

    product: str
    features: tuple[str, ...]
    rules: tuple[str, ...]
    scenarios: tuple[str, ...]
    eras: tuple[str, ...]
    keep: bool
    workers: int
    seed: int
    timeout: float
    out: Path
    tags: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    shard: str | None = None
    order: str = "written"


@dataclass(frozen=True)
class Given:
    """How the server under test and the mock API are reached or started."""

    urls: tuple[str, ...]
    command: str | None
    api_url: str | None
    control_url: str | None
    control_secret_file: Path | None
    api_port: int | None
    ready_timeout: float
    api_host: str | None = None
    api_public_url: str | None = None
    headers: tuple[str, ...] = ()
    header_variables: tuple[str, ...] = ()
    ca_file: Path | None = None
    time: str = "auto"
    max_wait: float = 0.0
    read_only: bool = False
    token_file: Path | None = None
    token_variable: str | None = None
    person: str | None = None
    person_command: str | None = None


@dataclass(frozen=True)
class Accepting:
    """What is put up with: a baseline, whether it is to be added to, whether untested rules count."""

    baseline: Path | None = None
    update: bool = False
    allow_untested: bool = False

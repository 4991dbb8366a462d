"""What a user asked of a run that judges."""

from dataclasses import dataclass
from pathlib import Path


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

"""What a run was asked to do: plain data that crosses to worker processes as JSON."""

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Settings:
    """The settings of one run.

    `features` are directories of feature files; `rules` and `scenarios` narrow what is asked (empty: everything).
    `urls` are replicas of the server under test. `control_*` reach the mock's control plane; the secret stays in
    memory and goes to workers over their pipe, never into an argument or an environment. Times are in seconds.
    `time_proven` is true where it is known that the time control moves this server's clock.
    """

    product: str
    features: tuple[str, ...]
    urls: tuple[str, ...]
    api_url: str
    control_url: str
    control_secret: str
    eras: tuple[str, ...] = ("2025", "2026")
    rules: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    seed: int = 1
    workers: int = 1
    timeout: float = 10.0
    keep: bool = False
    time_control: str = "upstream-date"
    time_proven: bool = False

    def to_json(self) -> str:
        """The settings as one JSON text, secret included: for a worker's pipe only."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Settings":
        """The inverse of `to_json`."""
        data: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in json.loads(text).items()
        }
        return cls(**data)

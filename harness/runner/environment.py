"""What a program that we start gets to see."""

import os
import socket
from collections.abc import Iterable, Mapping
from typing import Final

# Ours, and no business of a server under test: it must not be able to touch its own ledger.
WITHHELD: Final = ("MOCK_CONTROL_", "KADU_CONFORMANCE_", "REFERENCE_STATE_KEY", "PYTEST_", "EXECNET_")


def subject_environment(
    inherited: Mapping[str, str], *, secrets: Iterable[str], variable: str, api_url: str, host: str, port: int
) -> dict[str, str]:
    """The environment of a server under test: ours without anything of the control plane, with where to find the API.

    A variable is withheld by its name, and also when its value holds one of our secrets.
    """
    kept = our_environment(inherited, secrets=secrets)
    return {**kept, variable: api_url, "HOST": host, "PORT": str(port)}


def our_environment(inherited: Mapping[str, str], *, secrets: Iterable[str] = ()) -> dict[str, str]:
    """The environment of the programs of this project: ours, without secrets and without settings of pytest."""
    hidden = [secret for secret in secrets if secret]
    return {
        name: value
        for name, value in inherited.items()
        if not name.startswith(WITHHELD) and not any(secret in value for secret in hidden)
    }


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def current() -> Mapping[str, str]:
    """The environment of this process."""
    return os.environ

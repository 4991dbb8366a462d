"""Mock API and reference server together, as the settings a scenario's world is opened with."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from harness.settings import Settings
from tests.programs import mock_api, reference_server


@contextmanager
def judged() -> Iterator[Settings]:
    """Mock and reference server together, as the settings of a run against them."""
    secret = secrets.token_urlsafe(32)
    with mock_api(secret) as mock, reference_server(mock["api_url"]) as server:
        yield Settings(
            product="kadu",
            features=(),
            urls=(server["url"],),
            api_url=mock["api_url"],
            control_url=mock["control_url"],
            control_secret=secret,
        )

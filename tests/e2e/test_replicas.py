"""Two replicas of a server that keeps nothing: every request of a scenario goes to the next one."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.programs import mock_api, reference_server

from .conftest import Run


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[tuple[list[str], list[str]]]:
    """The options that name two replicas, and those that name their mock."""
    secret = secrets.token_urlsafe(32)
    file = tmp_path / "control-secret"
    file.write_text(secret)
    key = secrets.token_urlsafe(48)
    with (
        mock_api(secret) as mock,
        reference_server(mock["api_url"], REFERENCE_STATE_KEY=key) as one,
        reference_server(mock["api_url"], REFERENCE_STATE_KEY=key) as other,
    ):
        assert one["url"] != other["url"]
        there = ["--api-url", mock["api_url"], "--control-url", mock["control_url"]]
        yield [one["url"], other["url"]], [*there, "--control-secret-file", str(file)]


def test_everything_passes_with_successive_requests_on_different_replicas(
    kadu: Run, replicas: tuple[list[str], list[str]]
) -> None:
    urls, there = replicas
    told = kadu("run", *(word for url in urls for word in ("--url", url)), *there)
    assert told.code == 0, told.out
    assert set(told.rules.values()) == {"passed"}
    asked = [
        [exchange["request"]["url"] for exchange in line["exchanges"] if exchange["actor"] == "client"]
        for line in told.scenarios.values()
    ]
    assert all(set(urls[:2]) == set(one[:2]) for one in asked if len(one) > 1)

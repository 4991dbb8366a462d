"""A run leaves nothing behind in a mock that goes on, unless it is told to."""

import json
import secrets
from pathlib import Path

import httpx
import pytest

from tests.programs import mock_api, reference_server

from .conftest import Run


@pytest.mark.parametrize(("options", "left"), [((), 0), (("--workers", "2"), 0), (("--keep",), 3)])
def test_the_tenants_of_a_run_are_taken_down(
    kadu: Run, tmp_path: Path, options: tuple[str, ...], left: int
) -> None:
    secret = secrets.token_urlsafe(32)
    file = tmp_path / "secret"
    file.write_text(secret)
    with mock_api(secret) as mock, reference_server(mock["api_url"]) as server:
        there = ("--api-url", mock["api_url"], "--control-url", mock["control_url"])
        told = kadu(
            *("run", "--url", server["url"], *there, "--control-secret-file", str(file)),
            *("--rule", "KADU-CNF-04", "--era", "2026", *options),
        )
        assert told.code == 0, told.err
        ran = sum(1 for line in told.scenarios.values() if line["exchanges"])
        health = httpx.get(
            mock["control_url"] + "/_control/health", headers={"authorization": f"Bearer {secret}"}
        )
    assert ran >= left
    assert json.loads(health.text)["tenants"] == (ran if left else 0)

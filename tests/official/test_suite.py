"""The official MCP conformance suite against the reference server: the scenarios that fit any server."""

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.official.conftest import MODULES, SECONDS, Tenant
from tests.official.proxy import with_token

PROGRAM = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
# Revision, scenario, and how many of its checks succeed. The version is pinned, so the number is exact: a check that
# no longer comes to run is seen.
SCENARIOS = [
    ("2025-11-25", "server-initialize", 2),
    ("2025-11-25", "ping", 2),
    ("2025-11-25", "tools-list", 3),
    ("2025-11-25", "resources-list", 2),
    ("2025-11-25", "prompts-list", 2),
    ("2025-11-25", "dns-rebinding-protection", 2),
    ("2026-07-28", "server-stateless", 21),
    ("2026-07-28", "tools-list", 4),
    ("2026-07-28", "resources-list", 2),
    ("2026-07-28", "prompts-list", 2),
    ("2026-07-28", "caching", 8),
    ("2026-07-28", "sep-2164-resource-not-found", 4),
    ("2026-07-28", "http-header-validation", 14),
    ("2026-07-28", "input-required-result-unsupported-methods", 2),
    ("2026-07-28", "dns-rebinding-protection", 2),
]
# Checks that need what this server does not have, and how each one ends then. The suite counts a missing fixture
# tool as a failure, and marks it "untestable".
OF_FIXTURES = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
OF_SUBSCRIPTIONS = {
    "sep-2575-server-sends-subscription-ack",
    "sep-2575-server-tags-subscription-id",
    "sep-2575-server-honors-notification-filter",
    "sep-2575-server-sends-prompts-list-changed-on-subscription",
    "sep-2575-server-sends-tools-list-changed-on-subscription",
}
NOT_HERE = {
    ("2025-11-25", "server-initialize"): {"server-session-id-visible-ascii": "INFO"},
    ("2026-07-28", "server-stateless"): {
        **dict.fromkeys(OF_FIXTURES, "untestable"),
        **dict.fromkeys(OF_SUBSCRIPTIONS, "SKIPPED"),
    },
}


def judged(node: str, url: str, revision: str, scenario: str, out: Path) -> list[dict[str, Any]]:
    """Run one scenario of the suite; its checks."""
    command = [node, str(PROGRAM), "server", "--url", url, "--scenario", scenario]
    done = subprocess.run(
        [*command, "--spec-version", revision, "--output-dir", str(out)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    found = list(out.glob("*/checks.json"))
    assert len(found) == 1, done.stdout + done.stderr
    checks: list[dict[str, Any]] = json.loads(found[0].read_text())
    return checks


def status(check: dict[str, Any]) -> str:
    """How a check ended."""
    untestable = check["status"] == "FAILURE" and check.get("details", {}).get("untestable") is True
    return "untestable" if untestable else str(check["status"])


@pytest.mark.parametrize(("revision", "scenario", "successes"), SCENARIOS)
def test_the_reference_server_passes(
    node: str, tenant: Tenant, tmp_path: Path, revision: str, scenario: str, successes: int
) -> None:
    with with_token(tenant.url, tenant.token) as url:
        checks = judged(node, url, revision, scenario, tmp_path)
    others = {check["id"]: status(check) for check in checks if check["status"] != "SUCCESS"}
    wrong = [check for check in checks if status(check) in ("FAILURE", "WARNING")]
    assert others == NOT_HERE.get((revision, scenario), {}), json.dumps(wrong, indent=1)
    assert len(checks) - len(others) == successes, Counter(check["id"] for check in checks)


def test_a_server_that_refuses_every_request_does_not_pass(node: str, tenant: Tenant, tmp_path: Path) -> None:
    # No token: the reference server answers 401 to all.
    checks = judged(node, tenant.url, "2026-07-28", "tools-list", tmp_path)
    assert "FAILURE" in {status(check) for check in checks}
    assert "SUCCESS" not in {status(check) for check in checks if check["id"] != "wire-schema-valid"}

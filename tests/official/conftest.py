"""The mock API and the reference server as programs, a tenant for each test, and a Node that runs the witnesses."""

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest

from tests import programs
from tests.programs import SECONDS

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
OLDEST_NODE = 22


@dataclass(frozen=True)
class Tenant:
    """An organization, a token of one of its people, and the reference server that serves them."""

    control: httpx.Client
    world: Mapping[str, Any]
    token: str
    url: str

    @property
    def run(self) -> dict[str, str]:
        """Arguments of kadu_tasks_run, a destructive tool, with records of the tenant."""
        records = self.world["records"]
        return {"id": records["tasks"][0]["id"], "environment_id": records["environments"][0]["id"]}

    def effects(self) -> list[tuple[str, Any]]:
        """Operation and arguments of every business entry of the ledger that changed something."""
        answer = self.control.get(f"/_control/tenants/{self.world['id']}/ledger")
        return [
            (entry["operation"], entry["arguments"])
            for entry in answer.raise_for_status().json()["entries"]
            if entry["class"] == "business" and entry["effect"]
        ]


@pytest.fixture(scope="session")
def mock() -> Iterator[dict[str, Any]]:
    """The mock API: its `api_url`, and a client of its `control` plane."""
    secret = secrets.token_urlsafe(16)
    with programs.mock_api(secret, "--check-answers") as ready:
        headers = {"authorization": f"Bearer {secret}"}
        with httpx.Client(base_url=ready["control_url"], headers=headers, trust_env=False) as control:
            yield {**ready, "control": control}


@pytest.fixture(scope="session")
def reference_server(mock: dict[str, Any]) -> Iterator[str]:
    """The URL of the reference server in front of the mock."""
    with programs.reference_server(mock["api_url"]) as ready:
        yield ready["url"]


@pytest.fixture
def tenant(mock: dict[str, Any], reference_server: str) -> Tenant:
    """A fresh tenant, and a token of its first person that may do everything."""
    control = mock["control"]
    made = control.post("/_control/tenants", json={"seed": secrets.token_hex(4)}).raise_for_status().json()
    wanted = {"person": made["people"][0]["id"]}
    token = control.post(f"/_control/tenants/{made['id']}/tokens", json=wanted).raise_for_status().json()
    return Tenant(control, made, token["token"], reference_server)


@pytest.fixture(scope="session")
def node() -> str:
    """A Node for the witnesses: the pinned one, else the one on the PATH."""
    if not (MODULES / ".package-lock.json").exists():
        missing("the official packages are not installed: run `npm ci` in tests/official")
    found = shutil.which("node", path=str(MODULES / ".bin")) or shutil.which("node")
    if found is None:
        missing(f"there is no Node; install Node {OLDEST_NODE} or newer")
    done = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0 or int(done.stdout.strip().lstrip("v").split(".")[0]) < OLDEST_NODE:
        missing(f"{found} is Node {done.stdout.strip() or 'broken'}; install {OLDEST_NODE} or newer")
    return found


def missing(what: str) -> NoReturn:
    """Skip, and say why; in CI nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI has to hear the outside witnesses, but {what}.")
    pytest.skip(f"The outside witnesses were not heard: {what}.")

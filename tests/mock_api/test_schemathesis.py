"""An outside witness of the mock API: Schemathesis, over every operation of the contract that it serves.

Its pytest plug-in is not used: it cannot read a contract from a fixture under this pytest, and building its requests
while tests are collected would delay every run. `build_operation_test` is what the plug-in calls.
"""

import json
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID
from zlib import crc32

import httpx
import pytest
import requests
import schemathesis
import yaml
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test

CONTRACT = Path(__file__).parents[2] / "mock_api" / "contracts" / "kadu.yaml"
OPERATIONS = [
    f"{method.upper()} {path}"
    for path, methods in yaml.load(CONTRACT.read_text(), yaml.CSafeLoader)["paths"].items()
    for method in methods
]
SECONDS = 10.0
EXAMPLES = 4
# That a request which fits the schemas is accepted is not asked: what a schema cannot say (a cursor that was given
# out, a cron expression, a name not taken) is refused with reason.
ASKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
)
# docs/server-contract.md: the status of each code.
CODES = {
    "bad_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "payload_too_large": 413,
    "unprocessable_entity": 422,
}


@dataclass(frozen=True)
class Api:
    """The mock of Kadu."""

    url: str
    control: httpx.Client
    http: requests.Session

    def world(self, operation: str) -> tuple[dict[str, str], dict[str, list[Any]]]:
        """A tenant: the headers of a token that may do everything, and good values by the name of a parameter."""
        made = self._post("", seed=operation)
        token = self._post(f"/{made['id']}/tokens", person=made["people"][0]["id"])["token"]
        headers = {"authorization": f"Bearer {token}"}
        records = made["records"]
        run = {"id": records["tasks"][0]["id"], "environment_id": records["environments"][0]["id"]}
        body = {"operation": "kadu_tasks_run", "arguments": run}
        asked = self.http.post(
            f"{self.url}/v1/operation_approvals", json=body, headers=headers, timeout=SECONDS
        )
        assert asked.status_code == 201, asked.text
        ids = {name: [str(record["id"]) for record in each] for name, each in records.items()}
        ids["operation_approvals"] = [asked.json()["id"]]
        good: dict[str, list[Any]] = {
            f"{name.replace('ies', 'ys').removesuffix('s')}_id": each for name, each in ids.items()
        }
        good["id"] = ids.get(operation.split("/")[2], [])
        for name in ("cron", "timezone"):
            good[name] = [record[name] for record in records["schedules"]]
        return headers, {**good, "operation": [body["operation"]], "arguments": [run]}

    def _post(self, path: str, **body: Any) -> Any:
        return self.control.post(f"/_control/tenants{path}", json=body).raise_for_status().json()


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    secret = secrets.token_urlsafe(16)
    command = [sys.executable, "-m", "mock_api", "--product", "kadu", "--control-secret-file", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(secret + "\n")
        process.stdin.flush()
        ready = json.loads(process.stdout.readline())
        headers = {"authorization": f"Bearer {secret}"}
        with (
            httpx.Client(base_url=ready["control_url"], headers=headers, trust_env=False) as control,
            requests.Session() as http,
        ):
            http.trust_env = False
            yield Api(ready["api_url"], control, http)
        process.stdin.close()
        assert process.wait(SECONDS) == 0


@pytest.fixture(scope="module")
def contract(api: Api) -> dict[str, Any]:
    """The operations of the contract as it is served; the same requests are made of them in every run."""
    load_all_checks()
    config = schemathesis.Config(seed=1)
    schema = schemathesis.openapi.from_url(f"{api.url}/openapi.json", config=config)
    schema.config.generation.update(max_examples=EXAMPLES, deterministic=True)
    operations = {found.ok().label: found.ok() for found in schema.get_all_operations()}
    assert sorted(operations) == sorted(OPERATIONS)
    return operations


def make_known(case: schemathesis.Case, good: dict[str, list[Any]]) -> None:
    """Put good values of the tenant in the place of most that Schemathesis made up; what is wrong stays wrong.

    The choice depends on the case alone, so a failure comes again when it is tried again.
    """
    assert case.meta is not None
    right = case.meta.generation.mode.is_positive
    number = crc32(repr((case.path_parameters, case.query, case.body, case.headers)).encode())
    for values in (case.path_parameters, case.query, case.body):
        for name in values if isinstance(values, dict) else ():
            if good.get(name) and (right or _is_uuid(values[name])) and number % 8:
                values[name] = good[name][number % len(good[name])]


def _is_uuid(value: object) -> bool:
    try:
        return isinstance(value, str) and UUID(value) is not None
    except ValueError:
        return False


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_answer_keeps_to_the_contract(contract: dict[str, Any], api: Api, operation: str) -> None:
    headers, good = api.world(operation)
    checks = CHECKS.get_by_names(ASKED)
    came: Counter[int] = Counter()

    def judge(case: schemathesis.Case) -> None:
        make_known(case, good)
        response = case.call(base_url=api.url, headers=headers, session=api.http, timeout=SECONDS)
        came[response.status_code] += 1
        case.validate_response(response, checks=checks)
        for error in response.json()["errors"] if response.status_code >= 400 else ():
            assert CODES.get(error["code"], 409) == response.status_code

    build_operation_test(
        config=contract[operation].schema.config,
        operation=contract[operation],
        test_func=judge,
        given_kwargs={},
        feedback=FeedbackSources(),
        explicit_settings=settings(suppress_health_check=list(HealthCheck), deadline=None),
    )()
    # A witness who saw refusals alone has seen nothing.
    assert any(status < 300 for status in came), came

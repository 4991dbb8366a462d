"""An outside witness of the mock API: Schemathesis, over every operation of the contract that it serves."""

import json
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

SECONDS = 10.0
EXAMPLES = 8
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


@dataclass
class Api:
    """The mock of Kadu. Each operation has a tenant of its own; `answers` counts what came of it, by status."""

    url: str
    control: httpx.Client
    http: requests.Session = field(default_factory=requests.Session)
    worlds: dict[str, tuple[str, dict[str, list[str]]]] = field(default_factory=dict)
    answers: dict[str, Counter[int]] = field(default_factory=dict)

    def world(self, operation: str) -> tuple[str, dict[str, list[str]]]:
        """A token of the operation's tenant, and the ids of its records by collection."""
        if operation not in self.worlds:
            made = self._post("", seed=operation)
            token = self._post(f"/{made['id']}/tokens", person=made["people"][0]["id"])["token"]
            ids = {
                name: [str(record["id"]) for record in records] for name, records in made["records"].items()
            }
            self.worlds[operation] = token, ids
        return self.worlds[operation]

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
        with httpx.Client(base_url=ready["control_url"], headers=headers, trust_env=False) as control:
            api = Api(ready["api_url"], control)
            paths = api.http.get(f"{api.url}/openapi.json", timeout=SECONDS).json()["paths"]
            operations = [operation for path in paths.values() for operation in path.values()]
            yield api
            api.http.close()
        process.stdin.close()
        assert process.wait(SECONDS) == 0
    # A witness who saw refusals alone has seen nothing.
    assert len(api.answers) == len(operations)
    never = {name for name, counted in api.answers.items() if not any(status < 300 for status in counted)}
    print(*sorted(api.answers.items()), sep="\n")
    assert never == set()


@pytest.fixture(scope="module")
def contract(api: Api) -> Any:
    """The contract as it is served, and what Schemathesis makes of it: the same requests in every run."""
    config = schemathesis.Config(seed=1)
    schema = schemathesis.openapi.from_url(f"{api.url}/openapi.json", config=config)
    schema.config.generation.update(max_examples=EXAMPLES, deterministic=True)
    return schema


def make_known(case: schemathesis.Case, ids: dict[str, list[str]]) -> None:
    """Put ids of the tenant in the place of most ids that Schemathesis made up."""
    _, _, of_path, *_ = case.operation.path.split("/")
    for values in (case.path_parameters, case.query, case.body):
        for name in values if isinstance(values, dict) else ():
            collection = of_path if name == "id" else f"{name.removesuffix('_id')}s".replace("ys", "ies")
            known = ids.get(collection)
            if known and (name == "id" or name.endswith("_id")):
                number = _number(values[name])
                if number is not None and number % 8 != 7:
                    values[name] = known[number % len(known)]


def _number(value: object) -> int | None:
    """The number of a UUID; None of anything else."""
    try:
        return UUID(value).int if isinstance(value, str) else None
    except ValueError:
        return None


@schemathesis.pytest.from_fixture("contract").parametrize()
@settings(suppress_health_check=list(HealthCheck))
def test_every_answer_keeps_to_the_contract(case: schemathesis.Case, api: Api) -> None:
    token, ids = api.world(case.operation.label)
    make_known(case, ids)
    headers = {"authorization": f"Bearer {token}"}
    response = case.call(base_url=api.url, headers=headers, session=api.http, timeout=SECONDS)
    api.answers.setdefault(case.operation.label, Counter())[response.status_code] += 1
    case.validate_response(response, checks=CHECKS.get_by_names(ASKED))
    for error in response.json()["errors"] if response.status_code >= 400 else ():
        assert CODES.get(error["code"], 409) == response.status_code

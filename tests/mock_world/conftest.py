"""A tenant of Kadu in this process: its contract, its records, and calls by operation through the whole engine."""

import asyncio
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

import mock_api
from mock_api.api import Api
from mock_api.product import Product, load_product
from mock_api.references import inlined
from mock_api.tenants import Tenant, Tenants, Token

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Written:
    """An operation as it is written in the contract, its references resolved."""

    method: str
    path: str
    raw: dict[str, Any]

    @property
    def kadu(self) -> dict[str, Any]:
        return self.raw["x-kadu"]

    @property
    def is_tool(self) -> bool:
        return self.kadu.get("tool", True)

    @property
    def body(self) -> dict[str, Any] | None:
        content = self.raw.get("requestBody", {}).get("content", {})
        return content["application/json"]["schema"] if content else None

    @property
    def answer(self) -> dict[str, Any]:
        (status,) = (status for status in self.raw["responses"] if status.startswith("2"))
        return self.raw["responses"][status]["content"]["application/json"]["schema"]

    def parameters(self, place: str) -> dict[str, dict[str, Any]]:
        return {each["name"]: each for each in self.raw.get("parameters", []) if each["in"] == place}


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any

    @property
    def code(self) -> str:
        return self.body["errors"][0]["code"]


class Kadu:
    """One tenant and the calls of its first person, unless another token is taken."""

    def __init__(self, product: Product, operations: dict[str, Written], seed: str = "provas") -> None:
        tenants = Tenants(product, "http://kadu.exemplo")
        self.tenant: Tenant = tenants.create(seed, NOW, [None, None])
        self.people = list(self.tenant.people)
        self.token: Token = self.token_of(tenants, self.people[0])
        self._tenants = tenants
        self._app = Api(tenants, check_answers=True)
        self._operations = operations

    def token_of(self, tenants: Tenants, person: str | None) -> Token:
        return tenants.issue(self.tenant, person, tenants.product.contract.scopes, None)

    def by(self, person: str | None) -> None:
        """Call as that person from now on."""
        self.token = self.token_of(self._tenants, person)

    def pass_time(self, **duration: float) -> None:
        self.tenant.clock.advance(timedelta(**duration).total_seconds())
        self.tenant.catch_up()

    def records(self, collection: str) -> list[dict[str, Any]]:
        """Oldest first."""
        return list(self.tenant.records[collection].values())

    def newest(self, collection: str) -> dict[str, Any]:
        return max(self.records(collection), key=lambda record: record["created_at"])

    def plant(self, collection: str, **values: Any) -> dict[str, Any]:
        record = self.tenant.completed(collection, {"id": self.tenant.new_id(), **values})
        self.tenant.records[collection][record["id"]] = record
        return record

    def effects(self) -> list[bool]:
        """Of every call so far, whether it had an effect."""
        return [entry["effect"] for entry in json.loads(self.tenant.ledger.after(0))]

    def call(self, operation: str, **arguments: Any) -> Answer:
        """Call an operation by the flat arguments of its tool; an answer outside of the contract fails the test."""
        written = self._operations[operation]
        path, query = written.path, dict[str, Any]()
        for name in written.parameters("path"):
            path = path.replace("{" + name + "}", arguments.pop(name))
        for name in written.parameters("query"):
            if name in arguments:
                query[name] = arguments.pop(name)
        body = arguments if written.body is not None else None
        assert body is not None or not arguments
        return asyncio.run(self._send(written.method, path, query, body))

    async def _send(self, method: str, path: str, query: dict[str, Any], body: Any) -> Answer:
        transport = httpx.ASGITransport(app=self._app)
        headers = {"authorization": f"Bearer {self.token.value}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://kadu.exemplo", headers=headers
        ) as client:
            answer = await client.request(method, path, params=query, json=body)
        assert answer.status_code != 500, answer.text
        return Answer(answer.status_code, answer.json())


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    path = Path(mock_api.__file__).parent / "contracts" / "kadu.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def operations(document: dict[str, Any]) -> dict[str, Written]:
    return {
        raw["operationId"]: Written(method.upper(), path, raw)
        for path, item in inlined(document)["paths"].items()
        for method, raw in item.items()
        if method in METHODS
    }


@pytest.fixture(scope="session")
def product() -> Product:
    return load_product("kadu")


@pytest.fixture
def kadu(product: Product, operations: dict[str, Written]) -> Kadu:
    return Kadu(product, operations)

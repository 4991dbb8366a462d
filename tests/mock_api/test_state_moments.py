"""What a kill at any moment would leave: the state file is copied between two statements, and before each answer."""

import asyncio
import contextlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from mock_api.api import Api
from mock_api.asgi import ABORT, App
from mock_api.control import Control
from mock_api.persistence import KeptTenants
from mock_api.product import Product, load_product
from mock_api.state_file import StateFile
from mock_api.tenants import Tenant

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
RUN = "kadu_tasks_run"
KEY = "chave"


@pytest.fixture(scope="module")
def product() -> Product:
    return load_product("kadu")


class Mock:
    """A mock with a state file in this process. `leave` is called with what a kill would leave of the tenants."""

    def __init__(self, product: Product, path: Path) -> None:
        self._product, self._path = product, path
        self.file = StateFile(str(path), product.contract)
        self.tenants = KeptTenants(product, "http://kadu.exemplo", self.file)
        self.api = self.tenants.keeping(Api(self.tenants))
        self.control = self.tenants.keeping(Control(self.tenants, "segredo"))
        self.leave: Callable[[dict[str, Tenant]], None] = lambda left: None

    def killed(self) -> dict[str, Tenant]:
        """The tenants, by id, of a mock that starts after a kill at this very moment."""
        copy = self._path.with_name("depois")
        for end in ("", "-wal"):
            shutil.copy(f"{self._path}{end}", f"{copy}{end}")
        with contextlib.closing(StateFile(str(copy), self._product.contract)) as file:
            return {each.id: each for each in file.tenants(self._product, "http://kadu.exemplo")}

    def at_every_statement(self, look: Callable[[dict[str, Tenant]], None]) -> None:
        self.file._file.set_trace_callback(lambda _statement: look(self.killed()))

    async def ask(
        self, app: App, method: str, path: str, bearer: str = "", body: bytes = b"", **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """One request; `leave` is called before its answer begins. Status, headers and body."""
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.leave(self.killed())
            sent.append(message)

        given = {"authorization": f"Bearer {bearer}", **headers}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()],
        }
        await app(scope, receive, send)
        start, content = sent
        told = {name.decode(): value.decode() for name, value in start["headers"]}
        return start["status"], told, content["body"].decode()


@pytest.fixture
def mock(product: Product, tmp_path: Path) -> Iterator[Mock]:
    made = Mock(product, tmp_path / "estado")
    yield made
    made.file.close()


def _ledger(tenant: Tenant) -> list[Any]:
    entries: list[Any] = json.loads(tenant.ledger.after(0))
    return entries


async def _tenant(mock: Mock) -> tuple[Tenant, str]:
    body = json.dumps({"seed": "instantes", "tokens": True}).encode()
    status, _, text = await mock.ask(mock.control, "POST", "/_control/tenants", "segredo", body)
    assert status == 201
    world = json.loads(text)
    tenant = mock.tenants.get(world["id"])
    assert tenant is not None
    return tenant, world["tokens"][0]["token"]


async def _asked(mock: Mock, tenant: Tenant, token: str) -> tuple[str, str, dict[str, str]]:
    """An approval with a key: its id, and the form of Continue with the cookie of its person."""
    task, environment = (next(iter(tenant.records[name])) for name in ("tasks", "environments"))
    arguments = {"id": task, "environment_id": environment, "idempotency_key": KEY}
    body = json.dumps({"operation": RUN, "arguments": arguments}).encode()
    _, _, text = await mock.ask(mock.api, "POST", "/v1/operation_approvals", token, body)
    made = json.loads(text)
    link = made["url"].removeprefix("http://kadu.exemplo")
    person = next(iter(tenant.people.values()))
    login = urlencode({"email": person.record["email"], "password": person.password}).encode()
    _, headers, _ = await mock.ask(mock.api, "POST", "/login", body=login)
    cookie = {"cookie": headers["set-cookie"].partition(";")[0]}
    _, _, page = await mock.ask(mock.api, "GET", link, **cookie)
    form = urlencode(dict(re.findall(r'name="(csrf|shown)" value="([^"]+)"', page)))
    return made["id"], f"{link}\n{form}", cookie


def test_nothing_is_answered_before_it_is_kept(mock: Mock) -> None:
    looked = 0

    def equal(left: dict[str, Tenant]) -> None:
        nonlocal looked
        looked += 1
        assert left.keys() == {each.id for each in mock.tenants}
        for tenant in mock.tenants:
            mine = left[tenant.id]
            assert _ledger(mine) == _ledger(tenant)
            assert mine.records == tenant.records
            assert mine.people == tenant.people
            assert {each.value: each.revoked for each in mine.tokens.values()} == {
                each.value: each.revoked for each in tenant.tokens.values()
            }
            assert mine.clock.now() == tenant.clock.now()
            assert mine.confirmations.used == tenant.confirmations.used
            assert mine.idempotency.answered.keys() == tenant.idempotency.answered.keys()

    async def main() -> None:
        mock.leave = equal
        tenant, token = await _tenant(mock)
        _, form, cookie = await _asked(mock, tenant, token)
        link, fields = form.split("\n")
        status, _, _ = await mock.ask(mock.api, "POST", f"{link}/continue", body=fields.encode(), **cookie)
        assert status == 200
        path = f"/_control/tenants/{tenant.id}"
        nonce = {"nonce": "n" * 16, "operation": RUN, "expires_at": "2031-01-01T00:00:00Z"}
        for app, method, where, bearer, body in (
            (mock.api, "POST", "/v1/confirmations", token, nonce),
            (mock.api, "POST", "/v1/workspaces", token, {"name": "A"}),
            (mock.api, "GET", "/v1/workspaces", token, None),
            (mock.control, "POST", f"{path}/clock", "segredo", {"advance": 1000}),
            (
                mock.control,
                "PATCH",
                f"{path}/people/{next(iter(tenant.people))}",
                "segredo",
                {"member": False},
            ),
            (mock.control, "POST", f"{path}/tokens", "segredo", {"person": None}),
            (mock.control, "DELETE", f"{path}/tokens/{next(iter(tenant.tokens))}", "segredo", None),
            (mock.control, "DELETE", path, "segredo", None),
        ):
            content = b"" if body is None else json.dumps(body).encode()
            status, _, text = await mock.ask(app, method, where, bearer, content)
            assert status < 300, text

    asyncio.run(main())
    assert looked == 13


def test_at_every_moment_a_decision_is_wholly_there_or_not_at_all(mock: Mock) -> None:
    moments: list[tuple[object, ...]] = []

    async def main() -> None:
        tenant, token = await _tenant(mock)
        approval, form, cookie = await _asked(mock, tenant, token)
        link, fields = form.split("\n")
        executions = len(tenant.records["executions"])

        def look(left: dict[str, Tenant]) -> None:
            after = left[tenant.id]
            moments.append(
                (
                    after.records["operation_approvals"][approval]["status"],
                    len(after.records["executions"]) - executions,
                    [each["approval"] for each in _ledger(after) if each["operation"] == RUN],
                    [*after.idempotency.answered],
                )
            )

        mock.at_every_statement(look)
        await mock.ask(mock.api, "POST", f"{link}/continue", body=fields.encode(), **cookie)
        mock.at_every_statement(lambda left: None)
        look(mock.killed())
        before, then = ("pending", 0, [], []), ("executed", 1, [approval], [KEY])
        assert moments[0] == before
        assert moments[-1] == then
        assert [each for each in moments if each not in (before, then)] == []

    asyncio.run(main())
    assert len(moments) > 5


def test_an_answer_that_a_fault_drops_is_kept_before_the_connection_is_cut(mock: Mock) -> None:
    async def main() -> None:
        tenant, token = await _tenant(mock)
        tenant.faults.arm("kadu_workspaces_create", "drop_response", None)
        messages = [{"type": "http.request", "body": b'{"name":"A"}'}, {"type": "http.disconnect"}]
        cut = list[int]()

        async def receive() -> Any:
            return messages.pop(0)

        async def send(message: Any) -> None:
            raise AssertionError(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/workspaces",
            "query_string": b"",
            "headers": [(b"authorization", f"Bearer {token}".encode())],
            "extensions": {ABORT: lambda: cut.append(len(_ledger(mock.killed()[tenant.id])))},
        }
        await mock.api(scope, receive, send)
        assert cut == [1]

    asyncio.run(main())


def test_a_key_in_progress_is_not_kept(mock: Mock) -> None:
    async def main() -> None:
        tenant, token = await _tenant(mock)
        fault = tenant.faults.arm("kadu_workspaces_create", "hold", 1)
        body = b'{"name":"A"}'
        held = asyncio.create_task(
            mock.ask(mock.api, "POST", "/v1/workspaces", token, body, x_idempotency_key=KEY)
        )
        while not fault.holding:
            await asyncio.sleep(0)
        await mock.ask(mock.api, "POST", "/v1/workspaces", token, body, x_idempotency_key="outra")
        assert mock.killed()[tenant.id].idempotency.answered.keys() == {"outra"}
        tenant.faults.disarm(fault.id)
        assert (await held)[0] == 201
        assert mock.killed()[tenant.id].idempotency.answered.keys() == {"outra", KEY}

    asyncio.run(main())

"""The programs of this project, and one organization in them: what it asks for and what became of it."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from tests import programs


@dataclass(frozen=True)
class Mock:
    """The mock API as a program: where it and its console are, clients of the API and of the control plane."""

    url: str
    api: httpx.Client
    control: httpx.Client


@contextmanager
def mock_api() -> Iterator[Mock]:
    """Run the mock API."""
    secret = secrets.token_urlsafe(16)
    with programs.mock_api(secret, "--check-answers") as ready:
        headers = {"authorization": f"Bearer {secret}"}
        with (
            httpx.Client(base_url=ready["api_url"], trust_env=False) as api,
            httpx.Client(base_url=ready["control_url"], headers=headers, trust_env=False) as control,
        ):
            yield Mock(ready["api_url"], api, control)


def session(mock: Mock, person: Mapping[str, Any]) -> dict[str, Any]:
    """Log a person in; gives the cookie of the session as a browser keeps it."""
    form = {"email": person["email"], "password": person["password"]}
    answer = mock.api.post("/login", data=form)
    assert answer.status_code == 303, answer.status_code
    ((name, value),) = answer.cookies.items()
    mock.api.cookies.clear()
    return {"name": name, "value": value, "url": mock.url, "httpOnly": True, "sameSite": "Lax"}


@dataclass(frozen=True)
class Asked:
    """A stored approval: its id, the link that leads to its screen."""

    id: str
    url: str


class Desk:
    """A fresh organization, a token of its first person, and everything the control plane can do to it.

    Records follow from `seed`; `client` is the name of the client that the token was issued to.
    """

    def __init__(self, mock: Mock, seed: str, client: str | None = None) -> None:
        self.mock = mock
        self.world: Mapping[str, Any] = self._send("POST", "", {"seed": seed})
        self.people: list[dict[str, Any]] = self.world["people"]
        wanted = {"person": self.people[0]["id"], "client": client}
        self.token: str = self._send("POST", f"/{self.world['id']}/tokens", wanted)["token"]

    @property
    def run(self) -> dict[str, Any]:
        """Arguments of kadu_tasks_run, a destructive tool, with records of this organization."""
        return {"id": self.newest("tasks")["id"], "environment_id": self.newest("environments")["id"]}

    def newest(self, collection: str) -> dict[str, Any]:
        """The newest record of a collection, as it was at first."""
        found: dict[str, Any] = self.world["records"][collection][0]
        return found

    def ask(self, operation: str, **arguments: Any) -> Asked:
        """Store an approval as an MCP server does, with the token of the first person."""
        body = {"operation": operation, "arguments": arguments}
        made = self._api("POST", "/v1/operation_approvals", body)
        return Asked(made["id"], made["url"])

    def ask_run(self) -> Asked:
        """Store an approval of kadu_tasks_run."""
        return self.ask("kadu_tasks_run", **self.run)

    def status(self, asked: Asked) -> str:
        """What the API tells of an approval."""
        return str(self._api("GET", f"/v1/operation_approvals/{asked.id}")["status"])

    def error(self, asked: Asked) -> str:
        """The code of the error of a failed approval."""
        return str(self._api("GET", f"/v1/operation_approvals/{asked.id}")["error"]["code"])

    def effects(self) -> list[tuple[str, Any]]:
        """Operation and arguments of every business entry of the ledger that changed something."""
        return [
            (entry["operation"], entry["arguments"])
            for entry in self.control("GET", "ledger")["entries"]
            if entry["class"] == "business" and entry["effect"]
        ]

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the control plane something about this organization."""
        return self._send(method, f"/{self.world['id']}/{path}", body)

    def pass_time(self, seconds: int) -> None:
        """Move the clock of the organization."""
        self.control("POST", "clock", {"advance": seconds})

    def change(self, collection: str, **fields: Any) -> None:
        """Change the newest record of a collection behind everybody's back."""
        self.control("PATCH", f"records/{collection}/{self.newest(collection)['id']}", fields)

    def hold(self, operation: str) -> str:
        """Stop the next run of an operation right before it runs; gives the fault."""
        fault = {"operation": operation, "kind": "hold", "times": 1}
        return str(self.control("POST", "faults", fault)["id"])

    def await_held(self, fault: str) -> None:
        """Return when the fault holds a run."""
        for _ in range(2000):
            if self.control("GET", f"faults/{fault}")["holding"]:
                return
        raise AssertionError("nothing arrived that could be held")

    def _send(self, method: str, path: str, body: Any) -> Any:
        answer = self.mock.control.request(method, f"/_control/tenants{path}", json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def _api(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"authorization": f"Bearer {self.token}"}
        answer = self.mock.api.request(method, path, json=body, headers=headers)
        assert answer.is_success, answer.text
        return answer.json()

"""Mock API and reference server as programs, which may be killed, and a person at the console of such a mock."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .wire import Answer, Wire

SECRET = "segredo-do-controle"
WAIT = 30.0
_FIELD = re.compile(r'name="(csrf|shown)" value="([^"]+)"')


class Program:
    """A running program that said it is ready. Its standard input is open until it ends."""

    def __init__(self, words: list[str], first_line: str = "") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(first_line)
        self._process.stdin.flush()
        self.ready: dict[str, Any] = json.loads(self._process.stdout.readline())

    def kill(self) -> None:
        """End it at once (SIGKILL); what it was doing stays half done."""
        self._process.kill()

    def end(self) -> None:
        """Wait for its end, which standard input brings about where it was not killed."""
        self._process.communicate(timeout=WAIT)


StartProgram = Callable[..., Program]


def mock_words(file: Path) -> list[str]:
    """The words that start a mock with a state file."""
    return ["mock_api", "--control-secret-file", "-", "--state", str(file)]


def server_words(api_url: str) -> list[str]:
    """The words that start a reference server over a mock."""
    return ["reference_server", "--product", "kadu", "--upstream", api_url, "--exit-with-stdin"]


class Upstream:
    """A mock as its control plane and its callers see it; to be closed."""

    def __init__(self, ready: dict[str, Any]) -> None:
        self.api_url: str = ready["api_url"]
        self._plane = Wire(ready["control_url"], authorization=f"Bearer {SECRET}")
        self._api = Wire(self.api_url)

    async def __aenter__(self) -> "Upstream":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._plane.__aexit__()
        await self._api.__aexit__()

    async def control(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the control plane for something it can give. Raises NoAnswer."""
        answer = await self._plane.send(method, "/_control/tenants" + path, body=body)
        assert answer.status < 300, answer.text
        return answer.json() if answer.text else None

    async def api(self, token: str, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Call the API; headers with `_` for `-`. Raises NoAnswer."""
        return await self._api.send(method, path, body=body, authorization=f"Bearer {token}", **headers)

    async def ledger(self, tenant: str, after: int = 0) -> list[dict[str, Any]]:
        """The entries after one."""
        entries: list[dict[str, Any]] = (await self.control("GET", f"/{tenant}/ledger?after={after}"))[
            "entries"
        ]
        return entries

    async def records(self, tenant: str, collection: str) -> list[dict[str, Any]]:
        """The records of a collection."""
        records: list[dict[str, Any]] = (await self.control("GET", f"/{tenant}/records/{collection}"))[
            "records"
        ]
        return records


@dataclass(frozen=True)
class Screen:
    """The page of an approval, and whether it still offers to decide."""

    link: str
    text: str

    @property
    def offers(self) -> bool:
        return "Continuar</button>" in self.text


class Person:
    """Somebody logged in on the console; to be closed."""

    def __init__(self, api_url: str) -> None:
        self._wire = Wire(api_url)

    async def enter(self, who: dict[str, str]) -> "Person":
        """Log in."""
        form = {"email": who["email"], "password": who["password"]}
        answer = await self._wire.send("POST", "/login", form=form)
        assert answer.status == 303, answer.text
        self._wire.headers["cookie"] = answer.headers["set-cookie"].partition(";")[0]
        return self

    async def __aenter__(self) -> "Person":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()

    async def open(self, link: str) -> Screen:
        """The page of a link. Raises NoAnswer."""
        answer = await self._wire.send("GET", link)
        assert answer.status == 200, answer.text
        return Screen(link, answer.text)

    async def press(self, screen: Screen, button: str) -> int:
        """Send a form of a page, `continue` or `cancel`: 200 for whoever decided, 409 for whoever came too late.

        Raises NoAnswer.
        """
        form = dict(_FIELD.findall(screen.text))
        return (await self._wire.send("POST", f"{screen.link}/{button}", form=form)).status


def path_of(url: str) -> str:
    """The path of a URL: a mock that was started again may listen on another port."""
    return urlsplit(url).path

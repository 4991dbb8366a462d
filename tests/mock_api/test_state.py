"""With `--state FILE` everything acknowledged is there again, however the mock ended."""

import contextlib
import json
import re
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from mock_api.__main__ import main
from mock_api.product import load_product
from mock_api.state_file import APPLICATION, FORMAT, StateFile
from mock_api.tenants import Tenants

KADU = ("-m", "mock_api", "--product", "kadu")
SECRET = "segredo-do-controle"
WAIT = 15
NOWHERE = "/v1/workspaces/2f1c8f7e-5d3a-4b0e-9c61-7a2f4e8b1d90"
ODD_NONCE = "nonce com \0, \u202e e 🌱"


class Life:
    """One life of a mock with a state file, from its start to its end."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        process.stdin.write(SECRET + "\n")
        process.stdin.flush()
        self.ready = json.loads(process.stdout.readline())
        headers = {"authorization": f"Bearer {SECRET}"}
        self.plane = httpx.Client(base_url=self.ready["control_url"], headers=headers, timeout=WAIT)
        self.http = httpx.Client(base_url=self.ready["api_url"], timeout=WAIT)

    def control(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.plane.request(method, "/_control/tenants" + path, json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def api(
        self, token: str, method: str, path: str, body: Any = None, key: str | None = None
    ) -> httpx.Response:
        headers: dict[str, str | bytes] = {"authorization": f"Bearer {token}"}
        if key is not None:
            headers["x-idempotency-key"] = key.encode()
        return self.http.request(method, path, json=body, headers=headers)

    def told(self, tenant: str) -> dict[str, Any]:
        """All that the control plane tells of a tenant."""
        parts = ("ledger", "state", "clock", "records/operation_approvals")
        return {part: self.control("GET", f"/{tenant}/{part}") for part in parts}

    def open(self, person: dict[str, str], link: str) -> str:
        """The page of an approval, for a person who logs in."""
        form = {"email": person["email"], "password": person["password"], "next": link}
        answer = self.http.post("/login", data=form, follow_redirects=True)
        assert answer.status_code == 200
        return answer.text

    def press(self, page: str, link: str, action: str) -> httpx.Response:
        """Send a form of the page of an approval."""
        fields = dict(re.findall(r'name="(csrf|shown)" value="([^"]+)"', page))
        return self.http.post(f"{link}/{action}", data=fields)

    def end(self, number: int = signal.SIGKILL) -> None:
        self.process.send_signal(number)
        self.ended()

    def ended(self) -> str:
        """Wait for its end; what it said on standard error."""
        out, err = self.process.communicate(timeout=WAIT)
        self.plane.close()
        self.http.close()
        assert out == ""
        return err


Begin = Callable[[], Life]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "estado"


@pytest.fixture
def begin(program: Any, file: Path) -> Begin:
    """Starts Kadu's mock on the file."""
    options = ("--control-secret-file", "-", "--state", str(file), "--check-answers")
    return lambda: Life(program(*options, program=KADU))


def _path(url: str) -> str:
    return httpx.URL(url).path


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_everything_acknowledged_is_there_again(begin: Begin, number: int) -> None:
    life = begin()
    world = life.control("POST", "", {"seed": "vida", "tokens": True})
    tenant, (ana, bruno) = world["id"], world["people"]
    token, others = (each["token"] for each in world["tokens"])
    task, environment = (world["records"][name][0] for name in ("tasks", "environments"))

    # of every kind something
    narrow = life.control(
        "POST", f"/{tenant}/tokens", {"person": None, "scopes": ["kadu/tasks"], "client": "Só"}
    )
    revoked = life.control("POST", f"/{tenant}/tokens", {"person": ana["id"]})
    life.control("DELETE", f"/{tenant}/tokens/{revoked['id']}")
    life.control(
        "PATCH",
        f"/{tenant}/people/{bruno['id']}",
        {"member": False, "without_permissions": ["agent.tasks.run"]},
    )
    life.control(
        "POST", f"/{tenant}/records/webhooks", {"count": 2, "values": {"description": "plantado 🌱"}}
    )
    life.control("DELETE", f"/{tenant}/records/workspaces/{world['records']['workspaces'][0]['id']}")
    guest = life.control(
        "POST", "", {"seed": "outra", "people": [{"same_as": {"tenant": tenant, "person": ana["id"]}}]}
    )
    made = life.api(
        token, "POST", "/v1/webhooks", {"url": "https://a.exemplo", "events": ["execution.failed"]}, "chave ç"
    )
    assert made.status_code == 201, made.text
    refused = life.api(token, "PATCH", NOWHERE, {"name": "x"}, "em vão")
    assert refused.status_code == 404
    assert life.api(token, "PATCH", "/v1/organization", {"name": "Renomeada"}).status_code == 200
    nonce = {"nonce": ODD_NONCE, "operation": "kadu_tasks_run", "expires_at": "2026-11-30T15:05:00Z"}
    assert life.api(token, "POST", "/v1/confirmations", nonce).status_code == 201
    run = {
        "operation": "kadu_tasks_run",
        "arguments": {"id": task["id"], "environment_id": environment["id"]},
    }
    links = [_path(life.api(token, "POST", "/v1/operation_approvals", run).json()["url"]) for _ in range(3)]
    assert life.press(life.open(ana, links[0]), links[0], "continue").status_code == 200
    assert life.press(life.open(ana, links[1]), links[1], "cancel").status_code == 200
    life.control("POST", f"/{tenant}/clock", {"advance": 30.25})
    told = [life.told(each) for each in (tenant, guest["id"])]
    assert life.api(token, "GET", "/v1/tasks").status_code == 200
    life.end(number)

    life = begin()
    after = [life.told(each) for each in (tenant, guest["id"])]
    *before, read = after[0]["ledger"].pop("entries")
    assert (before, read["operation"]) == (told[0]["ledger"].pop("entries"), "kadu_tasks_list")
    assert after == told
    me = life.api(token, "GET", "/v1/me").json()
    assert (me["organization"]["name"], me["token"]["id"]) == ("Renomeada", world["tokens"][0]["id"])
    me = life.api(narrow["token"], "GET", "/v1/me").json()
    assert (me["person"], me["scopes"], me["client"]) == (None, narrow["scopes"], narrow["client"])
    assert [life.api(each, "GET", "/v1/me").status_code for each in (others, revoked["token"])] == [401, 401]
    bruno = life.control("PATCH", f"/{tenant}/people/{bruno['id']}", {"member": True})
    assert "agent.tasks.run" not in bruno["permissions"]
    again = life.api(
        token, "POST", "/v1/webhooks", {"url": "https://a.exemplo", "events": ["execution.failed"]}, "chave ç"
    )
    assert (again.status_code, again.headers["x-idempotent-replay"]) == (201, "true")
    assert again.json() == {**made.json(), "signing_secret": None}
    vain = life.api(token, "PATCH", NOWHERE, {"name": "x"}, "em vão")
    assert (vain.json(), vain.headers["x-idempotent-replay"]) == (refused.json(), "true")
    assert life.api(
        token, "POST", "/v1/webhooks", {"url": "https://b.exemplo", "events": []}, "chave ç"
    ).status_code in (409, 422)
    assert life.api(token, "POST", "/v1/confirmations", nonce).status_code == 409
    # Both pages that were decided are over; the third link still decides, once.
    assert "Continuar" not in life.open(ana, links[0]) + life.open(ana, links[1])
    page = life.open(ana, links[2])
    assert [life.press(page, links[2], "continue").status_code for _ in range(2)] == [200, 409]
    # Ids go on where they were.
    fresh = life.api(token, "POST", "/v1/workspaces", {"name": "Nova"}).json()
    assert fresh["id"] not in {each["id"] for held in told[0]["state"]["records"].values() for each in held}
    life.end()


def test_what_was_deleted_stays_away_and_order_is_kept(begin: Begin) -> None:
    life = begin()
    made = [life.control("POST", "", {"seed": f"s{n}", "tokens": True}) for n in range(3)]
    life.control("DELETE", f"/{made[1]['id']}")
    ended = life.control("POST", "", {"seed": "s4"})
    life.control("POST", "", {"seed": "s5", "ends": [ended["id"]]})
    life.end()
    life = begin()
    assert life.plane.get("/_control/health").json()["tenants"] == 3
    answers = [life.api(each["tokens"][0]["token"], "GET", "/v1/me").status_code for each in made]
    assert answers == [200, 401, 200]
    life.end()


def test_a_key_that_was_in_progress_is_free(begin: Begin) -> None:
    """The operation was not committed, so it did not happen: the key may be used as if for the first time."""
    life = begin()
    world = life.control("POST", "", {"seed": "chave", "tokens": True})
    tenant, token = world["id"], world["tokens"][0]["token"]
    fault = {"operation": "kadu_workspaces_create", "kind": "hold"}
    fault["id"] = life.control("POST", f"/{tenant}/faults", fault)["id"]
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(
            life.ready["api_url"] + "/v1/workspaces",
            json={"name": "A"},
            headers={"authorization": f"Bearer {token}", "x-idempotency-key": "k"},
            timeout=httpx.Timeout(10, read=0.3),
        )
    assert life.control("GET", f"/{tenant}/faults/{fault['id']}")["holding"] == 1
    assert life.api(token, "POST", "/v1/workspaces", {"name": "A"}, "k").json()["errors"][0]["code"] == (
        "idempotency_request_in_progress"
    )
    life.end()
    life = begin()
    # The fault is forgotten, too.
    answers = [life.api(token, "POST", "/v1/workspaces", {"name": "A"}, "k") for _ in range(2)]
    assert [each.status_code for each in answers] == [201, 201]
    assert ["x-idempotent-replay" in each.headers for each in answers] == [False, True]
    entries = life.control("GET", f"/{tenant}/ledger")["entries"]
    assert [(each["code"], each["effect"]) for each in entries] == [
        ("idempotency_request_in_progress", False),
        (None, True),
        (None, False),
    ]
    life.end()


def test_what_a_stop_refuses_is_refused_and_the_tenant_stays(begin: Begin) -> None:
    life = begin()
    world = life.control("POST", "", {"seed": "parada", "tokens": True})
    tenant, token = world["id"], world["tokens"][0]["token"]
    life.control("POST", f"/{tenant}/faults", {"operation": "kadu_me_get", "kind": "hold"})
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(
            life.ready["api_url"] + "/v1/me",
            headers={"authorization": f"Bearer {token}"},
            timeout=httpx.Timeout(10, read=0.3),
        )
    life.end(signal.SIGTERM)
    assert life.process.returncode == 0
    life = begin()
    assert life.api(token, "GET", "/v1/me").status_code == 200
    entries = life.control("GET", f"/{tenant}/ledger")["entries"]
    assert [each["status"] for each in entries] == [401, 200]
    life.end()


def test_an_answer_that_was_dropped_is_kept_before_the_connection_ends(begin: Begin) -> None:
    life = begin()
    world = life.control("POST", "", {"seed": "queda", "tokens": True})
    tenant, token = world["id"], world["tokens"][0]["token"]
    life.control(
        "POST", f"/{tenant}/faults", {"operation": "kadu_workspaces_create", "kind": "drop_response"}
    )
    with pytest.raises(httpx.TransportError):
        life.api(token, "POST", "/v1/workspaces", {"name": "A"}, "k")
    life.end()
    life = begin()
    assert (
        life.api(token, "POST", "/v1/workspaces", {"name": "A"}, "k").headers["x-idempotent-replay"] == "true"
    )
    life.end()


def test_bytes_put_to_a_presigned_link_are_kept(begin: Begin) -> None:
    life = begin()
    life.control("POST", "", {"seed": "antes"})
    world = life.control("POST", "", {"seed": "arquivo", "tokens": True})
    token = world["tokens"][0]["token"]
    body = {"name": "a.txt", "size_bytes": 3, "content_type": "text/plain"}
    file = life.api(token, "POST", "/v1/files", body).json()
    assert life.http.put(_path(file["upload_url"]), content=b"abc").status_code == 200
    life.end()
    life = begin()
    assert life.api(token, "POST", f"/v1/files/{file['id']}/confirm").status_code == 200
    link = life.api(token, "GET", f"/v1/files/{file['id']}/download")
    assert life.http.get(_path(link.json()["url"])).content == b"abc", link.text
    life.end()


def test_a_clock_that_ticks_ticks_on(begin: Begin) -> None:
    life = begin()
    tenant = life.control("POST", "", {"seed": "relógio", "now": "2030-01-01T00:00:00Z"})["id"]
    life.control("POST", f"/{tenant}/clock", {"ticking": True})
    last = life.control("GET", f"/{tenant}/clock")["now"]
    life.end()
    life = begin()
    moments = [last, *(life.control("GET", f"/{tenant}/clock")["now"] for _ in range(2))]
    assert moments == sorted(moments)
    assert moments[0] < moments[1] < "2030-01-01T00:01"
    life.end()


def test_the_file_is_for_its_owner_and_one_process(begin: Begin, file: Path, program: Any) -> None:
    life = begin()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    second = program("--control-secret-file", "-", "--state", str(file), program=KADU)
    out, err = second.communicate(SECRET + "\n", timeout=WAIT)
    assert (second.returncode, out) == (2, "")
    assert err == f"The state file {file} cannot be opened: another process has it.\n"
    life.end()


def test_what_cannot_be_kept_is_not_acknowledged(begin: Begin, file: Path) -> None:
    life = begin()
    world = life.control("POST", "", {"seed": "cheio", "tokens": True})
    tenant, token = world["id"], world["tokens"][0]["token"]
    # The disk is full from here on.
    size = file.with_name(file.name + "-wal").stat().st_size
    resource.prlimit(life.process.pid, resource.RLIMIT_FSIZE, (size, size))
    with pytest.raises(httpx.TransportError):
        life.api(token, "POST", "/v1/workspaces", {"name": "A"}, "k")
    err = life.ended()
    assert life.process.returncode == 2
    assert re.fullmatch(
        f"The state file {re.escape(str(file))} cannot be written, so the mock ends: .+\\.\n", err
    )
    life = begin()
    assert life.control("GET", f"/{tenant}/ledger")["entries"] == []
    assert "x-idempotent-replay" not in life.api(token, "POST", "/v1/workspaces", {"name": "A"}, "k").headers
    life.end()


def _made(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as made:
        for statement in statements:
            made.execute(statement)
    made.close()


def _told(capsys: pytest.CaptureFixture[str], path: Path) -> str:
    assert main(["--state", str(path)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert re.fullmatch(r"[A-Z].*\.\n", told.err), told.err
    return told.err


_OURS = (
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
    "CREATE TABLE mock (product, contract)",
    "CREATE TABLE texts (tenant, kind, name, content)",
)


@pytest.mark.parametrize(
    ("statements", "named"),
    [
        (("CREATE TABLE receitas (nome)",), "is no state of a mock API"),
        (("PRAGMA user_version = 7",), "is no state of a mock API"),
        ((*_OURS, f"PRAGMA user_version = {FORMAT + 1}"), f"is of format {FORMAT + 1}, not {FORMAT}"),
        ((*_OURS, "INSERT INTO mock VALUES ('tiny', '1.0.0')"), "is of tiny 1.0.0, not of kadu "),
        ((*_OURS, "INSERT INTO mock VALUES ('kadu', '0.0.0')"), "is of kadu 0.0.0, not of kadu "),
    ],
)
def test_a_file_that_is_no_state_of_this_mock_is_a_mistake(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    statements: tuple[str, ...],
    named: str,
) -> None:
    monkeypatch.setenv("MOCK_CONTROL_SECRET", "segredo")
    path = tmp_path / "outro"
    _made(path, *statements)
    before = path.read_bytes()
    assert named in _told(capsys, path)
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_a_state_is_a_mistake(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = tmp_path / "texto"
    text.write_text("Receita: bolo de fubá")
    for path, named in (
        (text, "is no state"),
        (tmp_path, "Is a directory"),
        (tmp_path / "nenhum" / "estado", "No such file"),
    ):
        monkeypatch.setenv("MOCK_CONTROL_SECRET", "segredo")
        assert named in _told(capsys, path)
    assert text.read_text() == "Receita: bolo de fubá"


@pytest.mark.parametrize("content", ["{", "[]", '{"id": "t"}', '"x"'])
def test_a_damaged_state_is_a_mistake(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, file: Path, content: str
) -> None:
    product = load_product("kadu")
    tenant = Tenants(product).create("dano", datetime(2026, 11, 30, tzinfo=UTC), [None])
    with contextlib.closing(StateFile(str(file), product.contract)) as state:
        state.keep([tenant], [], reading=False)
    _made(file, f"UPDATE texts SET content = '{content}' WHERE kind = 'frame'")
    monkeypatch.setenv("MOCK_CONTROL_SECRET", "segredo")
    assert "is damaged" in _told(capsys, file)


def test_an_empty_file_is_a_new_state(begin: Begin, file: Path) -> None:
    file.touch()
    life = begin()
    assert life.plane.get("/_control/health").json()["tenants"] == 0
    life.end()


@pytest.mark.parametrize("kept", [False, True])
def test_in_memory_nothing_of_this_is_even_imported(tmp_path: Path, kept: bool) -> None:
    options = ["--state", str(tmp_path / "estado")] if kept else []
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *KADU, "--control-secret-file", "-", *options],
        input=SECRET + "\n",
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=True,
    )
    for module in ("sqlite3", "mock_api.persistence", "mock_api.snapshots"):
        assert (re.search(rf"\b{re.escape(module)}\n", done.stderr) is not None) == kept

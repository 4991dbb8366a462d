"""The program: how it starts, what it says, how it ends."""

import json
import os
import re
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from mock_api.__main__ import main

WAIT = 15


def _ready(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    ready: dict[str, Any] = json.loads(process.stdout.readline())
    return ready


def _mistake(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=WAIT)
    assert (process.returncode, out) == (2, "")
    assert re.fullmatch(r"[A-Z].*\.\n", err), err
    return err


def _told(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """What the program says when it cannot start, run in this process."""
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert re.fullmatch(r"[A-Z].*\.\n", told.err), told.err
    return told.err


def _healthy(ready: dict[str, Any], secret: str) -> bool:
    headers = {"authorization": f"Bearer {secret}"}
    return httpx.get(ready["control_url"] + "/_control/health", headers=headers).status_code == 200


@pytest.fixture
def secret_file(tmp_path: Path) -> str:
    path = tmp_path / "secret"
    path.write_text("do-arquivo\n")
    return str(path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(program: Any, secret_file: str, number: signal.Signals) -> None:
    process = program("--control-secret-file", secret_file)
    ready = _ready(process)
    assert set(ready) == {"ready", "api_url", "control_url"}
    assert ready["ready"] is True
    with httpx.Client() as idle:  # an idle connection does not keep it alive
        assert idle.get(ready["api_url"] + "/openapi.json").status_code == 200
        assert _healthy(ready, "do-arquivo")
        process.send_signal(number)
        out, err = process.communicate(timeout=WAIT)
    assert (process.returncode, out, err) == (0, "", "")


def test_the_end_of_standard_input_ends_it(program: Any) -> None:
    process = program("--control-secret-file", "-")
    process.stdin.write("da-entrada\n")
    process.stdin.flush()
    assert _healthy(_ready(process), "da-entrada")
    assert process.poll() is None
    out, err = process.communicate(timeout=WAIT)
    assert (process.returncode, out, err) == (0, "", "")


def test_what_is_held_does_not_keep_it_alive(program: Any, secret_file: str) -> None:
    process = program("--control-secret-file", secret_file)
    ready = _ready(process)
    control = httpx.Client(base_url=ready["control_url"], headers={"authorization": "Bearer do-arquivo"})
    with control:
        tenant = control.post("/_control/tenants", json={"seed": "s"}).json()["id"]
        path = f"/_control/tenants/{tenant}"
        token = control.post(f"{path}/tokens", json={"person": None}).json()["token"]
        control.post(f"{path}/faults", json={"operation": "tiny_me_get", "kind": "hold"})
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(
                ready["api_url"] + "/v1/me",
                headers={"authorization": f"Bearer {token}"},
                timeout=httpx.Timeout(10, read=0.2),
            )
        process.terminate()
        out, err = process.communicate(timeout=WAIT)
    assert (process.returncode, out, err) == (0, "", "")


def test_the_secret_comes_from_the_environment_where_no_file_is_named(program: Any) -> None:
    process = program(env={**os.environ, "MOCK_CONTROL_SECRET": "do-ambiente"})
    assert _healthy(_ready(process), "do-ambiente")


@pytest.mark.parametrize("secret", [None, "", "  ", "com\nquebra", "ção", "x" * 4097])
def test_without_a_usable_secret_it_does_not_start(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, secret: str | None
) -> None:
    monkeypatch.delenv("MOCK_CONTROL_SECRET", raising=False)
    if secret is not None:
        monkeypatch.setenv("MOCK_CONTROL_SECRET", secret)
    assert "MOCK_CONTROL_SECRET" in _told(capsys, [])


def test_an_empty_first_line_is_no_secret(program: Any) -> None:
    process = program("--control-secret-file", "-")
    process.stdin.write("\nsegredo\n")
    process.stdin.flush()
    assert "standard input" in _mistake(process)


def test_an_unreadable_secret_file_is_a_mistake(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    for path, named in ((tmp_path / "none", "No such file"), (tmp_path, "directory"), (binary, "UTF-8")):
        assert named in _told(capsys, ["--control-secret-file", str(path)])


def test_the_secret_does_not_stay_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCK_CONTROL_SECRET", "segredo")
    assert main(["--product", "none"]) == 2
    assert "MOCK_CONTROL_SECRET" not in os.environ


@pytest.mark.parametrize("option", ["--port", "--control-port"])
def test_a_port_in_use_is_a_mistake(program: Any, secret_file: str, option: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = _mistake(program("--control-secret-file", secret_file, option, port))
    assert port in told
    assert "in use" in told


def test_one_port_for_both_listeners_is_a_mistake(program: Any, secret_file: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    process = program("--control-secret-file", secret_file, "--port", port, "--control-port", port)
    assert port in _mistake(process)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--none"], "--none"),
        (["--prod", "kadu"], "--prod"),
        (["--port", "x"], "'x'"),
        (["--port", "65536"], "'65536'"),
        (["--public-url", "publico.test"], "'publico.test'"),
        (["--control-secret", "segredo"], "--control-secret"),
        (["--product", "none"], "'none'"),
        (["--product", "../kadu"], "'../kadu'"),
    ],
)
def test_a_wrong_option_is_named_in_one_sentence(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    named: str,
) -> None:
    monkeypatch.setenv("MOCK_CONTROL_SECRET", "segredo")
    assert named in _told(capsys, arguments)


def test_a_host_that_is_none_is_a_mistake(program: Any, secret_file: str) -> None:
    assert "256.1.1.1" in _mistake(program("--control-secret-file", secret_file, "--host", "256.1.1.1"))

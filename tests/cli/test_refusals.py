"""Every mistake of a user is told in one sentence, with exit code 2 and no traceback."""

import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from harness.product import load as load_product
from harness.runner.upstream import Upstream, start_mock

ERROR = json.dumps({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}}).encode()


@pytest.fixture(scope="module")
def mock() -> Iterator[Upstream]:
    """A mock API for all tests of this module."""
    program, upstream = start_mock("kadu")
    with program:
        yield upstream


@pytest.fixture
def secret_file(mock: Upstream, tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text(f"{mock.secret}\n", encoding="utf-8")
    return path


@pytest.fixture
def elsewhere(mock: Upstream, secret_file: Path, tiny: Path) -> list[str]:
    """The options that name the running mock API, and the small feature."""
    options = ["--api-url", mock.api_url, "--control-url", mock.control_url]
    return [*options, "--control-secret-file", str(secret_file), "--features", str(tiny)]


@pytest.fixture
def constant() -> Iterator[Callable[..., str]]:
    """Start a server that gives the same answer to everything; its URL."""
    servers: list[ThreadingHTTPServer] = []

    def constant(status: int, kind: str, body: bytes) -> str:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("content-length") or 0))
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/mcp"

    yield constant
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def dead() -> str:
    """A URL at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/mcp"


def refused(said, *parts: str) -> None:
    """One sentence on standard error, code 2, nothing else."""
    assert said.code == 2, said
    assert said.out == ""
    assert said.err.startswith("kadu-conformance: ")
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    for part in parts:
        assert part in said.err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["run", "--no-such-option"], "No such option: --no-such-option"),
        ([], "Missing command"),
        (["rum"], "No such command 'rum'"),
        (["prove", "--workers", "many"], "Invalid value for '--workers'"),
        (["prove", "--workers", "0"], "Invalid value for '--workers'"),
        (["prove", "--era", "2024"], "There is no era '2024'; the eras are 2025 and 2026."),
        (["prove", "--product", "nothing"], "There is no product 'nothing'; known: "),
        (["prove", "--rule", "KADU-XYZ"], "The catalogue knows no rule 'KADU-XYZ'"),
        (
            ["prove", "--rule", "KADU-CNF", "--era", "2025"],
            "No scenario of 2025 below KADU-CNF judges anything",
        ),
        (["prove", "--scenario", "no such scenario"], "has 'no such scenario' in its id"),
        (["run"], "Say which server to judge: --url URL, or --command COMMAND."),
        (["run", "--url", "localhost:80/mcp"], "--url takes an http or https URL, not 'localhost:80/mcp'"),
        (["run", "--url", "http://x/mcp", "--api-url", "http://x"], "belong together"),
        (["run", "--url", "http://x:{port}/mcp"], "a server that --command starts"),
        (["run", "--command", "'"], "--command cannot be taken apart into words"),
        (["run", "--command", " "], "--command is empty"),
        (
            ["run", "--command", "/no/such/program"],
            "The server under test cannot be started: '/no/such/program'",
        ),
    ],
)
def test_wrong_usage(cli, tiny, elsewhere, arguments, part):
    if "--command" in arguments:
        arguments = [*arguments, *elsewhere]
    elif arguments and arguments[0] in ("run", "prove"):
        arguments = [*arguments, "--features", str(tiny)]
    refused(cli(*arguments), part)


@pytest.mark.parametrize("command", ["prove", "rules", "check"])
def test_features_that_cannot_be_read(cli, tmp_path, command):
    said = cli(command, "--features", str(tmp_path / "nowhere"))
    assert said.code == 2
    assert f"{tmp_path / 'nowhere'}:1: There is no such directory of features." in said.err


@pytest.mark.parametrize("command", ["prove", "check"])
def test_a_malformed_feature_is_told_with_file_and_line_before_anything_starts(cli, tmp_path, command):
    path = tmp_path / "a.feature"
    path.write_text(
        "Feature: F\n\n  Rule: R\n    Scenario: S\n      Hello\n      Given x\n      Hello\n",
        encoding="utf-8",
    )
    said = cli(command, "--features", str(tmp_path))
    assert said.code == 2
    assert f"{path}:7: Malformed Gherkin: 'Hello' does not belong here." in said.err
    assert "Traceback" not in said.err


def test_a_step_that_is_missing_is_told_with_file_and_line(cli, tmp_path):
    path = tmp_path / "a.feature"
    path.write_text(
        "Feature: F\n  @KADU-CNF-01\n  Rule: R\n    Scenario: S\n      Given nobody knows\n", encoding="utf-8"
    )
    said = cli("prove", "--features", str(tmp_path))
    assert said.code == 2
    assert f'{path}:5: No step is defined for `Given "nobody knows"`.' in said.err


def test_nothing_listens_at_the_url(cli, dead, elsewhere):
    refused(
        cli("run", "--url", dead, "--timeout", "0.2", *elsewhere), f"Nothing answers at {dead}", "refused"
    )


@pytest.mark.parametrize(
    ("status", "kind", "body", "part"),
    [
        (
            400,
            "text/html",
            b"<h1>Bad Request</h1>",
            "initialize got HTTP 400 with text/html, no JSON-RPC message",
        ),
        (
            200,
            "application/json",
            b"{}",
            "initialize got HTTP 200 with application/json, no JSON-RPC message",
        ),
        (200, "text/plain", b"", "initialize got HTTP 200 with text/plain"),
        (200, "application/json", b'{"jsonrpc": "2.0", "id": 7, "result": {}}', "no JSON-RPC message"),
    ],
)
def test_what_speaks_no_mcp_is_not_judged(cli, constant, elsewhere, status, kind, body, part):
    url = constant(status, kind, body)
    refused(cli("run", "--url", url, *elsewhere), f"No MCP server speaks at {url}", part)


def test_a_server_that_refuses_everything_in_json_rpc_is_judged_and_fails(cli, constant, elsewhere, tmp_path):
    said = cli("run", "--url", constant(200, "application/json", ERROR), *elsewhere)
    assert said.code == 1, said
    assert "KADU-CNF-03 is broken" in said.out
    names = {path.name for path in (tmp_path / "kadu-conformance-report").iterdir()}
    assert names == {"run.ndjson", "report.html", "junit.xml", "summary.md", "report.json"}


def test_a_wrong_control_secret(cli, dead, elsewhere, secret_file):
    secret_file.write_text("wrong\n", encoding="utf-8")
    refused(cli("run", "--url", dead, *elsewhere), "does not take the secret that was given")


@pytest.mark.parametrize(
    ("content", "part"), [(None, "No such file"), (b"", "holds no control secret"), (b"\xff", "not UTF-8")]
)
def test_a_secret_file_that_cannot_be_used(cli, dead, elsewhere, secret_file, content, part):
    secret_file.unlink() if content is None else secret_file.write_bytes(content)
    refused(cli("run", "--url", dead, *elsewhere), str(secret_file), part)


def test_an_api_that_is_no_mock(cli, constant, elsewhere):
    url = constant(200, "application/json", b"{}")
    elsewhere[1] = url
    refused(cli("run", "--url", url, *elsewhere), f"No mock API answers at {url}")


def test_an_api_that_is_not_there(cli, dead, elsewhere):
    elsewhere[1] = dead
    refused(cli("run", "--url", dead, *elsewhere), f"No mock API answers at {dead}")


def test_a_control_plane_that_is_none(cli, constant, elsewhere):
    url = constant(404, "text/html", b"nothing here")
    elsewhere[3] = url
    refused(cli("run", "--url", url, *elsewhere), f"What answers at {url} is no control plane: HTTP 404.")


def test_a_control_plane_that_is_not_there(cli, dead, elsewhere):
    elsewhere[3] = dead
    refused(cli("run", "--url", dead, *elsewhere), f"No control plane answers at {dead}")


def test_the_port_of_the_mock_is_taken(cli, mock, tiny):
    port = mock.api_url.rpartition(":")[2]
    said = cli("run", "--url", "http://127.0.0.1:9/mcp", "--api-port", port, "--features", str(tiny))
    refused(said, "The mock API ended with exit code 2 before it was ready", port)


def test_a_command_that_ends_at_once(cli, elsewhere, script):
    command = " ".join(script('import sys; sys.exit("no \\x1b[31mdatabase")'))
    refused(
        cli("run", "--command", command, *elsewhere),
        "ended with exit code 1",
        "It said: no \\x1b[31mdatabase",
    )


def test_a_command_that_never_answers(cli, elsewhere, script):
    command = " ".join(script("import time; time.sleep(60)"))
    refused(
        cli("run", "--command", command, "--ready-timeout", "0.1", *elsewhere),
        "did not answer at http://127.0.0.1:",
    )


def test_a_report_that_cannot_be_written(cli, constant, elsewhere, tmp_path):
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    url = constant(200, "application/json", ERROR)
    refused(
        cli("run", "--url", url, "--out", "taken", *elsewhere),
        "The record cannot be written to taken/run.ndjson",
    )


def test_a_server_we_start_learns_nothing_of_the_control_plane(
    cli, elsewhere, mock, script, tmp_path, monkeypatch
):
    monkeypatch.setenv("MOCK_CONTROL_SECRET", "x")
    monkeypatch.setenv("ANOTHER_NAME", mock.secret)
    seen = tmp_path / "seen.json"
    text = f"import json, os, sys; json.dump([dict(os.environ), sys.argv], open({str(seen)!r}, 'w')); sys.exit(1)"
    command = " ".join([*script(text), "--port", "{port}"])
    assert cli("run", "--command", command, *elsewhere).code == 2
    environment, arguments = json.loads(seen.read_text(encoding="utf-8"))
    assert environment[load_product("kadu").upstream_variable] == mock.api_url
    assert arguments[2] == environment["PORT"]
    assert environment["HOST"] == "127.0.0.1"
    assert not {"MOCK_CONTROL_SECRET", "ANOTHER_NAME"} & environment.keys()
    assert mock.secret not in json.dumps(environment)
    assert mock.control_url not in json.dumps(environment)


def test_the_version(cli):
    from harness import __version__

    assert cli("--version").out == f"kadu-conformance {__version__}\n"


@pytest.mark.parametrize("command", [[], ["run"], ["prove"], ["playground"], ["rules"], ["check"], ["lint"]])
def test_help_is_given_for_every_command(cli, command):
    said = cli(*command, "--help")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(" ".join(["Usage: kadu-conformance", *command]))


def test_the_start_does_not_load_what_help_does_not_need():
    import subprocess

    text = "import sys, harness.cli.main; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=30, check=True
    )
    assert not {"pytest", "pytest_bdd", "rich", "jsonschema", "pydantic", "mcp", "h11", "reports"} & set(
        done.stdout.split()
    )

"""Options of `run` for pipelines, each through the command line."""

import re
import shlex
import ssl
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.actors.patience import asked_to_wait
from harness.clock import now
from harness.exchanges import HttpAnswer, HttpRequest
from harness.record import read
from harness.runner.environment import free_port
from harness.settings import Settings
from harness.transport import Transport

REFERENCE = f"{sys.executable} -P -m reference_server --product kadu --host 127.0.0.1 --port {{port}}"
OUT = Path("kadu-conformance-report") / "run.ndjson"
VALUE = "open-sesame-0123"

FIVE = """\
Feature: Five
  @MCP-03 @read-only
  Rule: R
    Scenario Outline: Discovery number <n>
      Given an assistant
      When the assistant asks for server/discover
      Then the request is answered

      Examples:
        | n |
        | 1 |
        | 2 |

      @slow
      Examples:
        | n |
        | 3 |

      @slow @advisory
      Examples:
        | n |
        | 4 |

  @MCP-02 @read-only
  Rule: S
    Scenario: It is another rule
      Given an assistant
      When the assistant asks for server/discover
      Then the request is answered
"""

UNTESTABLE = """\
Feature: Untestable
  @MCP-03 @read-only
  Rule: R
    Scenario: There is no ledger
      Given an assistant
      When the assistant asks for server/discover
      Then nothing ran
"""

APPROVED = """\
Feature: Approved
  @KADU-APR-08
  Rule: Continue runs it
    Scenario: A person continues
      Given an assistant without forms
      When the assistant calls kadu_tasks_run
      And the person opens the link
      And the person continues
      Then it ran once
"""


@pytest.fixture
def features(tmp_path: Path):
    """Write a feature; the options that judge by it."""

    def features(text: str) -> list[str]:
        directory = tmp_path / "some"
        directory.mkdir(exist_ok=True)
        (directory / "a.feature").write_text(text, encoding="utf-8")
        return ["--features", str(directory)]

    return features


def names() -> list[str]:
    return sorted(as_run())


def as_run() -> list[str]:
    return [scenario["id"].partition("::")[2] for scenario in read(OUT).scenarios]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--tag", "slow"], ["[3]", "[4]"]),
        (["--tag", "@slow", "--not-tag", "@advisory"], ["[3]"]),
        (["--tag", "advisory", "--tag", "MCP-02"], ["[4]", "It is another rule"]),
        (["--not-tag", "slow", "--rule", "MCP-03"], ["[1]", "[2]"]),
        (["--not-tag", "slow", "--not-tag", "MCP-03"], ["It is another rule"]),
    ],
)
def test_tags_choose_scenarios(cli, read_only, features, options, expected):
    said = cli(*read_only, *features(FIVE), *options)
    assert said.code == 0, said
    found = [name.removesuffix("@2026").removeprefix("Discovery number ") for name in names()]
    assert [name[1:] if name[1:].startswith("[") else name for name in found] == expected


@pytest.mark.parametrize("option", ["--tag", "--not-tag"])
def test_a_tag_that_nothing_carries_is_refused(cli, read_only, features, refused, option):
    said = cli(*read_only, *features(FIVE), option, "slwo")
    refused(said, "No scenario of these features carries the tag @slwo.")


def test_shards_cover_everything_once(cli, read_only, features):
    found = []
    for number in (1, 2, 3):
        assert cli(*read_only, *features(FIVE), "--shard", f"{number}/3").code == 0
        assert 1 <= len(names()) <= 2
        found += names()
    assert cli(*read_only, *features(FIVE)).code == 0
    assert sorted(found) == names()


def test_a_merge_without_one_of_the_shards_is_no_verdict(cli, read_only, features):
    records = []
    for number in (1, 3):
        assert cli(*read_only, *features(FIVE), "--shard", f"{number}/3", "--out", f"part-{number}").code == 0
        records.append(f"part-{number}/run.ndjson")
    assert read(Path(records[1])).header["shard"] == "3/3"
    said = cli("report", *records, "--out", "merged")
    assert said.code == 2
    assert "shard 2/3 of" in said.out
    assert cli("report", "merge", *records, "--out", "again") == replace(
        said, out=said.out.replace("merged/", "again/")
    )
    assert "no record of it was given, so the whole is incomplete." in said.out


@pytest.mark.parametrize("shard", ["0/3", "4/3", "3", "1/0", "-1/3", "a/b", "1/3 "])
def test_a_shard_that_is_none(cli, read_only, refused, shard):
    refused(
        cli(*read_only, "--shard", shard),
        f"--shard takes I/N with I from 1 to N, such as 1/3, not {shard!r}.",
    )


def test_more_shards_than_scenarios(cli, read_only, features, refused):
    refused(cli(*read_only, *features(FIVE), "--shard", "6/6"), "The shard 6/6 is empty: 5 scenario run(s)")


def test_a_shuffled_order_is_recorded_and_comes_again(cli, read_only, features):
    assert cli(*read_only, *features(FIVE)).code == 0
    written, order = as_run(), read(OUT).header["order"]
    assert order == "written"
    said = cli(*read_only, *features(FIVE), "--order", "random:7")
    assert said.code == 0
    shuffled = as_run()
    assert (sorted(shuffled), read(OUT).header["order"]) == (sorted(written), "random:7")
    assert shuffled != written
    assert "Order: random:7; --order random:7 runs it again." in said.out
    assert cli(*read_only, *features(FIVE), "--order", "random:7").code == 0
    assert as_run() == shuffled


def test_another_order_is_told_each_time(cli, read_only, features):
    told = set()
    for _ in range(3):
        assert cli(*read_only, *features(FIVE), "--order", "random").code == 0
        told.add(read(OUT).header["order"])
    assert len(told) > 1
    assert all(re.fullmatch(r"random:\d+", order) for order in told)


@pytest.mark.parametrize(
    "order", ["shuffled", "random:", "random:x", "random:-1", "7", "", "random:9999999999"]
)
def test_an_order_that_is_none(cli, read_only, refused, order):
    refused(
        cli(*read_only, "--order", order),
        f"--order takes written, random or random:SEED, such as random:7, not {order!r}.",
    )


def test_untested_rules_can_be_allowed(cli, read_only, features):
    assert cli(*read_only, *features(UNTESTABLE)).code == 3
    assert cli(*read_only, *features(UNTESTABLE), "--allow-untested").code == 0
    assert read(OUT).footer["rules"]["MCP-03"]["verdict"] == "not testable"


def test_broken_rules_are_never_allowed(cli, real, read_only, features):
    real.discovers = False
    assert cli(*read_only, *features(FIVE), "--allow-untested").code == 1


def test_headers_go_with_every_request_and_into_no_record(cli, real, read_only, monkeypatch):
    monkeypatch.setenv("KADU_TEST_GATE", f"{VALUE}-4567")
    options = ["--header", f"X-Gate: {VALUE}", "--header-env", "X-Other:KADU_TEST_GATE"]
    assert cli(*read_only, "--rule", "MCP-03", *options).code == 0
    posts = [headers for method, headers, _ in real.seen if method == "POST"]
    assert len(posts) >= 2
    assert {(headers["x-gate"], headers["x-other"]) for headers in posts} == {(VALUE, f"{VALUE}-4567")}
    for path in OUT.parent.iterdir():
        assert VALUE not in path.read_text(encoding="utf-8")
    assert '["X-Gate","«secret»"]' in OUT.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--header", "no colon"], "--header takes 'Name: value'"),
        (["--header", "a b: value"], "--header takes 'Name: value'"),
        (["--header", "X-Gate:"], "--header X-Gate: the value is empty or not printable ASCII."),
        (["--header", "X-Gate: a\r\nX-More: b"], "--header X-Gate: the value is empty or not printable"),
        (["--header", "Authorization: Bearer x"], "the scenarios decide on this header themselves"),
        (["--header", "mcp-method: x"], "the scenarios decide on this header themselves"),
        (["--header-env", "X-Gate: KADU_NO_SUCH"], "there is no environment variable KADU_NO_SUCH."),
        (["--ca-file", "nowhere.pem"], "--ca-file nowhere.pem cannot be read: No such file"),
        (["--ca-file", "empty.pem"], "--ca-file empty.pem holds no certificates in PEM"),
        (["--max-wait", "-1"], "Invalid value for '--max-wait'"),
        (["--update-baseline"], "--update-baseline adds to a file: name it with --baseline FILE."),
        (["--url", "http://me:secret@x/mcp"], "--url holds a user name; what lets a request in goes into"),
    ],
)
def test_options_that_are_none(cli, read_only, refused, tmp_path, options, part):
    (tmp_path / "empty.pem").touch()
    refused(cli(*read_only, *options), part)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--api-host", "0.0.0.0"], "--api-host 0.0.0.0 needs --api-public-url"),
        (["--api-public-url", "mock:80"], "--api-public-url takes an http or https URL, not 'mock:80'."),
        (["--api-public-url", "http://mock/kadu"], "is an address without a path"),
        (["--api-public-url", "http://mock:99999"], "'http://mock:99999' is no URL"),
        (["--api-host", "no.such.host.invalid"], "Cannot listen on no.such.host.invalid"),
    ],
)
def test_addresses_of_the_mock_that_are_none(cli, refused, tiny, options, part):
    refused(cli("run", "--url", "http://127.0.0.1:9/mcp", "--features", str(tiny), *options), part)


def test_a_host_is_for_a_mock_that_we_start(cli, refused, tmp_path):
    options = ["--api-url", "http://x", "--control-url", "http://x", "--control-secret-file", "x"]
    said = cli("run", "--url", "http://x/mcp", *options, "--api-host", "::1")
    refused(said, "--api-host is for a mock API that we start; it does not go with --api-url.")


def test_links_lead_to_the_public_address(cli, features):
    public = f"http://localhost:{free_port()}"
    options = ["--api-host", "127.0.0.1", "--api-public-url", public, "--command", REFERENCE]
    said = cli("run", *options, *features(APPROVED), "--era", "2025")
    assert said.code == 0, said
    opened = [e["request"]["url"] for e in read(OUT).scenarios[0]["exchanges"] if e["actor"] == "person"]
    # The link itself is a secret; where the login leads to is told.
    assert f"{public}/login" in opened
    assert all(url.startswith((f"{public}/", "«secret»")) for url in opened)


def test_a_public_address_that_only_containers_know_is_reached_at_the_mock_itself(real):
    port = int(real.url.split(":")[2].partition("/")[0])
    given = {"api_url": f"http://127.0.0.1:{port}", "control_url": "", "control_secret": ""}
    settings = Settings("kadu", (), (), public_url="http://mock.invalid:8766/", **given)
    assert settings.console_url == "http://mock.invalid:8766"
    with Transport(detours=dict(settings.detours)) as transport:
        sent = transport.send(HttpRequest("GET", "http://mock.invalid:8766/login", ()), timeout=5)
        elsewhere = transport.send(HttpRequest("GET", "http://mock.invalid:8767/login", ()), timeout=5)
    assert sent.problem is None
    assert real.seen[-1][1]["host"] == "mock.invalid:8766"
    assert elsewhere.answer is None


# When the server asks to wait


def test_a_request_that_is_put_off_is_sent_again(cli, real, read_only):
    real.puts_off = 3
    assert cli(*read_only, "--rule", "MCP-03").code == 0
    assert len(real.messages) == 3 + 2, "three that were put off, then the probe and the scenario"


def test_an_answer_that_puts_off_is_evidence(cli, real, read_only):
    real.puts_off_discovery = True
    assert cli(*read_only, "--rule", "MCP-03").code == 0
    [scenario] = read(OUT).scenarios
    assert [exchange["answer"]["status"] for exchange in scenario["exchanges"]] == [429, 200]


def test_who_asks_for_more_time_than_there_is_is_not_waited_for(cli, real, read_only, refused):
    real.puts_off, real.retry_after = 100, "3600"
    refused(cli(*read_only, "--rule", "MCP-03", "--timeout", "5"), "initialize got HTTP 429")
    assert len(real.messages) == 2


def test_a_server_that_puts_off_for_ever_is_not_asked_for_ever(cli, real, read_only, refused):
    real.puts_off = 100
    refused(cli(*read_only, "--rule", "MCP-03"), "initialize got HTTP 429")
    assert len(real.messages) == 10


@pytest.mark.parametrize(
    ("status", "told", "expected"),
    [
        (429, "0", 0),
        (429, "17", 17),
        (429, "Wed, 21 Oct 2015 07:28:00 GMT", 0),
        (429, None, None),
        (429, "soon", None),
        (429, "-1", None),
        (429, "²", None),
        (503, "17", None),
    ],
)
def test_what_an_answer_asks_for(status, told, expected):
    headers = () if told is None else (("retry-after", told),)
    assert asked_to_wait(HttpAnswer(status, headers, b"")) == expected


def test_a_moment_to_wait_for_is_counted_from_now():
    moment = now().replace(year=now().year + 1, month=1, day=2).strftime("%a, %d %b %Y %H:%M:%S GMT")
    assert 0 < asked_to_wait(HttpAnswer(429, (("retry-after", moment),), b"")) < 800 * 86400


# A certificate of one's own


def test_a_server_behind_an_authority_of_ones_own(cli, read_only, tmp_path, serving_tls):
    certificate, server = serving_tls
    options = [
        "run",
        "--read-only",
        "--token-env",
        "KADU_TEST_TOKEN",
        "--url",
        server.url,
        "--rule",
        "MCP-03",
    ]
    said = cli(*options)
    assert said.code == 2
    assert "the certificate is not trusted" in said.err
    assert cli(*options, "--ca-file", str(certificate)).code == 0


@pytest.fixture
def serving_tls(tmp_path: Path, tls_server):
    """A real system with a certificate that only its own file vouches for."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
    command = [*shlex.split(words), "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with tls_server(context) as server:
        yield certificate, server


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--person", "robot"], "--person takes 'manual'"),
        (["--person", "manual", "--person-command", "x"], "do not go together"),
        (["--person-command", ""], "--person-command is empty"),
        (["--person-command", "'"], "cannot be taken apart"),
    ],
)
def test_who_decides_is_said_once_and_rightly(cli, refused, options, complaint):
    refused(cli("run", "--url", "http://127.0.0.1:1/mcp", *options), complaint)

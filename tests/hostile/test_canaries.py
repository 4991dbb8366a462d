"""What a run mints or sees that opens a door stands in nothing that it leaves behind."""

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

import pytest

from harness.cli.main import NAME, app, outcome
from harness.exchanges import HttpAnswer, HttpRequest
from harness.transport import Sent, Transport

SCENARIOS = (
    "A yes makes kadu_tasks_run run",
    "Continuing runs kadu_webhooks_create",
    "Downloading gives an address and no bytes",
    "The secret of kadu_webhooks_rotate_secret",
    "Somebody without a session logs in",
)
FILES = {"run.ndjson", "report.html", "junit.xml", "summary.md", "report.json"}


def values(data: Any) -> Iterator[tuple[str, str]]:
    """Every text of some JSON with its key, and those of JSON within texts."""
    if isinstance(data, dict):
        for key, inner in data.items():
            if isinstance(inner, str):
                yield key, inner
            yield from values(inner)
    elif isinstance(data, list):
        for inner in data:
            yield from values(inner)
    elif isinstance(data, str) and data.startswith("{"):
        try:
            yield from values(json.loads(data))
        except ValueError:
            return


def minted(request: HttpRequest, answer: HttpAnswer) -> Iterator[tuple[str, str]]:
    """What of an exchange opens a door, with the kind of it: taken from the bytes, not from what the harness knows."""
    for name, value in request.headers:
        if name.lower() == "authorization" and "/_control" in request.url:
            yield "control secret", str(value).removeprefix("Bearer ")
    for name, value in answer.headers:
        if name == "set-cookie":
            yield "cookie", value.partition("=")[2].partition(";")[0]
    try:
        told = json.loads(answer.body)
    except ValueError:
        return
    for key, value in values(told):
        if key in ("token", "password") and "/_control" in request.url:
            yield key, value
        elif key == "requestState":
            yield "state", value
        elif key == "url" and "/approvals/" in value:
            yield "link", value
            yield "link", urlsplit(value).path.rpartition("/")[2]
        elif value.startswith("http") and "/files/" in value:
            yield "presigned", value
            yield "presigned", urlsplit(value).path
        elif key.endswith("secret") and "•" not in value and "/_control" not in request.url:
            yield "shown once", value


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """What was minted, by kind, as it comes in."""
    seen: set[tuple[str, str]] = set()
    send, send_many = Transport.send, Transport.send_many

    def note(request: HttpRequest, sent: Sent) -> None:
        if sent.answer is not None:
            seen.update((kind, value) for kind, value in minted(request, sent.answer) if value)

    def spying(self: Transport, request: HttpRequest, **more: Any) -> Sent:
        sent = send(self, request, **more)
        note(request, sent)
        return sent

    def spying_many(self: Transport, requests: Sequence[HttpRequest], **more: Any) -> list[Sent]:
        many = send_many(self, requests, **more)
        for request, sent in zip(requests, many, strict=True):
            note(request, sent)
        return many

    monkeypatch.setattr(Transport, "send", spying)
    monkeypatch.setattr(Transport, "send_many", spying_many)
    return seen


def forms(secret: str) -> Iterable[str]:
    """A secret as it may have travelled."""
    raw = secret.encode()
    coded = [base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()]
    texts = [secret, quote(secret, safe=""), quote(secret), quote_plus(secret), json.dumps(secret)[1:-1]]
    return {*texts, *coded, *(text.rstrip("=") for text in coded)}


def test_no_secret_is_left_behind(
    seen: set[tuple[str, str]], capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scenarios = [word for one in SCENARIOS for word in ("--scenario", one)]
    # In this process, where what is minted can be seen.
    words = ["prove", "--keep", "--workers", "1", *scenarios, "--out", str(tmp_path)]
    code = outcome(lambda: app(words, standalone_mode=False, prog_name=NAME))
    said = capfd.readouterr()
    left = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert code == 0, said
    assert left.keys() == FILES
    assert {kind for kind, _ in seen} == {
        *("control secret", "cookie", "token", "password", "state", "link", "presigned", "shown once")
    }
    for name, text in {**left, "stdout": said.out, "stderr": said.err}.items():
        found = {(kind, form) for kind, value in seen for form in forms(value) if form in text}
        assert not found, (name, sorted(found))

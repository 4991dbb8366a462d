"""Text from outside: what cannot be seen, what is too long, and what a shell would read."""

import json
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.curl import curl
from reports.excerpts import excerpt, tail
from reports.record import Request
from reports.visible import one_line, visible
from tests.reports import sample

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def xml_allows(character: str) -> bool:
    """Whether XML 1.0 allows the character; carriage returns count as forbidden, for XML does not keep them."""
    code = ord(character)
    return character in "\t\n" or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


@given(st.text())
def test_visible_text_is_fit_for_xml_and_terminals(text: str) -> None:
    seen = visible(text)
    seen.encode("utf-8")
    assert all(xml_allows(character) for character in seen)
    assert not any(0x7F <= ord(character) <= 0x9F for character in seen)
    assert visible(seen) == seen


def test_the_unseen_is_named() -> None:
    text = "\x1b[31m\x00\u202e\u200b\ud800\ufeff\U000e0041\r\ttab\nnext é \u05d0"
    escaped = "\\x1b[31m\\x00\\u202e\\u200b\\ud800\\ufeff\\U000e0041\\x0d\ttab\nnext é \u05d0"
    assert visible(text) == escaped
    assert visible("a\r\nb") == "a\nb"
    assert visible(sample.HOSTILE).count("\\") == 19


def test_one_line_is_one_short_line() -> None:
    assert one_line("a\nb\r\nc\td") == "a⏎b⏎c d"
    assert one_line("x" * 1000, 10) == "x" * 10 + "…"


@given(JSON)
def test_json_is_laid_out_without_changing_it(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    shown = excerpt(text, 100_000)
    assert shown.note == ""
    assert json.loads(shown.text) == value


def test_json_keeps_every_token_as_it_came() -> None:
    text = '{"a" : 1.50, "a":1E5,"b":[ ],"c":{},"d":["{ }","\\u00e9\\"x"]}'
    shown = excerpt(text, 1000).text
    assert shown == (
        '{\n  "a": 1.50,\n  "a": 1E5,\n  "b": [],\n  "c": {},\n  "d": [\n    "{ }",\n    "\\u00e9\\"x"\n  ]\n}'
    )


def test_what_is_no_json_stays_as_it_is() -> None:
    assert excerpt("[error]  two  spaces {", 100).text == "[error]  two  spaces {"
    assert excerpt("[" * 50_000, 100).text == "[" * 100


def test_the_json_of_an_event_stream_is_laid_out() -> None:
    text = 'event: message\ndata: {"id":1}\n\nid: 7\ndata: plain\n'
    assert excerpt(text, 100).text == 'event: message\ndata: {\n  "id": 1\n}\n\nid: 7\ndata: plain'


def test_what_is_cut_says_so() -> None:
    assert excerpt("x" * 2_000, 1_000).note == "cut here; it has 2,000 characters"
    assert excerpt("x" * 2_000, 1_000, cut=True).note == "cut here; it has 2,000 or more characters"
    assert excerpt('{"a":', 1_000, cut=True).note == "cut here; the record holds no more of it"
    assert excerpt("x" * 1_000, 1_000).note == ""
    assert tail("begin" + "x" * 10, 10).text == "x" * 10
    assert tail("begin" + "x" * 10, 10).note == "the last 10 of 15 characters"


def test_a_cut_body_of_brackets_stays_small() -> None:
    assert len(excerpt("[" * 100_000, 2_000, cut=True).text) == 2_000


REQUEST = Request("POST", "http://h/mcp", (), "", False)
# What an argument cannot hold: NUL never; a lone surrogate is no UTF-8.
SHELL_TEXT = st.text(st.characters(exclude_characters="\x00", codec="utf-8"))


def arguments(command: str) -> list[str]:
    """What curl would be given by bash."""
    script = f"curl() {{ printf '%s\\0' \"$@\"; }}\nTOKEN=my-token COOKIE=my-cookie\n{command}\n"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout.decode("utf-8").split("\0")[:-1]


@settings(max_examples=40, deadline=None)
@given(SHELL_TEXT, SHELL_TEXT, SHELL_TEXT)
def test_a_shell_gives_curl_exactly_the_request(path: str, value: str, body: str) -> None:
    request = replace(REQUEST, url=f"http://h/{path}", headers=(("x-a", value),), body=body)
    command = curl(request)
    assert command is not None
    assert visible(command) == command
    header = f"x-a: {value}" if value else "x-a;"
    sent = ["--include", "--globoff", "--request", "POST", "--url", f"http://h/{path}", "--header", header]
    assert arguments(command) == sent + (["--data-raw", body] if body else [])


@pytest.mark.parametrize(
    "hostile", ["'; touch /tmp/x; '", "$(id) `id` $HOME", "\\'\n\x1b1", "@/etc/passwd", "\x851"]
)
def test_nothing_in_a_body_is_run(hostile: str) -> None:
    command = curl(replace(REQUEST, body=hostile))
    assert command is not None
    assert arguments(command)[-2:] == ["--data-raw", hostile]


def test_credentials_are_variables() -> None:
    headers = (
        ("Authorization", "Bearer [token]"),
        ("Cookie", "session=[cookie]"),
        ("content-length", "5"),
        ("host", "h"),
    )
    command = curl(replace(REQUEST, headers=headers))
    assert command is not None
    assert "[token]" not in command
    assert "[cookie]" not in command
    assert arguments(command)[6:] == [
        "--header",
        "Authorization: Bearer my-token",
        "--header",
        "Cookie: my-cookie",
    ]


def test_headers_that_were_the_point_are_kept() -> None:
    headers = (("host", "evil.example"), ("authorization", "Basic garbage"))
    command = curl(replace(REQUEST, headers=headers))
    assert command is not None
    assert arguments(command)[6:] == [
        "--header",
        "host: evil.example",
        "--header",
        "authorization: Basic garbage",
    ]


@pytest.mark.parametrize(
    "request_",
    [
        replace(REQUEST, url="file:///etc/passwd"),
        replace(REQUEST, cut=True),
        replace(REQUEST, body="a\x00b"),
        replace(REQUEST, headers=(("@/etc/passwd", "x"),)),
    ],
)
def test_what_no_command_can_say_gets_none(request_: Request) -> None:
    assert curl(request_) is None

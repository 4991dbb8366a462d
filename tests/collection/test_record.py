"""The record: secrets taken out, lines in order, rules rolled up."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.record import Outcome, RecordWriter, counts, read, roll_up
from harness.record.redaction import MARK, Redactor
from harness.record.writing import line
from harness.verdicts import Verdict

SECRET = 'pä"ss/wo+rd&<x> \\1'

ENCODINGS = {
    "as it is": SECRET,
    "in a URL": quote(SECRET, safe=""),
    "in a path": quote(SECRET),
    "in a form": quote_plus(SECRET),
    "in lower hex": quote(SECRET, safe="")
    .replace("%C3", "%c3")
    .replace("%A4", "%a4")
    .replace("%2F", "%2f")
    .replace("%2B", "%2b")
    .replace("%3C", "%3c")
    .replace("%3E", "%3e")
    .replace("%5C", "%5c"),
    "in a URL within a URL": quote(quote(SECRET, safe=""), safe=""),
    "in JSON": json.dumps(SECRET, ensure_ascii=False)[1:-1],
    "in ASCII JSON": json.dumps(SECRET)[1:-1],
    "in JSON within JSON": json.dumps(json.dumps(SECRET))[3:-3],
    "in JSON with its slash escaped": json.dumps(SECRET)[1:-1].replace("/", "\\/"),
    "in HTML": html.escape(SECRET),
    "in HTML text": html.escape(SECRET, quote=False),
    "in HTML of another kind": html.escape(SECRET).replace("&quot;", "&#34;"),
    "in base64": base64.b64encode(SECRET.encode()).decode(),
    "in base64 for URLs": base64.urlsafe_b64encode(SECRET.encode()).decode(),
    "in base64 without its end": base64.urlsafe_b64encode(SECRET.encode()).decode().rstrip("="),
}


@pytest.mark.parametrize("form", ENCODINGS.values(), ids=ENCODINGS)
def test_a_secret_is_taken_out_however_it_is_written(form):
    assert Redactor([SECRET]).text(f"before {form} after") == f"before {MARK} after"


def test_the_mark_does_not_tell_the_length():
    redactor = Redactor(["a" * 10, "b" * 100])
    assert redactor.text("a" * 10) == redactor.text("b" * 100)


def test_no_remainder_of_a_longer_secret_stays():
    assert Redactor(["secret", "secret-and-more"]).text("secret-and-more") == MARK


def test_values_too_short_to_be_secrets_are_left():
    assert Redactor(["", "a", "true"]).text("a true story") == "a true story"


def test_data_keeps_its_shape():
    data = {"a": ["secret-1", {"secret-1": "x secret-1"}], "n": 3, "t": True, "z": None}
    clean = Redactor(["secret-1"]).data(data)
    assert clean == {"a": [MARK, {"secret-1": f"x {MARK}"}], "n": 3, "t": True, "z": None}


def test_text_that_cannot_be_written_is_replaced():
    assert Redactor([]).data("half a pair: \ud800") == "half a pair: ?"


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_data_without_secrets_stays_as_it_is(data):
    assert Redactor(["a-secret-that-is-nowhere"]).data(data) == _writable(data)


def _writable(data):
    if isinstance(data, str):
        return (
            data.encode("utf-8", "replace").decode().replace("\ufdd0", "\ufffd").replace("\ufdd1", "\ufffd")
        )
    if isinstance(data, list):
        return [_writable(inner) for inner in data]
    if isinstance(data, dict):
        return {key: _writable(inner) for key, inner in data.items()}
    return data


@given(st.text(min_size=6), st.text(), st.text())
def test_a_secret_in_a_text_is_never_left(secret, before, after):
    assert secret.encode("utf-8", "replace").decode() not in Redactor([secret]).text(
        before + secret + after
    ).replace(MARK, "")


def test_the_record_is_read_back_as_it_was_written(tmp_path):
    path = tmp_path / "out" / "run.ndjson"
    with RecordWriter(path) as writer:
        writer.header({"seed": 1})
        writer.scenario(line({"type": "scenario", "id": "é"}))
        writer.footer({"exit_code": 0})
    record = read(path)
    assert record.header == {"type": "header", "format": 1, "seed": 1}
    assert record.scenarios == ({"type": "scenario", "id": "é"},)
    assert record.footer == {"type": "footer", "exit_code": 0}


def test_each_line_is_on_the_disk_at_once(tmp_path):
    path = tmp_path / "run.ndjson"
    with RecordWriter(path) as writer:
        writer.header({})
        writer.scenario(line({"type": "scenario"}))
        assert len(read(path).scenarios) == 1
        assert read(path).footer is None


def test_a_line_that_was_cut_off_is_left_out(tmp_path):
    path = tmp_path / "run.ndjson"
    path.write_text('{"type":"header"}\n{"type":"scenario"}\n{"type":"foot', encoding="utf-8")
    record = read(path)
    assert (len(record.scenarios), record.footer) == (1, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a header"),
        ('{"type":"scenario"}\n', "not a header"),
        ('{"type":"header"}\nx\n', ":2: the line is not JSON"),
        ('{"type":"header"}\n[]\n', ":2: the line is no JSON object"),
        ('{"type":"header"}\n{"type":"x"}\n', ":2: a scenario was expected"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path, text, message):
    path = tmp_path / "run.ndjson"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read(path)


def outcome(verdict, *, rule="A-1", era="2025", others=()):
    return Outcome("id", rule, era, Verdict(verdict), others)


def test_a_rule_is_as_bad_as_its_worst_scenario():
    rules = roll_up(
        [outcome("passed"), outcome("failed"), outcome("errored", era="2026")], {"A-1": ("2025", "2026")}
    )
    assert rules["A-1"].to_json() == {
        "verdict": "failed",
        "eras": {"2025": "failed", "2026": "errored"},
        "scenarios": 3,
    }


def test_an_asked_era_without_scenarios_is_not_testable():
    rules = roll_up([outcome("passed")], {"A-1": ("2025", "2026"), "B-1": ("2025",)})
    assert rules["A-1"].to_json()["eras"] == {"2025": "passed", "2026": "not testable"}
    assert rules["A-1"].verdict is Verdict.NOT_TESTABLE
    assert rules["B-1"].to_json() == {
        "verdict": "not testable",
        "eras": {"2025": "not testable"},
        "scenarios": 0,
    }


@pytest.mark.parametrize(("advisory", "verdict"), [(False, "failed"), (True, "warned")])
def test_a_finding_counts_for_its_own_rule(advisory, verdict):
    rules = roll_up(
        [outcome("passed", others=(("B-1", advisory),)), outcome("passed", rule="B-1")],
        {"A-1": ("2025",), "B-1": ("2025",)},
    )
    assert (rules["A-1"].verdict, rules["B-1"].verdict) == ("passed", verdict)


def test_a_rule_that_was_not_asked_but_found_broken_is_told():
    rules = roll_up([outcome("passed", others=(("B-1", False),))], {"A-1": ("2025",)})
    assert rules["B-1"].to_json() == {"verdict": "failed", "eras": {"2025": "failed"}, "scenarios": 0}


def test_scenarios_are_counted_by_verdict():
    assert counts([outcome("passed"), outcome("passed"), outcome("warned")]) == {
        "failed": 0,
        "errored": 0,
        "not testable": 0,
        "warned": 1,
        "passed": 2,
        "not applicable": 0,
    }

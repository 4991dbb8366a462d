"""The page: what it says, what it never lets through, how big it is."""

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from reports import html
from reports.judgement import Judgement, judge
from reports.record import read
from tests.reports import sample

Lines = list[dict[str, Any]]
Judge = Callable[[Lines], Judgement]
VOID = {"meta", "input", "use", "circle", "path", "rect", "link", "br"}


class Page(HTMLParser):
    """The elements of a page and its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, str] = {}
        self.text = ""
        self.unbalanced: list[str] = []
        self._stack: list[str] = []
        self.feed(text)
        self.close()
        self.unbalanced += self._stack

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._stack or self._stack.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if self._stack and self._stack[-1] in ("script", "style"):
            self.raw[self._stack[-1]] = data
        else:
            self.text += data

    def all(self, tag: str, class_: str = "") -> list[dict[str, str | None]]:
        """The attributes of all elements of a name and class."""
        return [
            attrs
            for name, attrs in self.elements
            if name == tag and (not class_ or class_ in (attrs.get("class") or "").split())
        ]


def page(judgement: Judgement) -> Page:
    """The page of a run."""
    return Page(html.render(judgement).decode("utf-8"))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of whole runs, by kind."""
    path = tmp_path_factory.mktemp("whole") / "run.ndjson"
    kinds = ("good", "broken", "cut", "ruin")
    runs = {kind: read(sample.write(path, sample.whole_run(kind))) for kind in kinds}
    return {kind: html.render(judge(run)).decode("utf-8") for kind, run in runs.items()}


@pytest.fixture(scope="module")
def broken(texts: dict[str, str]) -> Page:
    """The page of a whole run with some of everything."""
    return Page(texts["broken"])


def digest(text: str) -> str:
    """As a content security policy wants it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_the_page_s_own_style_and_script_and_nothing_else(broken: Page) -> None:
    [policy] = [a["content"] for a in broken.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == (
        f"default-src 'none'; style-src {digest(broken.raw['style'])}; script-src {digest(broken.raw['script'])}; "
        "base-uri 'none'; form-action 'none'"
    )
    assert len(broken.all("script")) == len(broken.all("style")) == 1


def test_the_page_is_well_formed_and_links_only_within_itself(broken: Page) -> None:
    assert broken.unbalanced == []
    ids = [attrs["id"] for _, attrs in broken.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    targets = [
        attrs[key] for _, attrs in broken.elements for key in ("href", "src", "action") if key in attrs
    ]
    assert targets
    assert all(target and target.startswith("#") and target[1:] in ids for target in targets)
    assert "url(" not in broken.raw["style"]
    assert "@import" not in broken.raw["style"]


def test_the_verdict_comes_first_and_in_words(texts: dict[str, str]) -> None:
    assert Page(texts["good"]).text.lstrip().startswith("Every asked rule was tested and kept")
    text = texts["broken"]
    assert re.search(r"<h1>.*<span>3 rules are broken</span></h1>", text)
    assert "the clock of this server cannot be moved" in text
    assert "2 rules of the catalogue not asked in this run" in text
    assert re.search(r"<h1>.*<span>The run was cut off</span></h1>", texts["cut"])


def test_failures_stand_open_with_their_evidence(texts: dict[str, str]) -> None:
    text = texts["broken"]
    rule = text[text.index('id="HRB-CNF-07"') : text.index('id="HRB-CNF-08"')]
    parsed = Page(f"<div {rule}")
    scenarios = parsed.all("details", "scenario")
    assert len(scenarios) == 2
    assert all("open" in attrs for attrs in scenarios)
    assert parsed.all("li", "s-failed")
    assert [("open" in attrs) for attrs in parsed.all("details", "exchange")] == [False, True, False] * 2
    assert "ships_depart ran although the state was made for other arguments" in parsed.text
    assert "no business effect, and a new question about berth 7" in parsed.text
    assert 'Authorization: Bearer $TOKEN"' in parsed.text
    assert "[token of person 1]" in parsed.text
    assert "--header 'authorization" not in parsed.text.lower()


def test_our_own_faults_are_never_the_server_s(judged: Judge) -> None:
    lines = [sample.header([sample.rule("HRB-CNF-01")]), sample.scenario("HRB-CNF-01", "errored")]
    text = page(judged([*lines, sample.footer(lines, 2)])).text
    assert "Our fault, not the server’s." in text
    assert "KeyError: 'ship'" in text
    assert "0 rules are broken" not in text


def test_what_nothing_points_to_is_no_evidence_against_the_server(judged: Judge) -> None:
    runs = [sample.scenario("HRB-CNF-01", verdict, name=verdict) for verdict in ("errored", "failed")]
    parsed = page(judged([sample.header([sample.rule("HRB-CNF-01")]), *runs]))
    assert [attrs["class"] for attrs in parsed.all("details", "exchange")] == [
        "exchange m-evidence",
        "exchange m-last",
    ]


def test_what_passed_shows_its_steps_and_no_exchange(texts: dict[str, str]) -> None:
    good = Page(texts["good"])
    assert good.all("details", "exchange") == []
    assert len(good.all("details", "quiet")) == len(sample.whole_run("good")) - 2
    assert not any("open" in attrs for attrs in good.all("details"))
    assert "the client is asked" in good.text


def test_a_finding_on_another_rule_is_shown_there(texts: dict[str, str]) -> None:
    text = texts["broken"]
    rule = Page("<div " + text[text.index('id="HRB-MCP-12"') :])
    assert "Seen while another rule was judged, in 33 scenario runs" in rule.text
    assert len(rule.all("details", "exchange")) == 1


def test_hostile_text_stays_text(judged: Judge, broken: Page) -> None:
    text = html.render(judged(sample.hostile())).decode("utf-8")
    hostile = Page(text)
    assert hostile.unbalanced == []
    assert {tag for tag, _ in hostile.elements} <= {tag for tag, _ in broken.elements} | {"button"}
    assert {name for _, attrs in hostile.elements for name in attrs if name.startswith("on")} == set()
    assert len(hostile.all("script")) == 1
    assert "<script>alert(1)</script>" in hostile.text
    assert "{{ 7*7 }}" in hostile.text
    unseen = [c for c in text if c not in "\n\t" and not c.isprintable()]
    assert unseen == []
    for name in ("U+202E", "U+001B", "U+0000", "U+200B", "U+0085", "U+2028", "U+E0041"):
        assert name in hostile.text


def test_lone_surrogates_do_not_stop_the_page(judged: Judge) -> None:
    assert "U+D800" in html.render(judged(sample.hostile())).decode("utf-8")


def test_a_run_of_hundreds_of_scenarios_stays_small(texts: dict[str, str]) -> None:
    assert len(texts["good"]) < 600_000
    assert len(texts["broken"]) < 800_000
    assert len(texts["ruin"]) < 3_000_000


def test_what_the_page_leaves_out_of_a_server_that_breaks_everything_is_said(texts: dict[str, str]) -> None:
    scenarios = texts["ruin"].split('<details class="scenario c-failed"')[1:]
    shown = [scenario.count('<details class="exchange') for scenario in scenarios]
    assert shown == sorted(shown, reverse=True)
    assert set(shown) == {3, 1, 0}
    for scenario, count in zip(scenarios, shown, strict=True):
        said = {
            3: "",
            1: "2 more exchanges of this scenario in the run record",
            0: "3 exchanges of this scenario in the",
        }
        assert said[count] in scenario
    assert [" open>" in scenario[:60] for scenario in scenarios] == [True] * 20 + [False] * (
        len(scenarios) - 20
    )


def test_long_bodies_of_a_server_that_breaks_everything_stay_small(judged: Judge) -> None:
    lines = sample.whole_run("ruin")
    for number, line in enumerate(lines[1:-1]):
        line["findings"][0] |= {"expected": "e" * 10_000, "actual": "a" * 10_000}
        line["exchanges"] = line["exchanges"][:1]
        line["exchanges"][0]["answer"] |= {"body": "[" + '"<&>", ' * (1_000 if number else 14_285) + "1]"}
    text = html.render(judged(lines)).decode()
    assert len(text) < 3_000_000
    assert "cut here; it has 99,998 characters" in text


def test_an_empty_run_and_a_bare_header_have_a_page(judged: Judge) -> None:
    empty = sample.header([])
    assert "No rule was asked" in page(judged([empty, sample.footer([empty], 3)])).text
    assert "The run was cut off" in page(judged([empty])).text


def test_a_rule_id_that_can_be_no_anchor_still_links(judged: Judge) -> None:
    strange = 'HRB "01"\u202e'
    parsed = page(judged([sample.header([sample.rule(strange)]), sample.scenario(strange, "failed")]))
    [rule] = parsed.all("details", "rule")
    assert re.fullmatch(r"x[0-9a-f]{16}", rule["id"] or "")
    assert {"href": f"#{rule['id']}"} in parsed.all("a")


def test_every_field_has_a_name_for_those_who_listen(broken: Page) -> None:
    labels = {attrs.get("for") for attrs in broken.all("label")}
    for attrs in broken.all("input"):
        assert attrs["type"] in ("checkbox", "radio") or attrs["id"] in labels
    assert {attrs.get("lang") for attrs in broken.all("html")} == {"en"}
    assert broken.all("a", "skip") == [{"class": "skip", "href": "#rules"}]
    assert all(attrs.get("aria-label") for attrs in broken.all("pre"))

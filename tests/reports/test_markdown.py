"""The summary: what it says, that outside text stays text, and that it fits on a CI page."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from reports import markdown
from reports.judgement import Judgement
from reports.markdown_text import block, inline
from tests.reports import sample

Lines = list[dict[str, Any]]
Judge = Callable[[Lines], Judgement]
HARMLESS = {
    *("heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "softbreak"),
    *("table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close", "fence"),
    *("tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close", "strong_open", "strong_close"),
    *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "text_special"),
}
ATTACKS = (
    "[link](https://evil.example) ![picture](https://evil.example/x.png) <https://evil.example>",
    "https://evil.example and www.evil.example and evil@evil.example",
    "@everyone @org/team see #12 org/repo#12 !34 $56 &7 ~label %milestone",
    "<img src=x onerror=alert(1)><!-- --> <script>alert(1)</script> &lt;b&gt;",
    "| a cell | another |\n|--|--|\n| x | y |",
    "`code` ``` ~~~ **bold** __bold__ *i* _i_ ~~gone~~ $x$ ==mark== :smile: [^1] [x]",
    "line\n# heading\n- item\n1. item\n> quotation\n\n    code\r\n---\n===\n```\nfence",
    "- item",
    "1. item",
    "# heading",
    "=== \\",
)


def tokens(text: str) -> list[Token]:
    """The document as a renderer of tables and strikethrough takes it apart."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    found = parser.parse(text)
    return [*found, *(child for token in found for child in token.children or ())]


def shown(text: str) -> str:
    """What a reader sees of a piece of inline text."""
    [paragraph] = [token for token in tokens(f"- {text}") if token.type == "inline"]
    return "".join(child.content for child in paragraph.children or ()).replace("\u200b", "")


@pytest.mark.parametrize("attack", ATTACKS)
def test_inline_text_is_shown_and_does_nothing(attack: str) -> None:
    text = inline(attack)
    assert {token.type for token in tokens(f"- {text}\n")} <= HARMLESS
    assert len([token for token in tokens(f"- {text}") if token.type == "list_item_open"]) == 1
    assert shown(text) == attack.replace("\r\n", "\n").replace("\n", "⏎")


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_is_left_for_a_forge_to_link(attack: str) -> None:
    [paragraph] = [token for token in tokens(f"- {inline(attack)}") if token.type == "inline"]
    read = "".join(child.content for child in paragraph.children or ())
    assert not re.search(r"://|[@#!$%~](?=[\w])|\bwww\.|:\w+:", read)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_block_is_one_code_block(attack: str) -> None:
    found = tokens(f"- x\n{block(attack, 500, 20, '  ')}\n\nafter\n")
    [fence] = [token for token in found if token.type in ("fence", "code_block", "html_block")]
    assert fence.type == "fence"
    assert fence.content == attack.replace("\r\n", "\n") + "\n"
    assert found[-1].content == "after"


def test_a_long_block_is_cut_and_says_so() -> None:
    assert block("x\n" * 50, 500, 3).splitlines() == ["```text", "x", "x", "x", "… cut here", "```"]
    assert len(block("x" * 900, 500, 3)) < 530


def test_the_summary_says_what_is_broken_why_and_what_is_untested(judged: Judge) -> None:
    text = markdown.render(judged(sample.whole_run("broken"))).decode()
    for part in (
        "## ❌ Harbour: 3 rules are broken",
        "| ❌ failed | 3 | 6 | HRB-CNF-07, HRB-IDM-05, HRB-MCP-12 |",
        "| ✅ passed | 59 | 740 | tested and kept |",
        "**HRB-CNF-07** · A state is bound to the arguments it was made for",
        "no business effect, and a new question about berth 7",
        "and 32 further scenario runs",
        "- the clock of this server cannot be moved: HRB-CNF-10, HRB-APR-02, HRB-IDM-07",
        "- no scenario judged it: HRB-IDM-06",
        "### Not judged, by our own fault\n\n- **HRB-APR-12**",
        "exit 1: 3 rules broken",
    ):
        assert part in text
    assert "Accepted" not in text


def test_a_run_that_kept_everything_is_short(judged: Judge) -> None:
    text = markdown.render(judged(sample.whole_run("good"))).decode()
    assert text.startswith("## ✅ Harbour: Every asked rule was tested and kept\n")
    assert len(text) < 600


@pytest.mark.parametrize("kind", ["ruin", "hostile", "hostile and long", "hostile and many"])
def test_the_summary_always_fits(judged: Judge, kind: str) -> None:
    lines = sample.whole_run("ruin") if kind == "ruin" else sample.hostile(5000 if "long" in kind else 0)
    if "many" in kind:
        text = "&:@" * 60
        rules = [sample.rule(f"{text}{number}", statement=text) for number in range(300)]
        lines = [sample.header(rules, product={"id": "x", "title": text})]
        for number, one in enumerate(rules):
            verdict = sample.VERDICTS[number % 3]
            lines.append(
                sample.scenario(one["id"], verdict, name=f"{text}{number}", reason=f"{number}{text}")
            )
        accepted = {one["id"]: text for one in rules[::7]}
        lines.append(sample.footer(lines, 1, complaint=text * 20, accepted=accepted))
    content = markdown.render(judged(lines))
    assert 2_000 < len(content) <= markdown.LIMIT
    if kind == "ruin":
        assert "more, in the other reports" in content.decode()
        assert content.decode().count("\n**HRB-") > 15


def test_hostile_text_stays_text(judged: Judge) -> None:
    text = markdown.render(judged(sample.hostile())).decode("utf-8")
    assert {token.type for token in tokens(text)} <= HARMLESS
    assert not [c for c in text if c != "\n" and not c.isprintable()]
    assert "\\x1b" in text or "\\\\x1b" in text

"""`summary.md`: a run on one page of a CI system, short, and never longer than such a page may be."""

from collections.abc import Iterable, Sequence

from reports.evidence import Failure, failures, place, side, title
from reports.headline import number
from reports.judgement import Judgement, RuleJudgement
from reports.markdown_text import block, inline
from reports.record import WRITTEN, Header
from reports.verdicts import MEANINGS, Verdict

# GitHub refuses a summary of more than 1 MiB and a comment of more than 65,536 characters; the smaller one counts.
LIMIT = 60_000
# The budgets of the sections, in bytes. All else is bounded to about 12,000.
_BROKEN, _ACCEPTED, _ERRORED, _UNTESTED, _MERGED = 28_000, 6_000, 5_000, 7_000, 2_000
_IDS = 300
_PER_RULE = 2
_SIDE, _HEIGHT = 700, 12

_MARKS = {
    Verdict.FAILED: "❌",
    Verdict.ERRORED: "💥",
    Verdict.NOT_TESTABLE: "❔",
    Verdict.WARNED: "⚠️",
    Verdict.PASSED: "✅",
    Verdict.NOT_APPLICABLE: "➖",
}


def render(judgement: Judgement) -> bytes:
    """The summary, UTF-8, of at most `LIMIT` bytes."""
    parts = [
        f"## {_MARKS[judgement.verdict]} {inline(judgement.run.header.title, 80)}: {judgement.headline}",
        *([inline(judgement.remark, 400)] if judgement.remark else []),
        _table(judgement),
        *_section("Broken", map(_broken, judgement.new(Verdict.FAILED)), _BROKEN),
        *_section("Accepted by the baseline", map(_accepted, judgement.accepted), _ACCEPTED),
        *_section("Not judged, by our own fault", map(_errored, judgement.of(Verdict.ERRORED)), _ERRORED),
        *_section("Not testable", _untested(judgement), _UNTESTED),
        *_section("Merged of", _merged(judgement.run.header), _MERGED),
        _facts(judgement),
    ]
    return ("\n\n".join(parts) + "\n").encode("utf-8")


def _table(judgement: Judgement) -> str:
    rules, scenarios = judgement.rule_counts, judgement.scenario_counts
    lines = ["| verdict | rules | scenario runs | which |", "|:--|--:|--:|:--|"]
    for verdict in Verdict:
        if rules[verdict] or scenarios[verdict]:
            known = rules[verdict] - len(judgement.new(verdict))
            count = f"{rules[verdict]:,}{f' ({known:,} accepted)' if known else ''}"
            calm = verdict in (Verdict.PASSED, Verdict.NOT_APPLICABLE)
            which = MEANINGS[verdict] if calm else _ids(judgement.of(verdict))
            lines.append(f"| {_MARKS[verdict]} {verdict} | {count} | {scenarios[verdict]:,} | {which} |")
    return "\n".join(lines)


def _ids(rules: Iterable[RuleJudgement]) -> str:
    ids = [inline(judged.rule.id, 40) for judged in rules]
    shown = ids[:1]
    for text in ids[1:]:
        if len(", ".join(shown)) > _IDS:
            break
        shown.append(text)
    more = f" and {len(ids) - len(shown):,} more" if len(ids) > len(shown) else ""
    return ", ".join(shown) + more


def _section(heading: str, blocks: Iterable[str], budget: int) -> list[str]:
    """A heading and as many blocks as fit into `budget` bytes, the rest counted; nothing where there are none."""
    every = list(blocks)
    shown: list[str] = []
    for text in every:
        budget -= len(text.encode("utf-8")) + 2
        if budget < 0:
            break
        shown.append(text)
    left = len(every) - len(shown)
    rest = [f"… and {left:,} more, in the other reports"] if left else []
    return [f"### {heading}", *shown, *rest] if every else []


def _head(judged: RuleJudgement) -> str:
    return f"**{inline(judged.rule.id, 60)}** · {inline(judged.rule.statement, 240)}"


def _broken(judged: RuleJudgement) -> str:
    alike: dict[tuple[str, str, str], list[Failure]] = {}
    for failure in failures(judged):
        alike.setdefault((failure.message, failure.expected, failure.actual), []).append(failure)
    found = list(alike.values())
    parts = [_head(judged), *(_failure(same) for same in found[:_PER_RULE])]
    if len(found) > _PER_RULE:
        parts.append(f"- and {number(len(found) - _PER_RULE, 'further failure')} of this rule")
    return "\n".join(parts)


def _failure(alike: Sequence[Failure]) -> str:
    """The first of failures that say the same, and how many more there are."""
    failure, more = alike[0], sum(1 + len(other.also) for other in alike) - 1
    scenario = failure.scenario
    also = f", and {number(more, 'further scenario run')}" if more else ""
    where = (
        f"{inline(title(scenario), 160)} ({inline(scenario.era, 20)}, {inline(place(scenario), 120)}){also}"
    )
    lines = [f"- {inline(failure.message, 240)}", f"  {where}"]
    for name, text in (("expected", failure.expected), ("actual", failure.actual)):
        if text:
            lines += [f"  - {name}", block(side(text), _SIDE, _HEIGHT, "    ")]
    return "\n".join(lines)


def _accepted(judged: RuleJudgement) -> str:
    reason = inline(judged.accepted or "", 240)
    return f"- {_MARKS[judged.verdict]} {_head(judged)}\n  {judged.verdict}, accepted: {reason}"


def _errored(judged: RuleJudgement) -> str:
    reasons = (scenario.reason for scenario in judged.scenarios if scenario.verdict is Verdict.ERRORED)
    reason = next((text for text in reasons if text), "see the traceback in the other reports")
    return f"- {_head(judged)}\n  {inline(reason, 240)}"


def _untested(judgement: Judgement) -> Iterable[str]:
    for reason, rules in judgement.untested.items():
        yield f"- {inline(reason, 240)}: {_ids(rules)}"


def _merged(header: Header) -> Iterable[str]:
    for part in header.merged:
        cut = "" if part.complete else ", cut off"
        said = (
            f"{inline(part.record, 80)}: {inline(part.server, 120)}, {number(part.scenarios, 'scenario run')}"
        )
        yield f"- {said}{cut}"


def _facts(judgement: Judgement) -> str:
    header, footer = judgement.run.header, judgement.run.footer
    subject = "the bundled reference server" if header.subject.reference else header.subject.command
    subject = subject or ", ".join(header.subject.urls)
    facts = [
        *([] if header.merged else [f"server under test: {inline(subject, 160)}"]),
        f"eras {inline(', '.join(header.eras), 60)}",
        *([] if header.shard is None else [f"shard {header.shard}"]),
        *([] if header.order == WRITTEN else [f"order {inline(header.order, 40)}"]),
        f"seed {header.seed}",
        f"{footer.seconds:.1f} s" if footer else "cut off",
        judgement.exit_meaning,
        inline(f"{header.tool} {header.tool_version}", 60),
    ]
    return " · ".join(facts)

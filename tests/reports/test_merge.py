"""Records made one: shards of a run, servers of a matrix, and what does not belong together."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reports import render, writing
from reports.judgement import judge
from reports.merge import CannotMerge, Source, merge, told
from reports.record import Run, read
from reports.verdicts import Verdict
from tests.reports import sample

Lines = list[dict[str, Any]]
Recorded = Callable[[Lines], Run]
RULES = [sample.rule(f"HRB-CNF-{number:02}") for number in (1, 2, 3)]


def shard(asked: list[int], scenarios: list[dict[str, Any]], exit_code: int = 0, **values: Any) -> Lines:
    """A record of some of the rules; `header` and `footer` hold what is to be changed in its ends."""
    head = sample.header(RULES, asked=[f"HRB-CNF-{number:02}" for number in asked])
    lines = [head | values.pop("header", {}), *scenarios]
    return [*lines, sample.footer(lines, exit_code) | values.pop("footer", {})]


def one(number: int, verdict: str = "passed", **values: Any) -> dict[str, Any]:
    """A scenario run of a rule."""
    return sample.scenario(f"HRB-CNF-{number:02}", verdict, **values)


def merged(recorded: Recorded, *records: Lines, names: tuple[str | None, ...] = ()) -> Run:
    """The records as one; they are called a, b, …"""
    servers = names or (None,) * len(records)
    runs = [recorded(lines) for lines in records]
    return merge([Source(chr(97 + n), run, servers[n]) for n, run in enumerate(runs)])


def verdicts(run: Run) -> dict[str, str]:
    """The rules' verdicts in the footer."""
    assert run.footer is not None
    return {rule[-2:]: str(result.verdict) for rule, result in run.footer.rules.items()}


def test_shards_become_the_whole_run(recorded: Recorded, tmp_path: Path) -> None:
    whole = sample.whole_run("broken")
    scenarios = whole[1:-1]
    shards = []
    for part in (scenarios[::2], scenarios[1::2]):
        held = {line["rule"] for line in part}
        head = whole[0] | {"asked": [rule for rule in whole[0]["asked"] if rule in held]}
        shards.append([head, *part, sample.footer([head, *part], 1)])
    # A rule that no scenario judges is asked in the first.
    shards[0][0]["asked"].append("HRB-IDM-06")
    shards[0][-1] = sample.footer(shards[0][:-1], 1)
    run, expected = merged(recorded, *shards), recorded(whole)
    assert run.footer is not None
    assert expected.footer is not None
    assert run.footer.rules == expected.footer.rules
    assert run.footer.counts == expected.footer.counts
    assert run.footer.exit_code == 1
    assert set(run.header.asked) == set(expected.header.asked)
    assert {scenario.id for scenario in run.scenarios} == {scenario.id for scenario in expected.scenarios}
    assert [(part.record, part.scenarios, part.complete) for part in run.header.merged] == [
        ("a", 380, True),
        ("b", 380, True),
    ]
    assert all(scenario.server is None for scenario in run.scenarios)
    path = tmp_path / "merged.ndjson"
    path.write_text("".join(writing.lines(run)), encoding="utf-8")
    assert read(path) == run


def test_what_one_shard_left_open_another_may_judge(recorded: Recorded) -> None:
    results = {
        "HRB-CNF-01": {"verdict": "passed", "eras": {"2026": "passed"}, "scenarios": 1},
        "HRB-CNF-02": {"verdict": "not testable", "eras": {"2026": "not testable"}, "scenarios": 0},
    }
    run = merged(recorded, shard([1, 2], [one(1)], 3, footer={"rules": results}), shard([2], [one(2)]))
    assert verdicts(run) == {"01": "passed", "02": "passed"}
    assert run.footer is not None
    assert run.footer.exit_code == 0


def test_a_rule_that_nothing_judged_in_an_era_stays_untested(recorded: Recorded) -> None:
    results = {"HRB-CNF-01": {"verdict": "not testable", "eras": {"2025": "not testable"}, "scenarios": 0}}
    run = merged(recorded, shard([1], [], 3, footer={"rules": results}), shard([1], [one(1, era="2026")]))
    assert run.footer is not None
    assert run.footer.rules["HRB-CNF-01"].eras == {
        "2025": Verdict.NOT_TESTABLE,
        "2026": Verdict.PASSED,
    }
    assert verdicts(run) == {"01": "not testable"}
    assert run.footer.exit_code == 3


def test_the_worst_verdict_stands_and_a_finding_counts_for_its_own_rule(recorded: Recorded) -> None:
    bad = one(2, findings=[sample.finding("HRB-CNF-01")])
    run = merged(recorded, shard([1, 3], [one(1), one(3, "errored")], 2), shard([2], [bad], 1))
    assert verdicts(run) == {"01": "failed", "02": "passed", "03": "errored"}
    assert run.footer is not None
    assert run.footer.exit_code == 1


def test_a_record_that_was_cut_off_leaves_the_whole_incomplete(recorded: Recorded, tmp_path: Path) -> None:
    sources = [
        Source("a/run.ndjson", recorded(shard([1], [one(1)]))),
        Source("b/run.ndjson", recorded(shard([2], [one(2)])[:-1])),
    ]
    run = merge(sources)
    assert run.incomplete
    judgement = judge(run)
    assert judgement.headline == "The run was cut off"
    assert "not all is there (b/run.ndjson)" in judgement.remark
    assert judgement.verdict is Verdict.ERRORED
    assert told(sources) == ["b/run.ndjson ends before its run did, so the whole is incomplete."]
    for path in render(run, tmp_path / "out", ("html", "md", "json")):
        assert "cut off" in path.read_text(encoding="utf-8")


def test_servers_of_a_matrix_are_told_apart(recorded: Recorded, tmp_path: Path) -> None:
    elsewhere = {"subject": {"urls": [], "command": "node server.js", "reference": False}}
    run = merged(recorded, shard([1], [one(1)]), shard([1], [one(1, "failed")], 1, header=elsewhere))
    assert [scenario.server for scenario in run.scenarios] == ["http://127.0.0.1:8080/mcp", "node server.js"]
    assert len({scenario.id for scenario in run.scenarios}) == 2
    assert verdicts(run) == {"01": "failed"}
    for path in render(run, tmp_path, ("html", "junit", "md", "json", "messages")):
        assert "node server.js" in path.read_text(encoding="utf-8"), path


def test_a_rule_untested_on_one_server_is_not_saved_by_another(recorded: Recorded) -> None:
    elsewhere = {"subject": {"urls": ["http://b/"], "command": None, "reference": False}}
    silent = {"HRB-CNF-01": {"verdict": "not testable", "eras": {"2026": "not testable"}, "scenarios": 0}}
    run = merged(
        recorded,
        shard([1], [one(1)]),
        shard([1], [], 3, header=elsewhere, footer={"rules": silent}),
    )
    assert verdicts(run) == {"01": "not testable"}


def test_names_tell_servers_apart_that_look_the_same(recorded: Recorded) -> None:
    records = (shard([1], [one(1)]), shard([1], [one(1)]))
    with pytest.raises(
        CannotMerge, match=r"^a and b both hold the scenario run harbour/HRB-CNF-01\.feature::"
    ):
        merged(recorded, *records)
    run = merged(recorded, *records, names=("node 20", "node 22"))
    assert [scenario.server for scenario in run.scenarios] == ["node 20", "node 22"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"product": {"id": "quay", "title": "Quay"}}, "product 'harbour' and product 'quay'"),
        (
            {"tool": {"name": "harbour-conformance", "version": "0.2.0"}},
            "tool 'harbour-conformance 0.1.0' and tool 'harbour-conformance 0.2.0'",
        ),
        ({"seed": 2}, "seed '1' and seed '2'"),
        ({"rules": RULES[:2]}, "their catalogues of rules differ"),
        (
            {"merged": [{"record": "x", "server": "y", "scenarios": 0, "complete": True}]},
            "b is merged already",
        ),
    ],
)
def test_what_does_not_belong_together_is_refused(
    recorded: Recorded, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(CannotMerge) as caught:
        merged(recorded, shard([1], [one(1)]), shard([2], [one(2)], header=change))
    assert said.replace("'", "") in str(caught.value)


def test_what_every_record_accepts_is_accepted(recorded: Recorded) -> None:
    known = {"accepted": {"HRB-CNF-01": "in March"}}
    run = merged(
        recorded,
        shard([1], [one(1, "failed")], footer=known),
        shard([1], [one(1, "failed", name="Another")], footer={"accepted": {"HRB-CNF-01": "in April"}}),
        shard([2], [one(2)]),
    )
    assert run.footer is not None
    assert run.footer.accepted == {"HRB-CNF-01": "in March; in April"}
    assert run.footer.exit_code == 0


def test_no_failure_hides_behind_the_baseline_of_another_record(recorded: Recorded) -> None:
    run = merged(
        recorded,
        shard([1], [one(1, "failed")], footer={"accepted": {"HRB-CNF-01": "in March"}}),
        shard([1], [one(1, "failed", name="Another")], 1),
    )
    assert run.footer is not None
    assert run.footer.accepted == {}
    assert run.footer.exit_code == 1


@pytest.mark.parametrize(
    ("codes", "complaints", "exit_code"),
    [
        ((0, 0), (None, None), 0),
        ((0, 1), (None, "A stale entry."), 1),
        ((2, 0), ("The mock died.", None), 2),
        ((2, 1), ("The mock died.", "A stale entry."), 1),
    ],
)
def test_a_complaint_of_one_record_is_a_complaint_of_the_whole(
    recorded: Recorded, codes: tuple[int, int], complaints: tuple[str | None, str | None], exit_code: int
) -> None:
    records = [
        shard([number], [one(number)], code, footer={"complaint": complaint})
        for number, code, complaint in zip((1, 2), codes, complaints, strict=True)
    ]
    footer = merged(recorded, *records).footer
    assert footer is not None
    assert footer.exit_code == exit_code
    for name, complaint in zip("ab", complaints, strict=True):
        assert complaint is None or f"{name}: {complaint}" in (footer.complaint or "")


@pytest.mark.parametrize(("codes", "exit_code"), [((0, 0), 0), ((3, 0), 3), ((3, 3), 3)])
def test_untested_rules_are_allowed_where_the_runs_allowed_them(
    recorded: Recorded, codes: tuple[int, int], exit_code: int
) -> None:
    records = [shard([n], [one(n, "not testable")], code) for n, code in zip((1, 2), codes, strict=True)]
    footer = merged(recorded, *records).footer
    assert footer is not None
    assert footer.exit_code == exit_code


def test_times_add_up_and_controls_stand_side_by_side(recorded: Recorded) -> None:
    later = {
        "started_at": "2026-11-30T16:00:00Z",
        "controls": {"time": "none"},
        "eras": ["2026"],
        "workers": 4,
    }
    run = merged(recorded, shard([1], [one(1)], header=later), shard([2], [one(2)]))
    assert run.footer is not None
    assert run.footer.seconds == 12.6
    header = run.header
    assert (header.started_at, header.workers) == ("2026-11-30T15:04:05.120Z", 4)
    assert (header.eras, header.controls) == (("2025", "2026"), {"time": "none, upstream-date"})


def test_a_shard_that_is_not_given_leaves_the_whole_incomplete(recorded: Recorded) -> None:
    first = shard([1], [one(1)], header={"shard": "1/3"})
    third = shard([3], [one(3)], header={"shard": "3/3"})
    sources = [Source("a", recorded(first)), Source("c", recorded(third))]
    run = merge(sources)
    assert run.footer is None
    assert [(part.record, part.complete) for part in run.header.merged] == [
        ("a", True),
        ("c", True),
        ("shard 2/3 (not given)", False),
    ]
    assert told(sources) == [
        f"shard 2/3 of {sources[0].label}: no record of it was given, so the whole is incomplete."
    ]
    assert "not all is there (shard 2/3 (not given))" in judge(run).remark


def test_all_shards_are_the_whole_and_no_shard_any_more(recorded: Recorded) -> None:
    records = [shard([n], [one(n)], header={"shard": f"{n}/3"}) for n in (1, 2, 3)]
    run = merged(recorded, *records)
    assert (run.header.shard, verdicts(run)) == (None, {"01": "passed", "02": "passed", "03": "passed"})
    assert [part.record for part in run.header.merged] == ["a", "b", "c"]


def test_each_server_needs_its_own_shards(recorded: Recorded) -> None:
    records = [shard([1], [one(1)], header={"shard": f"{n}/2"}) for n in (1, 2)]
    assert merged(recorded, *records, names=("node", "go")).footer is None


def test_an_order_that_was_shuffled_is_told(recorded: Recorded) -> None:
    run = recorded(shard([1], [one(1)], header={"order": "random:7"}))
    assert run.header.order == "random:7"
    assert recorded(shard([1], [one(1)])).header.order == "written"
    assert merge([Source("a", run, "node")]).header.order == "random:7"
    assert '"order":"random:7"' in next(writing.lines(run))


def test_a_part_of_a_run_and_its_order_stand_in_every_report(recorded: Recorded, tmp_path: Path) -> None:
    run = recorded(shard([1], [one(1)], header={"order": "random:7", "shard": "2/3"}))
    for file in render(run, tmp_path, ("html", "md")):
        text = file.read_text(encoding="utf-8").replace("&#8203;", "")
        assert "random:7" in text
        assert "2/3" in text

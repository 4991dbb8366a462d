"""`rules`: what is judged, where it is written, which mutants show it, and what is left out."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.catalogue import load

ROOT = Path(__file__).parents[2]
COLUMNS = 100


def test_the_table_has_a_line_for_each_rule_and_tells_what_is_left_out_and_why(cli):
    said = cli("rules")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0].split() == ["rule", "level", "eras", "seat", "scen", "runs", "mutants", "statement"]
    told = {line.split()[0]: line for line in lines[1:] if re.match(r"(KADU|MCP)-", line)}
    assert list(told) == list(load("kadu").rules)
    for rule in load("kadu").rules.values():
        assert told[rule.id].endswith(rule.statement)
    row = told["KADU-CNF-12"].split()
    assert row[1:4] == ["M", "2026", "server"]
    assert int(row[5]) >= int(row[4]) > 0
    assert re.fullmatch(r"[1-9]\d*\+0", row[6])
    assert re.search(r"  mock  .*  0\+[1-9]\d* ", told["KADU-APR-12"])
    assert re.search(r"  with mock  .*  [1-9]\d*\+[1-9]\d* ", told["KADU-APR-08"])
    for one in load("kadu").exclusions:
        assert f"- {one.sentence}\n    {one.reason}\n" in said.out
        assert f"\n{one.document} › {one.section}\n" in said.out


def test_on_a_terminal_every_line_fits():
    main, other = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(COLUMNS)}
    done = subprocess.Popen(
        [sys.executable, "-m", "harness.cli.main", "rules"], stdout=other, env=environment, cwd=ROOT
    )
    os.close(other)
    said = b""
    while piece := _read(main):
        said += piece
    assert done.wait(30) == 0
    lines = said.decode().splitlines()
    assert len(lines) > len(load("kadu").rules)
    assert max(map(len, lines)) <= COLUMNS
    assert any(line.startswith("KADU-RES-01") and line.endswith("…") for line in lines)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # what a terminal answers when nobody writes to it any more
        return b""


def test_a_rule_is_told_in_detail(cli):
    said = cli("rules", "--rule", "KADU-IDM-05")
    assert said.code == 0
    rule = load("kadu").rules["KADU-IDM-05"]
    lines = said.out.splitlines()
    assert lines[:2] == ["KADU-IDM-05 · idempotency", f"  {rule.statement}"]
    assert f"  - {rule.clauses[0].level}: {rule.clauses[0].text}" in lines
    assert f"  stands in: {rule.document} › {rule.section}" in lines
    assert "  seat: with the mock" in lines
    assert re.search(r"\n    kadu/idempotency\.feature:\d+  .+ \(\d+\)\n", said.out)
    assert re.search(r"\n  mutants: [1-9]\d* servers, [1-9]\d* mock APIs\n    server \w+: ", said.out)
    assert re.search(r"\n    mock \w+: ", said.out)
    assert "KADU-IDM-06" not in said.out


def test_a_group_of_rules_is_told_with_how_each_is_read(cli):
    said = cli("rules", "--rule", "KADU-UNA", "--rule", "MCP-01")
    group = [rule for rule in load("kadu").rules.values() if rule.id.startswith(("KADU-UNA", "MCP-01"))]
    assert re.findall(r"^[A-Z]\S+(?= · )", said.out, re.MULTILINE) == [rule.id for rule in group]
    for rule in group:
        assert f"  how to read it: {rule.reading or 'as it stands'}\n" in said.out


def test_programs_are_told_everything(cli):
    said = cli("rules", "--format", "json")
    told = json.loads(said.out)
    catalogue = load("kadu")
    assert (said.code, told["format"], told["product"]) == (0, 1, {"id": "kadu", "title": "Kadu"})
    assert [rule["id"] for rule in told["rules"]] == list(catalogue.rules)
    for rule in told["rules"]:
        written = catalogue.rules[rule["id"]]
        assert rule["reading"] == written.reading
        assert rule["runs"] == sum(scenario["runs"] for scenario in rule["scenarios"])
        assert {key: rule[key] for key in written.to_json()} == written.to_json()
    assert [one["reason"] for one in told["excluded"]] == [one.reason for one in catalogue.exclusions]
    replays = next(rule for rule in told["rules"] if rule["id"] == "KADU-CNF-12")
    assert "confirmation_replays" in [lie["name"] for lie in replays["mutants"]["server"]]
    assert replays["mutants"]["mock"] == []


def test_programs_are_told_of_some_rules_alone(cli):
    told = json.loads(cli("rules", "--format", "json", "--rule", "KADU-TRK").out)
    assert [rule["id"] for rule in told["rules"]] == [f"KADU-TRK-0{n}" for n in (1, 2, 3)]
    assert told["excluded"] == []


def test_features_of_ones_own_are_counted_instead(cli, tiny):
    told = json.loads(cli("rules", "--format", "json", "--features", str(tiny)).out)
    judged = [rule for rule in told["rules"] if rule["scenarios"]]
    assert [(rule["id"], rule["runs"]) for rule in judged] == [("KADU-CNF-03", 2)]
    assert judged[0]["scenarios"] == [
        {"title": "A yes makes <tool> run", "feature": "tiny/a.feature", "line": 4, "runs": 2}
    ]


def test_the_page_of_rules_is_the_current_one(cli):
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert cli("rules", "--format", "markdown").out == page, "docs/rules.md is not current: make rules"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--rule", "KADU-XYZ"], "The catalogue knows no rule 'KADU-XYZ'"),
        (["--rule", "KADU-CNF-1"], "The catalogue knows no rule 'KADU-CNF-1'"),
        (["--format", "yaml"], "There is no format 'yaml'; the formats are text, json, markdown."),
        (["--product", "nothing"], "There is no product 'nothing'"),
    ],
)
def test_what_cannot_be_told_is_one_sentence(cli, refused, arguments, part):
    refused(cli("rules", *arguments), part)

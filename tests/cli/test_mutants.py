"""`mutants`: the exit code and the files, also where a rule has no mutant and where two are found alike."""

import json
import re
from pathlib import Path

import pytest

from harness.catalogue import load
from harness.cli import mutating
from harness.mutants import Mutant

REPORT = Path("kadu-conformance-report")


@pytest.fixture
def without(monkeypatch):
    """Take away the mutants of some rules, servers and mocks."""

    def without(*rules):
        for place in ("_servers", "_mocks"):
            real = getattr(mutating, place)

            def some(*arguments, real=real):
                mutants, beside = real(*arguments)
                return [mutant for mutant in mutants if mutant.rule not in rules], beside

            monkeypatch.setattr(mutating, place, some)

    return without


@pytest.fixture
def twice(monkeypatch):
    """Serve each mutant under two names."""
    real = mutating._servers

    def both(*arguments):
        mutants, beside = real(*arguments)
        again = [Mutant(f"{one.name}_again", one.rule, one.lie, one.urls) for one in mutants]
        return [each for pair in zip(mutants, again, strict=True) for each in pair], beside

    monkeypatch.setattr(mutating, "_servers", both)


def told():
    """What mutants.json says."""
    return json.loads((REPORT / "mutants.json").read_text(encoding="utf-8"))


def test_a_rule_that_binds_and_has_no_mutant_is_named(cli, without):
    without("KADU-UNA-04", "KADU-RES-12")
    said = cli(
        "mutants", "--rule", "KADU-UNA-04", "--rule", "KADU-RES-12", "--rule", "MCP-12", "--rule", "MCP-15"
    )
    assert said.code == 1
    lines = said.out.splitlines()
    assert [line for line in lines if line.startswith("no mutant breaks")] == [
        f"no mutant breaks {rule}: nothing shows that its scenarios notice"
        for rule in ("KADU-RES-12", "KADU-UNA-04")
    ]
    assert "SURVIVED" not in said.out
    assert " · rules without a mutant: 2 · " in lines[-1]
    assert told()["rules_without_mutant"] == ["KADU-RES-12", "KADU-UNA-04"]
    assert {mutant["rule"] for mutant in told()["mutants"]} == {"MCP-12"}
    assert re.search(r"^\| KADU-UNA-04 \| none \|", (REPORT / "mutants.md").read_text(), re.MULTILINE)


def test_a_rule_without_a_mutant_is_told_where_nothing_else_was_asked(cli, without):
    without("KADU-UNA-04")
    said = cli("mutants", "--rule", "KADU-UNA-04")
    assert said.code == 1
    assert told() == {
        "format": 1,
        "full": False,
        "caught": 0,
        "distinct": 0,
        "rules_without_mutant": ["KADU-UNA-04"],
        "mutants": [],
    }


def test_whoever_names_a_mutant_asks_for_no_other(cli, without):
    without("KADU-UNA-04")
    said = cli("mutants", "--mutant", "origin_ignored")
    assert (said.code, told()["rules_without_mutant"]) == (0, [])
    assert [mutant["name"] for mutant in told()["mutants"]] == ["origin_ignored"]


def test_a_rule_that_has_its_mutants_is_kept(cli):
    said = cli("mutants", "--rule", "MCP-12")
    assert said.code == 0
    assert "no mutant breaks" not in said.out


def test_mocks_are_asked_of_the_rules_with_an_upstream_half_alone(cli, without):
    without("KADU-APR-18", "KADU-CNF-01")
    said = cli("mutants", "--mock", "--rule", "KADU-APR-18", "--rule", "KADU-CNF-01")
    assert said.code == 1
    assert told()["rules_without_mutant"] == ["KADU-APR-18"]


def test_seats_say_of_which_rules_mutants_are_asked():
    catalogue = load("kadu")
    servers = {rule.id for rule in mutating.asked_rules(catalogue, (), mock=False)}
    mocks = {rule.id for rule in mutating.asked_rules(catalogue, (), mock=True)}
    assert servers | mocks == catalogue.rules.keys()
    assert servers & mocks == {rule.id for rule in catalogue.rules.values() if rule.seat == "with the mock"}


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--rule", "MCP-15"], "No mutant breaks MCP-15; it is advice, or the mock's: add --mock."),
        (["--rule", "KADU-APR-18"], "No mutant breaks KADU-APR-18; it is advice, or the mock's: add --mock."),
        (
            ["--mock", "--rule", "MCP-12"],
            "No mutant breaks MCP-12; it is advice, or a server's: leave out --mock.",
        ),
        (["--rule", "KADU-XYZ"], "The catalogue knows no rule 'KADU-XYZ'"),
        (["--mutant", "never_heard_of"], "There is no mutant 'never_heard_of'"),
        (["--mutant", "origin_ignored", "--rule", "KADU-CNF"], "None of these mutants breaks KADU-CNF."),
    ],
)
def test_what_cannot_be_judged_is_one_sentence(cli, refused, arguments, part):
    refused(cli("mutants", *arguments), part)


def test_two_that_are_found_alike_count_once(cli, twice):
    said = cli("mutants", "--rule", "MCP-12", "--rule", "KADU-UNA-01")
    assert said.code == 0
    tried = told()["mutants"]
    firsts = [mutant for mutant in tried if not mutant["name"].endswith("_again")]
    again = [mutant for mutant in tried if mutant["name"].endswith("_again")]
    assert len(firsts) == len(again) > 1
    assert [mutant["same_as"] for mutant in firsts] == [None] * len(firsts)
    assert [f"{mutant['same_as']}_again" for mutant in again] == [mutant["name"] for mutant in again]
    assert (told()["caught"], told()["distinct"]) == (len(tried), len(firsts))
    last = f"{len(tried)} of {len(tried)} mutants caught, {len(firsts)} of them distinct by what was found · "
    assert said.out.splitlines()[-1].startswith(last)
    assert (REPORT / "mutants.md").read_text(encoding="utf-8").splitlines()[-1].startswith(last)


def test_the_table_has_a_line_for_each_mutant(cli):
    assert cli("mutants", "--rule", "KADU-UNA-01").code == 0
    lines = (REPORT / "mutants.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2 + len(told()["mutants"]) + 2
    for line, mutant in zip(lines[2:], told()["mutants"], strict=False):
        assert line.startswith(f"| KADU-UNA-01 | server {mutant['name'].replace('_', chr(92) + '_')} | ")
        assert " | yes \\(failed\\) | " in line


def test_files_that_cannot_be_written_are_one_sentence(cli, tmp_path):
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    said = cli("mutants", "--mutant", "origin_ignored", "--out", "taken")
    assert said.code == 2
    assert "mutants.json cannot be written to taken" in said.err


def test_what_was_judged_before_is_not_judged_again(cli):
    assert cli("mutants", "--rule", "MCP-12").code == 0
    first = told()["mutants"]
    said = cli("mutants", "--rule", "MCP-12", "--rule", "KADU-UNA-01", "--resume")
    assert said.code == 0
    assert f"{len(first)} of them were judged before, and not again." in said.out
    both = told()["mutants"]
    assert [mutant for mutant in both if mutant["rule"] == "MCP-12"] == first
    assert {mutant["rule"] for mutant in both} == {"MCP-12", "KADU-UNA-01"}
    # Whoever asks for less loses nothing.
    assert cli("mutants", "--rule", "MCP-12", "--resume").code == 0
    assert told()["mutants"] == both


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{", "is nothing that can be gone on with; choose another --out."),
        ('{"format": 1, "full": false, "mutants": [{"name": "origin_ignored"}]}', "is nothing that can be gone on"),
        ('{"format": 1, "full": true, "mutants": []}', "is of mutants judged with --full; choose another --out."),
    ],
)  # fmt: skip
def test_what_cannot_be_gone_on_with_is_refused(cli, refused, text, part):
    REPORT.mkdir()
    (REPORT / "mutants.json").write_text(text)
    refused(cli("mutants", "--rule", "MCP-12", "--resume"), part)

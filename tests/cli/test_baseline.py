"""`--baseline` and `--update-baseline`, through the command line."""

from pathlib import Path

import pytest

from harness.record import read

OUT = Path("kadu-conformance-report") / "run.ndjson"
MCP_03 = ["--rule", "MCP-03", "--baseline", "baseline.yaml"]
SCENARIO = "protocol/eras.feature::Discovery names the stateless revision and what the server can do@2026"


@pytest.fixture
def baseline(tmp_path: Path):
    """Write the baseline of this test."""

    def baseline(*lines: str) -> None:
        (tmp_path / "baseline.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    return baseline


@pytest.mark.parametrize("more", [[], [f"  scenario: {SCENARIO!r}"]])
def test_what_is_broken_and_accepted_exits_0_and_is_told_with_its_reason(
    cli, real, read_only, baseline, more
):
    real.discovers = False
    baseline("- rule: MCP-03", "  accept: failing", "  reason: discovery comes in 1.4", *more)
    said = cli(*read_only, *MCP_03)
    assert said.code == 0, said
    assert "Accepted by the baseline: MCP-03: discovery comes in 1.4" in said.out
    footer = read(OUT).footer
    assert footer["accepted"] == {"MCP-03": "discovery comes in 1.4"}
    assert footer["rules"]["MCP-03"]["verdict"] == "failed", "the verdict stays what was found"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["- rule: MCP-03", "  accept: failing"], "The baseline accepts MCP-03 (failing) (line 1)"),
        (["- rule: MCP-3", "  accept: failing"], "names a rule that the catalogue does not know"),
        (["- rule: MCP-03", "  accept: failing", "  scenario: x"], "names a scenario that the features"),
        (["- rule: MCP-04", "  accept: failing", "  expires: 2020-02-29"], "expired on 2020-02-29"),
    ],
)
def test_an_entry_that_does_not_fit_exits_1(cli, read_only, baseline, lines, told):
    baseline(*lines, "  reason: x")
    said = cli(*read_only, *MCP_03)
    assert said.code == 1, said
    assert read(OUT).footer["exit_code"] == 1
    assert told in read(OUT).footer["complaint"]
    assert " ".join(told.split()[:4]) in " ".join(said.out.split())


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (None, "There is no baseline baseline.yaml; --update-baseline writes one."),
        (["- rule: MCP-03", "  accept: failing"], "baseline.yaml:1: the entry needs a text for reason."),
        (["- rule: MCP-03", "  accept: failing", '  reason: ""'], "baseline.yaml:1: the entry for MCP-03"),
        (["rule: ["], "baseline.yaml:2: this is no YAML"),
    ],
)
def test_a_baseline_that_is_none_is_refused_before_anything_is_sent(
    cli, real, read_only, baseline, refused, lines, told
):
    if lines is not None:
        baseline(*lines)
    refused(cli(*read_only, *MCP_03), told)
    assert real.seen == []


def test_a_baseline_is_written_and_counts_once_its_reasons_are(cli, real, read_only, refused, tmp_path):
    real.discovers = False
    said = cli(*read_only, *MCP_03, "--update-baseline")
    assert said.code == 1, "what has no reason yet is not accepted"
    assert "Added to baseline.yaml: 1 entries without a reason." in said.out
    path = tmp_path / "baseline.yaml"
    text = path.read_text(encoding="utf-8")
    assert "- rule: MCP-03\n  accept: failing\n  reason: ''\n" in text
    refused(cli(*read_only, *MCP_03), "the entry for MCP-03 (failing) has no reason; write down why")
    again = cli(*read_only, *MCP_03, "--update-baseline")
    assert "Nothing was added to baseline.yaml" in again.out
    assert path.read_text(encoding="utf-8") == text
    path.write_text(text.replace("''", "discovery comes in 1.4"), encoding="utf-8")
    assert cli(*read_only, *MCP_03).code == 0

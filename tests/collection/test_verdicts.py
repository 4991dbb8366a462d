"""What a scenario comes to."""

import pytest

LINES = {
    "nothing happens": ("passed", None),
    "the rule is broken": ("failed", "it ran"),
    "a finding": ("failed", "found"),
    "an advisory finding": ("warned", "found"),
    "a finding on MCP-18": ("passed", None),
    "the rule MCP-18 is broken": ("not testable", "The scenario ended where MCP-18 was broken: another one"),
    "it cannot be tested": ("not testable", "no such tool"),
    "it is not about this server": ("not applicable", "It has batches."),
    "we are at fault": ("errored", "The mock died."),
    "we have a bug": ("errored", "KeyError: '«secret»'"),
    "the step skips": ("errored", "Skipped: not today"),
    "the step gives something back": ("errored", "A step gives nothing back; gives gave bool."),
    "the world will not close": ("errored", "OSError: gone"),
    "a finding on MCP-99": (
        "errored",
        "A finding names the rule 'MCP-99', which the catalogue does not know.",
    ),
}


@pytest.mark.parametrize(("step", "expected"), LINES.items(), ids=LINES)
def test_a_scenario_is_judged_by_the_worst_that_happened_in_it(write, run, step, expected):
    write(rule=f"Scenario: One\n  Given nothing happens\n  When {step}\n  Then nothing happens\n")
    line = run()["One@2026"]
    assert (line["verdict"], line["reason"]) == expected


def test_the_worst_of_several_counts(write, run):
    write(rule="Scenario: One\n  Given a finding\n  When it cannot be tested\n")
    assert run()["One@2026"]["verdict"] == "failed"


@pytest.mark.parametrize(
    ("step", "verdict"),
    [("the rule is broken", "warned"), ("a finding", "warned"), ("we have a bug", "errored")],
)
def test_an_advisory_scenario_only_warns_about_the_server(write, run, step, verdict):
    write(rule=f"@advisory\nScenario: One\n  Given {step}\n")
    line = run()["One@2026"]
    assert (line["verdict"], line["advisory"]) == (verdict, True)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("It opens broken", "failed"), ("It opens untestable", "not testable"), ("It opens faulty", "errored")],
)
def test_a_world_that_does_not_open_counts(write, run, name, verdict):
    write(rule=f"Scenario: {name}\n  Given nothing happens\n")
    line = run()[f"{name}@2026"]
    assert line["verdict"] == verdict
    assert [step["status"] for step in line["steps"]] == ["not run"]


def test_steps_tell_how_far_the_scenario_came(write, run):
    write(
        rule="Background:\n  Given nothing happens\n\nScenario: One\n  When the rule is broken\n  Then nothing happens\n"
    )
    steps = run()["One@2026"]["steps"]
    assert [(step["keyword"], step["text"], step["line"], step["status"]) for step in steps] == [
        ("Given", "nothing happens", 6, "passed"),
        ("When", "the rule is broken", 9, "failed"),
        ("Then", "nothing happens", 10, "not run"),
    ]


def test_findings_name_their_rule(write, run):
    write(rule="Scenario: One\n  Given a finding on MCP-18\n  And a finding\n")
    assert [finding["rule"] for finding in run()["One@2026"]["findings"]] == ["MCP-18", "KADU-CNF-01"]


def test_secrets_are_taken_out_of_a_line(write, run):
    write(rule="Scenario: One\n  Given an exchange\n  When the rule is broken\n")
    line = run()["One@2026"]
    assert line["exchanges"][0]["request"]["headers"] == [["authorization", "Bearer «secret»"]]
    assert line["exchanges"][0]["answer"]["body"] == '{"token": "«secret»"}'
    assert line["findings"][0]["actual"] == "the answer held «secret»"


def test_a_long_body_is_cut_after_secrets_were_taken_out(write, run):
    write(rule=f"Scenario: One\n  Given an exchange of {64 * 1024 + 6} bytes\n")
    answer = run()["One@2026"]["exchanges"][0]["answer"]
    assert answer["cut"] is True
    assert answer["body"] == "x" * (64 * 1024 - 4) + "«sec"


def test_our_traceback_is_kept_for_an_error_of_ours_only(write, run):
    write(rule="Scenario: One\n  Given we have a bug\n\nScenario: Two\n  Given a finding\n")
    lines = run()
    assert "KeyError" in lines["One@2026"]["error"]
    assert lines["Two@2026"]["error"] is None


def test_tables_and_texts_reach_their_steps(write, run):
    write(
        rule='Scenario: One\n  Given nothing happens\n  Then the table is\n    | a | b |\n    | 1 | 2 |\n  And the text is\n    """\n    hello\n    """\n'
    )
    assert run()["One@2026"]["verdict"] == "passed"


def test_the_tenant_is_named_when_it_is_kept(write, run):
    write(rule="Scenario: One\n  Given nothing happens\n")
    assert run()["One@2026"]["tenant"] is None
    assert run(keep=True)["One@2026"]["tenant"] == "tenant-1"

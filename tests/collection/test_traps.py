"""Whatever would silently not be judged is an error with file and line."""

from pathlib import Path

import pytest

from harness.collection.problems import CollectionFailed

FINE = "Scenario: One\n  Given nothing happens\n"

# Below `Feature:` (line 1), a rule tag (3) and `Rule:` (4): the first line here is line 5.
IN_A_RULE = {
    "a scenario without steps": ("Scenario: One\n", 5, "has no steps"),
    "a name taken in the same file": (f"{FINE}\n{FINE}", 8, "is taken by the scenario at"),
    "a scenario without a name": ("Scenario:\n  Given nothing happens\n", 5, "has no name"),
    "an undefined step": ("Scenario: One\n  Given nobody knows this\n", 6, "No step is defined"),
    "a step under the wrong keyword": ("Scenario: One\n  Given it is red\n", 6, "No step is defined"),
    "an ambiguous step": ("Scenario: One\n  Then it is ambiguous red\n", 6, "is ambiguous"),
    "an undefined step in a single row": (
        "Scenario Outline: One\n  When it is <c>\n\n  Examples:\n    | c |\n    | red |\n    | blue |\n",
        6,
        "(with the row of line 11)",
    ),
    "an outline without Examples": ("Scenario Outline: One\n  Given nothing happens\n", 5, "has no Examples"),
    "an outline without rows": (
        "Scenario: One\n  When it is <c>\n\n  Examples:\n    | c |\n",
        8,
        "have no rows",
    ),
    "an outline without a table": ("Scenario: One\n  When it is red\n\n  Examples:\n", 8, "have no rows"),
    "one of two tables without rows": (
        "Scenario: One\n  When it is <c>\n\n  Examples:\n    | c |\n    | red |\n\n  Examples:\n    | c |\n",
        12,
        "have no rows",
    ),
    "an unresolved placeholder": ("Scenario: One\n  When it is <c>\n", 6, "<c> is not resolved"),
    "a placeholder no column fills": (
        "Scenario: One\n  When it is <c>\n\n  Examples:\n    | d |\n    | red |\n",
        6,
        "<c> is not resolved",
    ),
    "a placeholder in a name": ("Scenario: One <c>\n  Given nothing happens\n", 5, "<c> is not resolved"),
    "a placeholder in a table": (
        "Scenario: One\n  When it is <c>\n  Then the table is\n    | <x> |\n\n  Examples:\n    | c |\n    | red |\n",
        8,
        "<x> is not resolved",
    ),
    "a placeholder in a Background": (
        f"Background:\n  Given <x> apples and pears\n\n{FINE}",
        6,
        "a Background has no Examples",
    ),
    "a column nothing uses": (
        "Scenario: One\n  When it is <c>\n\n  Examples:\n    | c | d |\n    | red | x |\n",
        8,
        "'d' is used nowhere",
    ),
    "two columns of one name": (
        "Scenario: One\n  When it is <c>\n\n  Examples:\n    | c | c |\n    | red | red |\n",
        8,
        "equal or empty names",
    ),
    "a row that stands twice": (
        "Scenario: One\n  When it is <c>\n\n  Examples:\n    | c |\n    | red |\n    | red |\n",
        11,
        "stands twice",
    ),
    "an unknown tag": (f"@tpyo\n{FINE}", 5, "@tpyo is unknown"),
    "an unknown tag on Examples": (
        "Scenario: One\n  When it is <c>\n\n  @tpyo\n  Examples:\n    | c |\n    | red |\n",
        8,
        "@tpyo is unknown",
    ),
    "a rule tag on a scenario": (f"@KADU-CNF-02\n{FINE}", 5, "belongs above a Rule"),
    "tags for no era": (f"@era-2025\n{FINE}", 6, "KADU-CNF-01 is a rule of 2026"),
    "a first step that is And": (
        "Scenario: One\n  And nothing happens\n",
        6,
        "starts with Given, When or Then",
    ),
    "a table the step does not take": (
        "Scenario: One\n  Given nothing happens\n    | a |\n",
        6,
        "takes no datatable",
    ),
    "a table that is missing": ("Scenario: One\n  Then the table is\n", 6, "wants a datatable"),
    "a text that is missing": ("Scenario: One\n  Then the text is\n", 6, "wants a docstring"),
    "no Gherkin": (
        "Scenario: One\n  Given nothing happens\n  Hello\n",
        7,
        "Malformed Gherkin: 'Hello' does not belong here",
    ),
    "no scenario": ("# nothing\n", 4, "holds no scenario"),
}

WHOLE = {
    "a scenario outside a Rule": (
        "Feature: F\n\n  Scenario: One\n    Given nothing happens\n",
        3,
        "outside a Rule",
    ),
    "a Feature without a Rule": ("Feature: F\n", 1, "holds no Rule"),
    "a Feature without a name": (f"Feature:\n  @KADU-CNF-01\n  Rule: R\n    {FINE}", 1, "has no name"),
    "a Rule without a tag": (f"Feature: F\n\n  Rule: R\n    {FINE}", 3, "exactly one tag"),
    "a Rule with two tags": (
        f"Feature: F\n  @KADU-CNF-01 @KADU-CNF-02\n  Rule: R\n    {FINE}",
        3,
        "exactly one tag",
    ),
    "an unknown rule": (f"Feature: F\n  @KADU-CNF-99\n  Rule: R\n    {FINE}", 2, "knows no rule KADU-CNF-99"),
    "contradicting eras": (
        f"@era-2025\nFeature: F\n  @KADU-CNF-01 @era-2026\n  Rule: R\n    {FINE}",
        5,
        "contradict each other",
    ),
    "an empty file": ("", 1, "holds no Feature"),
    "a comment alone": ("# nothing here\n", 1, "holds no Feature"),
    "an unknown language": ("# language: xx\nFeature: F\n", 1, "Malformed Gherkin"),
}


def _problems(plan) -> list[tuple[int, str]]:
    with pytest.raises(CollectionFailed) as failed:
        plan()
    return [(problem.line, problem.message) for problem in failed.value.problems]


@pytest.mark.parametrize(("text", "line", "message"), IN_A_RULE.values(), ids=IN_A_RULE)
def test_a_trap_below_a_rule_is_named(write, plan, text, line, message):
    write(rule=text)
    problems = _problems(plan)
    assert any(found == line and message in said for found, said in problems), problems


@pytest.mark.parametrize(("text", "line", "message"), WHOLE.values(), ids=WHOLE)
def test_a_trap_of_a_whole_file_is_named(write, plan, text, line, message):
    write(text)
    problems = _problems(plan)
    assert any(found == line and message in said for found, said in problems), problems


def test_what_is_fine_is_no_problem(write, plan):
    write(rule=FINE)
    assert [case.id for case in plan().selection.cases] == ["some/a.feature::One@2026"]


def test_a_name_taken_in_another_file_is_named(write, plan):
    first = write(rule=FINE)
    write(rule=FINE, name="b.feature")
    assert _problems(plan) == [(5, f"The name 'One' is taken by the scenario at {first}:5.")]


def test_every_problem_of_every_file_is_told(write, plan):
    write(rule="Scenario: One\n")
    write(rule="Scenario: Two\n  Given nobody knows this\n", name="b.feature")
    assert len(_problems(plan)) == 2


def test_a_step_no_row_defines_is_told_once(write, plan):
    write(rule="Scenario: One\n  When it is <c>\n\n  Examples:\n    | c |\n    | blue |\n    | pink |\n")
    assert _problems(plan) == [(6, 'No step is defined for `When "it is blue"` (with the row of line 10).')]


def test_a_problem_reads_as_one_line_with_its_place(write, plan):
    path = write(rule="Scenario: One\n")
    with pytest.raises(CollectionFailed) as failed:
        plan()
    assert (
        str(failed.value) == f"{path}:5: The scenario 'One' has no steps, so it would pass whatever happens."
    )


def test_a_file_that_is_not_utf8_is_named(features, plan):
    (features / "a.feature").write_bytes(b"Feature: F\n\n  Rule: caf\xe9\n")
    assert _problems(plan) == [(3, "The file is not UTF-8; save it as UTF-8.")]


def test_a_file_with_another_case_in_its_suffix_is_named(write, plan):
    write(rule=FINE)
    write(rule=FINE.replace("One", "Two"), name="b.Feature")
    assert _problems(plan) == [(1, "The file would not be collected: its name must end in .feature.")]


def test_a_directory_without_features_is_named(features, plan):
    assert _problems(plan) == [(1, "The directory holds no .feature file.")]


def test_a_directory_that_is_not_there_is_named(features, plan):
    with pytest.raises(CollectionFailed, match="There is no such directory"):
        plan(features=(str(features / "nowhere"),))


def test_two_directories_of_one_name_are_named(write, plan, features, tmp_path: Path):
    write(rule=FINE)
    other = tmp_path / "other" / "some"
    other.mkdir(parents=True)
    (other / "b.feature").write_text("Feature: F\n", encoding="utf-8")
    with pytest.raises(CollectionFailed, match="Two directories of features are called 'some'"):
        plan(features=(str(features), str(other)))


def test_a_step_nothing_uses_is_listed(write, plan):
    write(rule=FINE)
    assert "nobody uses this" in [definition.text for definition in plan().suite.unused]


def test_a_step_that_is_used_is_not_listed(write, plan):
    write(rule=FINE)
    assert "nothing happens" not in [definition.text for definition in plan().suite.unused]


@pytest.mark.parametrize("language", ["pt", "es"])
def test_features_may_be_written_in_other_languages(write, plan, language):
    words = {
        "pt": ("Funcionalidade", "Regra", "Cenário", "Dado"),
        "es": ("Característica", "Regla", "Escenario", "Dado"),
    }
    feature, rule, scenario, given = words[language]
    write(
        f"# language: {language}\n{feature}: F\n  @KADU-CNF-01\n  {rule}: R\n    {scenario}: Um\n      {given} nothing happens\n"
    )
    assert [case.id for case in plan().selection.cases] == ["some/a.feature::Um@2026"]

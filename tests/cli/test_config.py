"""Options from a file: which one, what it may hold, and who wins."""

import re
import tomllib
from pathlib import Path

import pytest

from harness.cli.at_url import run
from harness.cli.config import options_of, values
from harness.record import read

OUT = Path("kadu-conformance-report") / "run.ndjson"
OWN = "kadu-conformance.toml"


@pytest.fixture
def write(tmp_path: Path):
    """Write a file below the test's directory."""

    def write(name: str, *lines: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("name", "head"), [(OWN, ""), ("pyproject.toml", "[tool.kadu-conformance]"), ("ci/some.toml", "")]
)
def test_a_run_takes_its_options_from_a_file(cli, real, read_only, write, name, head):
    write(
        name,
        head,
        f'url = "{real.url}"',
        "read-only = true",
        'token-env = "KADU_TEST_TOKEN"',
        'rule = ["MCP-03"]',
        "timeout = 5",
        "seed = 7",
        "allow-untested = true",
    )
    said = cli("run", *(["--config", name] if "/" in name else []))
    assert said.code == 0, said
    assert list(read(OUT).footer["rules"]) == ["MCP-03"]
    assert read(OUT).header["seed"] == 7


def test_the_command_line_wins(cli, real, read_only, write):
    write(
        OWN,
        'rule = ["KADU-CNF"]',
        "seed = 7",
        'out = "elsewhere"',
        "read-only = false",
        'url = "http://x/mcp"',
    )
    said = cli(*read_only, "--rule", "MCP-03", "--seed", "9", "--out", "here")
    assert said.code == 0, said
    record = read(Path("here") / "run.ndjson")
    assert (record.header["seed"], list(record.footer["rules"])) == (9, ["MCP-03"])
    assert record.header["subject"]["urls"] == [real.url]


def test_a_flag_of_the_file_can_be_taken_back(cli, refused, write):
    write(OWN, "read-only = true", 'url = "http://x/mcp"', 'token-env = "KADU_NO_SUCH"')
    refused(cli("run"), "No token is in the environment variable KADU_NO_SUCH")
    refused(cli("run", "--no-read-only"), "--token-file and --token-env go with --read-only")


def test_paths_are_taken_from_where_the_file_stands(cli, read_only, write, refused):
    write("ci/some.toml", 'baseline = "accepted.yaml"')
    refused(cli(*read_only, "--config", "ci/some.toml"), "There is no baseline ci/accepted.yaml")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("rules = []", "kadu-conformance.toml: there is no option 'rules'; known: allow-untested, api-host"),
        ("_config = 1", "there is no option '_config'"),
        ('seed = "7"', "kadu-conformance.toml: seed is a whole number, not '7'."),
        ("seed = true", "seed is a whole number, not True."),
        ("keep = 1", "keep is true or false, not 1."),
        ('timeout = "x"', "timeout is a number, not 'x'."),
        ("timeout = nan", "timeout is at least 0.1, not nan."),
        ("rule = 3", "rule is a text, or a list of such, not 3."),
        ("rule = [3]", "rule is a text, or a list of such, not 3."),
        ('baseline = ["x"]', "baseline is a path, not ['x']."),
        ("workers = 0", "kadu-conformance.toml: workers is at least 1, not 0."),
        ("workers = 65", "workers is at most 64, not 65."),
        ('header = ["X-Gate: x"]', "header does not belong here: its values may be secrets: name an"),
        ('config = "x"', "config does not belong here"),
        ("seed = ", "kadu-conformance.toml: this is no TOML: "),
        ("seed = 1\nseed = 2", "kadu-conformance.toml: this is no TOML: "),
    ],
)
def test_what_is_no_option_is_refused_with_file_and_key(cli, refused, write, line, told):
    write(OWN, line)
    refused(cli("run", "--url", "http://x/mcp"), told)


def test_a_value_that_does_not_fit_is_not_repeated_where_it_may_be_a_secret(cli, write):
    write(OWN, 'header = ["X-Gate: open-sesame"]')
    assert "open-sesame" not in cli("run").err


def test_two_files_are_one_too_many(cli, refused, write):
    write(OWN, "seed = 1")
    write("pyproject.toml", "[tool.kadu-conformance]", "seed = 1")
    refused(cli("run"), "Both kadu-conformance.toml and pyproject.toml hold options; keep one of them")


def test_a_pyproject_about_other_things_is_nothing_to_us(cli, refused, write):
    write("pyproject.toml", "[project]", 'name = "x"')
    refused(cli("run"), "Say which server to judge")


@pytest.mark.parametrize(
    ("name", "lines", "told"),
    [
        ("pyproject.toml", ["[tool]", "kadu-conformance = 1"], "tool.kadu-conformance is a table of options"),
        (
            "ci/pyproject.toml",
            ["[tool.other]"],
            "ci/pyproject.toml: there is no table [tool.kadu-conformance].",
        ),
        ("nowhere.toml", None, "The file of options nowhere.toml cannot be read: No such file"),
    ],
)
def test_a_file_that_holds_no_options(cli, refused, write, name, lines, told):
    if lines is not None:
        write(name, *lines)
    refused(cli("run", "--config", name), told)


def test_help_is_given_whatever_the_file_holds(cli, write):
    write(OWN, "seed = ")
    assert cli("run", "--help").code == 0


def test_every_option_has_its_key(cli):
    keys = options_of(run)
    told = set(re.findall(r"^ +--([a-z-]+)", cli("run", "--help").out, re.MULTILINE))
    assert set(keys) == told - {"help"}
    table = tomllib.loads(
        'url = "u"\nkeep = true\nworkers = 2\nout = "o"\ntimeout = 2\nheader-env = ["a", "b"]'
    )
    assert values(Path("d/f.toml"), table, keys) == {
        "url": ["u"],
        "keep": True,
        "workers": 2,
        "out": "d/o",
        "timeout": 2,
        "header_env": ["a", "b"],
    }

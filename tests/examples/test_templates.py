"""Templates and pages of instructions: what they tell a shell is a command line, and one that this version takes."""

import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import typer
import yaml

from harness.cli.main import NAME, app

ROOT: Final = Path(__file__).parents[2]
TEMPLATES: Final = ROOT / "templates"
PAGES: Final = (
    ROOT / "docs" / "ci.md",
    ROOT / "examples" / "python-minimal" / "README.md",
    ROOT / "examples" / "typescript-minimal" / "README.md",
)
# What the variables of the templates hold when they are run.
VARIABLES: Final = {
    "$SERVER": "node dist/server.js",
    "$SHARD": "1/3",
    "$CI_NODE_INDEX/$CI_NODE_TOTAL": "2/3",
    "$CI_NODE_INDEX": "2",
    "$PWD": "/home/me",
}


def _yaml(name: str) -> dict[str, Any]:
    told = yaml.safe_load((TEMPLATES / name).read_text())
    assert isinstance(told, dict)
    return told


def _github() -> list[str]:
    jobs = _yaml("github-actions.yml")["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def _gitlab() -> list[str]:
    jobs = [job for job in _yaml("gitlab-ci.yml").values() if isinstance(job, dict)]
    return [line for job in jobs for key in ("before_script", "script") for line in job.get(key, ())]


def _dockerfile() -> list[str]:
    """The RUN instructions, and the commands that the comments tell people to use."""
    text = (TEMPLATES / "Dockerfile").read_text()
    said = "\n".join(re.sub("^# {0,5}", "", line) for line in text.splitlines() if line.startswith("#"))
    lines = text.replace("\\\n", "").splitlines()
    commands = re.findall("^docker (?:build|run) .*", said.replace("\\\n", ""), re.MULTILINE)
    return [line.removeprefix("RUN ") for line in lines if line.startswith("RUN ")] + commands


def _page(page: Path) -> list[str]:
    blocks = re.findall("^```(\\w*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    return [block for language, block in blocks if language in ("", "sh")]


def _all() -> dict[str, list[str]]:
    pages = {page.relative_to(ROOT).as_posix(): _page(page) for page in PAGES}
    return {
        "github-actions.yml": _github(),
        "gitlab-ci.yml": _gitlab(),
        "Dockerfile": _dockerfile(),
        **pages,
    }


def _command_lines(script: str) -> Iterator[list[str]]:
    """The arguments of every call of the tool in a script."""
    for line in script.replace("\\\n", "").splitlines():
        for variable, value in VARIABLES.items():
            line = line.replace(variable, value)
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;")
        lexer.whitespace_split = True
        words = list(lexer)
        named = [at for at, word in enumerate(words) if word.rpartition("/")[2] == NAME]
        # There it names an image, or a checkout.
        if not named or words[:2] == ["docker", "build"] or "install" in words:
            continue
        arguments = words[named[-1] + 1 :]
        end = next((at for at, word in enumerate(arguments) if set(word) <= set("|&;")), len(arguments))
        yield arguments[:end]


@pytest.mark.parametrize("name", _all())
def test_what_a_shell_runs_is_a_script(name: str) -> None:
    scripts = _all()[name]
    assert scripts
    for script in scripts:
        told = subprocess.run(
            ["bash", "-n"], input=script, capture_output=True, text=True, timeout=10, check=False
        )
        assert (told.returncode, told.stderr) == (0, ""), script


@pytest.mark.parametrize("name", _all())
def test_every_command_line_is_one_of_this_version(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    calls = [call for script in _all()[name] for call in _command_lines(script) if call]
    called = [call for call in calls if not call[0].startswith("-")]
    assert called
    commands = typer.main.get_command(app).commands
    for command, *arguments in called:
        assert command in commands, f"{command} is no command"
        commands[command].make_context(command, arguments)


def test_an_option_that_does_not_exist_is_seen() -> None:
    [call] = _command_lines('code=0; kadu-conformance run --comand "$SERVER" || code=$?')
    assert call == ["run", "--comand", "node dist/server.js"]
    with pytest.raises(typer.exceptions.TyperException, match="comand"):
        typer.main.get_command(app).commands["run"].make_context("run", call[1:])


def test_the_github_shards_are_all_merged_and_none_is_forgotten() -> None:
    jobs = _yaml("github-actions.yml")["jobs"]
    judged = jobs["judge"]["strategy"]
    assert judged["matrix"]["shard"] == [*range(1, len(judged["matrix"]["shard"]) + 1)]
    assert judged["fail-fast"] is False
    sent = next(step["with"] for step in jobs["judge"]["steps"] if "upload" in step.get("uses", ""))
    fetched = next(step["with"] for step in jobs["verdict"]["steps"] if "download" in step.get("uses", ""))
    assert sent["name"].split("$")[0] == fetched["pattern"].rstrip("*")
    assert jobs["verdict"]["needs"] == "judge"
    assert "needs.judge.result != 'success'" in jobs["verdict"]["steps"][-1]["if"]


@pytest.mark.parametrize(("code", "ends"), [(0, 0), (1, 0), (3, 0), (2, 2), (130, 130)])
def test_a_github_shard_leaves_verdicts_to_the_merge_and_ends_at_errors(
    code: int, ends: int, tmp_path: Path
) -> None:
    [judging] = [script for script in _github() if f"{NAME} run" in script]
    tool = tmp_path / NAME
    tool.write_text(f"#!/bin/sh\nexit {code}\n")
    tool.chmod(0o755)
    told = subprocess.run(
        ["bash", "-e", "-c", judging], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, timeout=10, check=False
    )
    assert told.returncode == ends


@pytest.mark.parametrize(("code", "written"), [(0, True), (1, True), (3, True), (2, False)])
def test_the_github_merge_shows_its_summary_and_ends_as_the_report_does(
    code: int, written: bool, tmp_path: Path
) -> None:
    [merging] = [script for script in _github() if f"{NAME} report" in script]
    page = "mkdir -p report; echo told > report/summary.md; " if written else ""
    tool = tmp_path / NAME
    tool.write_text(f"#!/bin/sh\n{page}exit {code}\n")
    tool.chmod(0o755)
    shown = tmp_path / "shown"
    shown.touch()
    told = subprocess.run(
        ["bash", "-e", "-c", merging],
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "GITHUB_STEP_SUMMARY": str(shown)},
        timeout=10,
        check=False,
    )
    assert told.returncode == code
    assert shown.read_text() == ("told\n" if written else "")


def test_the_gitlab_shards_may_end_with_a_verdict_and_with_nothing_else() -> None:
    told = _yaml("gitlab-ci.yml")
    judge, verdict = told["kadu:judge"], told["kadu:verdict"]
    assert judge["allow_failure"] == {"exit_codes": [1, 3]}
    assert "allow_failure" not in verdict
    assert verdict["needs"] == ["kadu:judge"]
    assert verdict["artifacts"]["reports"]["junit"] == "report/merged/junit.xml"
    assert judge["stage"] in told["stages"]


def test_the_image_holds_every_package_of_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    copied = re.findall(r"^COPY (\w+) (\w+)$", (TEMPLATES / "Dockerfile").read_text(), re.MULTILINE)
    assert copied == [(name, name) for name in packages]

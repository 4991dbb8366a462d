"""Features without a server: written by a test, run through the real plugin with a fake world."""

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.collection.plugin import Orders, Plan, make_plan
from harness.runner.session import run_cases
from harness.settings import Settings

FAKES = Path(__file__).parent / "fakes"

HEAD = """\
Feature: Something

  @KADU-CNF-01
  Rule: A law
"""


@pytest.fixture
def features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for feature files, with the fakes importable."""
    monkeypatch.syspath_prepend(str(FAKES))
    directory = tmp_path / "some"
    directory.mkdir()
    return directory


@pytest.fixture
def write(features: Path) -> Callable[..., Path]:
    """Write a feature file; `rule` puts scenarios below a rule of Kadu."""

    def write(text: str = "", *, rule: str | None = None, name: str = "a.feature") -> Path:
        content = textwrap.dedent(text)
        if rule is not None:
            content = HEAD + textwrap.indent(textwrap.dedent(rule).lstrip("\n"), "    ")
        path = features / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


@pytest.fixture
def orders(features: Path) -> Callable[..., Orders]:
    """Orders for the features of this test."""

    def orders(**settings: Any) -> Orders:
        given = {
            "product": "kadu",
            "features": (str(features),),
            "urls": ("http://x/mcp",),
            "api_url": "http://x",
            "control_url": "http://x",
            "control_secret": "control-secret-value",
        }
        return Orders(
            Settings(**{**given, **settings}), steps_package="fake_steps", world_module="fake_world"
        )

    return orders


@pytest.fixture
def plan(orders: Callable[..., Orders]) -> Callable[..., Plan]:
    """The plan for the features of this test."""
    return lambda **settings: make_plan(orders(**settings))


@pytest.fixture
def run(orders: Callable[..., Orders]) -> Callable[..., dict[str, dict[str, Any]]]:
    """Run the features of this test; the lines of the record by the scenario's name (and era, where it has two)."""

    def run(**settings: Any) -> dict[str, dict[str, Any]]:
        given = orders(**settings)
        payloads: list[dict[str, Any]] = []
        run_cases(make_plan(given), given, payloads.append)
        return {payload["id"].partition("::")[2]: json.loads(payload["line"]) for payload in payloads}

    return run

"""A conforming server on the official TypeScript SDK passes everything: the rules are not those of one SDK."""

import pytest

from tests.node import node_for

from .conftest import ROOT, Run

HOME = ROOT / "tests" / "strangers" / "typescript"


@pytest.fixture
def node() -> str:
    """A Node that can run the stranger."""
    return node_for(HOME, "the stranger in TypeScript")


def test_the_stranger_in_typescript_passes_everything(kadu: Run, node: str) -> None:
    told = kadu("run", "--workers", "2", command=(node, str(HOME / "server.mjs")))
    findings = [finding for line in told.scenarios.values() for finding in line["findings"]]
    assert findings == []
    assert told.of("failed") == told.of("warned") == told.of("errored") == set()
    assert told.of("not testable") == set()
    assert set(told.rules.values()) == {"passed"}
    assert told.code == 0

"""Conforming servers that are not built on our engine pass everything they offer."""

import sys

from .conftest import ROOT, Run


def test_the_plain_stranger_passes_everything_it_offers(kadu: Run) -> None:
    program = str(ROOT / "tests" / "strangers" / "starlette_server.py")
    told = kadu("run", command=(sys.executable, program))
    findings = [finding for line in told.scenarios.values() for finding in line["findings"]]
    assert findings == []
    assert told.of("failed") == told.of("warned") == told.of("errored") == set()
    assert told.of("not testable") == set()
    assert told.code == 0

"""A listing that nobody can read to its end is told as what is wrong, with what to do; it ends no examination."""

import pytest

from harness.doctor.connection import upstream
from harness.verdicts import Finding, NotTestable, RuleBroken


class Unlisted:
    """A world whose server does not list its tools."""

    def __init__(self, problem: Exception) -> None:
        self.problem = problem

    def list_tools(self) -> None:
        raise self.problem


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (RuleBroken(Finding("tools/list does not answer a list", actual="HTTP 500")), "does not answer a list: HTTP 500"),
        (NotTestable("tools/list was not at its end after 9 pages in 100 s"), "after 9 pages in 100 s"),
    ],
)  # fmt: skip
def test_a_listing_that_cannot_be_had(problem: Exception, told: str) -> None:
    sign = upstream(Unlisted(problem), "KADU_API_URL", "http://127.0.0.1:1")  # type: ignore[arg-type]
    assert sign.fatal
    assert told in sign.said
    assert sign.advice

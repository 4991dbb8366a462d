"""`doctor`: what of a server can be judged, told in seconds, to people or to programs."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

from harness.cli.checking import check
from harness.cli.choices import Asked, Given
from harness.cli.judging import aimed_at, prepared, stopped_by_sigterm
from harness.cli.reaching import reach
from harness.cli.screen import Screen
from harness.doctor.diagnosis import Diagnosis, State, Suite
from harness.doctor.examination import examine, unreachable
from harness.runner.program import no_answer
from harness.transport import Transport
from harness.verdicts import ExitCode

MARKS: Final = {State.GOOD: "✓", State.NOTE: "!", State.BAD: "✗", State.UNKNOWN: "?"}
WIDTH: Final = 11


def diagnose(asked: Asked, given: Given, *, as_json: bool) -> int:
    """Examine the server that is given and tell what was found: 0 where judging it makes sense, else 2."""
    check(given)
    product, orders, plan = prepared(asked, given)
    suite = Suite(plan.selection.cases)
    with ExitStack() as stack, Transport(ca_file=orders.settings.ca_file) as transport, stopped_by_sigterm():
        reached = reach(given, product, stack, transport, asked.timeout)
        orders = aimed_at(orders, reached.upstream, reached.urls)
        settings = replace(orders.settings, time_file=reached.time_file)
        problem = no_answer(settings.urls[0], transport, asked.timeout)
        diagnosis = (
            examine(
                settings,
                suite,
                transport,
                variable=product.upstream_variable,
                wanted=given.time,
                started=given.command is not None,
            )
            if problem is None
            else unreachable(settings.urls[0], problem, suite)
        )
    if as_json:
        sys.stdout.write(json.dumps(diagnosis.to_json(), indent=2) + "\n")
    else:
        screen = Screen(())
        for line in lines(diagnosis):
            screen.line(line)
    return ExitCode.KEPT if diagnosis.makes_sense else ExitCode.WRONG_USAGE


def lines(diagnosis: Diagnosis) -> Iterator[str]:
    """The diagnosis for people: a line for each sign with what to do below it, then what can be tested and what not."""
    for sign in diagnosis.signs:
        yield f"{MARKS[sign.state]} {sign.name.ljust(WIDTH)}{sign.said}"
        if sign.advice:
            yield f"  {' ' * WIDTH}→ {sign.advice}"
    yield ""
    if not diagnosis.makes_sense:
        yield "Judging this server makes no sense yet: mend what is marked ✗ first."
        return
    yield f"{len(diagnosis.testable)} of {len(diagnosis.asked)} rules can be tested as things are."
    in_doubt = diagnosis.in_doubt
    for sign in diagnosis.signs:
        rules = [rule for rule, because in in_doubt.items() if because == sign.name]
        if rules:
            yield f"Not testable, or not kept, because of {sign.name}: {', '.join(rules)}"
    yield "Next: kadu-conformance run with the same options."

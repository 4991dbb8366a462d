"""What is said of a run as a whole, before anything else."""

from collections.abc import Mapping

from reports.record import Run
from reports.verdicts import Verdict


def number(count: int, noun: str) -> str:
    """ "1 rule", "2 rules"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def headline(
    run: Run, counts: Mapping[Verdict, int], accepted: Mapping[Verdict, int]
) -> tuple[str, str, Verdict]:
    """The headline, a remark below it ("" for none) and the verdict whose colour they wear.

    `counts` are the asked rules by verdict, `accepted` those among them that a baseline accepts.
    """
    failed = counts[Verdict.FAILED] - accepted[Verdict.FAILED]
    untested = counts[Verdict.NOT_TESTABLE] - accepted[Verdict.NOT_TESTABLE]
    errored, footer = counts[Verdict.ERRORED], run.footer
    if footer is None:
        return _cut_off(run, counts[Verdict.FAILED])
    agreed = _agreed(accepted)
    if failed:
        rest = [f"{number(errored, 'rule')} could not be judged by our own fault"] if errored else []
        rest += [f"{number(untested, 'rule')} untested"] if untested else []
        known = ["the baseline accepts what is broken"] if footer.exit_code == 0 else []
        return _broken(failed), _sentence(footer.complaint, known + rest + agreed), Verdict.FAILED
    if errored:
        kept = f"nothing{' new' if accepted[Verdict.FAILED] else ''} is broken"
        rest = [f"{kept}, but {number(errored, 'rule')} could not be judged", *agreed]
        return "Something went wrong on our side", _sentence(footer.complaint, rest), Verdict.ERRORED
    if footer.exit_code == 2:
        return "The run could not be completed", _sentence(footer.complaint, agreed), Verdict.ERRORED
    nothing = f"Nothing{' new' if accepted[Verdict.FAILED] else ''} is broken"
    if footer.exit_code == 1:
        said = f"{nothing}, but the baseline does not fit"
        return said, _sentence(footer.complaint, agreed), Verdict.FAILED
    if not sum(counts.values()):
        return "No rule was asked", _sentence(footer.complaint, []), Verdict.NOT_TESTABLE
    if untested:
        known = ["untested rules were allowed in this run"] if footer.exit_code == 0 else []
        said = f"{nothing}, {number(untested, 'rule')} untested"
        return said, _sentence(footer.complaint, known + agreed), Verdict.NOT_TESTABLE
    warned = counts[Verdict.WARNED]
    advice = [f"{number(warned, 'rule')} kept with advice not followed"] if warned else []
    if agreed:
        what = " but what" if accepted[Verdict.FAILED] else ", and what is untested"
        said = f"Nothing is broken{what} is accepted"
        return said, _sentence(footer.complaint, agreed + advice), Verdict.WARNED
    return "Every asked rule was tested and kept", _sentence(footer.complaint, advice), Verdict.PASSED


def _broken(failed: int) -> str:
    return f"{number(failed, 'rule')} {'is' if failed == 1 else 'are'} broken"


def _cut_off(run: Run, failed: int) -> tuple[str, str, Verdict]:
    sofar = f"{_broken(failed)} so far" if failed else "No rule was found broken so far"
    cut = [part.record for part in run.header.merged if not part.complete]
    why = f"not all is there ({', '.join(cut[:20])})" if cut else "the record ends before the run did"
    remark = f"{sofar}, but {why}: nothing can be said about the whole."
    return "The run was cut off", remark, Verdict.FAILED if failed else Verdict.ERRORED


def _agreed(accepted: Mapping[Verdict, int]) -> list[str]:
    """What a baseline accepts, in words; nothing where it accepts nothing."""
    words = ((Verdict.FAILED, "broken"), (Verdict.NOT_TESTABLE, "untested"))
    parts = [f"{number(accepted[verdict], 'rule')} {word}" for verdict, word in words if accepted[verdict]]
    return [f"accepted by the baseline: {' and '.join(parts)}"] if parts else []


def _sentence(complaint: str | None, parts: list[str]) -> str:
    joined = "; ".join(parts)
    said = f"{joined[0].upper()}{joined[1:]}." if joined else ""
    return " ".join(part for part in (complaint or "", said) if part)


def exit_meaning(run: Run, counts: Mapping[Verdict, int], accepted: Mapping[Verdict, int]) -> str:
    """What the exit code means, in one line."""
    if run.footer is None:
        return "no exit code: the run was cut off"
    failed, untested = counts[Verdict.FAILED], counts[Verdict.NOT_TESTABLE]
    new_failed = failed - accepted[Verdict.FAILED]
    new_untested = untested - accepted[Verdict.NOT_TESTABLE]
    kept = "every asked rule was tested and kept"
    if failed or untested:
        kept = "what is broken or untested is accepted by the baseline"
    if new_untested and not new_failed:
        kept = "nothing new is broken, and untested rules were allowed"
    meanings = {
        0: kept,
        1: f"{number(new_failed, 'rule')} broken" if new_failed else "the baseline does not fit this run",
        2: "wrong usage or our own error; no rule was found broken",
        3: f"nothing is broken, {number(new_untested, 'rule')} untested",
    }
    code = run.footer.exit_code
    return f"exit {code}: {meanings.get(code, 'not a code this version knows')}"

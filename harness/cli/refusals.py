"""Errors that are the user's, or that the user can mend, as what is told about them."""

from typing import Final

from harness.collection.problems import CollectionFailed
from harness.collection.selection import NothingSelected
from harness.runner.refusal import CannotRun
from harness.verdicts import HarnessFault

SHOWN: Final = 40


def sentence(error: Exception) -> str | None:
    """What to tell of an error instead of a traceback; None where it is a mistake of ours."""
    if isinstance(error, CollectionFailed):
        count = len(error.problems)
        told = [str(problem) for problem in error.problems[:SHOWN]]
        if count > SHOWN:
            told.append(f"… and {count - SHOWN} more.")
        return "\n".join([f"{count} problem(s) in features or steps:", *told])
    if isinstance(error, CannotRun | NothingSelected | HarnessFault):
        return str(error)
    return None

"""Errors that are the user's, or that the user can mend, as what is told about them."""

from harness.collection.problems import CollectionFailed
from harness.collection.selection import NothingSelected
from harness.runner.refusal import CannotRun
from harness.verdicts import HarnessFault


def sentence(error: Exception) -> str | None:
    """What to tell of an error instead of a traceback; None where it is a mistake of ours."""
    if isinstance(error, CollectionFailed):
        count = len(error.problems)
        return "\n".join([f"{count} problem(s) in features or steps:", *map(str, error.problems)])
    if isinstance(error, CannotRun | NothingSelected | HarnessFault):
        return str(error)
    return None

"""Why a run cannot take place."""


class CannotRun(Exception):
    """Wrong usage, or what is needed is not there. One sentence: what was expected, what came, what to do. Exit 2."""

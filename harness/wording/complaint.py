"""What the lint has to say about one line."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Complaint:
    """One thing to reword. `line` counts from 1; `path` is the given one, or one found below it."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"

"""The record as a file that grows line by line."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

FORMAT: Final = 1


def line(data: Mapping[str, Any]) -> str:
    """One line of the record, without its end."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


class RecordWriter:
    """Writes header, scenarios and footer, in this order, each line to the disk as it comes.

    What is given is already free of secrets. Raises OSError when the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8", newline="\n")

    def header(self, data: Mapping[str, Any]) -> None:
        """The first line."""
        self._write(line({"type": "header", "format": FORMAT, **data}))

    def scenario(self, text: str) -> None:
        """The line of a scenario, as `line` made it."""
        self._write(text)

    def footer(self, data: Mapping[str, Any]) -> None:
        """The last line; without it the record counts as cut off."""
        self._write(line({"type": "footer", **data}))

    def _write(self, text: str) -> None:
        self._file.write(text + "\n")
        self._file.flush()

    def __enter__(self) -> "RecordWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

"""The lint of feature wording: titles state facts, every Rule is one rule, steps read in order.

It knows Gherkin and no product: whether a tag's rule exists and whether a step is defined is found elsewhere.
"""

from collections.abc import Iterable
from pathlib import Path
from unicodedata import normalize

from harness.wording.complaint import Complaint
from harness.wording.document import examine

__all__ = ["Complaint", "lint"]


def lint(paths: Iterable[str | Path]) -> list[Complaint]:
    """What there is to reword in the feature files at `paths`, by file and line; empty when clean.

    A path is a file, or a folder whose `*.feature` files are taken, however deep. All are one suite, in which
    no two features, rules or scenarios have the same title. Raises FileNotFoundError for a path that does not exist, and
    any other OSError for what cannot be read.
    """
    complaints: list[Complaint] = []
    first: dict[tuple[str, str], str] = {}
    for path in _files(paths, complaints):
        try:
            source = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            complaints.append(Complaint(str(path), 1, f"not UTF-8: {error.reason} at byte {error.start}"))
            continue
        examined = examine(source)
        complaints += [Complaint(str(path), line, message) for line, message in examined.faults]
        for line, kind, title in examined.titles:
            here = f"{path}:{line}"
            there = first.setdefault((kind, " ".join(normalize("NFC", title).casefold().split())), here)
            if title and there != here:
                complaints.append(Complaint(str(path), line, f"{kind} title {title!r} is taken, by {there}"))
    return sorted(complaints)


def _files(paths: Iterable[str | Path], complaints: list[Complaint]) -> list[Path]:
    found: dict[Path, Path] = {}
    for path in map(Path, paths):
        if not path.exists():
            raise FileNotFoundError(
                f"{path}: no such file or folder; feature files, or folders of them, expected"
            )
        inside = path.rglob("*.feature") if path.is_dir() else ()
        below = sorted(file for file in inside if file.is_file()) if path.is_dir() else [path]
        if not below:
            complaints.append(Complaint(str(path), 1, "no feature files in this folder"))
        for file in below:
            found.setdefault(file.resolve(), file)
    return list(found.values())

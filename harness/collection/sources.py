"""Feature files: found, read as UTF-8, parsed as Gherkin."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from gherkin.errors import CompositeParserException, ParserError
from gherkin.parser import Parser
from pytest_bdd.gherkin_parser import GherkinDocument

from harness.collection.problems import CollectionFailed, Problem

SUFFIX = ".feature"


@dataclass(frozen=True)
class Source:
    """One parsed feature file. `name` is its path below the features, with the directory's own name in front."""

    path: Path
    name: str
    document: GherkinDocument


def read_sources(directories: Sequence[str]) -> list[Source]:
    """Parse every feature file below the given directories, in order of their names.

    Raises CollectionFailed for a directory that cannot be read or holds no feature, and for every file that is not
    UTF-8, not Gherkin, empty, or ends in .Feature.
    """
    sources: list[Source] = []
    problems: list[Problem] = []
    named: dict[str, Path] = {}
    for given in directories:
        root = Path(given).resolve()
        if named.setdefault(root.name, root) != root:
            raise CollectionFailed(
                [Problem(given, 1, f"Two directories of features are called {root.name!r}; rename one.")]
            )
        found = _find(root, given)
        for path in found:
            name = str(PurePosixPath(root.name, *path.relative_to(root).parts))
            try:
                sources.append(_read(path, name))
            except CollectionFailed as failed:
                problems.extend(failed.problems)
    if problems:
        raise CollectionFailed(problems)
    return sources


def _find(root: Path, given: str) -> list[Path]:
    unreadable: list[OSError] = []
    if not root.is_dir():
        raise CollectionFailed([Problem(given, 1, "There is no such directory of features.")])
    found = [
        Path(where, file)
        for where, _, files in os.walk(root, onerror=unreadable.append)
        for file in files
        if file.lower().endswith(SUFFIX)
    ]
    if unreadable:
        raise CollectionFailed(
            [Problem(str(e.filename), 1, f"The directory cannot be read: {e.strerror}.") for e in unreadable]
        )
    if not found:
        raise CollectionFailed([Problem(given, 1, f"The directory holds no {SUFFIX} file.")])
    return sorted(found)


def _read(path: Path, name: str) -> Source:
    if not path.name.endswith(SUFFIX):
        raise CollectionFailed(
            [Problem(str(path), 1, f"The file would not be collected: its name must end in {SUFFIX}.")]
        )
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise CollectionFailed(
            [Problem(str(path), line, "The file is not UTF-8; save it as UTF-8.")]
        ) from error
    except OSError as error:
        raise CollectionFailed(
            [Problem(str(path), 1, f"The file cannot be read: {error.strerror}.")]
        ) from error
    try:
        data = Parser().parse(text)
    except ParserError as error:
        raise CollectionFailed(_syntax_problems(path, error)) from error
    if not data.get("feature"):
        raise CollectionFailed([Problem(str(path), 1, "The file holds no Feature.")])
    return Source(path, name, GherkinDocument.from_dict(data))


def _syntax_problems(path: Path, error: ParserError) -> list[Problem]:
    errors = error.errors if isinstance(error, CompositeParserException) else [error]
    return [
        Problem(
            str(path), getattr(one, "location", {}).get("line", 1), f"Malformed Gherkin: {_plain(str(one))}."
        )
        for one in errors
    ]


def _plain(message: str) -> str:
    """The parser's message without its place and its list of token names."""
    message = re.sub(r"^\(\d+:\d+\): ", "", " ".join(message.split()))
    unexpected = re.fullmatch(r"expected: .*?, got '(.*)'", message)
    if unexpected:
        return f"{unexpected[1][:80]!r} does not belong here"
    return re.sub(r", expected: .*", "", message).rstrip(".")

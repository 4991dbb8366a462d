"""Finds what a method and a path mean, by path templates such as `/v1/tasks/{id}/run`."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import unquote

Target = TypeVar("Target")


@dataclass(frozen=True)
class Match(Generic[Target]):
    """What was found. Without a target `allowed` names the methods of that path, if there is such a path."""

    target: Target | None
    path: dict[str, str]
    allowed: tuple[str, ...] = ()


@dataclass
class _Node(Generic[Target]):
    literals: dict[str, "_Node[Target]"] = field(default_factory=dict)
    parameter: "_Node[Target] | None" = None
    methods: dict[str, tuple[Target, tuple[str, ...]]] = field(default_factory=dict)


class Router(Generic[Target]):
    """Routes, compiled once into a tree of path segments; a literal segment wins over a parameter."""

    def __init__(self, routes: Iterable[tuple[str, str, Target]]) -> None:
        """Take (method, template, target); raises ValueError when two routes are the same."""
        self._root: _Node[Target] = _Node()
        for method, template, target in routes:
            node, names = self._root, list[str]()
            for segment in template.split("/")[1:]:
                if segment.startswith("{") and segment.endswith("}"):
                    names.append(segment[1:-1])
                    if node.parameter is None:
                        node.parameter = _Node()
                    node = node.parameter
                else:
                    node = node.literals.setdefault(segment, _Node())
            if method in node.methods:
                raise ValueError(f"{method} {template} is there twice")
            node.methods[method] = (target, tuple(names))

    def match(self, method: str, raw_path: bytes) -> Match[Target]:
        """Look a request up. Segments are split before they are decoded: `%2F` never makes a new one."""
        segments = raw_path.decode("latin-1").split("/")[1:]
        if b"%" in raw_path:
            segments = [unquote(segment, errors="replace") for segment in segments]
        values: list[str] = []
        node = _walk(self._root, segments, 0, values)
        if node is None:
            return Match(None, {})
        found = node.methods.get(method)
        if found is None:
            return Match(None, {}, tuple(sorted(node.methods)))
        target, names = found
        return Match(target, dict(zip(names, values, strict=True)))


def _walk(node: _Node[Target], segments: list[str], depth: int, values: list[str]) -> _Node[Target] | None:
    if depth == len(segments):
        return node if node.methods else None
    segment = segments[depth]
    literal = node.literals.get(segment)
    if literal is not None:
        found = _walk(literal, segments, depth + 1, values)
        if found is not None:
            return found
    if node.parameter is None or not segment:
        return None
    values.append(segment)
    found = _walk(node.parameter, segments, depth + 1, values)
    if found is None:
        values.pop()
    return found

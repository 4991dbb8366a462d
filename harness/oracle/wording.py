"""Violations of a schema in plain words, each with the path to what is wrong."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import ValidationError

Path = tuple[str | int, ...]
Found = tuple[Path, str]
"""A violation: the path to what is wrong, and what is wrong with it as the rest of a sentence."""

_SHOWN = 80
_KIND_MEMBERS = ("type", "method", "mode")


def path_text(path: Iterable[str | int]) -> str:
    """A path within a message: `content[0].text`, with odd names in quotes."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("_", "a").replace("$", "a").isalnum():
            text += f".{step}" if text else step
        else:
            text += f"[{shown(step)}]"
    return text


def told(found: Found, root: Sequence[str | int] = ()) -> str:
    """A violation as one sentence. `root` is where the judged part stands in the message."""
    path, sentence = found
    return f"{path_text([*root, *path]) or 'the message'} {sentence}"


def in_words(error: "ValidationError") -> Iterator[Found]:
    """The violations behind a validation error, with paths from the value that was validated."""
    path: Path = tuple(error.absolute_path)
    wanted: Any = error.validator_value
    value: Any = error.instance
    match error.validator:
        case "required":
            # One error for each missing member; which one stands only in the message.
            name = error.message.removesuffix(" is a required property").strip("'\"")
            yield path, f"lacks {name}"
        case "type":
            yield path, f"is {_kind(value)}, not {_listed(_as_list(wanted))}"
        case "const":
            yield path, f"is {shown(value)}, not {shown(wanted)}"
        case "enum":
            yield path, f"is {shown(value)}, which is none of {', '.join(map(shown, wanted))}"
        case "minimum":
            yield path, f"is {shown(value)}, less than {wanted:g}"
        case "maximum":
            yield path, f"is {shown(value)}, more than {wanted:g}"
        case "maxItems":
            yield path, f"has {len(value)} items, more than {wanted}"
        case "anyOf" | "oneOf" | "allOf":
            yield from _branch(error, path)
        case _:
            yield path, f"does not fit: {error.message[:200]}"


def _branch(error: "ValidationError", path: Path) -> Iterator[Found]:
    """What is wrong in the branch that was meant, or that no branch was."""
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.schema_path[0], []).append(inner)
    meant = [errors for errors in branches.values() if not any(map(_other_kind, errors))]
    shaped = [
        errors for errors in meant if not any(one.validator == "type" and not one.path for one in errors)
    ]
    if shaped:
        for inner in min(shaped, key=len):
            yield from in_words(inner)
    elif meant:
        kinds = [kind for errors in meant for one in errors for kind in _as_list(one.validator_value)]
        yield path, f"is {_kind(error.instance)}, not {_listed(kinds)}"
    else:
        marks = [one for errors in branches.values() for one in errors if _other_kind(one)]
        known = {shown(value): None for one in marks for value in _as_list(one.validator_value)}
        yield (
            tuple(marks[0].absolute_path),
            f"is {shown(marks[0].instance)}, which is none of {', '.join(known)}",
        )


def _other_kind(error: "ValidationError") -> bool:
    """Whether the member that tells kinds apart says that another branch was meant."""
    return error.validator in ("const", "enum") and len(error.path) == 1 and error.path[0] in _KIND_MEMBERS


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _listed(kinds: Sequence[Any]) -> str:
    named = [f"{'an' if kind[0] in 'aoi' else 'a'} {kind}" for kind in dict.fromkeys(map(str, kinds))]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} or {named[-1]}"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {shown(value)}"
    if isinstance(value, str):
        return f"the string {shown(value)}"
    if isinstance(value, int | float):
        return f"the number {shown(value)}"
    return "an array" if isinstance(value, list) else "an object"


def shown(value: Any) -> str:
    """A value as JSON, cut where it is long."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 1 << 128:
        return "a very large number"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

"""The question of a confirmation in the chat: read the form, and learn how its yes is said.

The property's name, its type (boolean, an enumeration of yes and no) and all words are the server's own.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from harness.checks.dates import holds_date
from harness.checks.results import broken, describe, is_question
from harness.checks.words import EMPTY, FALSE, NO, NO_ALONE, TRUE, YES, YES_ALONE
from harness.exchanges import Exchange
from harness.verdicts import NotTestable, RuleBroken

Pair = tuple[Any, Any]
"""The value that says yes and the one that says no."""
Says = Callable[[str], str | None]


class UnknownWords(NotTestable):
    """Two options in words that nobody here knows: which of them is the yes has to be tried. Carries the values, and a
    text that is the same for the same options."""

    def __init__(self, options: list["Option"]) -> None:
        told = " or ".join(repr(option.title or option.value)[:100] for option in options)
        super().__init__(f"which answer is the yes could not be read from the words: {told}")
        self.values = tuple(option.value for option in options)
        self.form = repr(options)


@dataclass(frozen=True)
class Option:
    """One option of an enumeration: its value, and what a person reads where that is not the value."""

    value: Any
    title: str | None


_FIGURES_APART = re.compile(r"(?<=\d)[.,'’_\s](?=\d)")


@dataclass(frozen=True)
class Question:
    """A form of one question: under which key it was asked, and how yes and no are said in it."""

    key: str
    message: str
    property: str
    yes: Any
    no: Any
    state: str | None
    words: str

    def answer(self, action: str, content: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer map for this question."""
        body: dict[str, Any] = {"action": action}
        if content is not None:
            body["content"] = dict(content)
        return {self.key: body}

    def explicit_yes(self) -> dict[str, Any]:
        """The answer map of a person who says yes."""
        return self.answer("accept", {self.property: self.yes})

    def explicit_no(self) -> dict[str, Any]:
        """The answer map of a person who fills in no."""
        return self.answer("accept", {self.property: self.no})


def read_question(exchange: Exchange, learned: Pair | None = None) -> Question:
    """The one question of an answer that asks for a yes. Raises RuleBroken where it does not ask as documented.

    Raises UnknownWords for two options that cannot be told apart by their words and are not `learned`.
    """
    wanted = "resultType input_required with one form-mode elicitation/create of one yes-or-no question"
    if not is_question(exchange):
        raise broken("the server does not ask", exchange, expected=wanted, actual=describe(exchange))
    result = exchange.result or {}
    requests = result.get("inputRequests")
    if not isinstance(requests, dict) or len(requests) != 1:
        raise broken(
            "the server does not ask exactly one thing", exchange, expected=wanted, actual=describe(exchange)
        )
    [(key, asked)] = requests.items()
    params = asked.get("params") if isinstance(asked, dict) else None
    if not isinstance(params, dict) or asked.get("method") != "elicitation/create":
        raise broken("what is asked is no elicitation", exchange, expected=wanted, actual=describe(exchange))
    if params.get("mode", "form") != "form":
        raise broken(
            "the question is not in form mode",
            exchange,
            expected="form mode",
            actual=repr(params.get("mode")),
        )
    schema = params.get("requestedSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or len(properties) != 1:
        raise broken(
            "the form is not of one question", exchange, expected=wanted, actual=f"the form {schema!r}"[:500]
        )
    [(name, form)] = properties.items()
    pair = _yes_and_no(form, learned)
    if pair is None:
        raise unanswerable(exchange, f"{form!r}"[:500])
    state = result.get("requestState")
    words = [str(params.get("message", "")), *_words(schema)]
    return Question(
        key=key,
        message=str(params.get("message", "")),
        property=name,
        yes=pair[0],
        no=pair[1],
        state=state if isinstance(state, str) else None,
        words="\n".join(words),
    )


def unanswerable(exchange: Exchange, actual: str) -> RuleBroken:
    """That a question has no yes and no."""
    expected = "a boolean, or an enumeration of one yes and one no"
    return broken("the question cannot be answered by yes or no", exchange, expected=expected, actual=actual)


def _yes_and_no(form: Any, learned: Pair | None) -> Pair | None:
    if not isinstance(form, dict):
        return None
    if form.get("type") == "boolean":
        return True, False
    options = list(_options(form))
    pair = _told_apart(options)
    if pair is not None or len(options) != 2 or options[0].value == options[1].value:
        return pair
    if learned is None or any(option.value not in learned for option in options):
        raise UnknownWords(options)
    return learned


def _told_apart(options: list[Option]) -> Pair | None:
    # What the person reads stands before what the server reads.
    titles = [(option.value, option.title) for option in options if option.title is not None]
    values = [(option.value, str(option.value)) for option in options]
    figures = [(option.value, str(option.value)) for option in options if option.title is None]
    readings: list[tuple[list[tuple[Any, str]], Says]] = [
        (titles, _begins_with),
        (titles, _says),
        (values, _begins_with),
        (values, _says),
        (figures, _is_figure),
    ]
    pairs = (_by_words(texts, says) for texts, says in readings if len(texts) == len(options))
    found = next((pair for pair in pairs if pair is not None), None)
    if found is None and len(options) == 2:
        pairs = (_by_one(texts) for texts in (titles, values) if len(texts) == 2)
        found = next((pair for pair in pairs if pair is not None), None)
    return found


def _by_words(texts: list[tuple[Any, str]], says: Says) -> Pair | None:
    yes = [value for value, words in texts if says(words) == "yes"]
    no = [value for value, words in texts if says(words) == "no"]
    return (yes[0], no[0]) if len(yes) == 1 and len(no) == 1 else None


def _by_one(texts: list[tuple[Any, str]]) -> Pair | None:
    """Of two options, one is a word that is known: the other is its opposite, as long as it says nothing.

    A word that goes on may be the name of what is asked about: "Cancel the execution" is the yes to that.
    """
    said = [_begins_with(words) if len(_single(words)) == 1 else None for _, words in texts]
    (first, one), (second, other) = texts
    if said[0] is not None and _says(other) is None:
        return (first, second) if said[0] == "yes" else (second, first)
    if said[1] is not None and _says(one) is None:
        return (second, first) if said[1] == "yes" else (first, second)
    return None


def _options(form: Mapping[str, Any]) -> Iterator[Option]:
    names = form.get("enumNames")
    values = form.get("enum")
    if isinstance(values, list):
        titled = isinstance(names, list) and len(names) == len(values)
        titles = names if isinstance(names, list) and titled else [None] * len(values)
        yield from (_option(value, title) for value, title in zip(values, titles, strict=True))
        return
    for option in form.get("oneOf") or form.get("anyOf") or ():
        if isinstance(option, dict) and "const" in option:
            yield _option(option["const"], option.get("title"))


def _option(value: Any, title: Any) -> Option:
    return Option(value, title if isinstance(title, str) and title not in ("", str(value)) else None)


def _begins_with(words: str) -> str | None:
    # A yes may go on to say that there is no way back.
    single = _single(words)
    if len(single) == 1 and single[0] in YES_ALONE | NO_ALONE:
        return "no" if single[0] in NO_ALONE else "yes"
    said = next((word for word in single if word in YES | NO), None)
    return None if said is None else "no" if said in NO else "yes"


def _says(words: str) -> str | None:
    found = set(_single(words))
    if found & NO:
        return "no"
    return "yes" if found & YES else None


def _is_figure(words: str) -> str | None:
    return {"1": "yes", "0": "no"}.get(words.strip())


def _single(words: str) -> list[str]:
    # French negates with the first letter of the next word: n'exécuter.
    plain = re.sub(r"\bn['’]", "ne ", unicodedata.normalize("NFC", words).casefold())
    return re.findall(r"[^\W_]+", plain)


def _words(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("title", "description") and isinstance(value, str):
                yield value
            else:
                yield from _words(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _words(value)


def missing_arguments(words: str, arguments: Mapping[str, Any]) -> list[str]:
    """The names of the scalar arguments, and of those inside of others, whose value these words do not show."""
    shown = _plain(words)
    return [name for name, value in _scalars(arguments) if not _shows(shown, value)]


def _shows(shown: str, value: Any) -> bool:
    # Booleans and days may be put in the reader's words; text has to be there as it is.
    if isinstance(value, bool):
        return not (TRUE if value else FALSE).isdisjoint(re.findall(r"[^\W_]+", shown))
    if value is None:
        return any(word in shown for word in EMPTY)
    return _plain(str(value)) in shown or _shows_day(shown, value) or _shows_number(shown, value)


def _shows_number(shown: str, value: Any) -> bool:
    # Thousands may stand apart, and cents behind a comma: the figures are the same.
    figures = _FIGURES_APART.sub("", str(value))
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and figures in _FIGURES_APART.sub("", shown)
    )


def _shows_day(shown: str, value: Any) -> bool:
    day = re.fullmatch(r"\d{4}-\d{2}-\d{2}", value) if isinstance(value, str) else None
    try:
        return day is not None and holds_date(shown, date.fromisoformat(day[0]))
    except ValueError:
        return False


def _scalars(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _scalars(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _scalars(inner, f"{path}[{index}]")
    else:
        yield path, value


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()

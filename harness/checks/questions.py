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
from harness.exchanges import Exchange

_YES = {
    "yes",
    "y",
    "true",
    "sim",
    "s",
    "si",
    "ok",
    "confirm",
    "confirmar",
    "confirmo",
    "approve",
    "aprovar",
    "run",
    "executar",
}
_YES |= {"accept", "aceitar", "aceito", "proceed", "continuar", "continue", "1"}
_YES |= {"execute", "go", "allow", "permitir"}
_NO = {
    "no",
    "n",
    "false",
    "nao",
    "cancel",
    "cancelar",
    "deny",
    "decline",
    "recusar",
    "reject",
    "stop",
    "parar",
    "0",
    "never",
    "not",
    "abort",
    "abortar",
    "block",
    "bloquear",
    "don",
    "dont",
    "without",
    "sem",
    "sin",
}

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


def read_question(exchange: Exchange) -> Question:
    """The one question of an answer that asks for a yes. Raises RuleBroken where it does not ask as documented."""
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
    pair = _yes_and_no(form)
    if pair is None:
        raise broken(
            "the question cannot be answered by yes or no",
            exchange,
            expected="a boolean, or an enumeration of one yes and one no",
            actual=f"{form!r}"[:500],
        )
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


def _yes_and_no(form: Any) -> tuple[Any, Any] | None:
    if not isinstance(form, dict):
        return None
    if form.get("type") == "boolean":
        return True, False
    options = list(_options(form))
    pairs = (_told_apart(options, says) for says in (_begins_with, _says))
    return next((pair for pair in pairs if pair is not None), None)


def _told_apart(options: list[tuple[Any, str]], says: Callable[[str], str | None]) -> tuple[Any, Any] | None:
    yes = [value for value, words in options if says(words) == "yes"]
    no = [value for value, words in options if says(words) == "no"]
    if len(options) == 2 and len(yes) + len(no) == 1:
        other = next(value for value, _ in options if value not in (*yes, *no))
        yes, no = yes or [other], no or [other]
    return (yes[0], no[0]) if len(yes) == 1 and len(no) == 1 else None


def _options(form: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    names = form.get("enumNames")
    values = form.get("enum")
    if isinstance(values, list):
        titles = names if isinstance(names, list) and len(names) == len(values) else values
        yield from ((value, f"{value} {title}") for value, title in zip(values, titles, strict=True))
        return
    for option in form.get("oneOf") or form.get("anyOf") or ():
        if isinstance(option, dict) and "const" in option:
            yield option["const"], f"{option['const']} {option.get('title', '')}"


def _begins_with(words: str) -> str | None:
    # A yes may go on to say that there is no way back.
    said = next((word for word in _single(words) if word in _YES | _NO), None)
    return None if said is None else "no" if said in _NO else "yes"


def _says(words: str) -> str | None:
    found = set(_single(words))
    if found & _NO:
        return "no"
    return "yes" if found & _YES else None


def _single(words: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    return re.findall(r"[a-z0-9]+", plain)


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
    return [
        name
        for name, value in _scalars(arguments)
        if not any(_plain(form) in shown for form in _forms(value))
        and not _shows_day(shown, value)
        and not _shows_number(shown, value)
    ]


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


def _forms(value: Any) -> list[str]:
    # Booleans and numbers may be put in the reader's words; text has to be there as it is.
    if value is True:
        return ["true", "sim", "yes"]
    if value is False:
        return ["false", "não", "no"]
    if value is None:
        return ["null", "none", "nenhum", "—", "vazio", "empty"]
    return [str(value)]


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()

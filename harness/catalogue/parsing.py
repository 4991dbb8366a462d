"""Reads the TOML of a catalogue, strictly: a misspelt key or an unknown section is an error, never a guess.

A file holds `[documents]` (the title of each document and its sections), `[[rule]]` (the fields of
`model.Rule`, with `reading` and `clauses` optional) and `[[excluded]]` (the fields of `model.Exclusion`).
The file of a product also has `[product]` with `id` and `title`, and `include`: files whose rules it shares.
"""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from harness.catalogue.model import LEVELS, SEATS, Catalogue, Clause, Exclusion, Rule
from harness.exchanges import ERAS

LONGEST_STATEMENT = 200

_ID = re.compile(r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-\d{2}")
_SECOND_SENTENCE = re.compile(r"[.!?] [A-Z]")
_RULE_KEYS = ("id", "group", "level", "eras", "seat", "statement", "document", "section")
_T = TypeVar("_T")


@dataclass(frozen=True)
class Part:
    """What one file holds. `product` is None for a file that only others include."""

    name: str
    product: tuple[str, str] | None
    include: tuple[str, ...]
    documents: dict[str, tuple[str, ...]]
    rules: tuple[Rule, ...]
    exclusions: tuple[Exclusion, ...]


def parse(text: str, name: str) -> Part:
    """The part in the TOML `text` of the file `name`, without suffix. ValueError says what is wrong."""
    where = f"{name}.toml"
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{where}: not TOML: {error}") from error
    _keys(table, (), ("product", "include", "documents", "rule", "excluded"), where)
    product = None
    if "product" in table:
        entry = _table(table["product"], f"{where}: product")
        _keys(entry, ("id", "title"), (), f"{where}: product")
        product = (
            _text(entry["id"], f"{where}: product: id"),
            _text(entry["title"], f"{where}: product: title"),
        )
        if product[0] != name:
            raise ValueError(f"{where}: product: id is {product[0]!r}, the file's name {name!r} expected")
    include = tuple(_list(table.get("include", []), f"{where}: include", _text))
    if include and product is None:
        raise ValueError(f"{where}: include: only the file of a product includes others")
    documents = {
        _text(title, f"{where}: documents"): tuple(_list(sections, f"{where}: documents: {title}", _text))
        for title, sections in _table(table.get("documents", {}), f"{where}: documents").items()
    }
    rules = tuple(_list(table.get("rule", []), f"{where}: rule", _rule))
    exclusions = tuple(_list(table.get("excluded", []), f"{where}: excluded", _exclusion))
    return Part(name, product, include, documents, rules, exclusions)


def assemble(parts: Sequence[Part]) -> Catalogue:
    """One catalogue of a product's part and those it includes after it. ValueError where they do not fit."""
    product = parts[0].product
    if product is None:
        raise ValueError(f"{parts[0].name}.toml: no [product], so it is no product's catalogue")
    for name in parts[0].include:
        if name not in [part.name for part in parts[1:]]:
            raise ValueError(f"{parts[0].name}.toml: include: there is no {name}.toml beside it")
    for part in parts[1:]:
        if part.product is not None:
            raise ValueError(
                f"{parts[0].name}.toml: include: {part.name}.toml is a product's own, not to be shared"
            )
    rules: dict[str, Rule] = {}
    sections: dict[str, set[str]] = {}
    for part in parts:
        for title, named in part.documents.items():
            sections.setdefault(title, set()).update(named)
    for part in parts:
        for rule in part.rules:
            if rule.id in rules:
                raise ValueError(
                    f"{part.name}.toml: {rule.id}: the id is taken; every rule has one of its own"
                )
            _known(rule.document, rule.section, sections, f"{part.name}.toml: {rule.id}")
            rules[rule.id] = rule
        for number, exclusion in enumerate(part.exclusions, start=1):
            _known(exclusion.document, exclusion.section, sections, f"{part.name}.toml: excluded {number}")
    if not rules:
        raise ValueError(f"{parts[0].name}.toml: no rules")
    return Catalogue(*product, MappingProxyType(rules), tuple(e for part in parts for e in part.exclusions))


def _rule(value: object, where: str) -> Rule:
    entry = _table(value, where)
    where = f"{where} ({entry['id']})" if isinstance(entry.get("id"), str) else where
    _keys(entry, _RULE_KEYS, ("reading", "clauses"), where)
    if not _ID.fullmatch(_text(entry["id"], f"{where}: id")):
        raise ValueError(
            f"{where}: id is {entry['id']!r}, capitals and a number such as KADU-RES-01 expected"
        )
    eras = tuple(_list(entry["eras"], f"{where}: eras", lambda era, at: _one_of(era, ERAS, at)))
    if not eras or list(eras) != [era for era in ERAS if era in eras]:
        raise ValueError(
            f"{where}: eras are {list(eras)}, at least one of {list(ERAS)}, once, in order expected"
        )
    return Rule(
        id=entry["id"],
        group=_text(entry["group"], f"{where}: group"),
        level=_one_of(entry["level"], LEVELS, f"{where}: level"),
        eras=eras,
        seat=_one_of(entry["seat"], SEATS, f"{where}: seat"),
        statement=_sentence(entry["statement"], f"{where}: statement"),
        reading=_text(entry["reading"], f"{where}: reading") if "reading" in entry else None,
        document=_text(entry["document"], f"{where}: document"),
        section=_text(entry["section"], f"{where}: section"),
        clauses=tuple(_list(entry.get("clauses", []), f"{where}: clauses", _clause)),
    )


def _clause(value: object, where: str) -> Clause:
    entry = _table(value, where)
    _keys(entry, ("level", "text"), (), where)
    return Clause(
        _one_of(entry["level"], LEVELS, f"{where}: level"), _sentence(entry["text"], f"{where}: text")
    )


def _exclusion(value: object, where: str) -> Exclusion:
    entry = _table(value, where)
    _keys(entry, ("document", "section", "sentence", "reason"), (), where)
    return Exclusion(**{key: _text(item, f"{where}: {key}") for key, item in entry.items()})


def _known(document: str, section: str, sections: dict[str, set[str]], where: str) -> None:
    if document not in sections:
        raise ValueError(f"{where}: document {document!r} is not in [documents]; known: {sorted(sections)}")
    if section not in sections[document]:
        known = sorted(sections[document])
        raise ValueError(f"{where}: {document!r} has no section {section!r} in [documents]; known: {known}")


def _keys(table: dict[str, Any], needed: Sequence[str], allowed: Sequence[str], where: str) -> None:
    missing = [key for key in needed if key not in table]
    unknown = [key for key in table if key not in needed and key not in allowed]
    if missing or unknown:
        wrong = [*(f"{key} is missing" for key in missing), *(f"{key} is no key of it" for key in unknown)]
        raise ValueError(f"{where}: {', '.join(wrong)}")


def _table(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: a table expected, not {value!r}")
    return value


def _list(value: object, where: str, item: Callable[[object, str], _T]) -> list[_T]:
    if not isinstance(value, list):
        raise ValueError(f"{where}: a list expected, not {value!r}")
    return [item(entry, f"{where} {number}") for number, entry in enumerate(value, start=1)]


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value or value != " ".join(value.split()):
        raise ValueError(
            f"{where}: text on one line, with single spaces only between words, expected, not {value!r}"
        )
    return value


def _sentence(value: object, where: str) -> str:
    text = _text(value, where)
    if len(text) > LONGEST_STATEMENT:
        raise ValueError(f"{where}: {len(text)} characters, at most {LONGEST_STATEMENT} expected")
    if not text.endswith(".") or _SECOND_SENTENCE.search(text):
        raise ValueError(f"{where}: one sentence with its full stop expected, not {text!r}")
    return text


def _one_of(value: object, choices: Sequence[_T], where: str) -> _T:
    for choice in choices:
        if value == choice:
            return choice
    raise ValueError(f"{where}: {value!r}, one of {list(choices)} expected")

"""Titles state facts: what is wrong with the title of a Feature, a Rule or a Scenario."""

import re
from collections.abc import Iterator
from unicodedata import normalize

TOO_LONG = 80
FEWEST_WORDS_OF_A_SENTENCE = 3

# Words that wish or announce a test where a fact belongs. A fact needs no "must": the rule's level says it.
_WISHES = {
    "en": (
        r"should(?:n't)?|ought to|must(?:n't)?|shall|verif(?:y|ies|ied|ying)|ensures?|make sure"
        r"|(?:test|check|assert|validate)s? (?:that|if|whether)"
    ),
    "pt": (
        r"dev(?:e|em|eria|eriam|erá|erão|erem)|verific(?:a|am|ar|amos)|garant(?:e|em|ir)|assegur(?:a|am|ar)"
        r"|(?:test|chec|confer|valid)(?:a|e|ar|ir) (?:que|se)"
    ),
    "es": (
        r"deb(?:e|en|ería|erían|erá|erán)|verific(?:a|an|ar|amos)|garantiz(?:a|an|ar)|asegur(?:a|an|ar)"
        r"|(?:prueba|probar|comprueba|comprobar|revisa|revisar|valida|validar) (?:que|si)"
    ),
}
_PATTERNS = {
    language: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for language, words in _WISHES.items()
}


def faults(kind: str, title: str, language: str) -> Iterator[str]:
    """What is wrong with the `title` of a `kind` ("Feature", …), in the Gherkin `language` of its file."""
    if not title:
        yield f"{kind} without a title: state the fact in under {TOO_LONG} characters"
        return
    if len(title) >= TOO_LONG:
        yield f"{kind} title of {len(title)} characters: under {TOO_LONG} expected"
    # A title may begin with a figure or with a column of its Examples; both stand for themselves.
    if not (title[0].isupper() or title[0].isdigit() or title[0] == "<"):
        yield f"{kind} title begins with {title[0]!r}: a capital letter expected"
    if title[-1] in ".!?:;,…":
        yield f"{kind} title ends in {title[-1]!r}: a fact without a mark at its end expected"
    pattern = _PATTERNS.get(language.split("-")[0])
    if pattern is not None and (found := pattern.search(normalize("NFC", title))):
        yield f"{kind} title says {found[0]!r}: say what is so, not what is wished or tested"


def sentence_faults(title: str) -> Iterator[str]:
    """What keeps the title of a Rule from being a sentence."""
    words = len(title.split())
    if title and words < FEWEST_WORDS_OF_A_SENTENCE:
        yield f"Rule title of {words} {'word' if words == 1 else 'words'}: a declarative sentence expected"

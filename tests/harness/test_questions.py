"""How a form's yes is learned, whatever words and types a server chose."""

from typing import Any

import pytest

from harness.checks.questions import UnknownWords, missing_arguments, read_question
from harness.checks.words import FALSE, NO, NO_ALONE, TRUE, YES, YES_ALONE
from harness.exchanges import Exchange
from harness.verdicts import RuleBroken
from tests.harness.answers import answered


def titled(options: dict[str, str]) -> dict[str, Any]:
    return {"type": "string", "oneOf": [{"const": value, "title": title} for value, title in options.items()]}


def asking(properties: dict[str, Any], **params: Any) -> Exchange:
    form = {"type": "object", "properties": properties}
    asked = {"method": "elicitation/create", "params": {"message": "Run?", "requestedSchema": form, **params}}
    return answered({"resultType": "input_required", "inputRequests": {"q": asked}, "requestState": "s"})


@pytest.mark.parametrize(
    ("form", "yes", "no"),
    [
        ({"type": "boolean"}, True, False),
        ({"type": "string", "enum": ["yes", "no"]}, "yes", "no"),
        ({"type": "string", "enum": ["Não", "Sim, executar"]}, "Sim, executar", "Não"),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["Yes", "No"]}, "a", "b"),
        (
            {
                "type": "string",
                "oneOf": [{"const": "1", "title": "Aprovar"}, {"const": "2", "title": "Recusar"}],
            },
            "1",
            "2",
        ),
        ({"type": "string", "enum": ["go-ahead", "cancel"]}, "go-ahead", "cancel"),
        ({"type": "string", "enum": ["Do not run", "Run"]}, "Run", "Do not run"),
        ({"type": "string", "enum": ["Execute", "Abort"]}, "Execute", "Abort"),
        ({"type": "string", "enum": ["allow", "block"]}, "allow", "block"),
        ({"type": "string", "enum": ["Não", "Sim (não há volta)"]}, "Sim (não há volta)", "Não"),
        ({"type": "string", "enum": ["Voltar sem executar", "Executar"]}, "Executar", "Voltar sem executar"),
        ({"type": "string", "enum": ["nein", "ja"]}, "ja", "nein"),
        ({"type": "string", "enum": ["Ausführen", "Abbrechen"]}, "Ausführen", "Abbrechen"),
        ({"type": "string", "enum": ["Ne pas exécuter", "Exécuter"]}, "Exécuter", "Ne pas exécuter"),
        ({"type": "string", "enum": ["N'exécuter rien", "Exécuter"]}, "Exécuter", "N'exécuter rien"),
        ({"type": "string", "enum": ["Sì, esegui", "No, annulla"]}, "Sì, esegui", "No, annulla"),
        ({"type": "string", "enum": ["Nee", "Ja, uitvoeren"]}, "Ja, uitvoeren", "Nee"),
        ({"type": "string", "enum": ["Tak", "Nie"]}, "Tak", "Nie"),
        ({"type": "string", "enum": ["S", "N"]}, "S", "N"),
        ({"type": "integer", "enum": [0, 1]}, 1, 0),
        (titled({"option_1": "Nein, nichts tun", "option_2": "Ja, ausführen"}), "option_2", "option_1"),
        (titled({"0": "Ja", "1": "Nein"}), "0", "1"),
        (titled({"no": "Ja", "yes": "Nein"}), "no", "yes"),
        (titled({"yes": "Igen", "no": "Nem"}), "yes", "no"),
    ],
)
def test_yes_and_no_are_learned(form: dict[str, Any], yes: Any, no: Any) -> None:
    question = read_question(asking({"anything": form}))
    assert (question.property, question.yes, question.no) == ("anything", yes, no)
    assert question.explicit_yes() == {"q": {"action": "accept", "content": {"anything": yes}}}


@pytest.mark.parametrize(
    "exchange",
    [
        answered({"resultType": "complete", "content": []}),
        asking({"a": {"type": "boolean"}, "b": {"type": "boolean"}}),
        asking({"a": {"type": "string"}}),
        asking({"a": {"type": "string", "enum": ["red", "blue", "green"]}}),
        asking({"a": {"type": "string", "enum": ["red", "red"]}}),
        asking({"a": {"type": "string", "enum": ["yes"]}}),
        asking({"a": {"type": "boolean"}}, mode="url"),
        answered({"resultType": "input_required", "inputRequests": {}}),
        answered({"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}}),
        answered({"resultType": "input_required", "inputRequests": "yes?"}),
    ],
)
def test_what_is_no_question_of_yes_or_no_breaks_the_rule(exchange: Exchange) -> None:
    with pytest.raises(RuleBroken):
        read_question(exchange)


@pytest.mark.parametrize(
    "form",
    [
        {"type": "string", "enum": ["igen", "nem"]},
        {"type": "string", "enum": ["option_0", "option_1"]},
        {"type": "string", "enum": ["1", "2"]},
        titled({"0": "Igen", "1": "Nem"}),
        titled({"a": "Leave it", "b": "Run it, no undo"}),
        titled({"a": "Leave it", "b": "Cancel the execution"}),
        # A word that is known does not begin it: what is said of the other is a guess.
        {"type": "string", "enum": ["Deixar como está, sim", "Apagar"]},
    ],
)
def test_two_options_in_unknown_words_are_to_be_tried(form: dict[str, Any]) -> None:
    exchange = asking({"a": form})
    with pytest.raises(UnknownWords) as unknown:
        read_question(exchange)
    one, other = unknown.value.values
    found = read_question(exchange, (other, one))
    assert (found.yes, found.no) == (other, one)
    with pytest.raises(UnknownWords):
        read_question(exchange, ("another", "form"))


def test_arguments_may_be_told_in_a_readers_words() -> None:
    arguments = {"id": "2F1C", "reference_date": "2026-10-30", "dry": False, "tags": ["a", "b"], "limit": 3}
    assert missing_arguments("Rodar 2f1c em 30/10/2026 (dry: não), tags a e b, até 3", arguments) == []
    assert missing_arguments("Rodar 2f1c, tags a", arguments) == ["reference_date", "dry", "tags[1]", "limit"]


@pytest.mark.parametrize(
    "told", ["123456", "123.456", "123,456", "123 456", "123\u202f456", "123'456", "R$ 1.234,56"]
)
def test_a_number_may_be_told_with_its_figures_apart(told: str) -> None:
    assert missing_arguments(f"Rodar, até {told} na conta", {"limits": {"cents": 123456}}) == []


def test_what_stands_inside_of_an_argument_has_to_be_told_as_well() -> None:
    arguments = {"id": "2f1c", "parameters": {"bank": "Itaú", "cents": 123456}}
    assert missing_arguments("Rodar 2f1c, até 12 mil no Itau", arguments) == [
        "parameters.bank",
        "parameters.cents",
    ]


@pytest.mark.parametrize("word", ["true", "sim", "ja", "oui", "sì", "tak", "vero"])
def test_a_boolean_may_be_told_in_any_known_language(word: str) -> None:
    assert missing_arguments(f"Dry: {word}.", {"dry": True}) == []
    assert missing_arguments(f"Dry: {word}.", {"dry": False}) == ["dry"]
    assert missing_arguments(f"Dry: x{word}x.", {"dry": True}) == ["dry"]


def test_no_word_is_a_yes_in_one_language_and_a_no_in_another() -> None:
    assert not (YES | YES_ALONE) & (NO | NO_ALONE)
    assert not TRUE & FALSE

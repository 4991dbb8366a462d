"""How a form's yes is learned, whatever words and types a server chose."""

from typing import Any

import pytest

from harness.checks.questions import missing_arguments, read_question
from harness.exchanges import Exchange
from harness.verdicts import RuleBroken
from tests.harness.answers import answered


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
        (
            {
                "type": "string",
                "oneOf": [{"const": "a", "title": "Leave it"}, {"const": "b", "title": "Run it, no undo"}],
            },
            "b",
            "a",
        ),
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
        asking({"a": {"type": "string", "enum": ["red", "blue"]}}),
        asking({"a": {"type": "boolean"}}, mode="url"),
        answered({"resultType": "input_required", "inputRequests": {}}),
        answered({"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}}),
        answered({"resultType": "input_required", "inputRequests": "yes?"}),
    ],
)
def test_what_is_no_question_of_yes_or_no_breaks_the_rule(exchange: Exchange) -> None:
    with pytest.raises(RuleBroken):
        read_question(exchange)


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

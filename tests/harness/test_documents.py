"""What is read of documents and their addresses, whatever stands around it."""

from typing import Any

import pytest

from harness.checks.documents import holds_records, is_about_files, same_records

TASK = {"id": "t", "name": "Close", "tags": []}
OTHER = {"id": "o", "name": "Open"}
RUN = {"id": "e", "status": "done", "result": {"id": "r", "lines": 3}}
CATALOGUE = {"playbooks": ["monthly"], "skills": []}


def enveloped(content: Any) -> dict[str, Any]:
    return {"id": "kobana://kadu/x", "kind": "x", "content": content}


@pytest.mark.parametrize(
    "answered", [TASK, RUN, [TASK, OTHER], {"data": [TASK, OTHER]}, {"data": []}, CATALOGUE]
)
def test_a_document_is_the_same_in_any_envelope(answered: Any) -> None:
    bare = answered.get("data", answered) if isinstance(answered, dict) else answered
    for held in (answered, bare, {"version": 1, "content": bare}, enveloped(bare), enveloped(answered)):
        assert same_records(held, answered)


def test_records_may_each_be_in_an_envelope() -> None:
    assert same_records({"data": [enveloped(TASK), enveloped(OTHER)]}, [OTHER, TASK])


@pytest.mark.parametrize(
    ("held", "answered"),
    [
        (OTHER, TASK),
        ({"id": "t", "name": "Close"}, TASK),
        (enveloped(OTHER), TASK),
        (enveloped({"id": "t"}), TASK),
        # A part of a record is not the record, and a record that holds another is not that one.
        (RUN["result"], RUN),
        ({**RUN, "result": None}, RUN),
        ({**RUN, "status": "failed"}, RUN),
        ({"id": "f", "result": RUN["result"]}, RUN),
        # None too many, none too few, none in another member.
        (enveloped([TASK]), [TASK, OTHER]),
        (enveloped([TASK, OTHER, RUN]), [TASK, OTHER]),
        ({**enveloped([TASK]), "more": [OTHER]}, [TASK]),
        ([], [TASK]),
        (enveloped([]), [TASK]),
        # A record with an empty list is no empty list.
        ([TASK], {"data": []}),
        ({"data": [TASK]}, {"data": []}),
        ({"data": [{}]}, {"data": []}),
        ([], {}),
        (TASK, "Close"),
        ([], CATALOGUE),
        (enveloped([TASK]), {"data": []}),
        (enveloped({**CATALOGUE, "skills": ["sums"]}), CATALOGUE),
    ],
)
def test_another_document_is_not_the_same(held: Any, answered: Any) -> None:
    assert not same_records(held, answered)


def test_who_one_is_may_be_told_in_an_envelope() -> None:
    whole = {"person": TASK, "organization": OTHER, "permissions": []}
    assert holds_records({"person": TASK, "organization": OTHER}, whole)
    assert holds_records(enveloped({"person": TASK, "organization": OTHER}), whole)
    assert not holds_records(enveloped({"person": {**TASK, "name": "x"}, "organization": OTHER}), whole)
    assert not holds_records(enveloped({}), whole)


@pytest.mark.parametrize(
    "uri",
    [
        "kobana://kadu/files",
        "kobana://kadu/files/{id}",
        "kobana://kadu/executions/{id}/file",
        "kobana://kadu/execution_files",
        "kobana://kadu/taskFiles/{fileId}",
        "kobana://kadu/FILES",
        "kobana://kadu/arquivos/{id}",
        "file:///etc/hosts",
    ],
)
def test_an_address_with_the_word_is_about_files(uri: str) -> None:
    assert is_about_files(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "https://kadu.ia.br/profile",
        "https://kadu.ia.br/userProfile",
        "kobana://kadu/profiles/{profile_id}",
        "kobana://kadu/me",
        "",
    ],
)
def test_a_word_that_holds_those_letters_is_not(uri: str) -> None:
    assert not is_about_files(uri)

"""What is read of documents and their addresses, whatever stands around it."""

import pytest

from harness.checks.documents import is_about_files


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

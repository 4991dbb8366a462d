"""What a server under test gets to see of our environment."""

from harness.runner.environment import free_port, subject_environment

SECRET = "the-control-secret"


def environment(**inherited: str) -> dict[str, str]:
    return subject_environment(
        inherited,
        secrets=[SECRET],
        variable="KADU_API_URL",
        api_url="http://127.0.0.1:1",
        host="127.0.0.1",
        port=2,
    )


def test_a_server_is_told_where_the_api_is_and_where_to_listen():
    assert environment(PATH="/bin") == {
        "PATH": "/bin",
        "KADU_API_URL": "http://127.0.0.1:1",
        "HOST": "127.0.0.1",
        "PORT": "2",
    }


def test_what_we_say_stands_over_what_was_inherited():
    assert environment(KADU_API_URL="http://real", PORT="80")["KADU_API_URL"] == "http://127.0.0.1:1"


def test_nothing_of_the_control_plane_is_inherited():
    names = (
        "MOCK_CONTROL_SECRET",
        "MOCK_CONTROL_URL",
        "KADU_CONFORMANCE_X",
        "PYTEST_ADDOPTS",
        "REFERENCE_STATE_KEY",
    )
    assert not environment(**dict.fromkeys(names, "x")).keys() & set(names)


def test_a_secret_under_any_name_is_not_inherited():
    assert "MY_OWN" not in environment(MY_OWN=f"Bearer {SECRET}")


def test_a_free_port_is_one_that_can_be_had():
    assert 0 < free_port() < 65536

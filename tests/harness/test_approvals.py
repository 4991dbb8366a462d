"""What an answer that waits for an approval has to say, in whatever words a server says it."""

from datetime import UTC, datetime

import pytest

from harness.checks.approvals import Approval, expect_expiry, expect_instructions
from harness.exchanges import Exchange, HttpAnswer, HttpRequest
from harness.verdicts import RuleBroken

NOW = datetime(2026, 11, 30, 15, 0, 0, tzinfo=UTC)
EXCHANGE = Exchange(
    1, "client", "tools/call", HttpRequest("POST", "http://x/", ()), HttpAnswer(200, (), b""), None, 0.0
)


def approval(expires_at: str = "2026-11-30T15:15:00Z", message: str = "") -> Approval:
    return Approval("id", "https://console.example/approvals/abc", expires_at, "kobana://x/y", None, message)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T15:15:00Z",
        "2026-11-30t15:15:00z",
        "2026-11-30T12:15:00.000000-03:00",
        "2026-11-30T15:14:59.500+00:00",
    ],
)
def test_any_spelling_of_rfc_3339_is_taken(text: str) -> None:
    expect_expiry(approval(text), EXCHANGE, NOW, 15, 2.0)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T15:05:00Z",
        "2026-11-30T15:30:00Z",
        "20261130T151500Z",
        "2026-11-30T15:15Z",
        "2026-11-30T15:15:00",
        "soon",
        "2026-13-30T15:15:00Z",
    ],
)
def test_another_time_or_another_form_breaks_the_rule(text: str) -> None:
    with pytest.raises(RuleBroken):
        expect_expiry(approval(text), EXCHANGE, NOW, 15, 2.0)


@pytest.mark.parametrize(
    "message",
    [
        "Show this URL to the user. Do not call the tool again.",
        "Hand this address to the user. Do not repeat the call.",
        "Open https://console.example/approvals/abc with the user; never call it twice",
        "Mostre o link ao usuário. Não chame a tool de novo.",
        "Muestre esta dirección al usuario. No vuelva a llamar a la herramienta.",
        "Zeigen Sie der Person diese Adresse – rufen Sie das Werkzeug nicht noch einmal auf.",
        "Bitte diesen Link zeigen und den Aufruf nicht wiederholen.",
        "Montrez ce lien à la personne. Ne rappelez pas l'outil.",
        "Montrez cette adresse. N'appelez plus l'outil.",
        "Mostri questo indirizzo alla persona. Non richiamare lo strumento.",
    ],
)
def test_a_message_that_says_both_is_taken(message: str) -> None:
    expect_instructions(approval(message=message), EXCHANGE)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Do not worry, the link is on its way.",
        "No link? Then wait. Call the tool again.",
        "Show this URL.",
        "Do not call again.",
        "Keine Sorge, der Link ist unterwegs.",
        "Zeigen Sie diesen Link. Rufen Sie das Werkzeug danach wieder auf.",
        "Das Werkzeug nicht noch einmal aufrufen.",
        "Ne rappelez pas l'outil, cher client.",
        "Mostri questo indirizzo alla persona. Poi richiamare lo strumento.",
    ],
)
def test_a_message_that_leaves_one_out_is_not(message: str) -> None:
    with pytest.raises(RuleBroken):
        expect_instructions(approval(message=message), EXCHANGE)

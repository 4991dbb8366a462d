"""Waiting when the server itself asks for it: HTTP 429 with Retry-After (RFC 9110, section 10.2.3)."""

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Final

from harness import clock
from harness.exchanges import HttpAnswer, HttpRequest
from harness.transport import BODY_LIMIT, Sent, Transport

TOO_MANY_REQUESTS: Final = 429
TRIES: Final = 5


def send_patiently(
    transport: Transport,
    built: HttpRequest,
    *,
    timeout: float,
    answers_id: int | str | None,
    put_off: Callable[[Sent], None] = lambda sent: None,
    body_limit: int = BODY_LIMIT,
) -> Sent:
    """Send a request, and again where the server says when: all within `timeout` seconds, waits included.

    `put_off` is told of every answer that was not the last. What asks for more time than is left is the answer.
    """
    deadline = clock.monotonic() + timeout
    sent = transport.send(built, timeout=timeout, answers_id=answers_id, body_limit=body_limit)
    for _ in range(TRIES - 1):
        seconds = asked_to_wait(sent.answer)
        if seconds is None or clock.monotonic() + seconds >= deadline:
            break
        put_off(sent)
        clock.pause(seconds)
        left = deadline - clock.monotonic()
        sent = transport.send(built, timeout=left, answers_id=answers_id, body_limit=body_limit)
    return sent


def asked_to_wait(answer: HttpAnswer | None) -> float | None:
    """The seconds that an answer asks to wait; None where it asks for nothing that can be understood."""
    told = None if answer is None or answer.status != TOO_MANY_REQUESTS else answer.header("retry-after")
    if told is None:
        return None
    if told.isascii() and told.isdigit():
        return float(told)
    try:
        moment = parsedate_to_datetime(told)
    except ValueError:
        return None
    return None if moment.tzinfo is None else max(0.0, (moment - clock.now()).total_seconds())

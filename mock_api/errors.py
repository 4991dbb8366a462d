"""Errors as the two listeners answer them, and the mistakes that keep the mock from starting."""

from typing import Any

from mock_api.calls import Refusal

TITLES = {
    "bad_request": "The request cannot be read",
    "unauthorized": "The token is not valid",
    "forbidden": "The caller may not do this",
    "not_found": "Nothing is here",
    "method_not_allowed": "The method is not offered here",
    "payload_too_large": "The body is too large",
    "unprocessable_entity": "The arguments are not valid",
    "confirmation_required": "A person has to confirm",
    "confirmation_replayed": "The confirmation was used before",
    "idempotency_key_reused": "The idempotency key stands for another request",
    "idempotency_request_in_progress": "The first request is still running",
    "unavailable": "The service is not available now",
    "outside_contract": "The mock's own answer breaks its contract",
}


class Mistake(Exception):
    """The mock cannot start or load its contract; the text is one sentence for whoever started it."""


class Invalid(Refusal):
    """A refusal with several details, one for each field that is wrong."""

    def __init__(self, status: int, code: str, details: list[str]) -> None:
        super().__init__(status, code, details[0])
        self.details = details


def details_of(refusal: Refusal) -> list[str]:
    """Every detail of a refusal."""
    return refusal.details if isinstance(refusal, Invalid) else [refusal.detail]


def problem(refusal: Refusal) -> dict[str, Any]:
    """The body of an error of the public API: status, and one item for each detail."""
    title = TITLES.get(refusal.code, refusal.code.replace("_", " ").capitalize())
    errors = [{"title": title, "code": refusal.code, "detail": detail} for detail in details_of(refusal)]
    return {"status": refusal.status, "errors": errors}


def control_problem(code: str, message: str) -> dict[str, Any]:
    """The body of an error of the control plane."""
    return {"error": {"code": code, "message": message}}

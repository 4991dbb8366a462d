"""What stands between a destructive call and its running: a person, in the chat or by a link."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plain.approval import READER, REGISTER, announcement, order
from plain.confirmation import (
    ANSWER_KEY,
    FORMS,
    LIFETIME,
    Form,
    Said,
    Subject,
    Ticket,
    decision,
    question,
    seal,
    subject,
    unseal,
)
from plain.contract import Operation
from plain.envelope import INVALID_PARAMS, Fault, Request
from plain.results import refused_in_words, succeeded, translated
from plain.service import Caller, Reply, Service
from plain.upstream import Answer, Unreachable

CONFIRMATIONS = "/v1/confirmations"
ID = "{id}"
# KADU-CNF-05: what is no clear answer is refused, asked again or invalid, each kind as it was chosen
CHOSEN: Mapping[Said, str] = {
    "no": "explicit_no",
    "unclear": "unclear_answer",
    "malformed": "malformed_answer",
}


@dataclass(frozen=True)
class Matter:
    """A destructive call, who makes it, what a yes to it is good for, and the state that came with it, if it fits."""

    service: Service
    caller: Caller
    request: Request
    operation: Operation
    arguments: Mapping[str, Any]
    about: Subject
    ticket: Ticket | None

    @property
    def form(self) -> Form:
        """How the question is put here."""
        return FORMS[self.service.choices.of("form")]


async def stopped_by_people(
    service: Service, caller: Caller, request: Request, operation: Operation, arguments: Mapping[str, Any]
) -> Reply | None:
    """The reply that stands instead of running; None where nobody has to agree, or once a person did."""
    if not operation.may_destroy:
        return None
    matter = _matter(service, caller, request, operation, arguments)
    # KADU-CNF-12: a confirmed call sent again finds the field changed; it stays a confirmed call
    if not operation.always_destructive and (matter.ticket is None or not _fresh(matter)):
        needed = await _changes_watched(service, caller, operation, arguments)
        if isinstance(needed, Reply):
            return needed
        if not needed:
            return None
    if caller.me.person is None and not (
        request.shows_forms and service.choices.of("nobody_with_forms") == "asked"
    ):
        # KADU-UNA-01
        return refused_in_words("confirmation_required", "nobody stands behind this token who could agree.")
    if not request.shows_forms:
        return await _by_link(service, caller, operation, arguments)
    return await _in_the_chat(matter)


def _matter(
    service: Service, caller: Caller, request: Request, operation: Operation, arguments: Mapping[str, Any]
) -> Matter:
    me = caller.me
    about = subject(operation.name, arguments, me.person or "", me.organization)
    ticket = None
    if request.shows_forms:
        state = _seal_brought(request, service)
        if not isinstance(state, str | None):
            raise Fault(INVALID_PARAMS, "requestState must be text.")
        if service.choices.stands("other_token") == "asked":
            about = subject(operation.name, arguments, f"{me.person} by {caller.token}", me.organization)
        ticket = None if state is None else unseal(service.secret, state, about)
    return Matter(service, caller, request, operation, arguments, about, ticket)


def _seal_brought(request: Request, service: Service) -> Any:
    """The seal of the question that is answered, from where it was handed out."""
    if service.choices.stands("seal") == "state":
        return request.params.get("requestState")
    answers = request.params.get("inputResponses")
    return next(iter(answers), None) if isinstance(answers, dict) else None


def _answers_brought(request: Request, service: Service) -> Any:
    answers = request.params.get("inputResponses")
    if service.choices.stands("seal") == "state" or not isinstance(answers, dict) or not answers:
        return answers
    return {ANSWER_KEY: next(iter(answers.values()))}


def _fresh(matter: Matter) -> bool:
    return matter.ticket is not None and matter.ticket.fresh(matter.caller.me.now)


async def _changes_watched(
    service: Service, caller: Caller, operation: Operation, arguments: Mapping[str, Any]
) -> bool | Reply:
    """KADU-DST-05: whether the watched field gets another value; the refusal where there is no record."""
    if operation.watched is None or operation.watched not in arguments:
        return False
    reader = service.contract.readers.get(operation.path)
    if reader is None or not caller.me.may_run(reader):
        return True
    current = await service.upstream.run(caller.token, reader, arguments)
    if current.status == 404:
        return translated(operation, current)
    if not current.succeeded or not isinstance(current.body, dict):
        return True
    return bool(current.body.get(operation.watched) != arguments[operation.watched])


async def _in_the_chat(matter: Matter) -> Reply | None:
    ticket, choices = matter.ticket, matter.service.choices
    said = decision(_answers_brought(matter.request, matter.service), matter.form)
    if said == "malformed" and choices.of("malformed_answer") == "invalid":
        raise Fault(INVALID_PARAMS, "inputResponses is no answer to a form.")
    if ticket is None or not _fresh(matter):
        if ticket is not None and said == "yes" and choices.of("used_and_expired") == "replayed":
            return await _asked_unless_used(matter, ticket)
        return await _asked(matter)
    if said == "yes":
        return await _used_up(matter, ticket)
    side = "declined" if said == "declined" else choices.of(CHOSEN[said])
    if side == "invalid":
        raise Fault(INVALID_PARAMS, "That is neither a yes nor a no.")
    if side == "question":
        return await _asked(matter)
    # KADU-CNF-04
    return refused_in_words("USER_DECLINED", "the person did not agree. Nothing was run.")


async def _asked(matter: Matter) -> Reply:
    """KADU-CNF-01, KADU-CNF-11: ask, or ask again."""
    service, caller, choices = matter.service, matter.caller, matter.service.choices
    if choices.stands("missing_record") == "not_found":
        missing = await _missing(matter)
        if missing is not None and choices.of("missing_record"):
            return missing
    if choices.stands("register_down_at_question") == "unavailable":
        answer = await _registered(matter, Ticket(secrets.token_hex(16), caller.me.now + LIFETIME))
        if (answer is None or not answer.succeeded) and choices.of("register_down_at_question"):
            return _unavailable()
    sealed = seal(service.secret, matter.about, caller.me.now)
    in_key = choices.of("seal") == "key"
    form = question(matter.operation, matter.arguments, matter.form, choices)
    asked: dict[str, Any] = {"inputRequests": {sealed if in_key else ANSWER_KEY: form}}
    return Reply(asked if in_key else asked | {"requestState": sealed}, kind="input_required")


async def _missing(matter: Matter) -> Reply | None:
    """That the record is not there, as far as the caller may see."""
    path = matter.operation.path.partition(ID)[0]
    reader = matter.service.contract.readers.get(path + ID)
    if reader is None or not matter.caller.me.may_run(reader):
        return None
    answer = await matter.service.upstream.run(matter.caller.token, reader, matter.arguments)
    return translated(matter.operation, answer) if answer.status == 404 else None


async def _asked_unless_used(matter: Matter, ticket: Ticket) -> Reply:
    """KADU-CNF-12: of a yes that came too late, whether it was used in its time."""
    answer = await _registered(matter, ticket)
    return _replayed() if answer is not None and answer.status == 409 else await _asked(matter)


async def _used_up(matter: Matter, ticket: Ticket) -> Reply | None:
    """KADU-CNF-12, 13: the register upstream takes a nonce once. First registered, then run."""
    answer = await _registered(matter, ticket)
    if answer is not None and answer.status == 201:
        return None
    return _replayed() if answer is not None and answer.status == 409 else _unavailable()


async def _registered(matter: Matter, ticket: Ticket) -> Answer | None:
    note = {
        "nonce": ticket.nonce,
        "operation": matter.operation.name,
        "expires_at": ticket.expires.isoformat(),
    }
    try:
        return await matter.service.upstream.ask(matter.caller.token, "POST", CONFIRMATIONS, body=note)
    except Unreachable:
        return None


def _replayed() -> Reply:
    return refused_in_words(
        "confirmation_replayed", "this yes was used before. To repeat it, call the tool anew."
    )


def _unavailable() -> Reply:
    # KADU-UNA-03
    return refused_in_words(
        "confirmation_unavailable", "the yes cannot be recorded just now. Try again later."
    )


async def _by_link(
    service: Service, caller: Caller, operation: Operation, arguments: Mapping[str, Any]
) -> Reply:
    """KADU-APR-01, 04: stored upstream instead of run; every call makes another approval."""
    try:
        answer = await service.upstream.ask(caller.token, "POST", REGISTER, body=order(operation, arguments))
    except Unreachable:
        answer = None
    if answer is not None and 400 <= answer.status < 500 and answer.status != 429:
        # what the API would refuse to run, it refuses to store
        return translated(operation, answer)
    reader = service.contract.operations.get(READER)
    may_check = reader is not None and caller.me.may_run(reader)
    told = announcement(answer.body, may_check) if answer is not None and answer.succeeded else None
    if told is not None and may_check and service.choices.of("check_with") == "with_advice":
        told["approval"]["check_with"]["when"] = "once the user says that it is decided"
    if told is None:
        # KADU-UNA-02
        return refused_in_words(
            "confirmation_unavailable", "the approval cannot be stored just now. Try again later."
        )
    return succeeded(told)

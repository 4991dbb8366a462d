"""An HTTP answer as the protocol means it: the message that answers, what came with it, what is wrong."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from harness.exchanges import HttpAnswer
from harness.wire.json_text import parse
from harness.wire.sse import SseParser

RequestId = int | str
Message = dict[str, Any]

_SUBSCRIPTION = "subscriptions/listen"
_COMPLAINTS = 20
_MESSAGES = 1000
_NOT_WHOLE = "the body is not whole"


@dataclass(frozen=True)
class Reading:
    """What an answer says.

    `message` is the JSON-RPC response to the request, None where there is none. `others` are further messages
    in the order they came: notifications, requests, responses to something else. `malformed` lists, one
    sentence each, what is not as the protocol wants it.
    """

    message: Message | None
    others: tuple[Message, ...] = ()
    malformed: tuple[str, ...] = ()


def media_type(answer: HttpAnswer) -> str:
    """The media type of an answer in lower case, without parameters; empty where none is given."""
    return (answer.header("content-type") or "").partition(";")[0].strip().lower()


def read(method: str | None, id: RequestId | None, answer: HttpAnswer) -> Reading:
    """Read the answer to the request `method` with `id` (None: a notification, or no id that can be read).

    JSON or server-sent events, as the content type says. Ids compare by type too: 1 is neither "1" nor true.
    An HTTP error needs no JSON-RPC body, so its absence is no complaint; an error response without an id
    answers a request that was refused by HTTP. Never raises.
    """
    reader = _Reader(id, answer.status)
    if media_type(answer) == "text/event-stream":
        _read_events(reader, method, answer)
    elif answer.body.strip():
        _read_json(reader, answer)
    silent = not reader.malformed and reader.message is None
    if silent and answer.status < 400 and id is not None and method != _SUBSCRIPTION:
        reader.complain(
            f"nothing answers {method or 'the request'} with id {_shown(id)} (HTTP {answer.status})"
        )
    return Reading(reader.message, tuple(reader.others), tuple(dict.fromkeys(reader.malformed))[:_COMPLAINTS])


def answers(message: Any, id: RequestId | None) -> bool:
    """Whether a message is the response to the request with that id, by type too (None: without an id)."""
    if (
        not isinstance(message, dict)
        or not ("result" in message or "error" in message)
        or "method" in message
    ):
        return False
    return same_id(message.get("id"), id)


def same_id(one: Any, other: Any) -> bool:
    """Whether two ids are the same, by type too: 1 is neither "1" nor true nor 1.0."""
    return type(one) is type(other) and bool(one == other)


class Watch:
    """Looks on while a stream of events comes in, and tells when the answer to a request has come."""

    def __init__(self, id: RequestId) -> None:
        self._id = id
        self._parser = SseParser()
        self.seen = False

    def feed(self, chunk: bytes) -> bool:
        """Takes the next bytes of the body; true once the answer is among what came so far."""
        for event in self._parser.feed(chunk):
            message = parse(event.data.encode("utf-8", "replace")).value
            if answers(message, self._id) or (answers(message, None) and "error" in message):
                self.seen = True
        return self.seen


@dataclass
class _Reader:
    id: RequestId | None
    status: int
    message: Message | None = None
    others: list[Message] = field(default_factory=list)
    malformed: list[str] = field(default_factory=list)

    def complain(self, sentence: str) -> None:
        if len(self.malformed) < _COMPLAINTS:
            self.malformed.append(sentence)

    def take(self, value: Any) -> None:
        """Sort one parsed JSON value in."""
        if isinstance(value, list):
            self.complain("the answer is a batch, an array of messages")
        elif not isinstance(value, dict):
            self.complain(f"the message is no object but {_kind(value)}")
        elif "method" in value:
            self._take_call(value)
        else:
            self._take_response(value)

    def _take_call(self, message: Message) -> None:
        self.others.append(message)
        for complaint in _call_complaints(message):
            self.complain(complaint)

    def _take_response(self, message: Message) -> None:
        for complaint in _response_complaints(message):
            self.complain(complaint)
        if not ("result" in message or "error" in message):
            self.others.append(message)
            return
        if not self._is_mine(message):
            self.others.append(message)
        elif self.message is None:
            self.message = message
        else:
            self.others.append(message)
            self.complain(f"the request with id {_shown(self.id)} is answered twice")

    def _is_mine(self, message: Message) -> bool:
        given = message.get("id")
        if given is None and "error" in message:
            # MCP, streamable HTTP: the body of an HTTP error may be an error response that has no id.
            if self.id is not None and self.status < 400:
                self.complain(f"an error comes without the id {_shown(self.id)} of its request")
            return True
        if given is None:
            self.complain("a result comes without an id")
            return False
        if same_id(given, self.id):
            return True
        if self.id is None:
            self.complain(f"a response carries the id {_shown(given)} though no request did")
        else:
            self.complain(f"a response carries the id {_shown(given)}, the request carried {_shown(self.id)}")
        return False


def _read_json(reader: _Reader, answer: HttpAnswer) -> None:
    declared = media_type(answer) == "application/json"
    refused = answer.status >= 400
    if answer.cut:
        reader.complain(_NOT_WHOLE)
        return
    if not declared and not refused:
        reader.complain(f"the content type is {media_type(answer)[:80] or 'not given'}, not application/json")
    if refused and not declared and not answer.body.lstrip().startswith(b"{"):
        return
    parsed = parse(answer.body)
    # An HTTP error may come with a body of another kind: a word, a page, an OAuth error.
    if refused and not _speaks_json_rpc(parsed.value):
        if declared and not parsed.readable:
            reader.malformed.extend(parsed.notes)
        return
    reader.malformed.extend(parsed.notes)
    if parsed.readable:
        reader.take(parsed.value)


def _read_events(reader: _Reader, method: str | None, answer: HttpAnswer) -> None:
    parser = SseParser()
    for event in parser.feed(answer.body):
        if len(reader.others) >= _MESSAGES:
            reader.complain(f"more than {_MESSAGES} messages come with the answer")
            return
        # An empty event only primes a reconnection; other types of event carry no messages.
        if event.type != "message" or not event.data:
            continue
        if not event.utf8:
            reader.complain("the bytes of an event are not UTF-8")
        parsed = parse(event.data.encode("utf-8", "replace"))
        for note in parsed.notes:
            reader.complain(note)
        if parsed.readable:
            reader.take(parsed.value)
    if parser.too_large:
        reader.complain("an event is too large to be read")
    elif answer.cut and method == _SUBSCRIPTION:
        # RES-10: such a stream stays open until it is left, and it was we who left it.
        return
    elif reader.message is None and answer.cut:
        reader.complain(_NOT_WHOLE)
    elif reader.message is None and parser.unfinished:
        reader.complain("the stream ends within an event: the empty line after it is missing")


def _speaks_json_rpc(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and "jsonrpc" in value)


def _call_complaints(message: Message) -> Iterator[str]:
    yield from _version_complaints(message)
    if not isinstance(message["method"], str):
        yield f"a method is no string but {_kind(message['method'])}"
    if "result" in message or "error" in message:
        yield "a message has a method and a result or error"
    if "params" in message and not isinstance(message["params"], dict):
        yield f"the params of a message are no object but {_kind(message['params'])}"
    if "id" in message and not _is_id(message["id"]):
        yield f"the id of a request is neither string nor integer but {_kind(message['id'])}"


def _response_complaints(message: Message) -> Iterator[str]:
    yield from _version_complaints(message)
    if "result" not in message and "error" not in message:
        yield "a message has neither method nor result nor error"
    elif "result" in message and "error" in message:
        yield "a response has both result and error"
    elif "result" in message:
        if not isinstance(message["result"], dict):
            yield f"the result is no object but {_kind(message['result'])}"
    else:
        yield from _error_complaints(message["error"])
    given = message.get("id")
    if given is not None and not _is_id(given):
        yield f"the id of a response is neither string nor integer but {_kind(given)}"


def _error_complaints(error: Any) -> Iterator[str]:
    if not isinstance(error, dict):
        yield f"the error is no object but {_kind(error)}"
        return
    code = error.get("code")
    whole = isinstance(code, int) or (isinstance(code, float) and code.is_integer())
    if isinstance(code, bool) or not whole:
        yield "the error has no integer code"
    if not isinstance(error.get("message"), str):
        yield "the error has no message text"


def _version_complaints(message: Message) -> Iterator[str]:
    if message.get("jsonrpc") != "2.0":
        yield 'a message does not say "jsonrpc": "2.0"'


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def _shown(id: Any) -> str:
    # Ids may be long, and Python refuses to print integers of thousands of digits.
    return "(a very large number)" if isinstance(id, int) and abs(id) > 1 << 128 else repr(id)[:80]

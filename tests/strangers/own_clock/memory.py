"""The questions that were asked, in the memory of this process. A state is the name of one and says nothing else."""

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum

from own_clock import clock

# KADU-CNF-10
LIFETIME = 300.0
MOST_KEPT = 20_000


class Found(Enum):
    """What a state is worth for a call: nothing, a yes, or a yes that was given already."""

    NOTHING = "nothing"
    OPEN = "open"
    USED = "used"


@dataclass
class _Question:
    about: bytes
    asked: float
    used: bool = False


class Memory:
    """Every question, oldest first; the oldest is forgotten once there are too many. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._questions: OrderedDict[str, _Question] = OrderedDict()

    def ask(self, about: bytes) -> str:
        """Remember a new question about something; gives its state: 32 random bytes in base64url, unpadded."""
        state = secrets.token_urlsafe(32)
        with self._lock:
            self._questions[state] = _Question(about, clock.seconds())
            if len(self._questions) > MOST_KEPT:
                self._questions.popitem(last=False)
        return state

    def look(self, state: str, about: bytes) -> Found:
        """What a state is worth for what the call is about."""
        with self._lock:
            return self._look(state, about)

    def take(self, state: str, about: bytes) -> Found:
        """The same, and an open question is used from then on: KADU-CNF-13, only one call is told that it was open."""
        with self._lock:
            found = self._look(state, about)
            if found is Found.OPEN:
                self._questions[state].used = True
            return found

    def drop(self, state: str) -> None:
        """Forget a question: it was answered otherwise than by yes."""
        with self._lock:
            self._questions.pop(state, None)

    def _look(self, state: str, about: bytes) -> Found:
        question = self._questions.get(state)
        if question is None or question.about != about:
            return Found.NOTHING
        if question.used:
            # KADU-CNF-12: for as long as it is remembered, however old it is
            return Found.USED
        return Found.OPEN if 0 <= clock.seconds() - question.asked <= LIFETIME else Found.NOTHING

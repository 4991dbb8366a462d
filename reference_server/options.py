"""What the program was asked for, and the one way in which that keeps it from starting."""

import socket
from dataclasses import dataclass


class Unusable(Exception):
    """The program cannot start; the message is one sentence that says what to do."""


@dataclass(frozen=True)
class Options:
    """What the program was asked for, checked. The listener is bound already.

    `upstream` may be `-`: the first line of standard input will tell, when everything else is loaded.
    """

    product: str
    upstream: str
    listener: socket.socket
    state_key: bytes
    mutants: bool
    exit_with_stdin: bool
    hosts: tuple[str, ...]
    origins: tuple[str, ...]

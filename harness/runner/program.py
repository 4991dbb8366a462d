"""Programs that we start and that must not outlive us: a server under test, the mock API, the reference server."""

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from harness import clock
from harness.exchanges import HttpRequest
from harness.runner.output import Lines, Tail, follow
from harness.runner.refusal import CannotRun
from harness.transport import Transport

GRACE: Final = 3.0
PAUSE: Final = 0.02
SHOWN: Final = 600


class Program:
    """A program in a session of its own, with the tail of its output. Use it as a context manager.

    `name` is how sentences call it. It is started without a shell. `first_line` goes to its standard input, which
    stays open until the program is stopped, so that a program that watches it ends with us even if we are killed;
    without it the program reads from nothing, unless `holds_input`: then lines may be told later. Raises CannotRun when it cannot be started.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        first_line: str | None = None,
        holds_input: bool = False,
    ) -> None:
        self.name = name
        self._tail, self._lines = Tail(), Lines()
        self._stopped = False
        try:
            self._process = subprocess.Popen(
                list(command),
                env=dict(environment),
                stdin=subprocess.PIPE if holds_input or first_line is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise CannotRun(f"{name} cannot be started: {command[0]!r}: {reason}.") from error
        atexit.register(self.stop)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._readers = [
            follow(self._process.stdout, [self._tail.add, self._lines.add], self._lines.end),
            follow(self._process.stderr, [self._tail.add]),
        ]
        if first_line is not None:
            self.tell(first_line)

    def tell(self, line: str) -> None:
        """Write a line to its standard input, where it has one that we hold; of a program that has ended we hear when
        we wait for it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._lines.end()

    @property
    def pid(self) -> int:
        """The id of its process, and of its session."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the program itself still runs."""
        return self._process.poll() is None

    @property
    def output(self) -> str:
        """The tail of what it wrote, standard output and standard error as they came."""
        return self._tail.text()

    def ready_line(self, timeout: float) -> dict[str, Any]:
        """Wait for the JSON line with which it says that it is ready. Raises CannotRun when it ends or is too slow."""
        deadline = clock.monotonic() + timeout
        try:
            while (line := self._lines.next(max(deadline - clock.monotonic(), 0.001))) is not None:
                try:
                    data = json.loads(line)
                except ValueError:
                    continue
                if isinstance(data, dict) and data.get("ready") is True:
                    self._lines.forget()
                    return data
        except queue.Empty:
            raise CannotRun(f"{self.name} was not ready after {timeout:g} s.{self._last_words()}") from None
        raise CannotRun(self._ended())

    def wait_until_it_answers(self, url: str, transport: Transport, timeout: float) -> None:
        """Wait until something answers HTTP at the URL. Raises CannotRun when the program ends or is too slow."""
        self._lines.forget()
        deadline = clock.monotonic() + timeout
        while (problem := no_answer(url, transport, min(2.0, timeout))) is not None:
            try:
                self._process.wait(timeout=PAUSE)
            except subprocess.TimeoutExpired:
                if clock.monotonic() > deadline:
                    raise CannotRun(
                        f"{self.name} did not answer at {url} within {timeout:g} s ({problem}).{self._last_words()}"
                    ) from None
            else:
                raise CannotRun(self._ended())

    def _ended(self) -> str:
        code = self._process.wait()
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"{self.name} {how} before it was ready.{self._last_words()}"

    def _last_words(self) -> str:
        if not self.alive:
            for reader in self._readers:
                reader.join(1.0)
        said = self.output.strip()[-SHOWN:]
        return f" It said: {said}" if said else " It said nothing."

    def stop(self, grace: float = GRACE) -> None:
        """End it and everything it started: asked first, by force after `grace` seconds. May be called again."""
        if self._stopped:
            return
        self._stopped = True
        atexit.unregister(self.stop)
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        _signal_all(self.pid, signal.SIGTERM)
        deadline = clock.monotonic() + grace
        pause = threading.Event()
        while self.alive or _members(self.pid):
            if clock.monotonic() > deadline:
                _signal_all(self.pid, signal.SIGKILL)
                break
            pause.wait(PAUSE / 2)
        self._process.wait()
        for reader in self._readers:
            reader.join(1.0)

    def __enter__(self) -> "Program":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def no_answer(url: str, transport: Transport, timeout: float) -> str | None:
    """Why nothing answers HTTP at the URL; None where something does, whatever it says."""
    # A GET may open a stream that never ends, and never sends a byte of it either.
    sent = transport.send(HttpRequest("OPTIONS", url, ()), timeout=timeout, until=lambda _: True)
    return None if sent.answer is not None else (sent.problem or "no answer")


def _members(session: int) -> list[int]:
    """The processes of a session that still run. A child in a group of its own is still in the session."""
    if not Path("/proc/self/stat").exists():
        return [session] if _group_lives(session) else []
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of a program may hold blanks and brackets: the fields begin after the last bracket.
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        if int(its_session) == session and state not in "ZX":
            found.append(int(stat.parent.name))
    return found


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _signal_all(session: int, number: signal.Signals) -> None:
    """Signal every process of a session that we started."""
    for pid in _members(session):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
    if _group_lives(session):
        try:
            os.killpg(session, number)
        except (ProcessLookupError, PermissionError):
            return

"""Several processes that run cases, forked from this one: nothing is read, imported or compiled a second time.

This process hands out one case after another and takes what came of each; a worker whose process dies takes the one
case with it that it was running (decision 0008).
"""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any, Final

REPLACED: Final = 2
"""How many workers that died are replaced."""
GRACE: Final = 5.0

Done = Callable[[dict[str, Any]], None]
Died = Callable[[str, str], None]
"""Told the id of a case whose process died, and how."""
Serve = Callable[[Callable[[], str | None], Done], str | None]
"""What a worker does: run the cases that the first argument names until it names none, tell the second what came of
each, and say what went wrong with the worker itself, if anything did."""


@dataclass(eq=False)
class _Worker:
    process: ForkProcess
    connection: Connection
    running: str | None = None


class Workers:
    """Up to `count` processes for these cases. Use `run` once."""

    def __init__(self, count: int, cases: Iterable[str], serve: Serve, done: Done, died: Died) -> None:
        self._left = deque(cases)
        self._serve, self._done, self._died = serve, done, died
        self._workers: list[_Worker] = []
        self._count, self._replaceable = count, REPLACED
        self._problem: str | None = None

    def run(self, enough: Callable[[], bool]) -> str | None:
        """Run all cases, or until `enough`; what went wrong with a worker, in one sentence, or None.

        Cases may be left over where something did. Whatever ends this early ends the workers too.
        """
        try:
            for _ in range(self._count):
                self._start()
            while self._workers:
                by_connection = {worker.connection: worker for worker in self._workers}
                for ready in wait(list(by_connection)):
                    self._hear(by_connection[ready])  # type: ignore[index]
                if enough():
                    self._left.clear()
        finally:
            for worker in self._workers:
                worker.process.terminate()
            for worker in [*self._workers]:
                self._part(worker)
        return self._problem

    def _start(self) -> None:
        ours, theirs = multiprocessing.Pipe()
        # A worker that held these would keep the others from noticing that this process is gone.
        not_theirs = [ours, *(worker.connection for worker in self._workers)]
        context = multiprocessing.get_context("fork")
        process = context.Process(target=_worker, args=(theirs, not_theirs, self._serve), daemon=True)
        process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))

    def _hear(self, worker: _Worker) -> None:
        try:
            kind, said = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            self._lost(worker)
            return
        if kind == "next":
            worker.running = self._left.popleft() if self._left else None
            try:
                worker.connection.send(worker.running)
            except BrokenPipeError:
                self._lost(worker)
        elif kind == "ended":
            worker.running = None
            self._done(said)
        else:
            self._problem = self._problem or said
            self._part(worker)

    def _lost(self, worker: _Worker) -> None:
        self._part(worker)
        code = worker.process.exitcode
        how = (
            f"It was ended by signal {-code}."
            if code is not None and code < 0
            else f"It ended with exit code {code}."
        )
        if worker.running is not None:
            self._died(worker.running, how)
        else:
            self._problem = self._problem or f"a worker died before it had a scenario. {how}"
        if self._replaceable and self._left:
            self._replaceable -= 1
            self._start()

    def _part(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.connection.close()
        worker.process.join(GRACE)
        if worker.process.exitcode is None:
            worker.process.kill()
            worker.process.join()


def _worker(connection: Connection, not_ours: list[Connection], serve: Serve) -> None:
    # When to stop is for the process that hands out the cases: a terminal interrupts all of its group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in not_ours:
        other.close()

    def following() -> str | None:
        connection.send(("next", None))
        case: str | None = connection.recv()
        return case

    try:
        problem = serve(following, lambda payload: connection.send(("ended", payload)))
        connection.send(("over", problem))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        # The process that hands out the cases is gone, and with it whoever wants to know.
        os._exit(1)
    # At once: what this process inherited unwritten, and the locks of threads it does not have, are its parent's.
    os._exit(0)

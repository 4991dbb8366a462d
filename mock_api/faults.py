"""Faults armed on a tenant: its API misbehaves for one operation, a number of times or until told to stop."""

import asyncio
import secrets
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["unavailable", "drop_response", "hold", "gather"]
KINDS: tuple[Kind, ...] = ("unavailable", "drop_response", "hold", "gather")
EVERY = "*"
"""What stands for every operation, where a fault strikes them all: `gather`."""
PATIENCE = 0.3
"""Seconds of real time for which what is gathered waits for the rest of it."""


@dataclass
class Fault:
    """One armed fault.

    `times` is how often it still strikes, None for ever; `taken` how often it did; `holding` how many calls wait
    on it now.
    """

    id: str
    operation: str
    kind: Kind
    times: int | None
    taken: int = 0
    holding: int = 0
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def to_json(self) -> dict[str, Any]:
        """The fault as the control plane tells it."""
        return {
            "id": self.id,
            "operation": self.operation,
            "kind": self.kind,
            "times": self.times,
            "taken": self.taken,
            "holding": self.holding,
        }


class Faults:
    """The faults of one tenant, oldest first."""

    def __init__(self) -> None:
        self._faults: dict[str, Fault] = {}

    def arm(self, operation: str, kind: Kind, times: int | None) -> Fault:
        """Arm a fault."""
        fault = Fault(secrets.token_hex(8), operation, kind, times)
        self._faults[fault.id] = fault
        return fault

    def get(self, fault_id: str) -> Fault | None:
        """The fault of that id, struck out or not, until it is disarmed."""
        return self._faults.get(fault_id)

    def disarm(self, fault_id: str) -> bool:
        """Take a fault away and let go what it holds; false when there is none."""
        fault = self._faults.pop(fault_id, None)
        if fault is None:
            return False
        fault.released.set()
        return True

    def disarm_all(self) -> None:
        """Take every fault away."""
        for fault_id in list(self._faults):
            self.disarm(fault_id)

    def strike(self, operation: str, kind: Kind) -> Fault | None:
        """The oldest fault of that kind that strikes this operation now; it is counted down."""
        if not self._faults:
            return None
        for fault in self._faults.values():
            if fault.operation == operation and fault.kind == kind and fault.times != 0:
                fault.taken += 1
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return None

    async def gather(self) -> None:
        """Wait until as many requests have come as are to be gathered, or until the first of them has waited enough."""
        fault = self.strike(EVERY, "gather")
        if fault is None:
            return
        if fault.times == 0:
            fault.released.set()
        fault.holding += 1
        try:
            await asyncio.wait_for(fault.released.wait(), PATIENCE)
        except TimeoutError:
            fault.released.set()
        finally:
            fault.holding -= 1

    async def hold(self, operation: str) -> None:
        """Wait for as long as a hold on this operation lasts."""
        fault = self.strike(operation, "hold")
        if fault is not None:
            fault.holding += 1
            try:
                await fault.released.wait()
            finally:
                fault.holding -= 1

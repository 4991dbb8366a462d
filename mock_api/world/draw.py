"""Draws from a seed: ids, choices, texts and moments that are the same in every process."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any, TypeVar

from mock_api.calls import Record, Records
from mock_api.clock import text

T = TypeVar("T")


@dataclass(frozen=True)
class Pool:
    """Brazilian names to draw from."""

    people: tuple[str, ...]
    companies: tuple[str, ...]
    cnpjs: tuple[str, ...]


@cache
def pool() -> Pool:
    """The pool of this process, always the same; Faker is asked here and nowhere else."""
    # Imported late: it costs a fifth of a second, and only who makes a world pays for it.
    from faker import Faker

    faker = Faker("pt_BR")
    faker.seed_instance(20261130)
    people = dict.fromkeys(f"{faker.first_name()} {faker.last_name()}" for _ in range(300))
    companies = dict.fromkeys(faker.company() for _ in range(150))
    return Pool(tuple(people), tuple(companies), tuple(faker.cnpj() for _ in range(150)))


class Draw:
    """A stream of draws: the same seed and the same moment give the same stream."""

    def __init__(self, seed: str, now: datetime) -> None:
        digest = sha256(seed.encode()).digest()
        self._random = random.Random(int.from_bytes(digest, "big"))
        self.now = now

    def id(self) -> str:
        """An id in the shape of a version 4 UUID."""
        hex_ = f"{self._random.getrandbits(128):032x}"
        variant = "89ab"[int(hex_[16], 16) & 3]
        return f"{hex_[:8]}-{hex_[8:12]}-4{hex_[13:16]}-{variant}{hex_[17:20]}-{hex_[20:]}"

    def opaque(self, prefix: str) -> str:
        """An opaque text of 32 hexadecimal digits behind a prefix."""
        return f"{prefix}{self._random.getrandbits(128):032x}"

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return self._random.choice(choices)

    def some(self, choices: Sequence[T], count: int) -> list[T]:
        """`count` different ones of the choices, or all where there are fewer."""
        return self._random.sample(choices, min(count, len(choices)))

    def number(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return self._random.randint(low, high)

    def ago(self, low: float, high: float) -> str:
        """A moment between `low` and `high` seconds before now, `low` the nearer."""
        return self.text(-self._random.uniform(low, high))

    def text(self, seconds: float) -> str:
        """The moment that many seconds after now, as bodies write it."""
        return text(self.now + timedelta(seconds=seconds))

    def after(self, moment: str, seconds: float) -> str:
        """The moment that many seconds after another, but never after now."""
        return text(min(datetime.fromisoformat(moment) + timedelta(seconds=seconds), self.now))

    def newest(self, records: Iterable[Record]) -> str:
        """A moment newer than every record's, in the past of now wherever there is room for that."""
        minute_ago = self.text(-60)
        last = max((record["created_at"] for record in records), default=minute_ago)
        if last < minute_ago:
            return minute_ago
        return self.after(last, 0.001)

    def parent(self, records: Records, collection: str, given: Mapping[str, Any], field: str) -> Record:
        """The record that `given[field]` names, else one drawn from the collection; empty where there is none."""
        kept = records.get(collection, {})
        named = given.get(field)
        if named is not None:
            return kept.get(named, {})
        return self.pick(list(kept.values())) if kept else {}

    @property
    def today(self) -> str:
        """The day of now, UTC."""
        return self.now.astimezone(UTC).date().isoformat()

"""The state file: what is kept of every tenant, in SQLite. A process that is killed loses nothing it has written.

One process at a time has a file. Each `keep` is one transaction, and done when it returns. Written in the write-ahead
log without waiting for the disk: safe from the end of the process, whichever; a machine that loses power may lose the
last moments, but nothing by halves.
"""

import os
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from mock_api.contract import Contract
from mock_api.errors import Mistake
from mock_api.idempotency import First
from mock_api.jsons import write
from mock_api.product import Product
from mock_api.snapshots import Texts, first_call, frame, restored
from mock_api.tenants import Tenant

APPLICATION = 0x4B61_6475
"""Marks an SQLite file as a state of ours."""
FORMAT = 1
"""Of the rows below; it goes up with every change of what they mean."""
OWN_ERROR = 2

_SCHEMA = (
    "CREATE TABLE mock (product TEXT NOT NULL, contract TEXT NOT NULL)",
    "CREATE TABLE texts (tenant TEXT, kind TEXT, name, content BLOB NOT NULL, PRIMARY KEY (tenant, kind, name))",
)
_FRAME, _RECORDS, _KEY, _NONCE, _ENTRY = "frame", "records", "key", "nonce", "entry"
# An update leaves the row where it is: rows stand in the order in which tenants, and their collections, were made.
_PUT = (
    "INSERT INTO texts VALUES (?, ?, ?, ?) "
    "ON CONFLICT (tenant, kind, name) DO UPDATE SET content = excluded.content"
)
_DROP = "DELETE FROM texts WHERE tenant = ? AND kind = ? AND name = ?"
_DROP_TENANT = "DELETE FROM texts WHERE tenant = ?"

_Name = tuple[str, str | int]
"""Kind and name of a row of a tenant."""


@dataclass
class _Written:
    """What the file holds of a tenant: texts to compare, values that never change to recognise."""

    texts: dict[_Name, bytes] = field(default_factory=dict)
    keys: dict[str, First] = field(default_factory=dict)
    nonces: dict[str, dict[str, Any]] = field(default_factory=dict)
    entries: int = 0


class StateFile:
    """An open state file."""

    def __init__(self, path: str, contract: Contract) -> None:
        """Open a file of this product, or begin one that is empty or not there.

        Raises Mistake: it cannot be opened or written, another process has it, it is none of ours, it is of
        another format, product or version of the contract.
        """
        self._path = path
        self._written: dict[str, _Written] = {}
        with self._mistakes():
            # It holds tokens and passwords in clear.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._file = sqlite3.connect(Path(path).absolute(), timeout=0, isolation_level=None)
            try:
                self._begin(contract)
            except BaseException:
                self._file.close()
                raise

    def _begin(self, contract: Contract) -> None:
        run = self._file.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("BEGIN EXCLUSIVE")
        mark, version = self._one("PRAGMA application_id")[0], self._one("PRAGMA user_version")[0]
        if (mark, version, self._one("SELECT count(*) FROM sqlite_master")[0]) == (0, 0, 0):
            for statement in _SCHEMA:
                run(statement)
            run("INSERT INTO mock VALUES (?, ?)", (contract.product, contract.version))
            run(f"PRAGMA application_id = {APPLICATION}")
            run(f"PRAGMA user_version = {FORMAT}")
        elif mark != APPLICATION:
            raise Mistake(f"The file {self._path} is no state of a mock API.")
        elif version != FORMAT:
            raise Mistake(
                f"The state in {self._path} is of format {version}, not {FORMAT}: begin a new file."
            )
        else:
            ours, held = (contract.product, contract.version), self._one("SELECT * FROM mock")
            if held != ours:
                raise Mistake(f"The state in {self._path} is of {' '.join(held)}, not of {' '.join(ours)}.")
        run("COMMIT")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")

    def tenants(self, product: Product, public_url: str) -> list[Tenant]:
        """The tenants that were kept, oldest first, to be called once. Raises Mistake for what cannot be read."""
        rows: dict[str, dict[str, dict[Any, bytes]]] = {}
        with self._mistakes():
            for tenant, kind, name, content in self._file.execute("SELECT * FROM texts ORDER BY rowid"):
                rows.setdefault(tenant, {}).setdefault(kind, {})[name] = content
            made = [restored(_texts(kinds), product, public_url) for kinds in rows.values()]
        for tenant in made:
            self._written[tenant.id] = _Written()
            _changes(tenant, self._written[tenant.id], reading=False)
        return made

    def keep(self, tenants: Iterable[Tenant], gone: Iterable[Tenant], *, reading: bool) -> None:
        """Write what changed of these tenants, and forget those that are gone.

        With `reading` only what a request that reads can change: the ledger. What time alone moves comes again by
        itself. Where the file cannot be written the process ends: nothing that is not kept is ever answered.
        """
        puts, drops = list[tuple[str, str, str | int, bytes]](), list[tuple[str, str, str | int]]()
        for tenant in tenants:
            changed, dropped = _changes(
                tenant, self._written.setdefault(tenant.id, _Written()), reading=reading
            )
            puts += ((tenant.id, *name, text) for name, text in changed)
            drops += ((tenant.id, *name) for name in dropped)
        forgotten = [each.id for each in gone if self._written.pop(each.id, None) is not None]
        if not (puts or drops or forgotten):
            return
        try:
            self._file.execute("BEGIN IMMEDIATE")
            self._file.executemany(_PUT, puts)
            self._file.executemany(_DROP, drops)
            self._file.executemany(_DROP_TENANT, [(each,) for each in forgotten])
            self._file.execute("COMMIT")
        except sqlite3.Error as error:
            self._end(error)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _one(self, query: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self._file.execute(query).fetchone()
        return row

    def _end(self, error: sqlite3.Error) -> NoReturn:
        sys.stderr.write(f"The state file {self._path} cannot be written, so the mock ends: {error}.\n")
        sys.stderr.flush()
        os._exit(OWN_ERROR)

    @contextmanager
    def _mistakes(self) -> Iterator[None]:
        """What goes wrong with the file, as a Mistake."""
        try:
            yield
        except OSError as error:
            raise Mistake(f"The state file {self._path} cannot be opened: {error.strerror}.") from None
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode == sqlite3.SQLITE_BUSY
            reason = "another process has it" if busy else error
            raise Mistake(f"The state file {self._path} cannot be opened: {reason}.") from None
        except sqlite3.DatabaseError:
            raise Mistake(f"The file {self._path} is no state of a mock API.") from None
        except (KeyError, TypeError, ValueError):
            raise Mistake(f"The state in {self._path} is damaged: begin a new file.") from None


def _changes(
    tenant: Tenant, written: _Written, *, reading: bool
) -> tuple[list[tuple[_Name, bytes]], list[_Name]]:
    """The rows of a tenant to write and to drop; from then on they count as written."""
    entries = tenant.ledger.entries(written.entries)
    changed: list[tuple[_Name, bytes]] = [
        ((_ENTRY, seq), entry) for seq, entry in enumerate(entries, written.entries + 1)
    ]
    written.entries += len(entries)
    if reading:
        return changed, []
    texts: dict[_Name, bytes] = {(_FRAME, ""): frame(tenant)}
    texts.update({(_RECORDS, name): write(held) for name, held in tenant.records.items()})
    changed += [(name, text) for name, text in texts.items() if written.texts.get(name) != text]
    dropped = [*(written.texts.keys() - texts.keys())]
    written.texts = texts
    keys, nonces = tenant.idempotency.answered, tenant.confirmations.used
    changed += [((_KEY, key), first_call(keys[key])) for key in _new(written.keys, keys)]
    dropped += [(_KEY, key) for key in written.keys.keys() - keys.keys()]
    written.keys = {**keys}
    changed += [((_NONCE, nonce), write(nonces[nonce])) for nonce in _new(written.nonces, nonces)]
    written.nonces = {**nonces}
    return changed, dropped


def _new(old: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    return [name for name, value in now.items() if old.get(name) is not value]


def _texts(kinds: Mapping[str, Mapping[Any, bytes]]) -> Texts:
    return Texts(
        frame=kinds[_FRAME][""],
        records=kinds.get(_RECORDS, {}),
        keys=kinds.get(_KEY, {}),
        nonces=kinds.get(_NONCE, {}),
        entries=kinds.get(_ENTRY, {}),
    )

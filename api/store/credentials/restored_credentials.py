"""What a backup brings back to life: credentials that were ended since, as the store that is replaced knows them."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from sqlite_utils import Database

from ..database.connections import Connections
from ..environments import all_environments
from ..errors import StoreUnavailable

_Rows: TypeAlias = dict[str, tuple[Any, ...]]
_QUERIES = {
    "clients": "SELECT id, name, revoked, secret, scopes, environments FROM clients ORDER BY id",
    "api_keys": "SELECT id, name FROM api_keys ORDER BY id",
}


class UndoneChange(StrEnum):
    """What had been done to a credential since the backup was made."""

    DELETED = "deleted"
    REVOKED = "revoked"
    RENEWED = "given another secret"
    CHANGED = "given other scopes or environments"


@dataclass(frozen=True, slots=True)
class RestoredCredential:
    """A client, or else an API key, that is again what it was; `undone` is what had been done to it."""

    is_client: bool
    id: str
    name: str
    undone: UndoneChange


@dataclass(frozen=True, slots=True)
class _Credentials:
    clients: _Rows
    api_keys: _Rows
    revoked_tokens: list[tuple[str, int]]
    generation: int


@dataclass(frozen=True, slots=True)
class ReplacedStore:
    """What the store that is replaced knows: the epochs of its environments by UUID, and its credentials.

    None stands for what can't be read: being damaged may be why it is replaced.
    """

    epochs: Mapping[str, int] = field(default_factory=dict)
    credentials: _Credentials | None = None

    @classmethod
    def at(cls, path: Path) -> "ReplacedStore":
        """What the store of that database file knows; there may be none."""
        if not path.exists():
            return cls()
        connections = Connections(path, "FULL")
        epochs, credentials = {}, None
        try:
            # A table may be missing: the store is of an earlier version, or was never quite made.
            with suppress(StoreUnavailable, sqlite3.DatabaseError), connections.reading() as db:
                epochs = {environment.uuid: environment.epoch for environment in all_environments(db)}
            with suppress(StoreUnavailable, sqlite3.DatabaseError), connections.reading() as db:
                credentials = _credentials(db)
        finally:
            connections.close()
        return cls(epochs, credentials)

    def carry_over(self, db: Database) -> tuple[RestoredCredential, ...] | None:
        """Keep ended in the restored store `db` what can be, and tell what is good there again.

        Gives back None where nothing tells: then everything that was ended since may be. Tokens that were revoked stay
        so. A credential is the operator's to judge: being wrong here may be why the backup is restored.
        """
        restored = _credentials(db)
        if self.credentials is None:
            db.execute("UPDATE credential_generation SET number = number + 1")
            return None if restored.clients or restored.api_keys else ()
        tokens = self.credentials.revoked_tokens
        db.conn.executemany("INSERT OR IGNORE INTO revoked_tokens (id, expires) VALUES (?, ?)", tokens)
        generation = max(self.credentials.generation, restored.generation) + 1
        db.execute("UPDATE credential_generation SET number = ?", (generation,))
        clients = (
            RestoredCredential(True, id, row[0], undone)
            for id, row in restored.clients.items()
            for undone in _undone_changes(row, self.credentials.clients.get(id))
        )
        api_keys = (
            RestoredCredential(False, id, row[0], UndoneChange.DELETED)
            for id, row in restored.api_keys.items()
            if id not in self.credentials.api_keys
        )
        return (*clients, *api_keys)


def _undone_changes(restored: tuple[Any, ...], replaced: tuple[Any, ...] | None) -> Iterator[UndoneChange]:
    _, revoked, secret, *rights = restored
    if revoked is not None:
        return
    if replaced is None:
        yield UndoneChange.DELETED
        return
    _, revoked_since, secret_since, *rights_since = replaced
    if revoked_since is not None:
        yield UndoneChange.REVOKED
        return
    if secret_since != secret:
        yield UndoneChange.RENEWED
    if rights_since != rights:
        yield UndoneChange.CHANGED


def _credentials(db: Database) -> _Credentials:
    tables = {name: {row[0]: row[1:] for row in db.execute(query)} for name, query in _QUERIES.items()}
    (generation,) = db.execute("SELECT number FROM credential_generation").fetchone()
    tokens = db.execute("SELECT id, expires FROM revoked_tokens").fetchall()
    return _Credentials(tables["clients"], tables["api_keys"], tokens, generation)

"""Credentials that work again after a restore, although they were revoked or changed since the backup."""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from ..actor import API_KEY_PREFIX, CLIENT_PREFIX
from ..database.connection import Connection
from ..database.driver_errors import DRIVER_ERRORS
from ..database.sqlite.connections import SqliteConnections
from ..environments import all_environments
from ..errors import StoreUnavailable

_Rows: TypeAlias = dict[str, tuple[Any, ...]]
_QUERIES = {
    "clients": "SELECT id, name, revoked, secret, scopes, environments FROM clients ORDER BY id",
    "api_keys": "SELECT id, name, NULL, secret, scopes, environments FROM api_keys ORDER BY id",
}
_OLD_SECRETS = "SELECT credential, secret FROM old_secrets WHERE ends > ?"


class UndoneChange(StrEnum):
    """The change of a credential since the backup, which the restore undoes."""

    DELETED = "deleted"
    REVOKED = "revoked"
    RENEWED = "given another secret"
    CHANGED = "given other scopes or environments"


@dataclass(frozen=True, slots=True)
class RestoredCredential:
    """A client, or else an API key, that is again as in the backup. `undone` is the change that was lost."""

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
    old_secrets: dict[str, set[bytes]]
    """The secrets that a rotation replaced and that still work, by the names of their credentials as actors."""

    def secrets_of(self, name: str, row: tuple[Any, ...]) -> set[bytes]:
        """Returns the secrets that work for a credential of this row."""
        return {bytes(row[2]), *self.old_secrets.get(name, ())}


@dataclass(frozen=True, slots=True)
class ReplacedStore:
    """The epochs of the replaced store's environments, by UUID, and its credentials.

    None means that they can't be read: damage may be the reason for the restore.
    """

    epochs: Mapping[str, int] = field(default_factory=dict)
    credentials: _Credentials | None = None

    @classmethod
    def at(cls, path: Path) -> "ReplacedStore":
        """Returns the knowledge of the store in that database file, which may be missing."""
        if not path.exists():
            return cls()
        connections = SqliteConnections(path, "FULL")
        epochs, credentials = {}, None
        try:
            # A table may be missing in a store of an earlier version, or in an unfinished one.
            with suppress(StoreUnavailable, *DRIVER_ERRORS), connections.reading() as db:
                epochs = {environment.uuid: environment.epoch for environment in all_environments(db)}
            with suppress(StoreUnavailable, *DRIVER_ERRORS), connections.reading() as db:
                credentials = _credentials(db)
        finally:
            connections.close()
        return cls(epochs, credentials)

    def carry_over(self, db: Connection) -> tuple[RestoredCredential, ...] | None:
        """Keep revoked tokens revoked in the restored store `db`, and return the credentials that work there again.

        Returns None if the replaced store can't tell: then any credential revoked since may work again. Writ revokes no
        client or key by itself, since an error there may be the reason for the restore. Every session of a person ends.
        """
        db.execute("DELETE FROM sessions")
        restored = _credentials(db)
        if self.credentials is None:
            db.execute("UPDATE credential_generation SET number = number + 1")
            return None if restored.clients or restored.api_keys else ()
        tokens = self.credentials.revoked_tokens
        db.execute_many("INSERT INTO revoked_tokens (id, expires) VALUES (?, ?) ON CONFLICT DO NOTHING", tokens)
        generation = max(self.credentials.generation, restored.generation) + 1
        db.execute("UPDATE credential_generation SET number = ?", (generation,))
        clients = self._undone(restored, True, CLIENT_PREFIX, restored.clients, self.credentials.clients)
        api_keys = self._undone(restored, False, API_KEY_PREFIX, restored.api_keys, self.credentials.api_keys)
        return (*clients, *api_keys)

    def _undone(
        self, restored: _Credentials, is_client: bool, prefix: str, rows: _Rows, replaced: _Rows
    ) -> Iterator[RestoredCredential]:
        assert self.credentials is not None
        for id, row in rows.items():
            since, name = replaced.get(id), f"{prefix}{id}"
            others = restored.secrets_of(name, row) - (self.credentials.secrets_of(name, since) if since else set())
            for undone in _undone_changes(row, since, bool(others)):
                yield RestoredCredential(is_client, id, row[0], undone)


def _undone_changes(
    restored: tuple[Any, ...], replaced: tuple[Any, ...] | None, has_other_secrets: bool
) -> Iterator[UndoneChange]:
    _, revoked, _, *rights = restored
    if revoked is not None:
        return
    if replaced is None:
        yield UndoneChange.DELETED
        return
    _, revoked_since, _, *rights_since = replaced
    if revoked_since is not None:
        yield UndoneChange.REVOKED
        return
    if has_other_secrets:
        yield UndoneChange.RENEWED
    if rights_since != rights:
        yield UndoneChange.CHANGED


def _credentials(db: Connection) -> _Credentials:
    tables = {name: {row[0]: row[1:] for row in db.execute(query)} for name, query in _QUERIES.items()}
    (generation,) = db.execute("SELECT number FROM credential_generation").fetchone()
    tokens = db.execute("SELECT id, expires FROM revoked_tokens").fetchall()
    old: dict[str, set[bytes]] = {}
    for credential, secret in db.execute(_OLD_SECRETS, (int(time.time()),)):
        old.setdefault(credential, set()).add(bytes(secret))
    return _Credentials(tables["clients"], tables["api_keys"], tokens, generation, old)

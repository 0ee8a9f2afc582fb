"""Begins an epoch in every environment of a database: acknowledged revisions may be lost, or get another content."""

import logging
import time
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec
import psycopg
from psycopg import errors

from ....bundles.conditions.instants import show_seconds
from ..actor import SERVICE, command_actor
from ..audit.entries import AuditEntry, append
from ..audit.events import Event
from ..database.connections import IDLE_SECONDS
from ..database.postgresql.connection import PostgresConnection
from ..database.postgresql.write_locks import LOCK_STORE
from ..errors import StoreUnavailable
from . import lease_tables as sql

_LOG: Final = logging.getLogger(__name__)

LOCK_SECONDS: Final = 10
"""The whole seconds that the beginning of an epoch waits for writers."""

_NO_EPOCHS: Final[Mapping[str, int]] = MappingProxyType({})


class Cause(StrEnum):
    """The cause of a new epoch, as the audit log names it."""

    PROMOTION = "promotion"
    COPY = "copy"
    TAKEOVER = "takeover"

    @property
    def words(self) -> str:
        """The cause as messages say it."""
        return _WORDS[self]


_WORDS: Final = {
    Cause.PROMOTION: "another primary has written last",
    Cause.COPY: "the database was restored from a dump, or copied",
    Cause.TAKEOVER: "the database has taken over",
}


class Succession:
    """The beginning of an epoch, on a connection outside a transaction. Its methods raise the driver's errors."""

    def __init__(self, db: psycopg.Connection, lease: int) -> None:
        """`lease` is the nanoseconds of the caller's leases."""
        self._db, self._lease, self._store = db, lease, PostgresConnection(db)

    def lock(self) -> None:
        """Keep out all writers, and all who would begin an epoch too, to the end of the transaction.

        Raises StoreUnavailable after LOCK_SECONDS: a caller that waits in silence looks like one that hangs. If
        the caller stops in its transaction, the database ends it.
        """
        try:
            self._db.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
            self._db.execute(f"SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'")
            self._db.execute(LOCK_STORE)
            self._db.execute(sql.LOCK_LINE)
        except errors.LockNotAvailable:
            said = "another session keeps the lock of writers, so no epoch can begin; find it in `pg_locks`, and end it"
            _LOG.error("%s", said)
            raise StoreUnavailable(said) from None

    def begin(self, cause: Cause, above: Mapping[str, int] = _NO_EPOCHS) -> None:
        """Raise the epochs, with an audit entry, in the transaction of `lock`.

        Each new epoch is the time in milliseconds, or else the next number: two copies of one state, which know nothing
        of each other, begin two epochs. It is also above that of `above`, by the UUIDs of environments. The servers are
        forgotten. The row of an unknown one comes in their place: each write waits for its lease, until one has removed
        it. It has all duties. Each worker forgets the credentials that it knows.
        """
        row = self._db.execute(sql.LONGEST_LEASE).fetchone()
        longest = max(self._lease, (row and row[0]) or 0)
        self._db.execute(sql.RAISE_EPOCHS, {"above": msgspec.json.encode(dict(above)).decode()})
        self._db.execute(sql.RENEW_CREDENTIALS)
        self._db.execute(sql.FORGET_BUNDLES)
        self._db.execute(sql.FORGET_UNANSWERED)
        self._db.execute(sql.FORGET_SERVERS)
        self._db.execute(sql.FORGET_TRACES)
        self._db.execute(sql.FORGET_HOLDERS, {"id": sql.UNKNOWN_SERVER, "lease": longest})
        self._db.execute(sql.ADD_UNKNOWN, {"id": sql.UNKNOWN_SERVER, "lease": longest})
        actor = command_actor() if cause is Cause.TAKEOVER else SERVICE
        details = {"cause": str(cause)}
        append(self._store, AuditEntry.of(show_seconds(time.time()), actor, Event.STORE_RESTORED, details))
        self._store.finish()

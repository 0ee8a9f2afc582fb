"""Tells whether anything was committed since it was last asked, without reading anything."""

import os
import sqlite3

from sqlite_utils import Database

from api.store.store import Store

_VERSION = "PRAGMA data_version"


class Watch:
    """A connection that only watches. Safe to fork: each process opens its own when it first asks."""

    def __init__(self, store: Store):
        self._store = store
        self._process = 0
        self._db: Database | None = None

    def close(self) -> None:
        """Close the connection; the next question opens another one."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def version(self) -> tuple[int, int]:
        """What differs from the last time where something was committed since, or this is another process.

        The number of a connection says nothing about that of another. Raises StoreUnavailable.

        PERF: asked before every decision, so errors are translated only where there is one.
        """
        if self._db is None or self._process != os.getpid():
            self._db, self._process = self._store.watching(), os.getpid()
        try:
            (version,) = self._db.conn.execute(_VERSION).fetchone()
        except sqlite3.DatabaseError:
            with self._store.translated():
                raise
        return self._process, version

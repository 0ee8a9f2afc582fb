"""Tells whether anything was committed to a file of SQLite since it was last asked."""

import sqlite3
from typing import Final

from ...errors import StoreFull
from ..asking_watch import AskingWatch
from .connection import SqliteConnection
from .connections import SqliteConnections

_VERSION: Final = "PRAGMA data_version"


class SqliteWatch(AskingWatch[SqliteConnection]):
    """Watches the commits of a file by all processes. PERF: `PRAGMA data_version` takes 7 µs."""

    def __init__(self, connections: SqliteConnections) -> None:
        super().__init__(connections.signal)
        self._connections = connections

    def _asked(self) -> int | str:
        if self._db is None:
            try:
                self._db = self._connections.fresh()
            except StoreFull:
                return self._connections.state()
        try:
            (version,) = self._db.execute(_VERSION).fetchone()
        except sqlite3.DatabaseError:  # PERF: errors are translated only where there is one
            with self._connections.translated():
                raise
        return int(version)

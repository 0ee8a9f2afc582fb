"""Tells whether anything was committed to a database of PostgreSQL since it was last asked.

This is right for the workers of one server, which share the commit signal. What another server commits is seen at the
next heartbeat.
"""

from typing import Final

from ..asking_watch import AskingWatch
from ..driver_errors import QueryFailed
from .connection import PostgresConnection
from .connections import PostgresConnections

_SNAPSHOT: Final = "SELECT pg_current_snapshot()::text"
"""The transactions that are visible. A commit makes another text of it, in any server: its transaction was missing
before, and is there afterwards.
"""


class PostgresWatch(AskingWatch[PostgresConnection]):
    """Watches the commits of a database by all workers of this server."""

    def __init__(self, connections: PostgresConnections) -> None:
        super().__init__(connections.signal)
        self._connections = connections

    def _asked(self) -> str:
        """Returns the visible transactions. A connection that was lost is replaced once."""
        with self._connections.translated():
            try:
                return self._snapshot()
            except QueryFailed:
                if self._db is None or not self._db.is_lost:
                    raise
            self.close()
            return self._snapshot()

    def _snapshot(self) -> str:
        if self._db is None:
            self._db = self._connections.fresh()
        ((snapshot,),) = self._db.execute(_SNAPSHOT).fetchall()
        return str(snapshot)

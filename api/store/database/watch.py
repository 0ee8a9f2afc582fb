"""Tells whether anything was committed since it was last asked."""

import os
import sqlite3
from typing import Final, TypeAlias
from weakref import WeakSet

from sqlite_utils import Database

from .connections import StoreConnections

Version: TypeAlias = tuple[int, int, int | None, int]
"""A version of the data: two values of one process differ if a commit or an upset came between them."""

_VERSION: Final = "PRAGMA data_version"


class Watch:
    """Watches the commits of all processes, for one thread. Safe to fork.

    PERF: every request asks, and `PRAGMA data_version` takes 7 µs, more than a decision. So the pragma is asked only
    if the commit signal changed, and after `beat`: a process may die between a commit and its signal.
    """

    def __init__(self, connections: StoreConnections) -> None:
        self._connections = connections
        self._cell = connections.signal.cell if connections.signal else (None,)
        self._db: Database | None = None
        self._known = False
        self._number: int | None = None
        self._version: Version = 0, 0, None, 0
        self._upsets = 0
        _WATCHES.add(self)

    def close(self) -> None:
        """Close the connection. The next question opens another one."""
        self.beat()
        if self._db is not None:
            self._db.close()
            self._db = None

    def beat(self) -> None:
        """Ask the database itself the next time."""
        self._known = False

    def upset(self) -> None:
        """Make the version another one: something else than a commit changes what follows from the data."""
        self._upsets += 1
        self.beat()

    def version(self) -> Version:
        """Returns a value that differs from the last one if something was committed since, or in another process.

        Raises StoreUnavailable if the database must be asked and can't be read.
        """
        if self._known and self._cell[0] == self._number:
            return self._version
        self._known, number = False, self._cell[0]  # read before the database is asked: a later commit changes it again
        if self._db is None:
            self._db = self._connections.fresh()
        try:
            (version,) = self._db.conn.execute(_VERSION).fetchone()
        except sqlite3.DatabaseError:  # PERF: errors are translated only where there is one
            with self._connections.translated():
                raise
        self._version = os.getpid(), version, number, self._upsets
        self._number, self._known = number, number is not None
        return self._version

    def _leave_to_parent(self) -> None:
        """Forget the connection of the process that forked this one: to close it would drop the parent's locks."""
        if self._db is not None:
            _INHERITED.append(self._db)
            self._db = None
        self._known = False


_WATCHES: Final[WeakSet[Watch]] = WeakSet()
_INHERITED: Final[list[Database]] = []


def _after_fork() -> None:
    for watch in list(_WATCHES):
        watch._leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)

"""Tells whether anything was committed since it was last asked, without reading anything."""

import asyncio
import os
import sqlite3

from sqlite_utils import Database

from .connections import Connections

_VERSION = "PRAGMA data_version"


class Watch:
    """A connection that only watches, for one thread. Safe to fork: each process opens its own when it first asks."""

    def __init__(self, connections: Connections):
        self._connections = connections
        self._process = 0
        self._db: Database | None = None
        self._version = 0, 0
        self._step: asyncio.AbstractEventLoop | None = None  # whose step it is in which `_version` was read

    def close(self) -> None:
        """Close the connection; the next question opens another one."""
        self._step = None
        if self._db is not None:
            self._db.close()
            self._db = None

    def version(self) -> tuple[int, int]:
        """What differs from the last time where something was committed since, or this is another process.

        The number of a connection says nothing about that of another. Raises StoreUnavailable.

        PERF: the guard asks for a credential's sake, and the decision behind it again, most often in one step of the
        event loop. Whatever a request was sent after was committed before the step that it begins in, so one answer
        serves for all of a step.
        """
        loop = asyncio._get_running_loop()
        if loop is not None and loop is self._step:
            return self._version
        if self._db is None or self._process != os.getpid():
            self._db, self._process = self._connections.fresh(), os.getpid()
        try:
            (version,) = self._db.conn.execute(_VERSION).fetchone()
        except sqlite3.DatabaseError:  # PERF: errors are translated only where there is one
            with self._connections.translated():
                raise
        self._version = self._process, version
        if loop is not None:
            self._step = loop
            loop.call_soon(self._end_step)
        return self._version

    def _end_step(self) -> None:
        self._step = None

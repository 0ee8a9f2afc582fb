"""Reads a file of SQLite on a full disk, which has no room for the index of the log, `writ.db-shm`.

SQLite makes the index whenever no process has the file open. Where it can't, a connection with `readonly_shm` builds
one in its own memory. Such a connection sees every commit, and can't write. It lasts for one transaction, so that the
next transaction uses the file as always once there is room.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ...errors import StoreFull, StoreUnavailable
from .connection import SqliteConnection

MODE: Final = "ro&readonly_shm=1"
"""The mode of a connection without the index."""

FULL: Final = "can't grow: the disk is full or a limit is reached; make room"

RETRY_SECONDS: Final = 1.0
"""The seconds for which a transaction waits while another process tries to make the index."""

_PAUSE_SECONDS: Final = 0.01
_OTHER_TRIES: Final = ("SQLITE_BUSY", "SQLITE_READONLY_RECOVERY", "SQLITE_READONLY_CANTLOCK", "SQLITE_IOERR_SHMSIZE")
"""Errors that end once the other process has given up, or has made the index."""


class WithoutIndex:
    """The connections of one process that read a file without the index of its log.

    All connections of a process to a file share one index. If one were opened as usual while another one reads without,
    it could never write. So only one of the two happens at a time.
    """

    def __init__(self, path: Path) -> None:
        """`path` leads to the database."""
        self._path = path
        self._turns = (os.getpid(), threading.RLock())
        self._reads = False

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Lets a usual connection be opened in the block. Raises StoreFull inside a block of `reading`."""
        with self._turn():
            if self._reads:
                raise StoreFull.at(self._path, FULL)
            yield

    @contextmanager
    def reading(self, connect: Callable[[str], SqliteConnection]) -> Iterator[SqliteConnection]:
        """Returns a connection that reads one state of the database in the whole block.

        `connect` opens one of a mode. Raises StoreUnavailable if the files changed meanwhile: a process that got its
        index would not know of this reader, and could change pages under it. Raises `sqlite3.Error`.
        """
        with self.opening():
            self._reads = True
            try:
                before = self.state()
                db = _begun(connect)
                try:
                    yield db
                finally:
                    db.close()
                if self.state() != before:
                    raise StoreUnavailable.at(self._path, "was changed while it was read; try again")
            finally:
                self._reads = False

    def state(self) -> str:
        """Returns what differs after every commit of another connection: the sizes and times of the files."""
        return " ".join(_stamp(Path(f"{self._path}{ending}")) for ending in ("", "-wal"))

    def _turn(self) -> threading.RLock:
        process, turn = self._turns
        if process != os.getpid():  # a thread of the parent may hold that lock for ever
            self._turns = _, turn = os.getpid(), threading.RLock()
            self._reads = False
        return turn


def _begun(connect: Callable[[str], SqliteConnection]) -> SqliteConnection:
    """Returns a connection in a transaction that has begun to read."""
    until = time.monotonic() + RETRY_SECONDS
    while True:
        db = connect(MODE)
        try:
            db.execute("BEGIN")
            db.execute("SELECT 1 FROM sqlite_schema").fetchone()
        except sqlite3.Error as ex:
            db.close()
            if getattr(ex, "sqlite_errorname", "") not in _OTHER_TRIES or time.monotonic() > until:
                raise
        else:
            return db
        time.sleep(_PAUSE_SECONDS)


def _stamp(file: Path) -> str:
    try:
        found = file.stat()
    except OSError:
        return "-"
    return f"{found.st_ino}/{found.st_size}/{found.st_mtime_ns}"

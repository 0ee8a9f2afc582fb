"""Connections to the database, one per thread of each process, with transactions and readable errors."""

import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from time import perf_counter
from weakref import WeakSet

from ...errors import StoreFull, StoreUnavailable
from ..commit_signal import CommitSignal, signalled
from ..connections import BUSY_SECONDS, Timed, untimed
from ..time_limit import TimeLimit
from .connection import CACHE_KIB, SqliteConnection
from .opening import READ_ONLY, lack_of_files
from .overlay import add_overlay
from .without_index import FULL, WithoutIndex

_NO_INDEX = "SQLITE_IOERR_SHMSIZE"
"""The index of the log has no room: see `without_index`."""

_FULL = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", _NO_INDEX)
"""A quota and a limit on the size of files are errors of a write to SQLite."""

CANT_OPEN = "can't be opened; make the file and its folder readable and writable"

_FILES = {"database": "", "log": "-wal"}

PROGRESS_STEPS = 20_000
"""The steps of SQLite between two looks at the time, about a millisecond."""

JOURNAL_BYTES = 64 * 2**20
"""The size to which SQLite cuts its log file after a large write."""


class _Closed(sqlite3.Connection):
    """A connection that closes with its last reference, such as a thread's when the thread ends.

    Python does so too, but warns of it from 3.13 on. A cursor is a reference.
    """

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # the file could not be opened
            self.close()


class SqliteConnections:
    """The connections of `StoreConnections`' kind to a file."""

    def __init__(
        self,
        path: Path,
        synchronous: str,
        busy_seconds: float = BUSY_SECONDS,
        signal: CommitSignal | None = None,
        timed: Timed = untimed,
    ) -> None:
        """`signal` tells other processes of each commit, if there is one. `timed` hears of each transaction."""
        self.path, self.signal, self._timed = path, signal, timed
        self._synchronous, self._busy_seconds = synchronous, busy_seconds
        self._local = threading.local()
        self._open: WeakSet[SqliteConnection] = WeakSet()
        self._inherited: list[SqliteConnection] = []
        self._turns = (os.getpid(), threading.Lock())
        self._without_index = WithoutIndex(path)

    @property
    def directory(self) -> Path:
        """The folder of the database file."""
        return self.path.parent

    @property
    def folder(self) -> str:
        """Empty: the folder has the database itself."""
        return ""

    def primary(self) -> None:
        """Returns None."""

    def possible_loss(self) -> None:
        """Returns None: see `synchronous` of `Store.open`."""

    def exposures(self) -> tuple[()]:
        """Returns none: the file is on this machine."""
        return ()

    def sizes(self) -> Mapping[str, int]:
        """Returns the bytes of the `database` and of its `log`, as far as they can be told."""
        found = {}
        for name, ending in _FILES.items():
            with suppress(OSError):
                found[name] = self.path.with_name(self.path.name + ending).stat().st_size
        return found

    def identity(self) -> str:
        """Returns an empty text: one service has the file."""
        return ""

    @contextmanager
    def reading(self) -> Iterator[SqliteConnection]:
        """Returns a connection that reads one state of the database in the whole block. Raises StoreUnavailable."""
        began = perf_counter()
        with self._read() as db:
            yield db
        self._timed(False, perf_counter() - began)

    def state(self) -> str:
        """Returns what differs after every commit, if no connection can tell: see `WithoutIndex`."""
        return self._without_index.state()

    def deciding(self) -> AbstractContextManager[None]:
        """Does nothing: no other server has the file."""
        return nullcontext()

    @contextmanager
    def writing(
        self,
        wait_factor: int = 1,
        tells: bool = True,
        environments: Collection[str] = (),  # noqa: ARG002 - SQLite has one lock for all
    ) -> Iterator[SqliteConnection]:
        """Wraps the block in a write transaction, which is undone if the block raises. Raises StoreUnavailable.
        See `StoreConnections.writing`.
        """
        began, seconds, turn = perf_counter(), wait_factor * self._busy_seconds, self._turn()
        if not turn.acquire(timeout=seconds):
            raise StoreUnavailable.at(self.path, _locked(seconds))
        try:
            with self._transaction("BEGIN IMMEDIATE", seconds, self.signal if tells else None) as db:
                yield db
        finally:
            turn.release()
        self._timed(True, perf_counter() - began)

    @contextmanager
    def trying(self, limit: TimeLimit) -> Iterator[SqliteConnection]:
        """Returns a connection that sees one state of the database and its own changes of elements in the whole block.

        They are undone at the end, and need no write lock: the connection can't write to the file. Raises
        WriteTakesLong if a query runs when `limit` is over, and StoreUnavailable.
        """
        began = perf_counter()
        with self.translated():
            db = self._trier()
            db.conn.set_progress_handler(limit.is_over, PROGRESS_STEPS)
            try:
                db.execute("BEGIN")
                yield db
            except sqlite3.OperationalError as ex:
                if getattr(ex, "sqlite_errorname", "") != "SQLITE_INTERRUPT":
                    raise
                raise limit.error() from ex
            finally:
                db.conn.set_progress_handler(None, 0)
                self._undo(db)
        self._timed(False, perf_counter() - began)

    def fresh(self) -> SqliteConnection:
        """Returns a new connection for a long read, which the caller must close. Raises StoreUnavailable."""
        with self.translated():
            return self._connect()

    def close(self) -> None:
        """Close the connections of all threads of this process."""
        for db in list(self._open):
            db.close()
        self._local = threading.local()

    @contextmanager
    def translated(self, busy_seconds: float | None = None) -> Iterator[None]:
        """Turns SQLite's errors about the file into StoreUnavailable. SQLite had waited for `busy_seconds`."""
        try:
            yield
        except sqlite3.DatabaseError as ex:
            problem = _problem(ex, busy_seconds or self._busy_seconds)
            if problem is None:
                raise
            kind = StoreFull if getattr(ex, "sqlite_errorname", "") in _FULL else StoreUnavailable
            cause = lack_of_files(self.path) if problem in (READ_ONLY, CANT_OPEN) else ""
            raise kind.at(self.path, problem, cause) from ex

    @contextmanager
    def _read(self) -> Iterator[SqliteConnection]:
        """Returns this thread's connection in a transaction, or on a full disk one that can only read."""
        with self.translated():
            try:
                self._current()
            except sqlite3.OperationalError as ex:
                if ex.sqlite_errorname != _NO_INDEX:
                    raise
                reading = self._without_index.reading(self._connect_in)
            else:
                reading = self._transaction("BEGIN")
            with reading as db:
                yield db

    @contextmanager
    def _transaction(
        self, begin: str, busy_seconds: float | None = None, signal: CommitSignal | None = None
    ) -> Iterator[SqliteConnection]:
        with self.translated(busy_seconds):
            db = self._current()
            self._begin(db, begin, busy_seconds or self._busy_seconds)
            try:
                yield db
                db.last_steps.take(db)
                with signalled(signal):
                    db.execute("COMMIT")
            except BaseException:
                self._undo(db)
                raise

    def _begin(self, db: SqliteConnection, begin: str, busy_seconds: float) -> None:
        if busy_seconds == self._busy_seconds:
            db.execute(begin)
            return
        db.execute(f"PRAGMA busy_timeout = {busy_seconds * 1_000:.0f}")
        try:
            db.execute(begin)
        finally:
            db.execute(f"PRAGMA busy_timeout = {self._busy_seconds * 1_000:.0f}")

    def _turn(self) -> threading.Lock:
        """Returns the lock of this process's writers.

        PERF: a connection that waits for SQLite's lock sleeps for up to 0.1 s at a time. With 16 threads, one waits for
        2 s.
        """
        process, turn = self._turns
        if process != os.getpid():  # a thread of the parent may hold that lock for ever
            self._turns = _, turn = os.getpid(), threading.Lock()
        return turn

    def _undo(self, db: SqliteConnection) -> None:
        db.last_steps.keep(0)
        try:
            db.conn.rollback()
        except sqlite3.Error:
            # Its state is unknown, so the next transaction starts on a new connection.
            self._local.held = self._local.trier = None
            with suppress(sqlite3.Error):
                db.close()

    def _current(self) -> SqliteConnection:
        return self._kept("held", self._connect)

    def _trier(self) -> SqliteConnection:
        return self._kept("trier", self._connect_trier)

    def _kept(self, name: str, connect: Callable[[], SqliteConnection]) -> SqliteConnection:
        """Returns this thread's connection of that name."""
        held: tuple[int, SqliteConnection] | None = getattr(self._local, name, None)
        process = os.getpid()
        if held is None or held[0] != process:
            if held is not None:
                # To close it would drop the parent's locks on the file.
                self._inherited.append(held[1])
                self._open.discard(held[1])
            held = (process, connect())
            setattr(self._local, name, held)
            self._open.add(held[1])
        return held[1]

    def _connect_trier(self) -> SqliteConnection:
        db = self._connect()
        try:
            add_overlay(db)
        except BaseException:
            db.close()
            raise
        return db

    def _connect(self) -> SqliteConnection:
        """Returns a new connection, with the index of the log."""
        with self._without_index.opening():
            db = self._connect_in("rw")
            try:
                db.execute("PRAGMA schema_version")  # opens the files: without room, it is this that fails
            except BaseException:
                db.close()
                raise
            return db

    def _connect_in(self, mode: str) -> SqliteConnection:
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,  # different threads may read one stream of a model
            cached_statements=512,
            factory=_Closed,
        )
        try:
            db = SqliteConnection(connection, recursive_triggers=False, execute_plugins=False)
            for pragma in (
                f"synchronous = {self._synchronous}",
                "foreign_keys = ON",
                f"cache_size = -{CACHE_KIB}",
                "temp_store = MEMORY",
                f"journal_size_limit = {JOURNAL_BYTES}",
            ):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
        return db


def _problem(ex: sqlite3.DatabaseError, busy_seconds: float) -> str | None:
    """Returns the problem with the file and the remedy, or None if the error is not about the file."""
    name = getattr(ex, "sqlite_errorname", "") or ""
    if name in ("SQLITE_FULL", _NO_INDEX):
        return FULL
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return _locked(busy_seconds)
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
        return READ_ONLY
    if name.startswith("SQLITE_CANTOPEN"):
        return CANT_OPEN
    lacks = name == "SQLITE_ERROR" and str(ex).startswith("no such")  # a table, a column
    if lacks or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return f"is damaged ({ex}); restore a backup"
    if name.startswith(("SQLITE_IOERR", "SQLITE_PROTOCOL", "SQLITE_NOLFS", "SQLITE_NOMEM")):
        return f"can't be read or written ({ex}, {name}); check the disk"
    return None


def _locked(busy_seconds: float) -> str:
    return f"was locked by another write for {busy_seconds:g} s; try again"

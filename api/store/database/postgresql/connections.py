"""Connections to a database of PostgreSQL, one per thread of each process, with transactions and readable errors.

Writes: see `write_locks`.

Reads: REPEATABLE READ, since several statements ask about one state.
"""

import hashlib
import os
import socket
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import Final
from weakref import WeakSet

import psycopg
from psycopg import errors

from .....bundles.event_loop import on_event_loop
from ...errors import LeaseOver, StoreUnavailable, WithoutLease
from ..commit_signal import CommitSignal, signalled
from ..connections import BUSY_SECONDS, DatabaseServer, Primary, Timed, untimed
from ..driver_errors import QueryFailed
from ..private_files import read_or_create_secret
from ..time_limit import TimeLimit
from .connection import SNAPSHOT, PostgresConnection, failures
from .overlay import add_overlay
from .problems import told
from .replication import possible_loss
from .sessions.conninfo import beginning_of, conninfo_of, place_of, schema_of
from .sessions.exposures import exposures
from .sessions.session import CLIENT_PROBES, Refusal, connected
from .write_locks import COMMIT_LOCK, taking

CONNECT_SECONDS: Final = 5

FOLDER_ID: Final = "folder.id"
"""The file with random bytes that name the folder of a server's own files, at its place."""

READ_SECONDS: Final = 60.0
"""The time of one query of a read or a write. The server ends it then."""

READ_IDLE_SECONDS: Final = 120
"""The time between two statements of a read. A process that stops in one must not hold up an upgrade for ever, nor all
that waits behind that."""

_READING: Final = f"{SNAPSHOT}; SET LOCAL idle_in_transaction_session_timeout = '{READ_IDLE_SECONDS}s'"

_PARAMETERS: Final = {"application_name": "writ", "connect_timeout": str(CONNECT_SECONDS), **CLIENT_PROBES}


class PostgresConnections:
    """The connections of `StoreConnections`' kind to the database of a URL. `directory` has the store's own files."""

    def __init__(
        self,
        server: DatabaseServer,
        directory: Path,
        busy_seconds: float = BUSY_SECONDS,
        signal: CommitSignal | None = None,
        timed: Timed = untimed,
    ) -> None:
        """`signal` tells the other processes of this server of each commit. `timed` hears of each transaction.

        Raises OSError if the id of the folder can't be read or written, and StoreUnavailable for a bad URL.
        """
        self.directory, self.signal, self._timed, self._busy_seconds = directory, signal, timed, busy_seconds
        self.folder: Final = folder_id(directory)
        self._server, self._admits = server, False
        self._conninfo, self._beginning = conninfo_of(server.url, _PARAMETERS), beginning_of(server.url)
        self.schema: Final = schema_of(server.url)
        """The schema of the store, a name that needs no quotes."""
        self.place: Final = place_of(server.url)
        """The database as messages name it: the URL without its password."""
        self._local = threading.local()
        self._open: WeakSet[PostgresConnection] = WeakSet()
        self._inherited: list[PostgresConnection] = []

    def admit(self) -> None:
        """Ask of each new connection what the server asks, from now on: the tables for that are there."""
        self.close()
        self._admits = True

    def primary(self) -> Primary | None:
        """Returns the primary of the last transaction of this thread."""
        held = getattr(self._local, "held", None)
        return None if held is None else held[1].primary

    def possible_loss(self) -> str | None:
        """Returns a sentence about acknowledged changes that a failure may lose, or None. Raises StoreUnavailable."""
        with self.reading() as db:
            return possible_loss(db)

    def exposures(self) -> Sequence[str]:
        """Returns sentences about what lets others get between Writ and the database. Raises StoreUnavailable."""
        with self.reading() as db, failures():
            return tuple(exposures(db.conn))

    def sizes(self) -> Mapping[str, int]:
        """Returns the bytes of the `database`, all its tables included."""
        with self.reading() as db:
            ((found,),) = db.execute("SELECT pg_database_size(current_database())").fetchall()
        return {"database": int(found)}

    def identity(self) -> str:
        """Returns the identity of the store, which its dumps and copies have too."""
        with self.reading() as db:
            ((found,),) = db.execute("SELECT id FROM store_identity").fetchall()
        return str(found)

    @contextmanager
    def reading(self) -> Iterator[PostgresConnection]:
        """Returns a connection that reads one state of the database in the whole block. Raises StoreUnavailable."""
        began = perf_counter()
        with self._transaction(f"{_READING}; {_limit('statement_timeout', READ_SECONDS)}") as db:
            yield db
        self._timed(False, perf_counter() - began)

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """See `StoreConnections.deciding`."""
        before, self._local.decides = self._decides(), True
        try:
            yield
        except LeaseOver as ex:
            raise WithoutLease(str(ex)) from ex
        finally:
            self._local.decides = before

    @contextmanager
    def writing(
        self, wait_factor: int = 1, tells: bool = True, environments: Collection[str] = ()
    ) -> Iterator[PostgresConnection]:
        """Wraps the block in a write transaction, which is undone if the block raises. Raises StoreUnavailable.
        See `StoreConnections.writing`. It waits so long for each lock.
        """
        began, seconds = perf_counter(), wait_factor * self._busy_seconds
        begin = (
            f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {_limit('lock_timeout', seconds)};"
            f" {_limit('idle_in_transaction_session_timeout', self._server.idle_seconds)};"
            f" {taking(environments)}; {_limit('statement_timeout', READ_SECONDS)}"
        )
        with self._transaction(begin, seconds, self.signal if tells else None) as db:
            yield db
            if environments:
                db.post(COMMIT_LOCK)
        self._timed(True, perf_counter() - began)
        if tells:
            self._server.wait(db.primary)

    @contextmanager
    def trying(self, limit: TimeLimit) -> Iterator[PostgresConnection]:
        """Returns a connection that sees one state of the database and its own changes of elements in the whole block.

        They are undone at the end, and take no lock. The server ends a query when `limit` is over; that the caller is
        gone is seen between two queries. Raises WriteTakesLong and StoreUnavailable.
        """
        began = perf_counter()
        with self.translated():
            db = self._begun("trier", f"{_READING}; {_limit('statement_timeout', max(limit.left(), 0.001))}")
            db.refuse = limit.refuse_late
            try:
                yield db
            except QueryFailed as ex:
                if not isinstance(ex.__cause__, errors.QueryCanceled):
                    raise
                raise limit.error() from ex
            finally:
                db.refuse = _nothing
                self._undo(db)
        self._timed(False, perf_counter() - began)

    def fresh(self) -> PostgresConnection:
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
        """Turns errors about the database into StoreUnavailable. A write had waited for `busy_seconds`."""
        try:
            yield
        except QueryFailed as ex:
            found = told(ex, self.place, busy_seconds or self._busy_seconds)
            if found is None:
                raise
            raise found from ex

    @contextmanager
    def _transaction(
        self, begin: str, busy_seconds: float | None = None, signal: CommitSignal | None = None
    ) -> Iterator[PostgresConnection]:
        with self.translated(busy_seconds):
            db = self._begun("held", begin)
            try:
                yield db
                db.last_steps.take(db)
                if db.has_posted(COMMIT_LOCK):  # no step has asked anything since
                    db.ask([])
                with signalled(signal):
                    self._commit(db)
            except BaseException:
                self._undo(db)
                raise

    def _commit(self, db: PostgresConnection) -> None:
        try:
            db.commit()
        except QueryFailed as ex:
            if not db.is_lost:
                raise
            # No error of the driver, at which a write would be tried again.
            unknown = "was lost at the end of a transaction, so it is not known whether a change is stored"
            way = "look, or send it again with the same `If-Match`"
            raise StoreUnavailable(f"the store `{self.place}` {unknown}; {way}", f"the store {unknown}; {way}") from ex

    def _begun(self, name: str, begin: str) -> PostgresConnection:
        """Returns this thread's connection of that name in a new transaction.

        One that was lost is replaced once, and one whose overlay is of an earlier format.
        """
        if refusal := self._refusal():
            refusal()
        for is_last in (False, True):
            db = self._of_current_primary(name)
            before = db.format
            try:
                db.begin(begin)
            except (QueryFailed, StoreUnavailable):
                if is_last or not db.is_lost:
                    self._undo(db)
                    raise
            else:
                if is_last or name != "trier" or db.format == before:
                    break
            self._drop(name)
        return db

    def _of_current_primary(self, name: str) -> PostgresConnection:
        """Returns this thread's connection of that name. One to an earlier primary is replaced once."""
        db = self._kept(name)
        if not self._server.is_current(db.primary):
            self._drop(name)
            db = self._kept(name)
            if not self._server.is_current(db.primary):
                other = "has another primary than this server's lease, so this server reads and writes nothing"
                way = "wait for the end of a fail-over, or see that the URL leads to one primary, and fence the other"
                raise StoreUnavailable(f"the store `{self.place}` {other}; {way}", f"the store {other}; {way}")
        return db

    def _undo(self, db: PostgresConnection) -> None:
        try:
            db.undo()
        except (QueryFailed, StoreUnavailable):  # its state is unknown, so the next one starts on a new connection
            for name in ("held", "trier"):
                if (getattr(self._local, name, None) or (0, None))[1] is db:
                    self._drop(name)

    def _drop(self, name: str) -> None:
        _, db = getattr(self._local, name)
        setattr(self._local, name, None)
        self._open.discard(db)
        with suppress(psycopg.Error):
            db.close()

    def _kept(self, name: str) -> PostgresConnection:
        """Returns this thread's connection of that name."""
        held: tuple[int, PostgresConnection] | None = getattr(self._local, name, None)
        process = os.getpid()
        if held is not None and held[0] != process:
            self._inherited.append(held[1])  # to close it would end the session of the parent
            self._open.discard(held[1])
            held = None
        if held is None:
            db = self._connect()
            if name == "trier":
                try:
                    add_overlay(db)
                except BaseException:
                    db.close()
                    raise
            held = (process, db)
            setattr(self._local, name, held)
            self._open.add(db)
        return held[1]

    def _decides(self) -> bool:
        return getattr(self._local, "decides", False)

    def _refusal(self) -> Refusal | None:
        """Returns what ends the waits of this thread, or None if no decision waits for it."""
        return self._server.refuse if on_event_loop() or self._decides() else None

    def _connect(self) -> PostgresConnection:
        with failures():
            session = connected(self._conninfo, self._refusal())
        session.refusal = self._refusal
        db = PostgresConnection(session)
        try:
            db.run(self._beginning)
            if self._admits:
                with failures():
                    db.primary = self._server.admit(db.conn, self.directory)
        except BaseException:
            db.close()
            raise
        return db


def folder_id(directory: Path) -> str:
    """Returns the id of a folder, which a copy at another path or on another host does not share. Raises OSError."""
    place = f"{socket.gethostname()}:{directory.resolve()}".encode()
    return hashlib.blake2b(place, key=read_or_create_secret(directory / FOLDER_ID), digest_size=32).hexdigest()


def _limit(setting: str, seconds: float) -> str:
    return f"SET LOCAL {setting} = {max(1, round(seconds * 1_000))}"


def _nothing() -> None:
    """Refuse nothing."""

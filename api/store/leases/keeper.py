"""The keeper of a server's lease: a thread with a connection that listens, renews the lease and confirms tickets."""

import logging
import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final, Protocol

import psycopg

from ..database.newest_format import STORE_FORMAT
from ..database.postgresql.server_tables import READ_FORMAT, refuse_newer
from ..database.postgresql.sessions.late_renewals import LateRenewals
from ..errors import StoreUnavailable
from . import lease_tables as sql
from .holding import Holding, Reading
from .lease_cell import LeaseCell, boot_ns
from .lengths import LEASE_SECONDS, SECOND, held_ns, lease_ns, pause_seconds
from .living_servers import LivingServers
from .primary_line import store_identity, take_line
from .primary_mark import PrimaryLine
from .trace import Seen, Trace


class Beside(Protocol):
    """Work on the connection of a keeper. It must take no longer than a statement or two."""

    def renew(self, db: psycopg.Connection) -> None:
        """Do it after a renewal of the lease. Raises psycopg.Error."""

    def leave(self, db: psycopg.Connection) -> None:
        """Do it a last time. Raises psycopg.Error."""


class Keeper:
    """Keeps the lease of one server. Make and start it after the server's processes are forked."""

    def __init__(
        self,
        id: str,
        connect: Callable[[], psycopg.Connection],
        raise_signal: Callable[[], None],
        cell: LeaseCell,
        log: logging.Logger,
        lease_seconds: float = LEASE_SECONDS,
        clock: Callable[[], int] = boot_ns,
        beside: Beside | None = None,
        trace: Trace | None = None,
        folder: str | None = None,
    ) -> None:
        """The keeper of the server `id`, which no other one has, also not the same server before a restart.

        `connect` opens a connection to the primary with autocommit. `raise_signal` makes each worker look at the data
        before its next decision. `cell` gets the end of the lease. `clock` gives nanoseconds of CLOCK_BOOTTIME.
        `beside` is done over the same connection. `trace` is that of the server's data directory, and `folder` the id
        by which its bundles are recorded. Writers wait for the bundles of a server that has one.
        """
        self.id: Final = id
        self._connect, self._raise_signal, self._cell, self._log, self._clock = connect, raise_signal, cell, log, clock
        self._lease, self._pause = lease_ns(lease_seconds), pause_seconds(lease_seconds)
        self._holding, self._beside, self._trace = Holding(held_ns(lease_seconds)), beside, trace
        self._living: Final = LivingServers(id)
        self._folder = folder
        self._db: psycopg.Connection | None = None
        self._line: PrimaryLine | None = None
        self._store = b""
        self._hinted, self._is_troubled = -1, False
        self._ending, self._is_ended = threading.Lock(), False
        self._wakes, self._wake = os.pipe()
        self._late: Final = LateRenewals(connect, log, held_ns(lease_seconds) / SECOND)
        self._thread: Final = threading.Thread(target=self._run, name="lease", daemon=True)

    def start(self) -> None:
        """Start the thread. The server has its first lease soon after, if the primary answers."""
        self._late.start()
        self._thread.start()

    def stop(self) -> None:
        """End the lease, and remove the row: no write waits for this server any more.

        If the primary does not answer within the length of a lease, the row stays, and a writer removes it.
        """
        with self._ending:
            self._is_ended = True
            self._cell.set(0)
        os.write(self._wake, b".")
        self._late.stop()
        self._thread.join(self._lease / SECOND)
        if self._thread.is_alive():
            return
        if self._db is not None:
            with suppress(psycopg.Error):
                self._db.execute(sql.REMOVE, {"id": self.id, "number": self._holding.number})
                if self._beside is not None:
                    self._beside.leave(self._db)
        self._disconnect()
        os.close(self._wakes)
        os.close(self._wake)

    def _run(self) -> None:
        is_stopped = False
        while not is_stopped:
            began = monotonic()
            try:
                with self._late.watching():
                    self._renew(self._connection())
                self._is_troubled = False
            except Exception as ex:  # also one of the signal: without this thread, nothing is decided any more
                self._tell(ex)
                self._disconnect()
            is_stopped = self._wait(began + self._pause)

    def _renew(self, db: psycopg.Connection) -> None:
        """Confirm what was committed, and get the next lease. Raises psycopg.Error, StoreUnavailable."""
        self._refuse_newer(db)
        self._observe(self._newest(db))
        self._holding = self._holding.asked(self._clock())
        statement = sql.REGISTER if self._holding.is_registering() else sql.RENEW
        trace = self.id if self._trace is None else self._trace.id()
        values = {
            "id": self.id,
            "known": self._holding.known,
            "number": self._holding.number,
            "lease": self._lease,
            "trace": trace,
            "folder": self._folder,
            "format": STORE_FORMAT,
        }
        row = db.execute(statement, values).fetchone()
        if row is None:
            self._holding = self._holding.lost()
            self._log.warning("a writer has waited for the end of this server's lease; the server registers again")
            return self._renew(db)
        self._holding = self._holding.written(row[0])
        self._keep_trace(trace, row[0])
        self._hinted = -1  # a hint from before is covered by what is read now, whatever it says
        reading = self._newest(db)
        self._raise_if_news(reading)
        self._holding = self._holding.renewed(reading)
        with self._ending:
            if not self._is_ended:
                self._cell.set(self._holding.deadline)
        self._take_place(db)
        if self._beside is not None:
            self._beside.renew(db)
        return None

    def _refuse_newer(self, db: psycopg.Connection) -> None:
        """Raises StoreUnavailable if a newer program excludes this one: `/readyz` tells then that there is no lease.

        No decision depends on it: a worker that must look at the store is refused there.
        """
        row = db.execute(READ_FORMAT).fetchone()
        assert row is not None
        refuse_newer(*row)

    def _keep_trace(self, id: str, number: int) -> None:
        """Keep in the data directory what the database has now: an older copy of it lacks that. Raises OSError."""
        if self._trace is not None and self._line is not None:
            self._trace.keep(Seen(self._store, id, self._line, number))

    def _take_place(self, db: psycopg.Connection) -> None:
        """Count for the rate limits as one of the servers that live."""
        ids = self._living.among(db.execute(sql.LIST_SERVERS), self._clock())
        if self.id in ids:
            self._cell.share.set(ids.index(self.id), len(ids))

    def _observe(self, reading: Reading) -> None:
        self._raise_if_news(reading)
        self._holding = self._holding.observed(reading)

    def _raise_if_news(self, reading: Reading) -> None:
        if self._holding.is_news(reading):
            self._raise_signal()

    def _newest(self, db: psycopg.Connection) -> Reading:
        """Raises StoreUnavailable if a dump was restored since this connection was opened: the next one notices it."""
        row = db.execute(sql.NEWEST).fetchone()
        assert row is not None
        ticket, content, noted = row
        if self._line is None or noted != self._line.noted:
            raise StoreUnavailable("the database was restored meanwhile; the server registers again")
        return Reading(ticket, content)

    def _wait(self, until: float) -> bool:
        """Wait for a hint, or until that time on the monotonic clock. Returns whether the keeper must stop.

        It does not wait if a ticket is to be confirmed.
        """
        while self._db is None or (self._take_hints() and not self._holding.is_awaited(self._hinted)):
            seconds = until - monotonic()
            if seconds <= 0:
                return False
            watched = [self._wakes] if self._db is None else [self._wakes, self._db.fileno()]
            if self._wakes in select.select(watched, [], [], seconds)[0]:
                return True
        return bool(select.select([self._wakes], [], [], 0)[0])

    def _take_hints(self) -> bool:
        """Returns whether the connection is still there."""
        assert self._db is not None
        connection = self._db.pgconn  # a connection has no other way to ask for hints without a wait
        try:
            connection.consume_input()
            while (notice := connection.notifies()) is not None:
                self._hint(notice.extra)
        except psycopg.Error as ex:
            self._tell(ex)
            self._disconnect()
            return False
        return True

    def _hint(self, ticket: bytes | str) -> None:
        with suppress(ValueError):
            self._hinted = max(self._hinted, int(ticket))

    def _connection(self) -> psycopg.Connection:
        """Raises psycopg.Error, StoreUnavailable."""
        if self._db is None:
            db = self._connect()
            self._late.on(db.info.backend_pid)
            try:
                self._line = take_line(db, self._lease, self._trace)
                self._store = store_identity(db)
                self._cell.set_line(self._line)
                db.add_notify_handler(lambda notice: self._hint(notice.payload))
                db.execute(f"LISTEN {sql.COMMITS}")
            except BaseException:
                db.close()
                raise
            self._db = db
        return self._db

    def _disconnect(self) -> None:
        self._holding = self._holding.lost()
        if self._db is not None:
            self._db.close()
            self._db = None

    def _tell(self, trouble: Exception) -> None:
        if not self._is_troubled:
            self._is_troubled = True
            self._log.error(
                "this server's lease can't be renewed: %s",
                (str(trouble).strip() or type(trouble).__name__).splitlines()[0],
            )

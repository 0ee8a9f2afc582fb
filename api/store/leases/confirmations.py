"""The writes of one process that wait until each server has confirmed them, and has built the bundles for them."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from typing import Final, NamedTuple, TypeAlias

import psycopg

from ..errors import NotSignalled, StoreUnavailable
from . import lease_tables as sql
from .confirming import Confirmation, ServerRow
from .lease_cell import boot_ns
from .lengths import BUILD_SECONDS, LEASE_SECONDS, SECOND, lease_ns
from .primary_line import take_line
from .primary_mark import PrimaryLine

SHORTEST_PAUSE: Final = 0.002
LONGEST_PAUSE: Final = 0.05
"""The seconds between two readings of the rows. They grow while a write waits."""

ATTEMPTS: Final = 3
"""The times that a write removes what is unanswered. More are needed if another primary writes meanwhile."""

_LOG: Final = logging.getLogger(__name__)
_SHORTEST_BUILD_PAUSE: Final = 0.02
_LONGEST_BUILD_PAUSE: Final = 0.2


Confirmed: TypeAlias = Callable[[float, bool], None]
"""Takes the seconds that a commit waited, and whether that was for the end of a lease. Any thread may call it."""

Leased: TypeAlias = Callable[[], PrimaryLine | None]
"""Returns the primary of this server's lease, or None if it has no lease yet, or is no server."""


def untold(_seconds: float, _lapsed: bool) -> None:
    """Counts nothing."""


def unleased() -> None:
    """Returns None: a process without a lease may use any primary."""


class Unanswered(NamedTuple):
    """The first and the last revision of an environment that lack a delta and that no writer has answered yet."""

    first: int
    last: int


AllUnanswered: TypeAlias = Mapping[str, Unanswered]
"""Those of each environment that has any, by its id."""


class Waiting(NamedTuple):
    """A commit that waits: what it tells its caller, the primary that has it, or None if that is not known, and since
    when it waits, in nanoseconds of CLOCK_BOOTTIME.
    """

    future: "Future[AllUnanswered]"
    line: PrimaryLine | None
    began: int


class Wait(NamedTuple):
    """The wait for the confirmation of one ticket, the primary where it was drawn, the commits that wait for it, and
    which commits were unanswered when it was drawn.
    """

    confirmation: Confirmation
    line: PrimaryLine | None
    waiting: Sequence[Waiting]
    unanswered: AllUnanswered


class Confirmations:
    """The commits of one process, waiting. Commits that come at the same time share a ticket.

    Make it after the fork. The thread starts with the first commit. A connection that was lost is replaced once: it may
    have been idle for long.
    """

    def __init__(
        self,
        own: str | None,
        connect: Callable[[], psycopg.Connection],
        lease_seconds: float = LEASE_SECONDS,
        clock: Callable[[], int] = boot_ns,
        confirmed: Confirmed = untold,
        leased: Leased = unleased,
    ) -> None:
        """`own` is the id of this process's server, or None if it belongs to none. `connect` opens a connection to the
        primary with autocommit. `clock` gives nanoseconds of CLOCK_BOOTTIME. `confirmed` hears of each commit that is
        answered, before its caller does. `leased` tells the primary that this server reads from.
        """
        self._own, self._connect, self._clock, self._confirmed = own, connect, clock, confirmed
        self._leased = leased
        self._lease = lease_ns(lease_seconds)
        self._db: psycopg.Connection | None = None
        self._line: PrimaryLine | None = None
        self._came: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def confirm(self, line: PrimaryLine | None = None) -> "Future[AllUnanswered]":
        """Returns a future that is done when each server has confirmed the commits before, or its lease has run out.

        The caller has raised the signal of its server. `line` is that of the primary that has the commit. The future
        raises NotSignalled if another one writes by now, or has this server's lease, or if the database can't be asked.
        Its result is the commits that were not settled then (see `Settling`): the write of such a commit may not be
        answered yet.
        """
        waiting = Waiting(Future(), line, self._clock())
        waiting.future.set_running_or_notify_cancel()  # so that a client that goes away can't cancel it
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="confirmations", daemon=True)
                self._thread.start()
        self._came.put(waiting)
        return waiting.future

    def close(self) -> None:
        """End the thread, after the commits that wait. Waits for two leases at most."""
        if self._thread is not None:
            self._came.put(None)
            self._thread.join(2 * self._lease / SECOND)

    def _run(self) -> None:
        open_waits: list[Wait] = []
        pause, is_closing = SHORTEST_PAUSE, False
        while not is_closing or open_waits:
            came = self._arrivals(pause if open_waits else None)
            is_closing = is_closing or None in came
            new = [one for one in came if one is not None]
            pause = SHORTEST_PAUSE if new else min(pause * 2, LONGEST_PAUSE)
            try:
                open_waits = self._step(open_waits, new)
            except Exception as ex:  # without this thread, every later write would wait for ever
                self._fail([*new, *(one for wait in open_waits for one in wait.waiting)], ex)
                open_waits = []
        self._disconnect()

    def _arrivals(self, seconds: float | None) -> list[Waiting | None]:
        """Returns what has come. Waits for that, up to some seconds."""
        came: list[Waiting | None] = []
        with suppress(queue.Empty):
            came.append(self._came.get(timeout=seconds))
            while True:
                came.append(self._came.get_nowait())
        return came

    def _step(self, waits: list[Wait], new: Sequence[Waiting]) -> list[Wait]:
        """Draw a ticket for what is new, read the rows, and answer what is done. Returns what still waits."""
        if not (new or waits):
            return []
        if {self._leased(), *(one.line for one in new)} - {None, self._line}:
            self._disconnect()  # it may be older than the one that has the commit
        if new:
            ((ticket, _, rows),) = self._execute(sql.DRAW_TICKET)
            unanswered = {id: Unanswered(*revisions) for id, revisions in (rows or {}).items()}
            waits = [*waits, Wait(Confirmation(ticket, self._own), self._line, new, unanswered)]
        servers = self._servers(waits)
        now = self._clock()
        listed = [wait._replace(confirmation=wait.confirmation.listed(servers, now)) for wait in waits]
        for wait in listed:
            if wait.confirmation.is_done(now):
                self._answer(wait, now)
        return [wait for wait in listed if not wait.confirmation.is_done(now)]

    def _servers(self, waits: Sequence[Wait]) -> list[ServerRow]:
        """Returns the rows of all servers. Raises StoreUnavailable if they are not of the primary of all waits."""
        rows = list(self._execute(sql.LIST_NOTED))
        lines = {line for wait in waits for line in (wait.line, *(one.line for one in wait.waiting))} | {self._leased()}
        assert self._line is not None
        if lines - {None, self._line} or any(noted != self._line.noted for noted, *_ in rows):
            raise StoreUnavailable("another primary has the commits from now on")
        return [ServerRow(*row) for _, *row in rows if row[0] is not None]

    def _answer(self, wait: Wait, now: int) -> None:
        lapsed = wait.confirmation.lapsed(now)
        for one in wait.waiting:
            self._confirmed((now - one.began) / SECOND, bool(lapsed))
            one.future.set_result(wait.unanswered)
        for row in lapsed:
            self._execute(sql.REMOVE, {"id": row.id, "number": row.number})

    def _execute(self, statement: str, values: Mapping[str, object] | None = None) -> psycopg.Cursor:
        """Raises psycopg.Error, StoreUnavailable."""
        try:
            return self._connection().execute(statement, values)
        except psycopg.Error:
            if self._db is None or not self._db.closed:
                raise
        self._disconnect()
        return self._connection().execute(statement, values)

    def _fail(self, waiting: Sequence[Waiting], trouble: Exception) -> None:
        self._disconnect()
        for one in waiting:
            if not one.future.done():
                failure = NotSignalled("the change is stored, but it is not known whether each server has seen it yet")
                failure.__cause__ = trouble
                one.future.set_exception(failure)

    def _connection(self) -> psycopg.Connection:
        """Raises psycopg.Error, StoreUnavailable."""
        if self._db is None:
            db = self._connect()
            try:
                line = take_line(db, self._lease, begins=self._leased() is None)
            except BaseException:
                db.close()
                raise
            self._db, self._line = db, line
        return self._db

    def _disconnect(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


class Settling:
    """The settling of commits for one process. A commit is settled when its row in `unanswered` is gone."""

    def __init__(
        self,
        connect: Callable[[], psycopg.Connection],
        confirm: "Callable[[PrimaryLine | None], Future[AllUnanswered]]",
        clock: Callable[[], int] = boot_ns,
    ) -> None:
        """`connect` and `clock` are as for `Confirmations`, and `confirm` is its method."""
        self._connect, self._confirm, self._clock = connect, confirm, clock

    def settle(
        self,
        line: PrimaryLine | None,
        open_commits: AllUnanswered,
        tell: Callable[[], None],
        seconds: float = BUILD_SECONDS,
    ) -> None:
        """Wait until each server with a lease has built bundles of these commits, but not longer than `seconds`.

        Then each server that has none is without a right to decide in that environment. `line` is the primary that has
        the commits, or None. `tell` raises the signal of the caller's server. Raises NotSignalled.
        """
        for _ in range(ATTEMPTS):
            try:
                with closing(self._connect()) as db:
                    for environment, commits in open_commits.items():
                        self._wait(db, environment, commits.last, seconds)
                        db.execute(sql.SETTLE, {"environment": environment, "revision": commits.last})
            except psycopg.Error as ex:
                raise NotSignalled(_UNKNOWN) from ex
            tell()
            found = self._confirm(line).result()
            open_commits = {id: one for id, one in open_commits.items() if id in found and found[id].first <= one.last}
            if not open_commits:
                return
        raise NotSignalled(_UNKNOWN)

    def _wait(self, db: psycopg.Connection, environment: str, revision: int, seconds: float) -> None:
        """Wait for the servers that lack the bundle and renew their leases. The others may not decide in any case."""
        until, pause = self._clock() + seconds * SECOND, _SHORTEST_BUILD_PAUSE
        numbers: dict[str, tuple[int, int]] = {}
        while (now := self._clock()) < until:
            rows = db.execute(sql.LIST_UNBUILT, {"environment": environment, "revision": revision}).fetchall()
            if not any(_is_alive(row, numbers, now) for row in rows):
                return
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_BUILD_PAUSE)
        _LOG.warning("a write to `%s` is answered, though another server has not built its bundle", environment)


_UNKNOWN: Final = "the change is stored, but it is not known whether each server has built its bundle yet"


def _is_alive(row: tuple[str, int, int], numbers: dict[str, tuple[int, int]], now: int) -> bool:
    """Returns whether a server may have a lease. `numbers` has the number of each row, and when it was first read."""
    id, number, lease = row
    if id not in numbers or numbers[id][0] != number:
        numbers[id] = number, now
    return now - numbers[id][1] < lease

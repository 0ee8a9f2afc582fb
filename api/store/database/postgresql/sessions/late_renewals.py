"""Logs a renewal of the lease that the database does not answer in time, and the sessions that it waits for.

The thread of the keeper waits in such a renewal, so another one watches it.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from time import monotonic
from typing import Final

import psycopg

from ....errors import StoreUnavailable

_TIMEOUT_MILLISECONDS: Final = 2_000
"""The time that the database has to name the sessions. A locked catalog must not keep this thread."""

_BLOCKING: Final = """
SELECT blocker, a.usename, a.application_name FROM unnest(pg_blocking_pids(%s)) AS b (blocker)
LEFT JOIN pg_stat_activity AS a ON a.pid = blocker ORDER BY blocker
"""
"""Lists those who keep a lock that a session waits for. A role without rights sees only the number of others."""


class LateRenewals:
    """The watch over the renewals of one keeper."""

    def __init__(self, connect: Callable[[], psycopg.Connection], log: logging.Logger, seconds: float) -> None:
        """A renewal is late after so many `seconds`, when the lease from before it is over. `connect` opens a
        connection to the primary with autocommit.
        """
        self._connect, self._log, self._seconds = connect, log, seconds
        self._changed = threading.Condition()
        self._began: float | None = None
        self._session: int | None = None
        self._is_told, self._is_ended = False, False
        self._thread: Final = threading.Thread(target=self._run, name="late-renewals", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread, without a wait for it."""
        with self._changed:
            self._is_ended = True
            self._changed.notify()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watches a renewal in the block. Says so if it succeeds after it was told to be late."""
        with self._changed:
            self._began = monotonic()
            self._changed.notify()
        try:
            yield
            if self._is_told:
                self._log.warning("this server's lease was renewed again, after %.1f s", monotonic() - self._began)
        finally:
            with self._changed:
                self._began, self._is_told = None, False

    def on(self, session: int) -> None:
        """Note the process id of the session that renews."""
        self._session = session

    def _run(self) -> None:
        while (began := self._late()) is not None:
            said = self._said()
            with self._changed:
                if self._began == began:
                    self._is_told = True
                    self._log.error("%s", said)

    def _late(self) -> float | None:
        """Waits for a renewal that is late, and was not told yet. Returns when it began, or None at the end."""
        with self._changed:
            while not self._is_ended:
                left = None
                if self._began is not None and not self._is_told:
                    left = self._began + self._seconds - monotonic()
                    if left <= 0:
                        return self._began
                self._changed.wait(left)
        return None

    def _said(self) -> str:
        """Returns the sentence about the renewal that is late."""
        lost = "this server's lease is over, since the database does not answer its renewal"
        try:
            found = blocking_sessions(self._connect, self._session)
        except (psycopg.Error, StoreUnavailable) as ex:
            reason = (str(ex).strip() or type(ex).__name__).splitlines()[0]
            return f"{lost}, nor another question: {reason}"
        if not found:
            return f"{lost}; no other session keeps a lock that it waits for"
        return f"{lost}; it waits for a lock of {', '.join(found)}; `SELECT pg_terminate_backend(PROCESS)` ends one"


def blocking_sessions(connect: Callable[[], psycopg.Connection], session: int | None) -> list[str]:
    """Returns the words for each session that keeps a lock for which a session waits. Raises psycopg.Error."""
    if session is None:
        return []
    with closing(connect()) as db:
        db.execute(f"SET statement_timeout = {_TIMEOUT_MILLISECONDS}".encode())
        rows = db.execute(_BLOCKING, (session,)).fetchall()
    return [_words(*row) for row in rows]


def _words(pid: int, user: str | None, program: str | None) -> str:
    who = ", ".join(f"{name} {value!a}" for name, value in (("user", user), ("program", program)) if value)
    return f"process {pid} ({who})" if who else f"process {pid}"

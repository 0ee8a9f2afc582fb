"""The duty of a process that is no server: a thread with a connection, and a timer that ends a process which is late.

Work that leaves the database can't ask it whether it still may: between the question and the work, a process may stand
still. So the process arms a timer of the system before the work. If its right ends before the work does, the signal of
the timer (SIGALRM) ends it. That also holds for a process that was stopped: it does nothing more once it goes on.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Final

import psycopg

from ..leases.lease_cell import boot_ns
from ..leases.lengths import SECOND, lease_ns, pause_seconds
from ..leases.primary_line import take_line
from .candidate import Candidate
from .duty import NotHeld

_SHORTEST: Final = 0.001
"""Seconds: 0 would stop the timer."""

_SLACK_PART: Final = 50
"""The timer may fire a 50th of a lease late. A holder leaves a tenth of it unused."""


class DutyThread:
    """See `Duty`. Its thread starts at once. One process has one of them: there is one timer."""

    def __init__(
        self,
        candidate: Candidate,
        connect: Callable[[], psycopg.Connection],
        lease_seconds: float,
        clock: Callable[[], int] = boot_ns,
    ) -> None:
        """`connect` opens a connection to the primary with autocommit. `clock` gives nanoseconds of CLOCK_BOOTTIME."""
        self._candidate, self._connect, self._clock = candidate, connect, clock
        self._lease, self._pause = lease_ns(lease_seconds), pause_seconds(lease_seconds)
        self._db: psycopg.Connection | None = None
        self._wants_from = 0.0
        self._timing, self._is_guarded = threading.Lock(), False
        self._ended = threading.Event()
        self._thread: Final = threading.Thread(target=self._run, name="duty", daemon=True)
        self._thread.start()

    @property
    def holder(self) -> str:
        """See `Duty`."""
        return self._candidate.holder

    def is_held(self) -> bool:
        """See `Duty`."""
        return self._clock() < self._candidate.deadline and monotonic() >= self._wants_from

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """See `Duty`. The process ends with SIGALRM if its right ends before the block does."""
        with self._timing:
            self._is_guarded = self._armed()
            if not self._is_guarded:
                _disarm()
                raise NotHeld("this process has lost its duty, or can't reach the database to keep it")
        try:
            yield
        finally:
            with self._timing:
                self._is_guarded = False
                _disarm()

    def step_back(self, seconds: float) -> None:
        """See `Duty`."""
        self._wants_from = monotonic() + seconds

    def close(self) -> None:
        """See `Duty`. Waits for the length of a lease at most."""
        self._ended.set()
        self._thread.join(self._lease / SECOND)

    def _armed(self) -> bool:
        """Set the timer to the end of the right. Returns whether there is one."""
        while self.is_held():
            now = self._clock()
            left = (self._candidate.deadline - now) / SECOND
            signal.setitimer(signal.ITIMER_REAL, max(left, _SHORTEST))
            if self._clock() - now < self._lease // _SLACK_PART:
                return True  # else the process stood still in between, and the timer would fire late
        return False

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._step()
            except Exception:  # whatever it was: the right runs out, and the next step tries again
                self._disconnect()
            self._ended.wait(self._pause)
        with suppress(psycopg.Error):
            if self._db is not None:
                self._candidate.give_back(self._db)
        self._disconnect()

    def _step(self) -> None:
        if self._db is None:
            self._db = self._connect()
            take_line(self._db, self._lease, begins=False)
        if monotonic() < self._wants_from:
            self._candidate.give_back(self._db)
            return
        self._candidate.step(self._db)
        with self._timing:
            if self._is_guarded and self._candidate.deadline and not self._armed():
                signal.raise_signal(signal.SIGALRM)

    def _disconnect(self) -> None:
        if self._db is not None:
            with suppress(psycopg.Error):
                self._db.close()
            self._db = None


def _disarm() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)

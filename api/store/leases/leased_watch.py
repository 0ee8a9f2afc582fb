"""The watch of a server with a lease: it has no answer without one, since a newer write may be confirmed then."""

import os
from time import CLOCK_BOOTTIME, clock_gettime_ns

from ..database.watch import Version
from ..errors import LeaseOver
from .lease_cell import LeaseCell


class LeasedWatch:
    """Watches the commits of all servers, for one thread. Safe to fork. It asks no database: the keeper does.

    Every way to decide asks for the version first. So this is the one place where a worker looks at its lease.
    """

    def __init__(self, signal: memoryview, lease: LeaseCell) -> None:
        """`signal` has the numbers of the commit signal. The keeper changes them before it confirms."""
        self._cell, self._end = signal[2:3], lease.end
        self._number: int | None = None
        self._upsets = 0
        self._version: Version = 0, 0, None, 0

    def close(self) -> None:
        """Make the version another one: a child of this process must look for itself."""
        self.upset()

    def beat(self) -> None:
        """Do nothing: a commit that matters raises the signal, and while the lease runs, the database may be away."""

    def upset(self) -> None:
        """Make the version another one: something else than a commit changes what follows from the data."""
        self._upsets += 1
        self._number = None

    def version(self) -> Version:
        """See `Watch`. Raises LeaseOver if the lease that was there before the look at the signal is over after it.

        PERF: every request asks. The lease takes 0.1 µs of it.
        """
        end, number = self._end[0], self._cell[0]
        if number != self._number:
            self._number = number
            self._version = os.getpid(), 0, number, self._upsets
        if clock_gettime_ns(CLOCK_BOOTTIME) < end:
            return self._version
        raise LeaseOver

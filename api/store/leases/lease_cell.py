"""The lease of a server in shared memory, where each of its workers looks for each decision."""

import mmap
import os
import time
from typing import Final

from ....runtime.rates.server_share import BYTES, ServerShare
from .lengths import SECOND
from .primary_mark import PrimaryLine

_LEASE: Final = (2 + len(PrimaryLine._fields)) * 8
_BYTES: Final = _LEASE + BYTES


def boot_ns() -> int:
    """Returns the nanoseconds since the machine started, also those for which it was suspended.

    Setting the time does not change them.
    """
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class LeaseCell:
    """The end of one server's lease, its primary, the end of its duty, and its place among all servers.

    Make it before the fork.

    `LeasedWatch` looks at it for a worker, in the order that the protocol needs.

    The memory has no file on a disk: after a restart of the machine, an old end would lie in the future.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        """A new cell, whose lease has run out, or the one with the file descriptor of another process."""
        self.descriptor: Final = os.memfd_create("writ-lease") if descriptor is None else descriptor
        """The file of the memory, for another process."""
        if descriptor is None:
            os.ftruncate(self.descriptor, _BYTES)
        memory = memoryview(mmap.mmap(self.descriptor, _BYTES))
        cells = memory[:_LEASE].cast("q")
        self.end: Final = cells[:1]
        """Holds the end of the lease, in nanoseconds of CLOCK_BOOTTIME, as its one item."""
        self._line: Final = cells[1:-1]
        self._duty: Final = cells[-1:]
        self.share: Final = ServerShare(memory[_LEASE:])
        """The part of each rate limit that the server may allow."""

    def set(self, end: int) -> None:
        """Let the lease run until `end`. 0 ends it at once."""
        self.end[0] = end

    def set_line(self, line: PrimaryLine) -> None:
        """Tell the workers which primary the next leases are from."""
        for place, number in enumerate(line):
            self._line[place] = number

    def remaining_seconds(self) -> float:
        """Returns the seconds until the lease runs out, or 0 without one."""
        return max(0, self.end[0] - boot_ns()) / SECOND

    def set_duty(self, end: int) -> None:
        """Let the server do the upkeep of the store until `end`, in nanoseconds of CLOCK_BOOTTIME."""
        self._duty[0] = end

    def has_duty(self) -> bool:
        """Returns whether this server does the upkeep of the store now."""
        return is_live(self._duty[0])

    @property
    def line(self) -> PrimaryLine | None:
        """The primary that the lease is from, or None before the first one."""
        line = PrimaryLine(*self._line)
        return line if line.noted else None


def is_live(end: int) -> bool:
    """Returns whether a lease runs that ends at `end`, in nanoseconds of CLOCK_BOOTTIME."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) < end

"""A queue with bounds between the event loop of a worker and the thread that writes what waits."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar

_Entry = TypeVar("_Entry")

POLL_SECONDS: Final = 0.1
"""The seconds between two looks of a thread for entries.

PERF: it is not woken, so an entry costs the event loop little. Each look costs as much as a decision, since the thread
and the event loop take the interpreter from each other."""

TURN_ENTRIES: Final = 32
"""Entries after which the event loop has a turn: it may wait as long as they take, half a millisecond."""

REPORT_SECONDS: Final = 10.0
"""The seconds between two messages of a worker about dropped entries."""


class Bounds(NamedTuple):
    """The most that waits in a worker, in entries and in bytes of memory."""

    entries: int
    bytes: int


class BoundedQueue(Generic[_Entry]):
    """The entries that wait. The event loop alone puts. An entry counts until a thread frees it.

    `fresh` are the entries that were put, and not taken yet. `dropped` counts the entries that found no room. `wake` is
    called when `fresh` is empty and an entry comes. PERF: there is no lock. Each counter has one thread that changes
    it, and a deque's ends are safe by themselves. All entries since the start are counted: a thread that frees entries
    raises the limits.
    """

    def __init__(self, bounds: Bounds, log: logging.Logger, loss: str) -> None:
        """`loss` is the message about dropped entries, with `%d` for their number."""
        self.bounds, self._log, self._loss = bounds, log, loss
        self.fresh: deque[_Entry] = deque()
        self.dropped = self._reported = 0
        self._reported_at = -REPORT_SECONDS
        self.wake: Callable[[], None] = _stay_asleep
        self._put_entries = self._put_bytes = 0
        self._limit_entries, self._limit_bytes = bounds

    @property
    def entries(self) -> int:
        """Returns the number of entries that are not freed yet."""
        return self._put_entries - self._limit_entries + self.bounds.entries

    @property
    def bytes(self) -> int:
        """Returns the memory of the entries that are not freed yet."""
        return self._put_bytes - self._limit_bytes + self.bounds.bytes

    def is_full(self) -> bool:
        """Returns whether a bound is reached."""
        return self._put_entries >= self._limit_entries or self._put_bytes >= self._limit_bytes

    def put(self, entry: _Entry, size: int, beyond: bool = False) -> None:
        """Adds an entry of `size` bytes. Drops it if there is no room, unless it may go `beyond` the bounds.

        An empty queue takes any entry.
        """
        put_bytes = self._put_bytes + size
        is_over = self._put_entries >= self._limit_entries or put_bytes > self._limit_bytes
        if is_over and not beyond and self.entries:
            self.dropped += 1
            return
        if not self.fresh:
            self.wake()
        self.fresh.append(entry)
        self._put_entries += 1
        self._put_bytes = put_bytes

    def grow(self, size: int) -> None:
        """Counts so many bytes more for the entries that wait, or fewer. Only the event loop calls it."""
        self._put_bytes += size

    def free(self, entries: int, size: int) -> None:
        """Counts entries and their bytes no longer. Only the thread calls it."""
        self._limit_entries += entries
        self._limit_bytes += size

    def report(self, at_once: bool = False) -> None:
        """Log the number of dropped entries, every `REPORT_SECONDS` at most if not `at_once`."""
        dropped, now = self.dropped, time.monotonic()
        if dropped > self._reported and (at_once or now - self._reported_at >= REPORT_SECONDS):
            self._log.error(self._loss, dropped - self._reported)
            self._reported, self._reported_at = dropped, now


class QueueThread:
    """The thread of a queue. It calls `write` every `POLL_SECONDS`, and a last time when it is stopped."""

    def __init__(self, name: str, write: Callable[[], None]) -> None:
        """`write` writes what waits. It must not raise."""
        self._write = write
        self._stopping = threading.Event()
        self._deadline = 0.0
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread, in a worker."""
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Write what is left, for so many seconds at most."""
        self._deadline = time.monotonic() + seconds
        self._stopping.set()
        self._thread.join(seconds)

    @property
    def is_stopping(self) -> bool:
        """True if this is the last call of `write`, or soon will be."""
        return self._stopping.is_set()

    def pause(self, seconds: float, last_seconds: float) -> bool:
        """Waits for another try, `last_seconds` at most if the worker stops. Returns whether there is time for one."""
        if not self._stopping.wait(seconds):
            return True
        left = self._deadline - time.monotonic()
        time.sleep(max(0.0, min(last_seconds, left)))
        return left > 0

    def _run(self) -> None:
        while not self._stopping.wait(POLL_SECONDS):
            self._write()
        self._write()


def give_turn() -> None:
    """Give the interpreter to the event loop."""
    time.sleep(0)


def _stay_asleep() -> None:
    """Do nothing: the thread looks for entries by itself."""
